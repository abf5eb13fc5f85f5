/**
 * Takes a word as the parser gives it. Gives the words it stands for: without quoting, split where `$IFS` and known variables split it.
 * What only the running shell knows stays marked as unknown.
 */

import { createRequire } from "node:module";
import type { CommandArgument, DoubleQuotedChild, ParameterExpansionPart, WordPart as SyntaxPart, Word } from "unbash";
import { type ShellWord, type Span, UNKNOWN, type WordPart } from "./types.ts";

/** What is known where the word stands. */
export interface WordScope {
  /** Where a node stands in the text that was read. */
  spanOf(node: { readonly pos: number; readonly end: number }): Span;
  /** The value of a variable, if it is certain. */
  valueOf(name: string): string | undefined;
  /** The parts of the pattern whose matches a variable holds. */
  patternOf(name: string): readonly WordPart[] | undefined;
  /** Whether braces may be written out as this many more words. */
  mayExpand(count: number): boolean;
  /** Nothing has changed what separates words. */
  readonly isIfsPlain: boolean;
  /** The shell may know nothing of braces and `$'…'`: `sh` is bash on one machine and dash on another. */
  readonly isPosix: boolean;
}

type Piece = WordPart | { readonly kind: "break" };

const BREAK: Piece = { kind: "break" };
const IFS = " \t\n";
/** Parts of `$IFS` that are a blank for certain. */
const BLANKS = wordSet("$IFS ${IFS} ${IFS%??} ${IFS:0:1}");

/** The words an argument stands for: none, one or more. */
export function readWords(word: CommandArgument, scope: WordScope): readonly ShellWord[] {
  if (word.type === "Assignment") return [readAssignmentWord(word, scope)];
  if (!scope.isPosix && word.parts?.some(({ type }) => type === "BraceExpansion")) {
    const expanded = expandBraces(word.text);
    if (expanded && scope.mayExpand(expanded.length)) return expanded.flatMap((text) => readExpanded(text, word, scope));
  }
  return splitPieces(piecesOf(word, scope), word.text, scope.spanOf(word));
}

/** A word in a place where it is not split: a redirection's target, an assignment's value. */
export function readWhole(word: Word, scope: WordScope): ShellWord {
  const pieces = piecesOf(word, scope, true);
  return toWord(
    pieces.filter((piece): piece is WordPart => piece.kind !== "break"),
    word.text,
    scope.spanOf(word),
  );
}

/** A word whose text is known. */
export function textWord(text: string, span: Span, source: string = text): ShellWord {
  return { text, source, span, parts: [{ kind: "text", text, isQuoted: true }] };
}

/** One choice of a brace expansion: it is quoted as the whole was. */
function readExpanded(text: string, { pos, end }: Word, scope: WordScope): readonly ShellWord[] {
  const command = loadParser().parse(`: ${text}`).commands[0]?.command;
  const span = scope.spanOf({ pos, end });
  if (command?.type !== "Command") return text === "" ? [] : [textWord(UNKNOWN, span, text)];
  return command.args.flatMap((word) => {
    const plain = word.type === "Word" ? word : undefined;
    return plain ? splitPieces(piecesOf(plain, scope), text, span) : [textWord(text, span)];
  });
}

/** `declare x=$(…)`: an argument that is an assignment. */
function readAssignmentWord(word: Extract<CommandArgument, { type: "Assignment" }>, scope: WordScope): ShellWord {
  const span = scope.spanOf(word);
  if (word.value.type !== "Word") return { text: UNKNOWN, source: word.text, span, parts: [{ kind: "computed", source: word.text }] };
  const name = word.text.slice(0, word.text.length - word.value.text.length);
  const value = readWhole(word.value, scope);
  return { text: name + value.text, source: word.text, span, parts: [{ kind: "text", text: name, isQuoted: false }, ...value.parts] };
}

function splitPieces(pieces: readonly Piece[], source: string, span: Span): readonly ShellWord[] {
  const words: ShellWord[] = [];
  let parts: WordPart[] = [];
  for (const piece of pieces) {
    if (piece.kind !== "break") parts.push(piece);
    else if (parts.length > 0) {
      words.push(toWord(parts, source, span));
      parts = [];
    }
  }
  if (parts.length > 0) words.push(toWord(parts, source, span));
  return words;
}

