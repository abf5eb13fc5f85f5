/**
 * Takes what synchronous functions returned, in registry order; gives the same verdict as interpreting and merging would,
 * with as few objects as the verdict itself needs. Refuses everything out of the ordinary (a result that is none, something
 * the event cannot say, texts to be cleaned, rewrites and fields, which are copied there): then the caller takes the long way, which also says what was wrong.
 */
import type { Ability, EventName, Part } from "@hookloop/sdk";
import { abilitiesOf, type EventRow } from "../../catalogue/index.ts";
import { SHOWN_TEXT_LIMIT, sanitiseText } from "../interpret/index.ts";
import { emptyVerdict, NOTHING, noVerdict } from "./no-verdict.ts";
import { STRICTNESS } from "./said.ts";
import type { Attributed, Decision, Verdict } from "./types.ts";

/** A verdict in the making. */
type VerdictDraft = { -readonly [Field in keyof Verdict]: Verdict[Field] };

interface Speaker {
  readonly id: string;
}

/** The lists of a verdict that hold texts. */
type TextList = "reasons" | "continueWith" | "contexts" | "feedback" | "tells";

/** How one thing is folded in; false: the long way, please. */
type Fold = (draft: VerdictDraft, hook: string, value: unknown) => boolean;
/** By ability, for one event. A map: `can` is the hook's own text, and "constructor" must find nothing. */
type Folds = ReadonlyMap<string, Fold>;

interface Results {
  readonly event: EventName;
  readonly row: EventRow;
  readonly hooks: readonly Speaker[];
  /** Each at its hook's index. */
  readonly results: readonly unknown[];
}

/** Folds all results of one event; undefined: take the long way. */
export function foldResults(all: Results): Verdict | undefined {
  try {
    const draft = foldParts(all);
    if (draft?.halt) draft.continueWith = NOTHING;
    return draft;
  } catch {
    // Safe: a result that throws when looked at is read again, and reported, on the long way.
    return undefined;
  }
}

// One function with plain loops, because it is most of what a firing costs: no call per hook, and a look-up only when the ability changes.
function foldParts({ event, row, hooks, results }: Results): VerdictDraft | undefined {
  const folds = foldsOf(row);
  let draft: VerdictDraft | undefined;
  let ability: string | undefined;
  let fold: Fold | undefined;
  for (let index = 0; index < hooks.length; index++) {
    const result = results[index];
    if (result === undefined || result === null) continue;
    const { parts } = result as { readonly parts?: unknown };
    if (!Array.isArray(parts)) return undefined;
    draft ??= emptyVerdict(event);
    for (let at = 0; at < parts.length; at++) {
      const { can, value } = parts[at] as Part;
      if (can !== ability) fold = folds.get(can);
      ability = can;
      if (!fold?.(draft, (hooks[index] as Speaker).id, value)) return undefined;
    }
  }
  return draft ?? noVerdict(event);
}

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
  return new Map(
    abilitiesOf(row).flatMap((can) => {
      const fold = all[can];
      return fold ? [[can, fold] as const] : [];
    }),
  );
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

/** Hooks mostly say what they said before: looking a text up costs a tenth of reading it again. Bounded, and cleared when full. */
const cleanTexts = new Set<string>();
const MAX_CLEAN_TEXTS = 256;
const MAX_REMEMBERED_TEXT = 256;

/** A text that stays as it is when it is read the long way, and is short enough to be shown whole. */
function isReason(value: unknown): value is string {
  if (typeof value !== "string" || value === "") return false;
  if (value.length > MAX_REMEMBERED_TEXT) return value.length <= SHOWN_TEXT_LIMIT && isClean(value);
  if (cleanTexts.has(value)) return true;
  if (!isClean(value)) return false;
  if (cleanTexts.size >= MAX_CLEAN_TEXTS) cleanTexts.clear();
  cleanTexts.add(value);
  return true;
}

function isClean(value: string): boolean {
  return sanitiseText(value) === value && value.trim() === value;
}

function decide(draft: VerdictDraft, decision: Decision, hook: string, reason: unknown): boolean {
  if (reason !== "" && !isReason(reason)) return false;
  if (draft.decision === decision) return addTo(draft.reasons as Attributed[], hook, reason);
  if (STRICTNESS[decision] < STRICTNESS[draft.decision]) return true;
  draft.decision = decision;
  draft.reasons = [{ text: reason, hook }];
  return true;
}

function add(draft: VerdictDraft, list: TextList, hook: string, text: string): boolean {
  const texts = draft[list] as Attributed[];
  if (texts.length > 0) return addTo(texts, hook, text);
  draft[list] = [{ text, hook }];
  return true;
}

/** The same text of the same hook is kept once. A hook's texts stand together, because hooks are folded one after the other. */
function addTo(texts: Attributed[], hook: string, text: string): true {
  for (let index = texts.length - 1; index >= 0; index--) {
    const last = texts[index] as Attributed;
    if (last.hook !== hook) break;
    if (last.text === text) return true;
  }
  texts.push({ text, hook });
  return true;
}
