/**
 * Takes a text, gives what it says once its escapes are read, and where each letter of that stands in the text: percent signs, entities of pages,
 * backslashes of JSON, code and shells, and bytes in a list. Any letter may be escaped or not, so that no list of encodings is needed. Linear time.
 */

export interface Span {
  readonly start: number;
  readonly end: number;
}

export interface DecodedText {
  readonly text: string;
  /** Where the letter at this index begins in the text that was given; its end for the index behind the last. */
  readonly sourceOf: (index: number) => number;
}

const HEX = "[0-9A-Fa-f]";
const ESCAPES = new RegExp(
  [
    `(?:%${HEX}{2})+`,
    `%u${HEX}{4}`,
    "&#\\d{1,7};?",
    `&#[xX]${HEX}{1,6};?`,
    "&[A-Za-z]{2,6};",
    `\\\\u${HEX}{4}`,
    `\\\\u\\{${HEX}{1,6}\\}`,
    `\\\\U${HEX}{8}`,
    `(?:\\\\x${HEX}{2})+`,
    "(?:\\\\[0-3][0-7]{2})+",
    "\\\\[^0-9A-Za-z]",
    "\\\\[nrtbf]",
    "=3[Dd]",
  ].join("|"),
  "g",
);
const SIGNS = /[%&=\\]/;
/** Those of the texts in it: its own are not meant. */
const ESCAPES_IN_JSON = /%[0-9A-Fa-fu]|&[#A-Za-z]|=3[Dd]|\\\\/;

const NAMED: Readonly<Record<string, string>> = Object.fromEntries(
  "excl! quot\" num# dollar$ percnt% amp& apos' lpar( rpar) ast* plus+ comma, period. sol/ colon: semi; lt< equals= gt> quest? commat@ lsqb[ lbrack[ bsol\\ rsqb] rbrack] Hat^ lowbar_ grave` lcub{ lbrace{ verbar| vert| rcub} rbrace} hyphen- dash- tilde~ nbsp\u00a0"
    .split(" ")
    .map((pair) => [pair.slice(0, -1), pair.slice(-1)]),
);
const CONTROLS: Readonly<Record<string, string>> = { n: "\n", r: "\r", t: "\t", b: "\b", f: "\f" };

/** Whether a text in this JSON may say something else once its escapes are read. No false negatives. */
export function hasEscapesInJson(json: string): boolean {
  // Most records have none of these signs, and looking for one sign is fastest.
  return (json.includes("%") || json.includes("&") || json.includes("\\\\") || json.includes("=3")) && ESCAPES_IN_JSON.test(json);
}

/** One level of escapes read; nothing if there are none. */
export function decodeText(text: string): DecodedText | undefined {
  if (!SIGNS.test(text)) return undefined;
  const parts: string[] = [];
  /** Pairs: an index of the new text, and where it stands in the old. Between two of them both count up. */
  const outs: number[] = [0];
  const ins: number[] = [0];
  let length = 0;
  let read = 0;
  for (const match of text.matchAll(ESCAPES)) {
    const [written] = match;
    const letters = lettersOf(written);
    if (letters === undefined) continue;
    parts.push(text.slice(read, match.index));
    length += match.index - read;
    read = match.index + written.length;
    for (const { text: letter, at } of letters) {
      outs.push(length);
      ins.push(match.index + at);
      parts.push(letter);
      length += letter.length;
    }
    outs.push(length);
    ins.push(read);
  }
  if (read === 0) return undefined;
  parts.push(text.slice(read));
  return { text: parts.join(""), sourceOf: (index) => sourceAt(outs, ins, index) };
}

function sourceAt(outs: readonly number[], ins: readonly number[], index: number): number {
  let low = 0;
  let high = outs.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((outs[middle] ?? 0) <= index) low = middle;
    else high = middle - 1;
  }
  const next = ins[low + 1] ?? Number.POSITIVE_INFINITY;
  return Math.min((ins[low] ?? 0) + index - (outs[low] ?? 0), next);
}

interface Letter {
  readonly text: string;
  /** Where it begins in the escape. */
  readonly at: number;
}

function lettersOf(written: string): readonly Letter[] | undefined {
  const [first = "", second = ""] = written;
  if (first === "=") return [{ text: "=", at: 0 }];
  if (first === "%" && second !== "u") return lettersOfBytes(written.match(/[0-9A-Fa-f]{2}/g) ?? [], 16, 3);
  if (first === "\\" && second === "x") return lettersOfBytes(written.match(/[0-9A-Fa-f]{2}/g) ?? [], 16, 4);
  if (first === "\\" && /\d/.test(second)) return lettersOfBytes(written.match(/[0-7]{3}/g) ?? [], 8, 4);
  const text = letterOf(written);
  return text === undefined ? undefined : [{ text, at: 0 }];
}