function toWord(parts: readonly WordPart[], source: string, span: Span): ShellWord {
  let text = "";
  for (const part of parts) text += part.kind === "text" || part.kind === "home" ? part.text : UNKNOWN;
  return { text, source, span, parts };
}

function piecesOf(word: Word, scope: WordScope, isWhole = false): readonly Piece[] {
  const { parts, value } = word;
  if (!parts) return literalPieces(word.text, value, true, true);
  const pieces: Piece[] = [];
  parts.forEach((part, index) => {
    if (part.type === "Literal") pieces.push(...literalPieces(part.text, part.value, index === 0, index === parts.length - 1));
    else pushPart(pieces, part, { scope, isQuoted: false, isWhole });
  });
  return pieces;
}

/** Unquoted text; a `~` at its start is a home folder. */
function literalPieces(source: string, value: string, isFirst: boolean, isLast: boolean): readonly Piece[] {
  const home = isFirst && source.startsWith("~") ? /^~[\w.+-]*(?=\/|$)/.exec(source)?.[0] : undefined;
  if (home === undefined || (home === source && !isLast)) return value === "" ? [] : [{ kind: "text", text: value, isQuoted: false }];
  const rest = value.slice(home.length);
  const start: WordPart = { kind: "home", text: home };
  return rest === "" ? [start] : [start, { kind: "text", text: rest, isQuoted: false }];
}

interface PartScope {
  readonly scope: WordScope;
  readonly isQuoted: boolean;
  readonly isWhole: boolean;
}

