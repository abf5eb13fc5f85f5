/**
 * Takes a hook's stdout, gives the JSON object it answered with, or says that it is plain text.
 * Refuses what looks like an answer and is not one: broken JSON, two documents, duplicate keys, too deep, too large, not UTF-8.
 * A decision is not lost to form: text around the object is skipped with a warning.
 */

import { isObject } from "../check-options.ts";
import type { ErrorCode } from "../errors.ts";
import { type JsonDocument, type JsonObject, parseDocument } from "../run/index.ts";
import { type Note, shortText, withoutTerminalMarks } from "./effects.ts";

export type StdoutReading =
  | {
      readonly kind: "text";
      readonly text: string;
      readonly notes: readonly Note[];
      /** It holds a decision that its form made unreadable; this says how. */
      readonly lost?: string | undefined;
    }
  | {
      readonly kind: "answer";
      readonly value: JsonObject;
      /** A key that was taken out, at whatever level: no answer has one. */
      readonly dropped: string | undefined;
      readonly notes: readonly Note[];
      /** Text stood before or after the object: such an answer may tighten, but not loosen. */
      readonly isBlemished: boolean;
      /** Colours, NULs and the like were taken out before it could be read. */
      readonly hadMarks?: boolean | undefined;
    }
  | { readonly kind: "bad"; readonly code: ErrorCode; readonly problem: string };

interface ReadStdout {
  readonly stdout: string;
  /** Bytes were replaced because they were not UTF-8. */
  readonly isBinary: boolean;
  /** Names an answer of this dialect may have; text is searched only for objects that have one of them. */
  readonly answerFields: readonly string[];
}

const MAX_SIZE = 1_048_576;
/** Places in the text where an object may begin; more are not tried. */
const MAX_CANDIDATES = 20;
const TWO_DOCUMENTS = "two JSON documents are on stdout. Print one";

export function readStdout({ stdout, isBinary, answerFields }: ReadStdout): StdoutReading {
  const reading = readText(withoutByteOrderMark(stdout).trim(), answerFields);
  // SECURITY: a replaced byte may be the one that made a deny another word.
  if (isBinary && reading.kind === "answer") return bad("HL_OUTPUT_BINARY", "stdout is not UTF-8. Print the JSON in UTF-8");
  if (!isBinary || reading.kind === "bad") return reading;
  return {
    ...reading,
    notes: [{ code: "HL_OUTPUT_BINARY", level: "warning", text: "stdout is not UTF-8; what could not be read was replaced" }],
  };
}

function readText(text: string, answerFields: readonly string[]): StdoutReading {
  const reading = text.startsWith("{") ? readObjectFirst(text, answerFields) : readAfterNoise(text, answerFields);
  if (reading.kind !== "text") return reading;
  // SECURITY: a colour or a NUL before the JSON must not turn a denial into text.
  const clean = mentionsField(text, answerFields) ? withoutTerminalMarks(text) : text;
  const again = clean === text ? reading : readText(clean.trim(), answerFields);
  if (again.kind === "answer") return { ...again, isBlemished: true, hadMarks: true, notes: [MARKS_NOTE, ...again.notes] };
  return again.kind === "bad" ? again : { ...reading, lost: lostAnswer(clean) };
}

const MARKS_NOTE: Note = {
  code: "HL_OUTPUT_NOISE",
  level: "warning",
  text: "terminal commands or control characters stand around the JSON on stdout; Claude Code then ignores the answer. Print it without colours",
};

function withoutByteOrderMark(text: string): string {
  return text.charCodeAt(0) === 0xfeff ? text.slice(1) : text;
}

/** stdout begins with `{`: an answer, a broken answer, or text in braces. */
function readObjectFirst(text: string, answerFields: readonly string[]): StdoutReading {
  if (text.length > MAX_SIZE) return bad("HL_OUTPUT_BAD_JSON", "the JSON on stdout is larger than 1 MiB");
  const document = parseDocument(text);
  if (!document.isValid) return looksLikeJson(text) ? refused(document) : plain(text);
  const rest = text.slice(document.end).trim();
  if (rest === "") return answer(document, []);
  if (rest.startsWith("{")) return bad("HL_OUTPUT_BAD_JSON", TWO_DOCUMENTS);
  if (rest.endsWith("}")) return bad("HL_OUTPUT_BAD_JSON", "stdout looks like a JSON object but is not valid: text follows the first one");
  return hasField(document.value, answerFields) ? answer(document, [besideJson("after", rest)]) : plain(text);
}

