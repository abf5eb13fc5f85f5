import type { Ability, EventName, Part } from "@hookloop/sdk";
import { abilitiesOf, EVENT_NAMES, type EventRow } from "../catalogue/index.ts";
import type { RegisteredHook, Scope } from "../config/index.ts";
import type { AdmittedHook } from "../trust/index.ts";
import { directionOf } from "./apply-failure.ts";
import { type Effect, type Outcome, refusalEffects, SHOWN_TEXT_LIMIT, sanitiseText } from "./effects.ts";

/** Strictest last: a join over all hooks, so order never matters. */
export type Decision = "none" | "allow" | "ask" | "defer" | "deny";

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
  /** Stop only: the agent goes on, with these reasons as its next message. */
  readonly continueWith: readonly Attributed[];
  readonly contexts: readonly Attributed[];
  readonly feedback: readonly Attributed[];
  readonly tells: readonly Attributed[];
  readonly updatedInput: Readonly<Record<string, unknown>> | undefined;
  readonly updatedOutput: { readonly value: unknown } | undefined;
  readonly updatedPrompt: string | undefined;
  readonly permissionUpdates: readonly unknown[];
  /** Output fields that only this event has. */
  readonly fields: Readonly<Record<string, unknown>>;
  /** In registry order; empty when only functions ran and nothing listens to steps. */
  readonly outcomes: readonly Outcome[];
}

/** The one empty list: shared by every verdict, so it must never be pushed to. */
export const NOTHING: readonly never[] = Object.freeze([]);
export const NO_FIELDS: Readonly<Record<string, unknown>> = Object.freeze({});

/** A verdict in which nothing was said. */
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
  return direction === "ask" ? { type: "ask", reason } : refusalEffects(row, reason)[0];
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

const SCOPES: readonly Scope[] = ["managed", "flag", "code", "user", "local", "project", "plugin", "skill"];
const RANKS: Readonly<Record<string, number>> = Object.fromEntries(SCOPES.map((scope, rank) => [scope, rank]));

/** How high a scope stands: 0 is the highest. */
export function scopeRank(scope: Scope): number {
  return RANKS[scope] ?? SCOPES.length;
}

/** Highest source first, inside it as declared. The id settles what is left, so that completion order never shows. */
export function compareHooks(a: RegisteredHook, b: RegisteredHook): number {
  return scopeRank(a.source.scope) - scopeRank(b.source.scope) || a.order - b.order || compareText(a.id, b.id);
}