function pushPart(pieces: Piece[], part: SyntaxPart | DoubleQuotedChild, at: PartScope): void {
  switch (part.type) {
    case "AnsiCQuoted":
      pieces.push(at.scope.isPosix ? { kind: "computed", source: part.text } : { kind: "text", text: part.value, isQuoted: true });
      return;
    case "Literal":
    case "SingleQuoted":
      pieces.push({ kind: "text", text: part.value, isQuoted: true });
      return;
    case "DoubleQuoted":
    case "LocaleString":
      if (part.parts.length === 0) pieces.push({ kind: "text", text: "", isQuoted: true });
      for (const child of part.parts) pushPart(pieces, child, { ...at, isQuoted: true });
      return;
    case "Glob":
      // SECURITY: `[[:alpha:]]` and `[]x]` are one character each; who looks for the first `]` finds another pattern.
      pieces.push({ kind: "glob", text: /^\[[!^]?\]|\[[:=.]/.test(part.text) ? "?" : part.text });
      return;
    case "ExtendedGlob":
      // Whatever its alternatives are; whether they may be hidden names is a question of the line's options.
      pieces.push({ kind: "glob", text: "*" });
      return;
    case "SimpleExpansion":
      pushVariable(pieces, part.text.slice(1), part.text, at);
      return;
    case "ParameterExpansion":
      pushVariable(pieces, nameOf(part), part.text, at);
      return;
    default:
      pieces.push({ kind: "computed", source: part.text });
  }
}

function nameOf({ parameter, prefix }: ParameterExpansionPart): string {
  return prefix === undefined ? parameter : `${prefix}${parameter}`;
}

function pushVariable(pieces: Piece[], name: string, source: string, { scope, isQuoted, isWhole }: PartScope): void {
  const isKept = isQuoted || isWhole;
  if (scope.isIfsPlain && BLANKS.has(source)) {
    pieces.push(isKept ? { kind: "text", text: source.length < 7 ? IFS : " ", isQuoted: true } : BREAK);
    return;
  }
  const isBare = source === `$${name}` || source === `\${${name}}`;
  const value = isBare ? scope.valueOf(name) : undefined;
  const pattern = isBare ? scope.patternOf(name) : undefined;
  const isPlain = isKept || (scope.isIfsPlain && value !== undefined && !/[*?[\\]/.test(value));
  if (value === undefined && pattern) pieces.push(...pattern);
  else if (value === undefined || !isPlain) pieces.push({ kind: "variable", name, source });
  else if (isKept) pieces.push({ kind: "text", text: value, isQuoted });
  else pushFields(pieces, value);
}

/** An unquoted value is split at blanks. */
function pushFields(pieces: Piece[], value: string): void {
  for (const field of value.split(/([ \t\n]+)/)) {
    if (/^[ \t\n]/.test(field)) pieces.push(BREAK);
    else if (field !== "") pieces.push({ kind: "text", text: field, isQuoted: false });
  }
}

/** A path as seen from a folder. */
export function wordIn(folder: ShellWord | undefined, word: ShellWord): ShellWord {
  if (!folder || /^[/~\uFFFF]/.test(word.text)) return word;
  const slash = { kind: "text", text: "/", isQuoted: true } as const;
  return { ...word, text: `${folder.text}/${word.text}`, parts: [...folder.parts, slash, ...word.parts] };
}

/** A text with blanks in the place of these spans. */
export function blanked(text: string, spans: readonly Span[]): string {
  let rest = text;
  for (const { start, end } of spans) rest = rest.slice(0, start) + " ".repeat(Math.max(0, end - start)) + rest.slice(end);
  return rest;
}

/** What stands in a word from one character of its text up to another: the `file` of `-ofile`, `--output=file`, `of=file`, `file:/there`. */
export function cutWord(word: ShellWord, start: number, end: number = word.text.length): ShellWord {
  const parts: WordPart[] = [];
  let at = 0;
  for (const part of word.parts) {
    const isText = part.kind === "text";
    const length = isText || part.kind === "home" ? part.text.length : UNKNOWN.length;
    const text = isText ? part.text.slice(Math.max(0, start - at), Math.max(0, end - at)) : "";
    // SECURITY: a part that stands for more than its one character, as in a word that was put together, is kept.
    const isWithin = (at >= start && at < end) || word.parts.length === 1;
    if (isText ? text !== "" : isWithin) parts.push(isText ? { ...part, text } : part);
    at += length;
  }
  return { ...word, text: word.text.slice(start, end), parts };
}

// SECURITY: characters that look like a blank but are none to the shell, or the reverse in another program: a name may be hidden behind them.
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it looks for.
const ODD = /[\0-\x08\x0b-\x1f\x7f-\xa0\u1680\u2000-\u200f\u2028-\u202f\u205f-\u2064\u3000\ufeff]/;

export function hasOddCharacters(text: string): boolean {
  return ODD.test(text);
}

/** Whether characters stand outside quotes that a reader and a shell may see differently. */
export function hasOddUnquoted(word: CommandArgument): boolean {
  if (!ODD.test(word.text)) return false;
  if (word.text.includes("\0") || word.type === "Assignment" || !word.parts) return true;
  return word.parts.some((part) => part.type !== "SingleQuoted" && part.type !== "DoubleQuoted" && ODD.test(part.text));
}

/** More words than this are not written out. */
const MAX_WORDS = 64;
const SEQUENCE = /^(?:(-?\d{1,6})\.\.(-?\d{1,6})|([a-z])\.\.([a-z])|([A-Z])\.\.([A-Z]))(?:\.\.(-?\d{1,3}))?$/;

/** The words that `a{b,c}` stands for, still quoted as written; nothing if they are too many or hold what only the shell knows. */
export function expandBraces(word: string): readonly string[] | undefined {
  if (/[`$]/.test(word)) return undefined;
  const words = expand(word);
  return words.length > MAX_WORDS ? undefined : words;
}

function expand(word: string): readonly string[] {
  for (let at = 0; at < word.length; at = skip(word, at)) {
    if (word[at] !== "{") continue;
    const choices = choicesAt(word, at);
    if (choices)
      return combine(word.slice(0, at), choices.texts.flatMap(choices.isSequence ? (text) => [text] : expand), word.slice(choices.end));
  }
  return [word];
}

function combine(before: string, choices: readonly string[], after: string): readonly string[] {
  const ends = expand(after);
  if (choices.length * ends.length > MAX_WORDS) return new Array<string>(MAX_WORDS + 1).fill("");
  return choices.flatMap((choice) => ends.map((end) => before + choice + end));
}

interface Choices {
  readonly texts: readonly string[];
  readonly isSequence: boolean;
  readonly end: number;
}

/** What stands in the braces that open at `start`, if they are more than text. */
function choicesAt(word: string, start: number): Choices | undefined {
  const texts: string[] = [];
  let depth = 0;
  let from = start + 1;
  for (let at = start; at < word.length; at = skip(word, at)) {
    const character = word[at];
    if (character === "{") depth++;
    else if (character === "," && depth === 1) {
      texts.push(word.slice(from, at));
      from = at + 1;
    } else if (character === "}" && --depth === 0) {
      const last = word.slice(from, at);
      if (texts.length > 0) return { texts: [...texts, last], isSequence: false, end: at + 1 };
      const sequence = readSequence(last);
      return sequence && { texts: sequence, isSequence: true, end: at + 1 };
    }
  }
  return undefined;
}

/** The place after this character, or after the quoted stretch that starts here. */
function skip(word: string, at: number): number {
  const character = word[at];
  if (character === "\\") return at + 2;
  if (character === "'") return endOf(word, at, "'");
  if (character !== '"') return at + 1;
  let end = at + 1;
  while (end < word.length && word[end] !== '"') end += word[end] === "\\" ? 2 : 1;
  return end + 1;
}

function endOf(word: string, at: number, quote: string): number {
  const end = word.indexOf(quote, at + 1);
  return end === -1 ? word.length : end + 1;
}

/** `{1..5}`, `{a..e..2}`. */
function readSequence(text: string): readonly string[] | undefined {
  const found = SEQUENCE.exec(text);
  if (!found) return undefined;
  const [, low, high, lower, lowerEnd, upper, upperEnd, step] = found;
  const letters = [lower ?? upper, lowerEnd ?? upperEnd];
  const isNumber = low !== undefined && high !== undefined;
  const start = isNumber ? Number(low) : (letters[0]?.charCodeAt(0) ?? 0);
  const end = isNumber ? Number(high) : (letters[1]?.charCodeAt(0) ?? 0);
  const stride = Math.abs(Number(step ?? 1)) || 1;
  const count = Math.floor(Math.abs(end - start) / stride) + 1;
  if (count > MAX_WORDS) return new Array<string>(MAX_WORDS + 1).fill("");
  const values = Array.from({ length: count }, (_, index) => start + (end < start ? -1 : 1) * stride * index);
  if (!isNumber) return values.map((value) => String.fromCharCode(value));
  const width = /^-?0\d/.test(low) || /^-?0\d/.test(high) ? Math.max(low.length, high.length) : 0;
  return values.map((value) => pad(value, width));
}

/** Leading zeros of either end widen every number; the sign counts. */
function pad(value: number, width: number): string {
  return value < 0 ? `-${String(-value).padStart(width - 1, "0")}` : String(value).padStart(width, "0");
}

/** The same for what is asked about a reading by everything that judges a call, in the same folder. */
export function rememberedReading<Reading extends object, Place extends { readonly cwd: string; readonly home: string }, Value>(
  find: (reading: Reading, place: Place) => Value,
): (reading: Reading, place: Place) => Value {
  const known = new WeakMap<Reading, { readonly cwd: string; readonly home: string; readonly value: Value }>();
  return (reading, place) => {
    const { cwd, home } = place;
    const before = known.get(reading);
    if (before?.cwd === cwd && before.home === home) return before.value;
    const value = find(reading, place);
    known.set(reading, { cwd, home, value });
    return value;
  };
}

/** Variables by which programs are told where to write: `GIT_TRACE`, `HISTFILE`, `LD_DEBUG_OUTPUT`, `TMPDIR`. */
export const OUTPUT_VARIABLE: RegExp =
  /TRACE|LOG|OUT|HIST|DUMP|COVERAGE|CACHE|RECORD|TMP|TEMP(?!L)|^XDG_\w+_(?:HOME|DIR)$|TARGET_DIR|DESTDIR|INDEX_FILE|OBJECT_DIR/;

type Parser = Pick<typeof import("unbash"), "parse" | "forEachChild">;

let parser: Parser | undefined;

/** The Bash parser. Loading costs 25 ms and most sessions have no condition on a command: required on first use, synchronously. */
export function loadParser(): Parser {
  parser ??= createRequire(import.meta.url)("unbash") as Parser;
  return parser;
}

/** The words of a list that is written as one text. */
export function wordSet(text: string): ReadonlySet<string> {
  return new Set(text.split(" "));
}

interface Known<Key, Value> {
  has(key: Key): boolean;
  get(key: Key): Value | undefined;
  set(key: Key, value: Value): unknown;
}

/** Asks once for each key. `known`: a `WeakMap`, if the keys are objects that go. */
export function remembered<Key, Value>(find: (key: Key) => Value, known: Known<Key, Value> = new Map<Key, Value>()): (key: Key) => Value {
  return (key) => {
    if (!known.has(key)) known.set(key, find(key));
    return known.get(key) as Value;
  };
}
