import type { EventRow } from "../../catalogue/index.ts";
import type { AdmittedHook } from "../../trust/index.ts";
import { directionOf, sayNo } from "../interpret/index.ts";
import type { Effect, Outcome } from "../interpret/types.ts";
import { compareHooks } from "./registry-order.ts";
import type { Attributed, Decision } from "./types.ts";

/** One effect and the hook it came from. */
export interface Said<Wanted extends Effect = Effect> {
  readonly hook: AdmittedHook;
  readonly effect: Wanted;
}

/** Everything the hooks want, in registry order. Background runs have no say. */
export function everythingSaid(row: EventRow, ordered: readonly Outcome[]): readonly Said[] {
  return ordered.flatMap((outcome) => {
    if (outcome.isBackground) return [];
    const failed = failureEffect(row, outcome);
    return [...outcome.effects, ...(failed ? [failed] : [])].map((effect) => ({ hook: outcome.hook, effect }));
  });
}

export function inRegistryOrder(outcomes: readonly Outcome[]): readonly Outcome[] {
  return [...outcomes].sort((a, b) => compareHooks(a.hook, b.hook));
}

/** What went wrong in detail is for people; this may reach the model. */
const FAILED = "A hook that guards this failed, so it does not happen.";
const STRICT: Readonly<Record<"ask" | "block", readonly Effect["type"][]>> = {
  ask: ["ask", "defer", "deny", "halt", "continueTurn"],
  block: ["deny", "halt", "continueTurn"],
};

/**
 * A failed run takes its hook's direction, even if whoever read it forgot to say so.
 * SECURITY: this is why a failed guard can never end in "none" or "allow".
 */
function failureEffect(row: EventRow, { hook, failure, effects }: Outcome): Effect | undefined {
  const direction = failure ? directionOf({ row, hook, failure }) : "continue";
  if (!failure || direction === "continue") return undefined;
  const enough = STRICT[direction];
  if (effects.some((effect) => enough.includes(effect.type))) return undefined;
  const reason = failure.said ?? FAILED;
  return direction === "ask" ? { type: "ask", reason } : sayNo(row, reason)[0];
}

/** Strictest last. */
export const STRICTNESS: Readonly<Record<Decision, number>> = { none: 0, allow: 1, ask: 2, defer: 3, deny: 4 };
const DECISIONS: Readonly<Partial<Record<Effect["type"], Decision>>> = { approve: "allow", ask: "ask", defer: "defer", deny: "deny" };
/** The stop reason itself is for the user; what is denied because of it goes to the model. */
const HALTED: string = "A hook ended the agent's work before this could happen.";

/** What one effect decides. */
export function decisionOf(row: EventRow, effect: Effect): Decision {
  if (effect.type === "halt") return row.haltDenies ? "deny" : "none";
  if (effect.type === "set") return isRefusal(row, effect) ? "deny" : "none";
  return DECISIONS[effect.type] ?? "none";
}

/** Where the answer is an action, everything but `accept` refuses. */
function isRefusal(row: EventRow, effect: Extract<Effect, { type: "set" }>): boolean {
  return row.block === "action" && effect.field === "action" && effect.value !== "accept";
}

/** The reason of a deciding effect, for the model. */
export function reasonOf(effect: Effect): string {
  if (effect.type === "halt") return HALTED;
  return "reason" in effect ? (effect.reason ?? "") : "";
}

/** The effects of one type. */
export function only<Type extends Effect["type"]>(said: readonly Said[], type: Type): readonly Said<Extract<Effect, { type: Type }>>[] {
  return said.filter((one): one is Said<Extract<Effect, { type: Type }>> => one.effect.type === type);
}

/** Texts with their hooks; the same text of the same hook is kept once, so that duplicates never matter. */
export function attributed(texts: readonly Attributed[]): readonly Attributed[] {
  return texts.filter((one, index) => texts.findIndex((other) => other.hook === one.hook && other.text === one.text) === index);
}
