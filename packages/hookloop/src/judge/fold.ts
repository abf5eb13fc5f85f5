/**
 * Takes what synchronous functions returned, in registry order; gives the same verdict as interpreting and merging would,
 * with as few objects as the verdict itself needs. Refuses everything out of the ordinary (a result that is none, something
 * the event cannot say, texts to be cleaned, rewrites and fields, which are copied there): then the caller takes the long way, which also says what was wrong.
 */

import type { Ability, EventName, Part } from "@hookloop/sdk";
import { abilitiesOf, type EventRow } from "../catalogue/index.ts";
import { SHOWN_TEXT_LIMIT, sanitiseText } from "./effects.ts";
import { type Attributed, attributed, type Decision, emptyVerdict, NOTHING, noVerdict, STRICTNESS, type Verdict } from "./verdict.ts";

/** A verdict in the making. */
type VerdictDraft = { -readonly [Field in keyof Verdict]: Verdict[Field] };

/** A hook and what it said last at this event: mostly it says the same again, and comparing is cheaper than looking up or reading. */
interface Speaker {
  readonly id: string;
  /** A text that could stay as it is. */
  lastText?: string | undefined;
  lastAbility?: string | undefined;
  /** How the ability is folded in; only this file knows. */
  lastSayer?: unknown;
}

/** The lists of a verdict that hold texts. */
const TEXT_LISTS = ["reasons", "continueWith", "contexts", "feedback", "tells"] as const;
type TextList = (typeof TEXT_LISTS)[number];

/** How one thing is folded in; false: the long way, please. */
type Sayer = (draft: VerdictDraft, hook: Speaker, value: unknown) => boolean;
/** By ability, for one event. A map: `can` is the hook's own text, and "constructor" must find nothing. */
type Sayers = ReadonlyMap<string, Sayer>;

/** Folds all results of one firing, each at its hook's index; undefined: take the long way. */
export type Fold = (hooks: readonly Speaker[], results: readonly unknown[]) => Verdict | undefined;

/** For one event, compiled once. */
export function compileFold(event: EventName, row: EventRow): Fold {
  const sayers = compileSayers(row);
  return (hooks, results) => {
    try {
      return foldParts(event, sayers, hooks, results);
    } catch {
      // Safe: a result that throws when looked at is read again, and reported, on the long way.
      return undefined;
    }
  };
}

// One function with plain loops, because it is most of what a firing costs.
function foldParts(event: EventName, sayers: Sayers, hooks: readonly Speaker[], results: readonly unknown[]): Verdict | undefined {
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
      const say = can === hook.lastAbility ? (hook.lastSayer as Sayer) : findSayer(sayers, hook, can);
      if (!say?.(draft, hook, value)) return undefined;
    }
  }
  return draft ? finished(draft, mayRepeat) : noVerdict(event);
}

function findSayer(sayers: Sayers, hook: Speaker, can: string): Sayer | undefined {
  const sayer = sayers.get(can);
  if (sayer === undefined) return undefined;
  hook.lastAbility = can;
  hook.lastSayer = sayer;
  return sayer;
}

function finished(draft: VerdictDraft, mayRepeat: boolean): Verdict {
  if (draft.halt) draft.continueWith = NOTHING;
  if (mayRepeat) for (const list of TEXT_LISTS) draft[list] = attributed(draft[list]);
  return draft;
}

function compileSayers(row: EventRow): Sayers {
  const no = saysNo(row);
  const all: Readonly<Partial<Record<Ability, Sayer | undefined>>> = {
    allow: saysDecision("allow"),
    ask: saysDecision("ask"),
    defer: saysDecision("defer"),
    deny: no,
    block: no,
    context: saysContext(row),
    feedback: (draft, hook, value) => isReason(hook, value) && add(draft, "feedback", hook, value),
    tellUser: (draft, hook, value) => isReason(hook, value) && add(draft, "tells", hook, value),
    stop: saysHalt(row),
  };
  return new Map(
    abilitiesOf(row).flatMap((can) => {
      const sayer = all[can];
      return sayer ? [[can, sayer] as const] : [];
    }),
  );
}

function saysNo(row: EventRow): Sayer | undefined {
  const noes: Readonly<Record<NonNullable<EventRow["blockEffect"]>, Sayer>> = {
    deny: saysDecision("deny"),
    continueTurn: (draft, hook, value) => isReason(hook, value) && add(draft, "continueWith", hook, value),
    feedback: (draft, hook, value) => isReason(hook, value) && add(draft, "feedback", hook, value),
    halt: saysHalt(row),
  };
  return row.blockEffect === null ? undefined : noes[row.blockEffect];
}

function saysDecision(decision: Decision): Sayer {
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

function saysContext(row: EventRow): Sayer {
  if (!row.contextContinues) return (draft, hook, value) => isReason(hook, value) && add(draft, "contexts", hook, value);
  return (draft, hook, value) => isReason(hook, value) && add(draft, "contexts", hook, value) && add(draft, "continueWith", hook, value);
}

/** Where a halt also denies, the long way decides which reason the model gets. */
function saysHalt(row: EventRow): Sayer {
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
