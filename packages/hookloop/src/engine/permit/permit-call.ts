/**
 * Takes a call and what PreToolUse hooks said of it. Gives whether it may run, in the one order of decisions there is: a hook's deny, deny rules, protections,
 * ask rules, a hook's ask, the mode and allow rules, PermissionRequest hooks, the user. Refuses whatever nobody said yes to.
 */
import type { PermissionDecision } from "../../permissions/index.ts";
import type { HookEngine } from "../hook-engine.ts";
import { denyText } from "../loop/index.ts";
import type { Verdict } from "../merge/index.ts";
import { requestPermission } from "./request-permission.ts";
import { ruleOn } from "./rule-on.ts";
import type { Permit, ToolCall, ToolOptions } from "./types.ts";

interface Asked {
  readonly hooks: HookEngine;
  readonly call: ToolCall;
  /** Of PreToolUse. */
  readonly verdict: Verdict;
  readonly options: ToolOptions;
}

/** Whether the call may run. */
export async function permitCall(asked: Asked): Promise<Permit> {
  const { hooks, call, verdict, options } = asked;
  const none: Permit = { call, verdicts: [] };
  if (verdict.decision === "deny") return { ...none, refusal: { status: "denied", error: denyText({ verdict, input: call }) } };
  if (verdict.decision === "defer") return { ...none, refusal: { status: "deferred", error: reasonsOf(verdict) } };
  // SECURITY: hooks that were interrupted have not said yes.
  if (isOver(hooks, options)) return { ...none, refusal: interrupted(call) };
  const permission = await ruleOn(call, verdict, options);
  if (permission.decision === "deny") return { ...none, permission, refusal: { status: "denied", error: permission.reason } };
  if (permission.decision === "allow") return { ...none, permission };
  const requested = await requestPermission({ hooks, call, permission, options });
  if (requested.answer === "deny") return { ...requested, refusal: { status: "denied", error: requested.error } };
  if (isOver(hooks, options)) return { ...requested, refusal: interrupted(call) };
  if (requested.answer === "allow") return requested;
  return { ...requested, ...(await askUser({ ...asked, call: requested.call }, requested.permission)) };
}

async function askUser({ hooks, call, verdict, options }: Asked, permission: PermissionDecision): Promise<Pick<Permit, "refusal">> {
  const answer = await options.ask?.(call, verdict, permission);
  // SECURITY: nothing but `true` is a yes.
  if (answer === true) return isOver(hooks, options) ? { refusal: interrupted(call) } : {};
  if (typeof answer === "object") return { refusal: { status: "denied", error: `The user denied it: ${answer.reason}` } };
  const said = verdict.decision === "ask" ? reasonsOf(verdict) : "";
  const reasons = permission.by.kind === "hook" && said !== "" ? said : [said, permission.reason].filter(Boolean).join("\n");
  const error = options.ask ? `The user denied it: ${reasons}` : `Nobody can be asked here: ${reasons}`;
  return { refusal: { status: "denied", error } };
}

function isOver(hooks: HookEngine, { signal }: ToolOptions): boolean {
  return signal?.aborted === true || hooks.isClosing;
}

function interrupted(call: ToolCall): NonNullable<Permit["refusal"]> {
  return { status: "denied", error: `${call.tool_name} was interrupted before it ran.` };
}

function reasonsOf({ reasons }: Verdict): string {
  return reasons.map(({ text }) => text).join("\n");
}