function letterOf(written: string): string | undefined {
  if (written.startsWith("&#")) {
    const digits = written.slice(2).replace(";", "");
    return fromCode(/^x/i.test(digits) ? Number.parseInt(digits.slice(1), 16) : Number(digits));
  }
  if (written.startsWith("&")) return NAMED[written.slice(1, -1)] ?? NAMED[written.slice(1, -1).toLowerCase()];
  if (/^[%\\][uU]/.test(written)) return fromCode(Number.parseInt(written.replace(/[^0-9A-Fa-f]/g, ""), 16));
  return CONTROLS[written.slice(1)] ?? written.slice(1);
}

function fromCode(code: number): string | undefined {
  return code <= 0x10ffff ? String.fromCodePoint(code) : undefined;
}

/** Bytes are UTF-8; those that are not are letters of Latin-1. */
function lettersOfBytes(digits: readonly string[], base: number, width: number): readonly Letter[] {
  const bytes = digits.map((digit) => Number.parseInt(digit, base));
  const letters: Letter[] = [];
  for (let at = 0; at < bytes.length; ) {
    const count = sequenceLength(bytes, at);
    const own = Buffer.from(bytes.slice(at, at + count));
    letters.push({ text: own.toString(count === 1 ? "latin1" : "utf8"), at: at * width });
    at += count;
  }
  return letters;
}

function sequenceLength(bytes: readonly number[], at: number): number {
  const first = bytes[at] ?? 0;
  const count = first >= 0xf0 && first < 0xf5 ? 4 : first >= 0xe0 ? 3 : first >= 0xc2 ? 2 : 1;
  if (count === 1 || first >= 0xf5 || at + count > bytes.length) return 1;
  return bytes.slice(at + 1, at + count).every((byte) => byte >= 0x80 && byte < 0xc0) ? count : 1;
}

/** Between the bytes of a list; in JSON a line end is two letters. */
const BETWEEN = "(?:[^0-9A-Za-z\\\\]|\\\\[nrt]){1,12}";
const BYTE = `(?:0[xX])?${HEX}`;
/** Bytes that are looked for first: no value has fewer. */
const FIRST = 8;

export interface ListSearch {
  /** Whether a text, or JSON, may have one. No false negatives; every record is asked, so it looks for the first bytes only. */
  readonly may: (text: string) => boolean;
  readonly spansIn: (text: string) => readonly Span[];
}

/** Looks for lists of bytes (`70:61`, `7061 7373`, `0x70, 0x61`, `112, 97`) that hold one of these, which are in small hexadecimal digits. */
export function createListSearch(forms: readonly string[]): ListSearch {
  const starts = forms.flatMap((form) => {
    const bytes = form.match(/../g)?.slice(0, FIRST) ?? [];
    const digits = bytes.map((byte) => byte.replace(/[a-f]/g, (digit) => `[${digit}${digit.toUpperCase()}]`));
    return [digits.join(`(?:${BETWEEN})?(?:0[xX])?`), bytes.map((byte) => Number.parseInt(byte, 16)).join(BETWEEN)];
  });
  const any = starts.length > 0 ? new RegExp([...new Set(starts)].join("|")) : undefined;
  const may = (text: string): boolean => text.length >= 2 * FIRST && any?.test(text) === true;
  return { may, spansIn: (text) => (may(text) ? listedSpans(text, forms) : []) };
}

const RUN = new RegExp(`(?<![0-9A-Za-z])${BYTE}{1,4}(?:${BETWEEN}${BYTE}{1,4}(?![0-9A-Za-z]))+`, "g");
const NUMBER = /(?:0[xX])?([0-9A-Fa-f]+)/g;

function listedSpans(text: string, forms: readonly string[]): readonly Span[] {
  return [...text.matchAll(RUN)].flatMap(({ 0: run, index }) => {
    const tokens = [...run.matchAll(NUMBER)].map(({ 0: token, 1: digits = "", index: at }) => ({
      digits,
      start: index + at,
      end: index + at + token.length,
    }));
    const readings = [
      tokens.map(({ digits }) => (digits.length % 2 === 0 ? digits.toLowerCase() : NO_BYTE)),
      tokens.map(({ digits }) =>
        /^\d{1,3}$/.test(digits) && Number(digits) < 256 ? Number(digits).toString(16).padStart(2, "0") : NO_BYTE,
      ),
    ];
    return readings.flatMap((bytes) => spansIn(bytes, tokens, forms));
  });
}

const NO_BYTE = "..";

function spansIn(bytes: readonly string[], tokens: readonly Span[], forms: readonly string[]): readonly Span[] {
  const joined = bytes.join("");
  const found = forms.flatMap((form) => placesOf(form, joined));
  if (found.length === 0) return [];
  const owners: number[] = bytes.flatMap((byte, token) => Array.from(byte, () => token));
  return found.map(({ start, end }) => ({
    start: tokens[owners[start] ?? 0]?.start ?? 0,
    end: tokens[owners[end - 1] ?? 0]?.end ?? 0,
  }));
}

export function placesOf(form: string, text: string): readonly Span[] {
  const places: Span[] = [];
  for (let start = text.indexOf(form); start >= 0; start = text.indexOf(form, start + form.length))
    places.push({ start, end: start + form.length });
  return places;
}
