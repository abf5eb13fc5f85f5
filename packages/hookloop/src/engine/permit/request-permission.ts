import { type PermissionDecision, suggestUpdates } from "../../permissions/index.ts";
import { denyText } from "../loop/index.ts";
import type { Verdict } from "../merge/index.ts";
import { type Ruling, ruleOn } from "./rule-on.ts";
import type { Permit, ToolCall } from "./types.ts";

interface Question extends Omit<Ruling, "verdict"> {
  /** What asks. */
  readonly permission: PermissionDecision;
}

interface Unrefused extends Omit<Permit, "refusal"> {
  readonly permission: PermissionDecision;
}

/** `ask`: the hooks leave it to the user. */
export type Requested =
  | (Unrefused & { readonly answer: "allow" | "ask" })
  | (Unrefused & { readonly answer: "deny"; readonly error: string });

/** Puts a question to the PermissionRequest hooks. What a rule, a protection or another hook asks is not theirs to allow; their no always counts. */
export async function requestPermission({ hooks, call, permission, options }: Question): Promise<Requested> {
  const { rules, ask, signal } = options;
  const isTheirs = permission.by.kind === "default";
  const nothing = { call, permission, verdicts: [], answer: "ask" } as const;
  // As recorded: when nobody can be asked, a hook's question is a no already.
  if (!(isTheirs || ask) || !hooks.has("PermissionRequest")) return nothing;
  const { tool_use_id: _unknownHere, ...payload } = call;
  const permission_suggestions = isTheirs ? suggestUpdates(call) : [];
  const input = {
    ...(rules && { permission_mode: rules.mode }),
    ...payload,
    ...(permission_suggestions.length > 0 && { permission_suggestions }),
  };
  const verdict = await hooks.fire("PermissionRequest", input, signal && { signal });
  const verdicts = [verdict];
  if (verdict.decision === "deny") return { ...nothing, verdicts, answer: "deny", error: denyText({ verdict, input }) };
  if (verdict.decision !== "allow" || !isTheirs) return { ...nothing, verdicts };
  const judged = await judgeAgain({ hooks, call, permission, options }, verdict);
  // Only rules leave a question that is theirs.
  if (judged.answer === "allow") for (const diagnostic of rules?.update(verdict.permissionUpdates) ?? []) hooks.report(diagnostic);
  return judged;
}

/** SECURITY: nobody has judged what a hook put in the input's place: PreToolUse hooks, rules and the program see it as if the model had asked for it. */
async function judgeAgain({ hooks, call, permission, options }: Question, request: Verdict): Promise<Requested> {
  if (!request.updatedInput) return { call, permission, verdicts: [request], answer: "allow" };
  const rewritten: ToolCall = { ...call, tool_input: request.updatedInput };
  const pre = await hooks.fire("PreToolUse", rewritten, { signal: options.signal, isRewrite: true });
  const verdicts = [request, pre];
  if (pre.decision === "deny" || pre.decision === "defer") {
    return { call: rewritten, permission, verdicts, answer: "deny", error: denyText({ verdict: pre, input: rewritten }) };
  }
  const answered: Verdict = { ...pre, decision: pre.decision === "ask" ? "ask" : "allow", updatedInput: request.updatedInput };
  const again = await ruleOn({ hooks, call: rewritten, verdict: answered, options });
  if (again.decision === "deny") return { call: rewritten, permission: again, verdicts, answer: "deny", error: again.reason };
  return { call: rewritten, permission: again, verdicts, answer: again.decision };
}
