import type { Part } from "@hookloop/sdk";
import { NoAnswer } from "../../run/index.ts";
import type { HookDecision } from "./types.ts";

/** A decision that is there; nothing returned is one too. */
export type SettledDecision =
  | Exclude<HookDecision, { readonly action: "defer" | "cancel" }>
  /** The engine says so if the reason is no text. */
  | { readonly action: "cancel"; readonly reason: unknown }
  | { readonly action: "say"; readonly parts: readonly Part[] };

/** A promise that promises itself would otherwise keep the process busy for good. */
const MAX_DEFERS = 16;

/** Waits for a deferred decision and checks it; throws, for the engine to report, if it is none. */
export async function readDecision(returned: unknown): Promise<SettledDecision> {
  let decision = await returned;
  for (let count = 0; isDeferred(decision); count++) {
    if (count === MAX_DEFERS) throw new NoAnswer(`its decision was deferred more than ${MAX_DEFERS} times`);
    if (typeof field(decision.promise, "then") !== "function") throw new NoAnswer(`it returned { action: "defer" } without a promise`);
    decision = await decision.promise;
  }
  if (decision === undefined || decision === null) return { action: "continue" };
  const parts = field(decision, "parts");
  if (Array.isArray(parts)) return { action: "say", parts };
  const check = CHECKS[String(field(decision, "action"))];
  if (!check) throw new NoAnswer(`it returned no decision. Return { action: "continue" | "cancel" | "modify" | "defer", … } or nothing`);
  return check(decision);
}

const CHECKS: Readonly<Record<string, ((decision: unknown) => SettledDecision) | undefined>> = {
  __proto__: null as never,
  continue: (decision) => ({ action: "continue", data: field(decision, "data") }),
  // A no counts whatever its reason is.
  cancel: (decision) => {
    const { action: _action, reason, ...others } = decision as Readonly<Record<string, unknown>>;
    return { action: "cancel", reason: reason ?? (Object.keys(others).length > 0 ? others : undefined) };
  },
  modify: (decision) => {
    if (!("data" in Object(decision))) throw new NoAnswer(`it returned { action: "modify" } without data`);
    return { action: "modify", data: field(decision, "data") };
  },
};

function isDeferred(decision: unknown): decision is Extract<HookDecision, { readonly action: "defer" }> {
  return field(decision, "action") === "defer";
}

function field(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null ? (value as Readonly<Record<string, unknown>>)[name] : undefined;
}
