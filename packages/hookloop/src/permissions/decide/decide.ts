/**
 * Takes a call, the rules, and what else bears on it: the mode, what hooks said, what is protected. Gives what must happen, and which rule or mode says so.
 * Refuses to guess: what cannot be read counts as forbidden by a deny rule and as not allowed by an allow rule.
 */
import { callFacts } from "../call-facts.ts";
import { meantCall } from "../meant-call.ts";
import { projectRoot } from "../paths/index.ts";
import { toolKind } from "../rules/covered-tools.ts";
import type {
  CallFacts,
  DecideContext,
  DecidedBy,
  PermissionCall,
  PermissionDecision,
  RuleList,
  RuleReference,
  RuleSet,
} from "../types.ts";
import { describeDecision } from "./describe.ts";
import { guardsAgainst } from "./likeness.ts";
import { type Answer, answerOfMode, NEEDS_PERSON } from "./modes.ts";
import { isWorkspaceFile, workspaceFolders } from "./workspace.ts";

/** Whether the call may happen: the whole order of decisions, except for the people and the PermissionRequest hooks behind a question. */
export function decide(call: PermissionCall, rules: RuleSet, context: DecideContext): PermissionDecision {
  const folders = [context.root, ...rules.directories, ...(context.directories ?? [])];
  const facts = factsOf(call, context, folders);
  const { denying, asking, likeness } = guardsAgainst(meantCall(facts), rules);
  const { hook = "none", mode = rules.mode ?? "default" } = context;
  const protection = context.protect?.(call);
  const allowed = answerOfMode({ facts, rules, mode, folders });
  const runnersUp = [...denying, ...asking, ...allowed.rules];
  const answer = (decision: RuleList, by: DecidedBy, reason?: string): PermissionDecision => {
    const others = runnersUp.filter((rule) => by.kind !== "rule" || by.rule !== rule).map(reference);
    const shown: DecidedBy = by.kind === "rule" ? { kind: "rule", rule: reference(by.rule) } : by;
    const isUndecided = by.kind === "rule" && decision !== "allow" && facts.work.left < 0;
    const text = (reason ?? describeDecision(decision, shown, call.tool_name, likeness)) + (isUndecided ? UNDECIDED : "");
    return {
      decision,
      by: shown,
      reason: text,
      runnersUp: others,
      ...(likeness && { likeness: { ...likeness, rule: reference(likeness.rule) } }),
    };
  };
  const ask = (by: DecidedBy, reason = describeDecision("ask", by, call.tool_name, likeness)): PermissionDecision => {
    if (mode !== "dontAsk") return answer("ask", by, reason);
    return answer("deny", by.kind === "default" ? { kind: "mode", mode } : by, `${reason} In mode dontAsk a question is a no.`);
  };

  if (hook === "deny") return answer("deny", { kind: "hook" });
  if (denying[0]) return answer("deny", { kind: "rule", rule: denying[0] });
  if (protection?.decision === "deny") return answer("deny", { kind: "protection" }, protection.reason);
  // A mode's no is a no: an ask rule or a hook's question must not turn it into a question.
  if (allowed.decision === "deny" && isSettled(allowed)) return answer("deny", allowed.by);
  if (protection) return ask({ kind: "protection" }, protection.reason);
  if (asking[0]) return ask({ kind: "rule", rule: asking[0] });
  if (hook === "ask") return ask({ kind: "hook" });
  if (isSettled(allowed)) return allowed.decision === "ask" ? ask(allowed.by) : answer(allowed.decision, allowed.by);
  if (hook === "allow" && (context.isAnswered || !NEEDS_PERSON.has(call.tool_name))) return answer("allow", { kind: "hook" });
  return ask({ kind: "default" });
}

const UNDECIDED = " Comparing all rules with this call was too much work; those that were not compared count as matching.";

function isSettled(answer: Answer): answer is Answer & { readonly decision: RuleList; readonly by: DecidedBy } {
  return answer.decision !== undefined && answer.by !== undefined;
}

function factsOf(call: PermissionCall, context: DecideContext, folders: readonly string[]): CallFacts {
  const { root, home, searchPath = process.env["PATH"] ?? "" } = context;
  const cwd = typeof call["cwd"] === "string" ? call["cwd"] : root;
  const plain = callFacts({ tool: call.tool_name, input: call.tool_input, cwd, root, home });
  const isShell = toolKind(call.tool_name) === "shell";
  const programFolders = isShell ? workspaceFolders(searchPath, [projectRoot(root, plain.home), ...folders]) : [];
  const facts = { ...plain, programFolders };
  // SECURITY: a `cd` out of the workspace must not move relative allow rules with it; deny rules look at both places.
  return isWorkspaceFile(cwd, facts, folders) ? facts : { ...facts, anchor: root };
}

function reference({ list, text, scope, place }: RuleReference): RuleReference {
  return { list, text, scope, place };
}