function compareText(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

/**
 * Takes what synchronous functions returned, in registry order; gives the same verdict as interpreting and merging would,
 * with as few objects as the verdict itself needs. Refuses everything out of the ordinary (a result that is none, something
 * the event cannot say, texts to be cleaned, rewrites and fields, which are copied there): then the caller takes the long way, which also says what was wrong.
 */

/** A verdict in the making. */
type VerdictDraft = { -readonly [Field in keyof Verdict]: Verdict[Field] };

/** A hook and what it said last at this event: mostly it says the same again, and comparing is cheaper than looking up or reading. */
interface Speaker {
  readonly id: string;
  /** A text that could stay as it is. */
  lastText?: string | undefined;
  lastAbility?: string | undefined;
  /** How the ability is folded in; only this file knows. */
  lastApply?: unknown;
}

/** The lists of a verdict that hold texts. */
const TEXT_LISTS = ["reasons", "continueWith", "contexts", "feedback", "tells"] as const;
type TextList = (typeof TEXT_LISTS)[number];

/** How one thing is folded in; false: the long way, please. */
type ApplyPart = (draft: VerdictDraft, hook: Speaker, value: unknown) => boolean;
/** By ability, for one event. A map: `can` is the hook's own text, and "constructor" must find nothing. */
type Appliers = ReadonlyMap<string, ApplyPart>;

/** Folds all results of one firing, each at its hook's index; undefined: take the long way. */
export type Fold = (hooks: readonly Speaker[], results: readonly unknown[]) => Verdict | undefined;

/** For one event, compiled once. */
export function compileFold(event: EventName, row: EventRow): Fold {
  const appliers = compileAppliers(row);
  return (hooks, results) => {
    try {
      return foldParts(event, appliers, hooks, results);
    } catch {
      // Safe: a result that throws when looked at is read again, and reported, on the long way.
      return undefined;
    }
  };
}

// One function with plain loops, because it is most of what a firing costs.
function foldParts(event: EventName, appliers: Appliers, hooks: readonly Speaker[], results: readonly unknown[]): Verdict | undefined {
  let draft: VerdictDraft | undefined;
  let mayRepeat = false;
  for (let index = 0; index < hooks.length; index++) {
    const result = results[index];
    const hook = hooks[index] as Speaker;
    if (result === undefined || result === null) continue;
    const { parts } = result as { readonly parts?: unknown };
    if (!Array.isArray(parts)) return undefined;
    draft ??= emptyVerdict(event);
    mayRepeat ||= parts.length > 1;
    for (let at = 0; at < parts.length; at++) {
      const { can, value } = parts[at] as Part;
      const say = can === hook.lastAbility ? (hook.lastApply as ApplyPart) : findApplier(appliers, hook, can);
      if (!say?.(draft, hook, value)) return undefined;
    }
  }
  return draft ? finished(draft, mayRepeat) : noVerdict(event);
}

function findApplier(appliers: Appliers, hook: Speaker, can: string): ApplyPart | undefined {
  const apply = appliers.get(can);
  if (apply === undefined) return undefined;
  hook.lastAbility = can;
  hook.lastApply = apply;
  return apply;
}

function finished(draft: VerdictDraft, mayRepeat: boolean): Verdict {
  if (draft.halt) draft.continueWith = NOTHING;
  if (mayRepeat) for (const list of TEXT_LISTS) draft[list] = attributed(draft[list]);
  return draft;
}

function compileAppliers(row: EventRow): Appliers {
  const no = applyRefusal(row);
  const all: Readonly<Partial<Record<Ability, ApplyPart | undefined>>> = {
    allow: applyDecision("allow"),
    ask: applyDecision("ask"),
    defer: applyDecision("defer"),
    deny: no,
    block: no,
    context: applyContext(row),
    feedback: (draft, hook, value) => isReason(hook, value) && add(draft, "feedback", hook, value),
    tellUser: (draft, hook, value) => isReason(hook, value) && add(draft, "tells", hook, value),
    stop: applyHalt(row),
  };
  return new Map(
    abilitiesOf(row).flatMap((can) => {
      const apply = all[can];
      return apply ? [[can, apply] as const] : [];
    }),
  );
}

function applyRefusal(row: EventRow): ApplyPart | undefined {
  const noes: Readonly<Record<NonNullable<EventRow["blockEffect"]>, ApplyPart>> = {
    deny: applyDecision("deny"),
    continueTurn: (draft, hook, value) => isReason(hook, value) && add(draft, "continueWith", hook, value),
    feedback: (draft, hook, value) => isReason(hook, value) && add(draft, "feedback", hook, value),
    halt: applyHalt(row),
  };
  return row.blockEffect === null ? undefined : noes[row.blockEffect];
}

function applyDecision(decision: Decision): ApplyPart {
  const strictness = STRICTNESS[decision];
  const needsReason = decision === "deny";
  return (draft, hook, value) => {
    const text = value ?? "";
    if (text === "" ? needsReason : !isReason(hook, text)) return false;
    const reason = { text: text as string, hook: hook.id };
    if (draft.decision === decision) (draft.reasons as Attributed[]).push(reason);
    else if (strictness > STRICTNESS[draft.decision]) {
      draft.decision = decision;
      draft.reasons = [reason];
    }
    return true;
  };
}

function applyContext(row: EventRow): ApplyPart {
  if (!row.contextContinues) return (draft, hook, value) => isReason(hook, value) && add(draft, "contexts", hook, value);
  return (draft, hook, value) => isReason(hook, value) && add(draft, "contexts", hook, value) && add(draft, "continueWith", hook, value);
}

/** Where a halt also denies, the long way decides which reason the model gets. */
function applyHalt(row: EventRow): ApplyPart {
  return (draft, hook, value) => {
    if (row.haltDenies || !isReason(hook, value)) return false;
    if (!draft.halt) draft.halt = { text: value, hook: hook.id };
    else if (draft.halt.hook !== hook.id || draft.halt.text !== value) add(draft, "tells", hook, value);
    return true;
  };
}

const MAX_REMEMBERED_TEXT = 256;

/** A text that stays as it is when it is read the long way, and is short enough to be shown whole. */
function isReason(hook: Speaker, value: unknown): value is string {
  if (typeof value !== "string" || value === "") return false;
  if (value === hook.lastText) return true;
  if (value.length > SHOWN_TEXT_LIMIT || sanitiseText(value) !== value || value.trim() !== value) return false;
  if (value.length <= MAX_REMEMBERED_TEXT) hook.lastText = value;
  return true;
}

function add(draft: VerdictDraft, list: TextList, hook: Speaker, text: string): true {
  const texts = draft[list] as Attributed[];
  const said = { text, hook: hook.id };
  if (texts.length > 0) texts.push(said);
  else draft[list] = [said];
  return true;
}