/** Shell profiles and progress lines stand before the answer: it begins at the first line that starts with `{`. */
function readAfterNoise(text: string, answerFields: readonly string[]): StdoutReading {
  // Only an answer is worth taking text apart for: on some events plain text with a JSON block in it is the message.
  if (!mentionsField(text, answerFields)) return plain(text);
  for (const start of candidates(text)) {
    const tail = text.slice(start);
    const document = parseDocument(tail);
    if (!document.isValid && beginsLikeJson(tail) && mentionsField(tail, answerFields)) return refused(document);
    if (!document.isValid || !hasField(document.value, answerFields)) continue;
    const rest = tail.slice(document.end).trim();
    // SECURITY: what stands before the answer may be the model's own words, made to look like an answer: then nothing here is certain.
    if (rest.startsWith("{") || (/^[ \t]*\{/m.test(rest) && mentionsField(rest, answerFields)))
      return bad("HL_OUTPUT_BAD_JSON", TWO_DOCUMENTS);
    return answer(document, [besideJson("before", text.slice(0, start)), ...(rest === "" ? [] : [besideJson("after", rest)])]);
  }
  return plain(text);
}

function candidates(text: string): number[] {
  const starts: number[] = [];
  for (const match of text.matchAll(/^[ \t]*\{/gm)) {
    if (text.length - match.index <= MAX_SIZE) starts.push(match.index);
    if (starts.length === MAX_CANDIDATES) break;
  }
  return starts;
}

function looksLikeJson(text: string): boolean {
  return text.endsWith("}") || beginsLikeJson(text);
}

function beginsLikeJson(text: string): boolean {
  return /^\s*\{\s*["}]/.test(text);
}

function hasField(value: unknown, names: readonly string[]): boolean {
  return names.some((name) => (value as JsonObject)[name] !== undefined);
}

function mentionsField(text: string, names: readonly string[]): boolean {
  return names.some((name) => text.includes(`"${name}"`));
}

function answer(document: Extract<JsonDocument, { isValid: true }>, notes: readonly Note[]): StdoutReading {
  const isBlemished = notes.length > 0;
  return {
    kind: "answer",
    value: document.value as JsonObject,
    dropped: document.dropped[0],
    notes: [...notes, ...[...new Set(document.dropped)].map(dropped)],
    isBlemished,
  };
}

function plain(text: string): StdoutReading {
  return { kind: "text", text, notes: [] };
}

function bad(code: ErrorCode, problem: string): StdoutReading {
  return { kind: "bad", code, problem };
}

function refused(document: Extract<JsonDocument, { isValid: false }>): StdoutReading {
  const code = document.isDuplicate ? "HL_OUTPUT_DUPLICATE_KEY" : "HL_OUTPUT_BAD_JSON";
  return bad(code, `stdout looks like a JSON object but is not valid: ${document.problem}`);
}

function besideJson(where: "before" | "after", text: string): Note {
  const code = where === "before" ? "HL_OUTPUT_NOISE" : "HL_OUTPUT_TRAILING_TEXT";
  const found = `"${shortText(text, 80)}" stands ${where} the JSON on stdout`;
  return { code, level: "warning", text: `${found}; Claude Code then ignores the answer. Print it to stderr` };
}

function dropped(key: string): Note {
  return { code: "HL_OUTPUT_UNKNOWN_FIELD", level: "warning", text: `the key "${key}" was dropped: no answer has one` };
}

/** A text that holds one of these names in quotes, escaped or not, meant to decide something. */
const DECISIVE = /(?:permissionDecision|hookSpecificOutput)\\?"/;

/** What is wrong with the form of a decision in text that was not read as an answer, so that none is lost without a word; nothing if there is none. */
export function lostAnswer(text: string): string | undefined {
  if (!text.includes('"decision"') && !text.includes('"continue"') && !DECISIVE.test(text)) return undefined;
  for (const start of objectsIn(text)) {
    const document = parseDocument(text.slice(start));
    if (document.isValid && decides(document.value)) return "a decision stands inside of other text on stdout";
  }
  return DECISIVE.test(text) ? "a decision stands on stdout, but not as JSON that can be read" : undefined;
}

function objectsIn(text: string): number[] {
  const starts: number[] = [];
  for (const match of text.matchAll(/\{\s{0,80}"/g)) if (starts.push(match.index) === MAX_CANDIDATES) break;
  return starts;
}

function decides(value: unknown): boolean {
  if (!isObject(value)) return false;
  const { decision, continue: goesOn, hookSpecificOutput } = value as JsonObject;
  return typeof decision === "string" || goesOn === false || isObject(hookSpecificOutput);
}

const REFUSING =
  /\b(?:den(?:y|ies|ied)|block(?:s|ed|ing)?|refus(?:e|es|ed)|reject(?:s|ed)?|forbid(?:s|den)?|prohibited|disallow(?:ed)?|not allowed)\b/i;

export function isRefusal(text: string): boolean {
  return REFUSING.test(text);
}
