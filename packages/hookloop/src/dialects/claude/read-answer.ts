/**
 * Takes the JSON object a hook answered with, gives its effects and, field by field, what is wrong with it.
 * Refuses the whole answer if a field it knows has a wrong type or value: half an answer is not what the hook said.
 */

import type { EventName } from "@hookloop/sdk";
import { type EventRow, type Fields, type FieldType, topLevelOutputOf } from "../../catalogue/index.ts";
import { isObject } from "../../check-options.ts";
import { counted, nearestName } from "../../diagnostic.ts";
import { type Effect, fieldEffects, type Note, refusalEffects, sanitiseText, shortText, typeProblem } from "../../judge/index.ts";
import type { JsonObject } from "../../run/index.ts";

export interface Answer {
  readonly effects: readonly Effect[];
  readonly notes: readonly Note[];
  /** Why the answer, or a decision in it, does not count; nothing if all of it does. */
  readonly problems: readonly Note[];
  /** The reason of a denial, if the answer blocks and gives one. */
  readonly refusal?: string | undefined;
  /** It decides nothing, and this is in it all the same: a field that no answer has, or the reason of a decision that is not there. */
  readonly unclear?: string | undefined;
}

interface Draft {
  readonly event: EventName;
  readonly row: EventRow;
  readonly rules: AnswerRules;
  readonly notes: Note[];
  /** A known field is wrong: nothing of the answer counts. */
  readonly voids: Note[];
  /** A decision was lost; what else was said counts. */
  readonly losses: Note[];
  /** Fields that this event's answer does not have, so far. */
  strays: number;
  /** The first of them. */
  stray: string | undefined;
}

/** Unknown fields that are written about; of more there is a count. */
const MAX_STRAYS = 20;

/** Reads an answer of the Claude wire. `stray`: a field that was taken out of it already. */
export function readAnswer(value: JsonObject, about: Pick<Draft, "event" | "row" | "rules" | "stray">): Answer {
  const draft: Draft = { ...about, notes: [], voids: [], losses: [], strays: 0 };
  const top = knownFields(draft, value, "top");
  const specific = specificFields(draft, value["hookSpecificOutput"]);
  if (draft.strays > MAX_STRAYS) {
    const text = `${counted(draft.strays - MAX_STRAYS, "more field of the answer is not known and was", "more fields of the answer are not known and were")} ignored`;
    draft.notes.push({ code: "HL_OUTPUT_UNKNOWN_FIELD", level: "warning", text });
  }
  if (draft.voids.length > 0) return { effects: [], notes: draft.notes, problems: [...draft.voids, ...draft.losses] };
  const effects = [...universalEffects(draft, top), ...Object.keys(specific).flatMap((name) => fieldEffects(name, draft.row, specific))];
  const unclear = decides(top, specific, effects) ? undefined : unclearField(draft, top, specific);
  return { effects, notes: draft.notes, problems: draft.losses, refusal: refusalOf(top, specific), unclear };
}

function decides(top: JsonObject, specific: JsonObject, effects: readonly Effect[]): boolean {
  const isDecided = [top["decision"], specific["decision"], specific["permissionDecision"]].some((value) => value !== undefined);
  return isDecided || effects.some(({ type }) => type !== "context" && type !== "tell");
}

function unclearField({ stray }: Draft, top: JsonObject, specific: JsonObject): string | undefined {
  // A promise of a later answer, from a hook that cannot give one.
  if (top["async"] === true) return "async";
  if (stray !== undefined) return stray;
  return (
    ["reason", "stopReason"].find((name) => top[name] !== undefined) ??
    Object.keys(specific).find((name) => name === "permissionDecisionReason")
  );
}

/** The fields of one level that are known and right, copied; about the others something is said. */
function knownFields(draft: Draft, object: JsonObject, level: Level): JsonObject {
  const known: Fields = level === "top" ? topLevelOutputOf(draft.row) : draft.row.output;
  const prefix = level === "top" ? "" : "hookSpecificOutput.";
  const copy: Record<string, unknown> = Object.create(null);
  for (const name of Object.keys(object)) {
    if (name === (level === "top" ? "hookSpecificOutput" : "hookEventName")) continue;
    const field = Object.hasOwn(known, name) ? known[name] : undefined;
    if (!field) {
      sayStray(draft, name, level);
      continue;
    }
    const value = understood(draft, name, object[name]);
    const problem = typeProblem(value, field.type);
    if (problem) draft.voids.push({ code: "HL_OUTPUT_WRONG_TYPE", level: "error", text: `${prefix}${name} ${problem}` });
    for (const key of strayKeys(value, field.type)) {
      if (++draft.strays > MAX_STRAYS) continue;
      const text = `${prefix}${name} has no "${shortText(key, 40)}"; it was ignored`;
      draft.notes.push({ code: "HL_OUTPUT_UNKNOWN_FIELD", level: "warning", text });
    }
    copy[name] = value;
  }
  return copy;
}

