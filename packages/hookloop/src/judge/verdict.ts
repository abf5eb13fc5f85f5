import type { EventName } from "@hookloop/sdk";
import { EVENT_NAMES, type EventRow } from "../catalogue/index.ts";
import { type RegisteredHook, scopeRank } from "../config/index.ts";
import type { AdmittedHook } from "../trust/index.ts";
import { blockEffects, directionOf } from "./apply-failure.ts";
import { type Decision, type Effect, effectRow, type Outcome } from "./effects.ts";

/** A text and the hook it came from. */
export interface Attributed {
  readonly text: string;
  /** The hook's id. */
  readonly hook: string;
  /** It was plain stdout, not a field of an answer. */
  readonly fromStdout?: true | undefined;
  /** It answers another event than the verdict's: a background hook said it. */
  readonly event?: EventName | undefined;
}

/** The outcomes of one event, merged: what the loop must do now. */
export interface Verdict {
  readonly event: EventName;
  readonly decision: Decision;
  /** Every reason of the decision that won. */
  readonly reasons: readonly Attributed[];
  /** End the agent's work after this step. */
  readonly halt: Attributed | undefined;
  /** Stop only: the agent continues, with these reasons as its next message. */
  readonly continueWith: readonly Attributed[];
  readonly contexts: readonly Attributed[];
  readonly feedback: readonly Attributed[];
  readonly tells: readonly Attributed[];
  readonly updatedInput: Readonly<Record<string, unknown>> | undefined;
  /** `isWithheld`: a guard failed, and this is why the model does not get the result. */
  readonly updatedOutput: { readonly value: unknown; readonly isWithheld?: true } | undefined;
  readonly updatedPrompt: string | undefined;
  readonly permissionUpdates: readonly unknown[];
  /** Output fields that only this event has. */
  readonly fields: Readonly<Record<string, unknown>>;
  /** In registry order. How long functions took is measured only if something listens to steps. */
  readonly outcomes: readonly Outcome[];
}

/** The one empty list: shared by every verdict, so it must never be pushed to. */
export const NOTHING: readonly never[] = Object.freeze([]);
export const NO_FIELDS: Readonly<Record<string, unknown>> = Object.freeze({});

export function emptyVerdict(event: EventName): Verdict {
  return {
    event,
    decision: "none",
    reasons: NOTHING,
    halt: undefined,
    continueWith: NOTHING,
    contexts: NOTHING,
    feedback: NOTHING,
    tells: NOTHING,
    updatedInput: undefined,
    updatedOutput: undefined,
    updatedPrompt: undefined,
    permissionUpdates: NOTHING,
    fields: NO_FIELDS,
    outcomes: NOTHING,
  };
}

const NONE = Object.fromEntries(EVENT_NAMES.map((event) => [event, Object.freeze(emptyVerdict(event))])) as Readonly<
  Record<EventName, Verdict>
>;

/** What an event gives when no hook said anything: frozen, the same object every time. */
export function noVerdict(event: EventName): Verdict {
  return NONE[event];
}

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

/**
 * A failed run takes its hook's direction, even if whoever read it forgot to say so.
 * SECURITY: this is why a failed guard can never end in "none" or "allow".
 */
function failureEffect(row: EventRow, { hook, failure, effects }: Outcome): Effect | undefined {
  const direction = failure ? directionOf({ row, hook, failure }) : "continue";
  if (!failure || direction === "continue") return undefined;
  if (effects.some((effect) => effectRow(effect).isEnoughTo.includes(direction))) return undefined;
  const reason = failure.said ?? FAILED;
  return direction === "ask" ? { type: "ask", reason } : blockEffects(row, reason)[0];
}

/** What the model gets in the place of a result that a guard could not judge. */
export function withheldOutput(reasons: readonly string[]): NonNullable<Verdict["updatedOutput"]> {
  return { value: `The result was withheld: ${reasons.join(" ")}`, isWithheld: true };
}

/** Strictest last. */
export const STRICTNESS: Readonly<Record<Decision, number>> = { none: 0, allow: 1, ask: 2, defer: 3, deny: 4 };
/** The stop reason itself is for the user; what is denied because of it goes to the model. */
export const HALTED: string = "A hook ended the agent's work before this could happen.";

export function decisionOf(row: EventRow, effect: Effect): Decision {
  if (effect.type === "halt") return row.haltDenies ? "deny" : "none";
  if (effect.type === "set") return isRefusal(row, effect) ? "deny" : "none";
  return effectRow(effect).decides;
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

export function only<Type extends Effect["type"]>(said: readonly Said[], type: Type): readonly Said<Extract<Effect, { type: Type }>>[] {
  return said.filter((one): one is Said<Extract<Effect, { type: Type }>> => one.effect.type === type);
}

/** Texts with their hooks; the same text of the same hook is kept once, so that duplicates never matter. */
export function attributed(texts: readonly Attributed[]): readonly Attributed[] {
  return texts.filter((one, index) => texts.findIndex((other) => other.hook === one.hook && other.text === one.text) === index);
}

/** Highest source first, inside it as declared. The id settles what is left, so that completion order never shows. */
export function compareHooks(a: RegisteredHook, b: RegisteredHook): number {
  return scopeRank(a.source.scope) - scopeRank(b.source.scope) || a.order - b.order || (a.id < b.id ? -1 : 1);
}
