/**
 * Takes a call and what PreToolUse hooks said of it. Gives whether it may run, in the one order of decisions there is: a hook's deny, deny rules, protections,
 * ask rules, a hook's ask, the mode and allow rules, PermissionRequest hooks, the user. Refuses whatever nobody said yes to.
 */

import { shown } from "../../check-options.ts";
import type { PermissionDecision } from "../../permissions/index.ts";
import { onAbort } from "../../run/index.ts";
import type { HookEngine } from "../hook-engine.ts";
import { denyText } from "../loop/index.ts";
import type { Verdict } from "../merge/index.ts";
import { requestPermission } from "./request-permission.ts";
import { answerOf, type Ruling, ruleOn } from "./rule-on.ts";
import type { Permit, ToolCall, ToolOptions } from "./types.ts";

/** Whether the call may run. */
export async function permitCall(asked: Ruling): Promise<Permit> {
  const { hooks, call, verdict, options } = asked;
  const none: Permit = { call, verdicts: [] };
  if (verdict.decision === "deny") return { ...none, refusal: { status: "denied", error: denyText({ verdict, input: call }) } };
  if (verdict.decision === "defer") return { ...none, refusal: { status: "deferred", error: reasonsOf(verdict) } };
  // SECURITY: hooks that were interrupted have not said yes.
  if (isOver(hooks, options)) return { ...none, refusal: interrupted(hooks, call) };
  const permission = await ruleOn(asked);
  if (permission.decision === "deny") return { ...none, permission, refusal: { status: "denied", error: permission.reason } };
  if (permission.decision === "allow") return { ...none, permission };
  const requested = await requestPermission({ hooks, call, permission, options });
  if (requested.answer === "deny") return { ...requested, refusal: { status: "denied", error: requested.error } };
  if (isOver(hooks, options)) return { ...requested, refusal: interrupted(hooks, call) };
  if (requested.answer === "allow") return requested;
  return { ...requested, ...(await askUser({ ...asked, call: requested.call }, requested.permission)) };
}

async function askUser({ hooks, call, verdict, options }: Ruling, permission: PermissionDecision): Promise<Pick<Permit, "refusal">> {
  const { ask } = options;
  const answer: unknown =
    ask &&
    (await untilAborted(
      answerOf("ask", () => ask(call, verdict, permission)),
      options.signal,
    ));
  if (isOver(hooks, options)) return { refusal: interrupted(hooks, call) };
  // SECURITY: nothing but `true` is a yes.
  if (answer === true) return {};
  const said = verdict.decision === "ask" ? reasonsOf(verdict) : "";
  const reasons = permission.by.kind === "hook" && said !== "" ? said : [said, permission.reason].filter(Boolean).join("\n");
  const refused = (error: string): Pick<Permit, "refusal"> => ({ refusal: { status: "denied", error } });
  if (!ask) return refused(`There is no user to ask here: ${reasons}`);
  if (answer === false) return refused(`The user denied it: ${reasons}`);
  const { isAllowed, reason, isImpossible } = (answer ?? {}) as Readonly<Record<string, unknown>>;
  if (isAllowed === false && isImpossible === true) return refused(String(reason));
  if (isAllowed === false) return refused(`The user denied it: ${typeof reason === "string" && reason !== "" ? reason : reasons}`);
  const text = `ask of runTool() gave ${shown(answer)}, which is no answer. Return true or false, or { isAllowed: false, reason }. ${call.tool_name} was not run.`;
  hooks.report({ code: "HL_PERMISSION_BAD_ANSWER", level: "error", text });
  return refused(`${call.tool_name} was not run, because the question about it got no answer that can be understood: ${reasons}`);
}

/** Nothing, as soon as the signal is: whoever asked need not wait for the user any more. */
async function untilAborted<Value>(answer: Promise<Value>, signal: AbortSignal | undefined): Promise<Value | undefined> {
  if (!signal) return answer;
  let forget = (): void => {};
  const aborted = new Promise<undefined>((resolve) => {
    forget = onAbort(signal, () => resolve(undefined));
  });
  return Promise.race([answer, aborted]).finally(forget);
}

function isOver(hooks: HookEngine, { signal }: ToolOptions): boolean {
  return signal?.aborted === true || hooks.isClosing;
}

function interrupted(hooks: HookEngine, call: ToolCall): NonNullable<Permit["refusal"]> {
  const isClosed = hooks.isClosing;
  if (isClosed) {
    const text = `runTool() was called, or still waited, after close(): the engine is closed, and ${call.tool_name} was not run.`;
    hooks.report({ code: "HL_LOOP_CLOSED", level: "error", text });
  }
  const error = isClosed
    ? `${call.tool_name} was not run: the hooks of this session are closed.`
    : `${call.tool_name} was interrupted before it ran.`;
  return { status: "denied", error };
}

function reasonsOf({ reasons }: Verdict): string {
  return reasons.map(({ text }) => text).join("\n");
}