/** Another spelling of a denial is still a denial, where the rules say so. */
function understood({ rules, notes }: Draft, name: string, value: unknown): unknown {
  const spellings = Object.hasOwn(rules.refusals, name) ? rules.refusals[name] : undefined;
  if (!spellings || typeof value !== "string" || !Object.hasOwn(spellings, value)) return value;
  notes.push({
    code: "HL_OUTPUT_WRONG_TYPE",
    level: "warning",
    text: `${name}: "${value}" was taken as "${spellings[value]}". Claude Code ignores it`,
  });
  return spellings[value];
}

function sayStray(draft: Draft, name: string, level: Level): void {
  draft.strays++;
  draft.stray ??= name;
  // SECURITY: a decision among thousands of other fields is still a decision; only words about the others are saved.
  if (draft.strays > MAX_STRAYS && (draft.losses.length > 0 || !losesDecision(draft.row, name))) return;
  const { note, isDecisive } = strayField(draft.row, name, level);
  (isDecisive && draft.row.block !== null ? draft.losses : draft.notes).push(note);
}

function specificFields(draft: Draft, specific: unknown): JsonObject {
  if (specific === undefined) return {};
  if (!isObject(specific)) {
    draft.voids.push({
      code: "HL_OUTPUT_WRONG_TYPE",
      level: "error",
      text: `hookSpecificOutput ${typeProblem(specific, { kind: "record" })}`,
    });
    return {};
  }
  return isForThisEvent(draft, specific["hookEventName"]) ? knownFields(draft, specific, "specific") : {};
}

/** A missing name is filled in; another event's answer is not this one's. */
function isForThisEvent({ event, row, notes, losses }: Draft, name: unknown): boolean {
  if (name === event) return true;
  if (name === undefined) {
    const text = `hookSpecificOutput has no hookEventName; Claude Code then ignores it. Add "hookEventName": "${event}"`;
    notes.push({ code: "HL_OUTPUT_MISSING_EVENT", level: "warning", text });
    return true;
  }
  const found = typeof name === "string" ? `"${shortText(name, 40)}"` : `a ${typeof name}`;
  const text = `hookSpecificOutput.hookEventName is ${found}, the event is "${event}"; what it says was dropped`;
  (row.block === null ? notes : losses).push({ code: "HL_OUTPUT_WRONG_EVENT", level: "error", text });
  return false;
}

function universalEffects(draft: Draft, top: JsonObject): readonly Effect[] {
  const { row } = draft;
  const effects: Effect[] = [];
  const reason = textOf(top["reason"]);
  // Without a decision beside it, a "reason" can only be about the halt.
  const haltReason = top["stopReason"] ?? (top["decision"] === undefined ? top["reason"] : undefined);
  if (top["continue"] === false && isHonoured(draft, "continue")) effects.push({ type: "halt", reason: textOf(haltReason) });
  if (top["systemMessage"] !== undefined && isHonoured(draft, "systemMessage"))
    effects.push({ type: "tell", text: textOf(top["systemMessage"]) ?? "" });
  if (top["decision"] === "block") effects.push(...refusalEffects(row, reason));
  // Elsewhere "approve" is the absence of a block: there is no question to skip.
  if (top["decision"] === "approve" && row.block === "permission") effects.push({ type: "approve", reason });
  if (typeof top["terminalSequence"] === "string") effects.push(...terminalEffects(draft, top["terminalSequence"]));
  return effects;
}

function isHonoured({ row, event, rules, notes }: Draft, field: "continue" | "systemMessage"): boolean {
  const isHonoured = row.honoursContinue && !(field === "continue" && rules.withoutHalt?.has(event));
  if (!isHonoured) notes.push({ code: "HL_OUTPUT_NOT_HONOURED", level: "warning", text: `${field} has no effect on ${event}` });
  return isHonoured;
}

function terminalEffects({ notes }: Draft, value: string): readonly Effect[] {
  if (isHarmlessSequence(value)) return [{ type: "set", field: "terminalSequence", value }];
  notes.push({
    code: "HL_OUTPUT_NOT_HONOURED",
    level: "warning",
    text: "terminalSequence may hold titles, notifications and the bell only; it was ignored",
  });
  return [];
}

function refusalOf(top: JsonObject, specific: JsonObject): string | undefined {
  const request = isObject(specific["decision"]) ? specific["decision"] : {};
  if (specific["permissionDecision"] === "deny") return textOf(specific["permissionDecisionReason"]);
  if (request["behavior"] === "deny") return textOf(request["message"]);
  return top["decision"] === "block" ? textOf(top["reason"]) : undefined;
}

