/**
 * Takes what synchronous functions returned, in registry order; gives the same verdict as interpreting and merging would,
 * with as few objects as the verdict itself needs. Refuses everything out of the ordinary (a result that is none, something
 * the event cannot say, texts to be cleaned, rewrites and fields, which are copied there): then the caller takes the long way, which also says what was wrong.
 */
import type { Ability, EventName, Part } from "@hookloop/sdk";
import { abilitiesOf, type EventRow } from "../../catalogue/index.ts";
import { sanitiseText } from "../interpret/index.ts";
import { emptyVerdict, NOTHING, noVerdict } from "./no-verdict.ts";
import { STRICTNESS } from "./said.ts";
import type { Attributed, Decision, Verdict } from "./types.ts";

/** A verdict in the making. */
export type VerdictDraft = { -readonly [Field in keyof Verdict]: Verdict[Field] };

interface Speaker {
  readonly id: string;
}

/** The lists of a verdict that hold texts. */
type TextList = "reasons" | "continueWith" | "contexts" | "feedback" | "tells";

/** How one thing is folded in; false: the long way, please. */
type Fold = (draft: VerdictDraft, hook: string, value: unknown) => boolean;

/** Folds all results of one event; undefined: take the long way. Results stand at their hook's index. */
export function foldResults({
  event,
  row,
  hooks,
  results,
}: {
  readonly event: EventName;
  readonly row: EventRow;
  readonly hooks: readonly Speaker[];
  readonly results: readonly unknown[];
}): Verdict | undefined {
  let draft: VerdictDraft | undefined;
  for (let index = 0; index < hooks.length; index++) {
    const result = results[index];
    if (result === undefined || result === null) continue;
    draft ??= startFold(event);
    if (!foldResult(draft, row, hooks[index] as Speaker, result)) return undefined;
  }
  return draft ? endFold(draft) : noVerdict(event);
}

export function startFold(event: EventName): VerdictDraft {
  return emptyVerdict(event);
}

// Positional arguments: this runs once per function hook, and an options object would be its biggest cost.
/** Folds one returned value in; false means that the draft is spoilt and the event must take the long way. */
export function foldResult(draft: VerdictDraft, row: EventRow, hook: Speaker, result: unknown): boolean {
  try {
    const parts = (result as { readonly parts?: unknown } | null)?.parts;
    if (!Array.isArray(parts)) return false;
    const folds = foldsOf(row);
    for (let index = 0; index < parts.length; index++) {
      const { can, value } = parts[index] as Part;
      const fold = folds[can];
      if (!fold?.(draft, hook.id, value)) return false;
    }
    return true;
  } catch {
    // Safe: a result that throws when looked at is read again, and reported, on the long way.
    return false;
  }
}

/** The finished verdict. */
export function endFold(draft: VerdictDraft): Verdict {
  if (draft.halt) draft.continueWith = NOTHING;
  return draft;
}

type Folds = Readonly<Record<string, Fold | undefined>>;
const compiled = new WeakMap<EventRow, Folds>();

function foldsOf(row: EventRow): Folds {
  let folds = compiled.get(row);
  if (!folds) {
    folds = compileFolds(row);
    compiled.set(row, folds);
  }
  return folds;
}

function compileFolds(row: EventRow): Folds {
  const no = saysNo(row);
  const all: Readonly<Partial<Record<Ability, Fold | undefined>>> = {
    allow: (draft, hook, value) => decide(draft, "allow", hook, value ?? ""),
    ask: (draft, hook, value) => decide(draft, "ask", hook, value ?? ""),
    defer: (draft, hook, value) => decide(draft, "defer", hook, value ?? ""),
    deny: no,
    block: no,
    context: saysContext(row),
    feedback: (draft, hook, value) => isReason(value) && add(draft, "feedback", hook, value),
    tellUser: (draft, hook, value) => isReason(value) && add(draft, "tells", hook, value),
    stop: saysHalt(row),
  };
  // A null prototype: `can` is the hook's own text, and "constructor" must find nothing.
  return Object.assign(Object.create(null), Object.fromEntries(abilitiesOf(row).map((can) => [can, all[can]])));
}

function saysNo(row: EventRow): Fold | undefined {
  const noes: Readonly<Record<NonNullable<EventRow["blockEffect"]>, Fold>> = {
    deny: (draft, hook, value) => isReason(value) && decide(draft, "deny", hook, value),
    continueTurn: (draft, hook, value) => isReason(value) && add(draft, "continueWith", hook, value),
    feedback: (draft, hook, value) => isReason(value) && add(draft, "feedback", hook, value),
    halt: saysHalt(row),
  };
  return row.blockEffect === null ? undefined : noes[row.blockEffect];
}

function saysContext(row: EventRow): Fold {
  if (!row.contextContinues) return (draft, hook, value) => isReason(value) && add(draft, "contexts", hook, value);
  return (draft, hook, value) => isReason(value) && add(draft, "contexts", hook, value) && add(draft, "continueWith", hook, value);
}

/** Where a halt also denies, the long way decides which reason the model gets. */
function saysHalt(row: EventRow): Fold {
  return (draft, hook, value) => {
    if (row.haltDenies || !isReason(value)) return false;
    if (!draft.halt) draft.halt = { text: value, hook };
    else if (draft.halt.hook !== hook || draft.halt.text !== value) add(draft, "tells", hook, value);
    return true;
  };
}

/** A text that stays as it is when it is read the long way. */
function isReason(value: unknown): value is string {
  return typeof value === "string" && value !== "" && sanitiseText(value) === value && value.trim() === value;
}

function decide(draft: VerdictDraft, decision: Decision, hook: string, reason: unknown): boolean {
  if (reason !== "" && !isReason(reason)) return false;
  const difference = STRICTNESS[decision] - STRICTNESS[draft.decision];
  if (difference < 0) return true;
  if (difference > 0) {
    draft.decision = decision;
    draft.reasons = [{ text: reason, hook }];
    return true;
  }
  return add(draft, "reasons", hook, reason);
}

function add(draft: VerdictDraft, list: TextList, hook: string, text: string): boolean {
  const texts = draft[list] as Attributed[];
  if (texts.length === 0) draft[list] = [{ text, hook }];
  else if (!isThere(texts, hook, text)) texts.push({ text, hook });
  return true;
}

function isThere(texts: readonly Attributed[], hook: string, text: string): boolean {
  return texts.some((one) => one.text === text && one.hook === hook);
}
