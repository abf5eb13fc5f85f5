/**
 * Takes a hook's stdout, gives the JSON object it answered with, or says that it is plain text.
 * Refuses what looks like an answer and is not one: broken JSON, two documents, duplicate keys, too deep, too large, not UTF-8.
 * A decision is not lost to form: text around the object is skipped with a warning.
 */

import type { ErrorCode } from "../errors.ts";
import { type Note, shortText } from "./effects.ts";
import { isObject } from "./function-result.ts";

/** What stdout turned out to be. */
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

/** Finds the answer in a hook's stdout. */
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
  const clean = mentionsField(text, answerFields) ? withoutTerminalMarks(text) : undefined;
  const again = clean === undefined ? reading : readText(clean.trim(), answerFields);
  if (again.kind === "answer") return { ...again, isBlemished: true, hadMarks: true, notes: [MARKS_NOTE, ...again.notes] };
  return again.kind === "bad" ? again : { ...reading, lost: lostAnswer(clean ?? text) };
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

// SECURITY: a colour or a NUL before the JSON must not turn a denial into text.
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it looks for
const TERMINAL_MARKS = /\x1b\[[0-?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)|\x1b[ -/]*[0-Z\\^-~]|[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]/g;

/** The text without what only a terminal reads; nothing if there is nothing of it. */
function withoutTerminalMarks(text: string): string | undefined {
  const clean = text.replace(TERMINAL_MARKS, "");
  return clean === text ? undefined : clean;
}

/** Takes text that was not read as an answer; says if it holds a decision all the same, so that none is lost without a word. */

/** A text that holds one of these names in quotes, escaped or not, meant to decide something. */
const DECISIVE = /(?:permissionDecision|hookSpecificOutput)\\?"/;

/** What is wrong with the form of a decision in this text; nothing if there is none. */
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

/** Words that were meant to block. */
export function isRefusal(text: string): boolean {
  return REFUSING.test(text);
}

/**
 * Takes text, gives the first JSON document in it, with where it ends.
 * Refuses duplicate keys (JSON.parse lets the last one win: a deny can be undone), nesting deeper than 64
 * (JSON.stringify overflows on what JSON.parse took) and everything JSON.parse refuses.
 */

/** A parsed object. It has no prototype: a key that is not there is `undefined`, whatever Object.prototype holds. */
export type JsonObject = Readonly<Record<string, unknown>>;

type JsonDocument =
  | { readonly isValid: true; readonly value: unknown; readonly end: number; readonly dropped: readonly string[] }
  | { readonly isValid: false; readonly problem: string; readonly isDuplicate: boolean };

const MAX_DEPTH = 64;
// SECURITY: these reach a prototype when an object is copied key by key.
const DANGEROUS_KEYS: ReadonlySet<string> = new Set(["__proto__", "constructor", "prototype"]);
const SPACE = /[ \t\r\n]*/y;
const SCALAR = /true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;

interface Cursor {
  readonly text: string;
  at: number;
  readonly dropped: string[];
}

class Refusal extends Error {
  readonly isDuplicate: boolean;
  constructor(problem: string, isDuplicate = false) {
    super(problem);
    this.isDuplicate = isDuplicate;
  }
}

/** Reads the JSON document that starts at the beginning of the text; what follows it is the caller's business. */
export function parseDocument(text: string): JsonDocument {
  const cursor: Cursor = { text, at: 0, dropped: [] };
  try {
    const value = readValue(cursor, 1);
    return { isValid: true, value, end: cursor.at, dropped: cursor.dropped };
  } catch (thrown) {
    // Only a Refusal is ever thrown here; it interrupts the descent and goes no further.
    const { message, isDuplicate } = thrown as Refusal;
    return { isValid: false, problem: message, isDuplicate: isDuplicate === true };
  }
}

function readValue(cursor: Cursor, depth: number): unknown {
  skipSpace(cursor);
  const first = cursor.text[cursor.at];
  if (first === '"') return readString(cursor);
  if (first !== "{" && first !== "[") return readScalar(cursor);
  if (depth > MAX_DEPTH) throw new Refusal(`it is nested deeper than ${MAX_DEPTH} levels`);
  cursor.at++;
  return first === "{" ? readObject(cursor, depth) : readArray(cursor, depth);
}

function readObject(cursor: Cursor, depth: number): JsonObject {
  const object: Record<string, unknown> = Object.create(null);
  const seen = new Set<string>();
  if (takes(cursor, "}")) return object;
  do {
    skipSpace(cursor);
    if (cursor.text[cursor.at] !== '"') throw unexpected(cursor, "a key in double quotes");
    const key = readString(cursor);
    if (seen.has(key)) throw new Refusal(`the key ${JSON.stringify(key.slice(0, 60))} is there twice`, true);
    seen.add(key);
    if (!takes(cursor, ":")) throw unexpected(cursor, '":"');
    const value = readValue(cursor, depth + 1);
    if (DANGEROUS_KEYS.has(key)) cursor.dropped.push(key);
    else object[key] = value;
  } while (takes(cursor, ","));
  if (!takes(cursor, "}")) throw unexpected(cursor, '"," or "}"');
  return object;
}

function readArray(cursor: Cursor, depth: number): unknown[] {
  const items: unknown[] = [];
  if (takes(cursor, "]")) return items;
  do items.push(readValue(cursor, depth + 1));
  while (takes(cursor, ","));
  if (!takes(cursor, "]")) throw unexpected(cursor, '"," or "]"');
  return items;
}

function readString(cursor: Cursor): string {
  const start = cursor.at;
  // Not a regular expression: one with a nested repeat takes exponential time on a string that never ends.
  for (let at = start + 1; at < cursor.text.length; at++) {
    const code = cursor.text.charCodeAt(at);
    if (code === 0x5c) at++;
    else if (code === 0x22) {
      cursor.at = at + 1;
      return unescaped(cursor.text.slice(start, at + 1), start);
    } else if (code < 0x20) throw new Refusal(`a control character stands inside a string (position ${at})`);
  }
  throw new Refusal("it ends inside a string");
}

function unescaped(token: string, at: number): string {
  try {
    return JSON.parse(token) as string;
  } catch {
    throw new Refusal(`a wrong escape stands inside a string (position ${at})`);
  }
}

function readScalar(cursor: Cursor): unknown {
  SCALAR.lastIndex = cursor.at;
  const token = SCALAR.exec(cursor.text)?.[0];
  if (!token) throw unexpected(cursor, "a value");
  cursor.at += token.length;
  return JSON.parse(token);
}

function takes(cursor: Cursor, character: string): boolean {
  skipSpace(cursor);
  if (cursor.text[cursor.at] !== character) return false;
  cursor.at++;
  return true;
}

function skipSpace(cursor: Cursor): void {
  SPACE.lastIndex = cursor.at;
  cursor.at += SPACE.exec(cursor.text)?.[0].length ?? 0;
}

function unexpected(cursor: Cursor, wanted: string): Refusal {
  const found = cursor.text[cursor.at];
  return new Refusal(
    found === undefined
      ? `it ends where ${wanted} was expected`
      : `${wanted} was expected at position ${cursor.at}, found ${JSON.stringify(found)}`,
  );
}