function textOf(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? sanitiseText(value) : undefined;
}

/** Fields that decide: an answer that spells one wrong did not say what it meant to say. */
const DECISIVE: readonly string[] = ["permissionDecision", "decision", "updatedInput", "action", "continue"];

/** Where a field was found. */
type Level = "top" | "specific";

interface StrayField {
  readonly note: Note;
  /** A decision was lost with it. */
  readonly isDecisive: boolean;
}

/** What to say about a field that this level does not have: it belongs to the other level, is misspelt, or is unknown. */
function strayField(row: EventRow, name: string, level: Level): StrayField {
  const top = Object.keys(topLevelOutputOf(row));
  const specific = Object.keys(row.output);
  const shown = `"${shortText(name, 60)}"`;
  if ((level === "top" ? specific : top).includes(name)) {
    const where =
      level === "top" ? `inside hookSpecificOutput, beside hookEventName` : "at the top level of the answer, not inside hookSpecificOutput";
    const isDecision = level === "specific" && name === "decision" && specific.includes("permissionDecision");
    const cure = isDecision ? 'Write "permissionDecision": "deny" and "permissionDecisionReason": "…" in its place' : `It belongs ${where}`;
    return stray("HL_OUTPUT_MISPLACED_FIELD", `${shown} is not read here. ${cure}`, name);
  }
  const meant = nearestName(
    name.slice(0, 60),
    level === "top" ? [...top, "hookSpecificOutput", ...specific] : [...specific, "hookEventName"],
  );
  const exitOnly = row.block === "exit" && name === "decision" ? ". Only exit code 2 blocks here, with the reason on stderr" : "";
  const hint = meant ? `. Did you mean "${meant}"?` : exitOnly;
  return stray("HL_OUTPUT_UNKNOWN_FIELD", `${shown} is not a field of this event's answer and was ignored${hint}`, meant ?? name);
}

/** Whether such a field took a decision with it, without words for it: of thousands of fields only the first are written about. */
export function losesDecision(row: EventRow, name: string): boolean {
  return nearestName(name, decisiveFields(row)) !== undefined;
}

const decisive = new WeakMap<EventRow, readonly string[]>();

function decisiveFields(row: EventRow): readonly string[] {
  const known = decisive.get(row) ?? DECISIVE.filter((name) => name in row.output || name in topLevelOutputOf(row));
  decisive.set(row, known);
  return known;
}

/** Keys inside an answer's object that no form of it has, as in `decision: {behavior: "deny", reason}`. */
function strayKeys(value: unknown, type: FieldType): readonly string[] {
  if (!isObject(value) || type.kind !== "either") return [];
  const shapes = type.options.flatMap((option) => (option.kind === "shape" ? [option.fields] : []));
  return shapes.length === 0 ? [] : Object.keys(value).filter((key) => !shapes.some((fields) => Object.hasOwn(fields, key)));
}

function stray(code: Note["code"], text: string, meant: string): StrayField {
  const isDecisive = DECISIVE.includes(meant);
  return { note: { code, level: isDecisive ? "error" : "warning", text }, isDecisive };
}

/** Titles, notifications and the bell: all a hook may do to a terminal. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: terminal sequences are what it reads
const ALLOWED = /^(?:\x1b\](?:0|1|2|9|99|777);[^\x00-\x1f\x7f-\x9f]*(?:\x07|\x1b\\)|\x07)+$/;

// SECURITY: one sequence outside the list and the whole field is ignored.
function isHarmlessSequence(text: string): boolean {
  return text.length <= 4096 && ALLOWED.test(text);
}

/** Where the speakers of the Claude wire differ. */
export interface AnswerRules {
  /** What a valid answer of a hook that exits with neither 0 nor 2 is worth. */
  readonly answerOfFailedExit: "counts" | "is-failure";
  /** What a 2xx response without a body means; 204 always is "nothing to say". */
  readonly emptyHttpAnswer: "is-silence" | "is-failure";
  /** Spellings of a denial that count as one, by field. Never spellings of an approval: a misspelt answer must not loosen. */
  readonly refusals: Readonly<Record<string, Readonly<Record<string, string>>>>;
  /** Events whose `continue: false` changes nothing, although their other fields count. */
  readonly withoutHalt?: ReadonlySet<EventName>;
}

/** As measured: JSON counts on every exit code, and a value the schema does not know voids the answer. */
export const CLAUDE_RULES: AnswerRules = {
  answerOfFailedExit: "counts",
  emptyHttpAnswer: "is-silence",
  refusals: {},
  withoutHalt: new Set(["PostToolUseFailure", "PermissionRequest"]),
};
