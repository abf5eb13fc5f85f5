import type { DecidedBy, PermissionDecision } from "../../permissions/index.ts";
import type { Verdict } from "../merge/index.ts";
import type { ToolCall, ToolOptions } from "./types.ts";

/** Rules, protections and the program's own rules: the strictest counts, and nothing beats a hook's question but a no. */
export async function ruleOn(call: ToolCall, verdict: Verdict, { rules, protect, permission }: ToolOptions): Promise<PermissionDecision> {
  const isAnswered = verdict.updatedInput !== undefined;
  const hook = verdict.decision === "defer" ? "none" : verdict.decision;
  const ruled = rules ? rules.decide(call, { hook, isAnswered, protect }) : withoutRules(call, hook, protect?.(call));
  if (!permission || ruled.decision === "deny") return ruled;
  const own = await permission(call, verdict);
  if (own === "deny") return made("deny", { kind: "program" }, `${call.tool_name} is not allowed.`);
  // A hook's allow never beats a rule that asks.
  return own === "ask" && (ruled.decision === "allow" || ruled.by.kind === "default")
    ? made("ask", { kind: "program" }, `${call.tool_name} needs permission`)
    : ruled;
}

function withoutRules(
  call: ToolCall,
  hook: "none" | "allow" | "ask" | "deny",
  protection: { readonly decision: "ask" | "deny"; readonly reason: string } | undefined,
): PermissionDecision {
  if (protection) return made(protection.decision, { kind: "protection" }, protection.reason);
  return hook === "ask"
    ? made("ask", { kind: "hook" }, `A hook asks about ${call.tool_name}.`)
    : made("allow", { kind: "default" }, "No rule is against it.");
}

function made(decision: PermissionDecision["decision"], by: DecidedBy, reason: string): PermissionDecision {
  return { decision, by, reason, runnersUp: [] };
}
