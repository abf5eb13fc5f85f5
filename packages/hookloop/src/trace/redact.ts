/**
 * Takes strings and records, gives them without secrets: what is recognisable by its own prefix, what is the value of a secret-looking
 * variable (plain, with escapes of any kind, base64, hexadecimal, also in lines), and what stands in a field named like one. Works on single strings, before
 * serialising, so what comes out is valid JSON. Redacting twice changes nothing. Linear time.
 */

import { isSecretName, sensitivityOf } from "../run/index.ts";
import { SECRET_HINTS, secretPattern } from "../secret-patterns.ts";
import { createListSearch, type DecodedText, decodeText, hasEscapesInJson, type ListSearch, placesOf, type Span } from "./decoded-text.ts";

const HIDDEN = "[redacted]";

export interface Redactor {
  readonly text: (text: string) => string;
  /** A copy without secrets; the value itself if there are none. */
  readonly value: <Value>(value: Value) => Value;
  /** Whether serialised JSON may hold a secret. No false negatives, so most records need one look instead of a walk. */
  readonly suspects: (json: string) => boolean;
}

/** Nothing shorter is found by a rule or is a value; most keys are. */
const SHORTEST_TOKEN = 8;
/** Fields whose text is a secret whatever it looks like. */
const SECRET_FIELD = /passw|secret|token$|api_?key|credential|private_?key/i;
/** From the word on, not from the quote before it: that is five times as fast, and finds no less. */
const SECRET_FIELD_IN_JSON = /(?:passw|secret|token|api_?key|credential|private_?key)[^"]{0,80}":"/i;

/** Makes a redactor for one environment; values shorter than 8 characters are too common to hide. */
export function createRedactor(environment: Readonly<Record<string, string | undefined>>): Redactor {
  const rules = secretPattern();
  const secrets = secretValues(environment);
  const forms = distinctLongestFirst(secrets.flatMap((value) => [value, ...encodedForms(value)]));
  const values = anyOf(forms);
  const wrapped = wrappedForms(secrets);
  const hex = secrets.map((value) => Buffer.from(value).toString("hex"));
  const encoded = { read: readForms(secrets), lists: createListSearch([...new Set(hex)]) };
  const valuesInJson = anyOf([...new Set(forms.map((form) => JSON.stringify(form).slice(1, -1)))].sort(longestFirst));

  const byRules = (part: string): string => (SECRET_HINTS.test(part) ? part.replace(rules, HIDDEN) : part);
  const piece = (text: string): string => {
    const whole = values ? withoutWrapped(text.replace(values, HIDDEN), wrapped) : text;
    const decoded = values ? betweenMarks(whole, (part) => withoutEncoded(part, encoded)) : whole;
    const plain = decoded.includes(CUT) ? withoutCutForms(decoded, forms, encoded.read) : decoded;
    return plain.includes(HIDDEN) ? betweenMarks(plain, byRules) : byRules(plain);
  };
  const text = (given: string): string => {
    // What a mark uncovers (a token right behind a key block) is found in the next round; a round without a find ends it.
    for (let before = given; ; ) {
      const after = before.includes(HIDDEN) ? betweenMarks(before, piece) : piece(before);
      if (after === before) return after;
      before = after;
    }
  };
  const suspects = (json: string): boolean =>
    SECRET_HINTS.test(json) ||
    SECRET_FIELD_IN_JSON.test(json) ||
    (valuesInJson !== undefined &&
      (json.search(valuesInJson) >= 0 ||
        hasEscapesInJson(json) ||
        encoded.lists.may(json) ||
        json.includes(CUT) ||
        withoutWrapped(json, wrapped) !== json));
  return { text, value: (value) => redactValue(value, text), suspects };
}

let ofProcess: Redactor | undefined;

/** The redactor for the variables of this process; made on first use. */
export function processRedactor(): Redactor {
  ofProcess ??= createRedactor(process.env);
  return ofProcess;
}

/** Ends every text that was shortened for a message, which may go on behind it: a secret may have been cut in two there. */
const CUT = "…";

function withoutCutForms(text: string, forms: readonly string[], readable: readonly string[]): string {
  const parts = text.split(CUT);
  const last = parts.pop();
  return [...parts.map((part) => withoutCutForm(part, forms, readable)), last].join(CUT);
}

function withoutCutForm(kept: string, forms: readonly string[], readable: readonly string[]): string {
  const starts = [cutFormAt(kept, forms), ...readings(kept.replace(HALF_ESCAPE, "")).map((one) => cutStart(one, readable))];
  const at = Math.min(...starts.map((start) => start ?? kept.length));
  return at === kept.length ? kept : `${kept.slice(0, at)}${HIDDEN}`;
}

/** An escape that was cut as well. */
const HALF_ESCAPE = /(?:%[0-9A-Fa-f]?|&#?[0-9A-Za-z]{0,7}|\\(?:[uUx]\{?[0-9A-Fa-f]{0,7}|[0-7]{0,2}))$/;

function cutStart({ text, sourceOf }: DecodedText, readable: readonly string[]): number | undefined {
  const at = cutFormAt(text, readable);
  return at === undefined ? undefined : sourceOf(at);
}

/** A secret some or all of whose letters are escaped, or written as a list of bytes: from its first letter to its last it is hidden. */
function withoutEncoded(text: string, { read, lists }: { readonly read: readonly string[]; readonly lists: ListSearch }): string {
  const escaped = readings(text).flatMap(({ text: said, sourceOf }) =>
    read.flatMap((form) => placesOf(form, said).map(({ start, end }) => ({ start: sourceOf(start), end: sourceOf(end) }))),
  );
  return withoutSpans(text, [...escaped, ...lists.spansIn(text)]);
}

function withoutSpans(text: string, spans: readonly Span[]): string {
  let done = 0;
  const parts: string[] = [];
  for (const { start, end } of [...spans].sort((a, b) => a.start - b.start || b.end - a.end)) {
    if (end <= done) continue;
    if (start >= done) parts.push(text.slice(done, start), HIDDEN);
    done = end;
  }
  return parts.join("") + text.slice(done);
}

/** Letters of an encoding over several lines, as base64 and xxd write it; the look-behind keeps it linear. */
const LINES = /(?<![\w+/=-])[\w+/=-]{4,}(?:(?:\r?\n|(?:\\{1,4}r)?\\{1,4}n)[ \t]{0,8}[\w+/=-]+)+/g;
const LINE_END = /(?:\r?\n|(?:\\{1,4}r)?\\{1,4}n)[ \t]{0,8}/g;

/** A secret that line ends cut into pieces: the lines that hold it are hidden. */
function withoutWrapped(text: string, { exact, hex, shortest }: WrappedForms): string {
  if (shortest === 0 || !/\n|\\n/.test(text)) return text;
  return text.replace(LINES, (block) => {
    // Most texts of several lines are full of short blocks.
    if (block.length < shortest) return block;
    const lines = block.split(LINE_END);
    const joined = lines.join("");
    const small = joined.toLowerCase();
    if (!exact.some((form) => joined.includes(form)) && !hex.some((form) => small.includes(form))) return block;
    const spans = [...exact.flatMap((form) => placesOf(form, joined)), ...hex.flatMap((form) => placesOf(form, small))];
    const isHidden = new Uint8Array(joined.length);
    for (const { start, end } of spans) isHidden.fill(1, start, end);
    let end = 0;
    const kept = lines.map((line) => {
      const start = end;
      end += line.length;
      return isHidden.subarray(start, end).includes(1) ? HIDDEN : line;
    });
    return kept.join("\n");
  });
}

function anyOf(forms: readonly string[]): RegExp | undefined {
  const escaped = forms.map((form) => form.replace(/[\\^$.*+?()[\]{}|/-]/g, "\\$&"));
  return escaped.length > 0 ? new RegExp(escaped.join("|"), "g") : undefined;
}

function longestFirst(a: string, b: string): number {
  return b.length - a.length;
}

/** Marks are left alone, so that a second time changes nothing. */
function betweenMarks(text: string, change: (part: string) => string): string {
  return text.split(HIDDEN).map(change).join(HIDDEN);
}

function redactValue<Value>(value: Value, text: (text: string) => string, name = ""): Value {
  if (typeof value === "string") return (SECRET_FIELD.test(name) && value !== "" ? HIDDEN : text(value)) as Value;
  if (Array.isArray(value)) return redactList(value, text, name) as Value;
  if (typeof value !== "object" || value === null) return value;
  let copy: Record<string, unknown> | undefined;
  for (const [key, field] of Object.entries(value)) {
    const redacted = redactValue(field, text, key);
    // A key is a text as well: `{"sk-ant-…": true}`.
    const safeKey = key.length < SHORTEST_TOKEN ? key : text(key);
    if (redacted === field && safeKey === key) continue;
    copy ??= { ...value } as Record<string, unknown>;
    if (safeKey !== key) delete copy[key];
    copy[safeKey] = redacted;
  }
  return (copy ?? value) as Value;
}

function redactList(list: readonly unknown[], text: (text: string) => string, name: string): readonly unknown[] {
  const redacted = list.map((item) => redactValue(item, text, name));
  return redacted.every((item, index) => item === list[index]) ? list : redacted;
}

const SHORTEST = 8;
/** Fewer characters of a cut secret reveal nothing, and would hide ordinary words. */
const SHORTEST_CUT = 5;
/** No message is longer than what would show more. */
const LONGEST_CUT = 4096;

/** Names of variables whose value is a place, not the secret itself: a path must stay readable for whoever approves or looks for a fault. */
const PLACE_NAME = /(?:FILE|PATH|DIR|HOME|SOCK|CONFIG|CREDENTIALS|INFO|ASKPASS)$/i;
const PLACE = /^(?:~|\.{0,2})\/|^[A-Za-z]:\\/;

/** The values of secret-looking variables. */
function secretValues(environment: Readonly<Record<string, string | undefined>>): readonly string[] {
  return Object.entries(environment).flatMap(([name, value]) =>
    isLongEnough(value) && holdsSecret(name, value) ? [value, ...passwordIn(value)] : [],
  );
}

/** How many levels of escapes are read: JSON in JSON has two. */
const LEVELS = 3;

/** What a text with one of the values says once its escapes are read, which may be less than the value: that has some of its own. */
function readForms(secrets: readonly string[]): readonly string[] {
  const values = secrets.flatMap((value) => [value, ...readings(value).map(({ text }) => text)]);
  // A space is a plus sign in forms, and what cannot be written in UTF-8 is replaced.
  const spelled = values.flatMap((value) => [value, value.replaceAll(" ", "+"), value.replace(/\p{Surrogate}/gu, "\ufffd")]);
  return distinctLongestFirst(spelled.filter(isLongEnough));
}

/** What a text says, level by level; nothing if it has no escapes. */
function readings(given: string): readonly DecodedText[] {
  const all: DecodedText[] = [];
  for (let level = 0, text = given; level < LEVELS; level++) {
    const decoded = decodeText(text);
    if (decoded === undefined) break;
    const above = all.at(-1);
    all.push(above ? { text: decoded.text, sourceOf: (index) => above.sourceOf(decoded.sourceOf(index)) } : decoded);
    text = decoded.text;
  }
  return all;
}

function distinctLongestFirst(forms: readonly string[]): readonly string[] {
  return [...new Set(forms)].filter((form) => form.length >= SHORTEST).sort(longestFirst);
}

interface WrappedForms {
  readonly exact: readonly string[];
  /** Digits in small letters; programs write both. */
  readonly hex: readonly string[];
  readonly shortest: number;
}

/** The spellings that programs break into lines: base64 and hexadecimal. */
function wrappedForms(secrets: readonly string[]): WrappedForms {
  const forms = distinctLongestFirst(secrets.flatMap(encodedForms));
  const isHex = (form: string): boolean => /^(?:[0-9a-f]+|[0-9A-F]+)$/.test(form);
  const hex = [...new Set(forms.filter(isHex).map((form) => form.toLowerCase()))];
  return { exact: forms.filter((form) => !isHex(form)), hex, shortest: forms.at(-1)?.length ?? 0 };
}

/** Where a text that was cut off begins with a part of a secret that goes to its end; nothing if it does not. */
function cutFormAt(text: string, forms: readonly string[]): number | undefined {
  const starts = forms.flatMap((form) => {
    for (let length = Math.min(form.length - 1, text.length, LONGEST_CUT); length >= SHORTEST_CUT; length--)
      if (text.endsWith(form.slice(0, length))) return [text.length - length];
    return [];
  });
  return starts.length > 0 ? Math.min(...starts) : undefined;
}

function holdsSecret(name: string, value: string): boolean {
  if (isSecretName(name)) return !(PLACE_NAME.test(name) && PLACE.test(value));
  return sensitivityOf(name, value) === "has a secret as its value";
}

/** The password of an address turns up without the address, too. */
function passwordIn(value: string): readonly string[] {
  const password = /:\/\/[^/\s:@]*:([^/\s@]{8,})@/.exec(value)?.[1];
  return password === undefined ? [] : [password];
}

/** A value that is part of the mark itself would be found again in every mark. */
function isLongEnough(value: string | undefined): value is string {
  return value !== undefined && value.length >= SHORTEST && !HIDDEN.includes(value) && !value.includes(HIDDEN);
}

/** Hexadecimal digits in both cases, and base64. */
function encodedForms(value: string): readonly string[] {
  const hex = Buffer.from(value).toString("hex");
  return [hex, hex.toUpperCase(), ...base64Forms(value)];
}

/** Alone, and inside a longer text (`user:secret`), where it may start at any of three offsets: then the characters that it fully determines. */
function base64Forms(value: string): readonly string[] {
  const bytes = Buffer.from(value);
  const inside = [0, 1, 2].map((offset) => {
    const encoded = Buffer.concat([Buffer.alloc(offset), bytes])
      .toString("base64")
      .replace(/={1,2}$/, "");
    const lastIsShared = (offset + bytes.length) % 3 !== 0;
    return encoded.slice(offset === 0 ? 0 : offset + 1, lastIsShared ? -1 : undefined);
  });
  const all = [bytes.toString("base64"), ...inside];
  return all.flatMap((form) => [
    form,
    form
      .replaceAll("+", "-")
      .replaceAll("/", "_")
      .replace(/={1,2}$/, ""),
  ]);
}
