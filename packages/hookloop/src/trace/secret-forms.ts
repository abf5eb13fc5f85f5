import { isSecretName, sensitivityOf } from "../run/index.ts";
import { type DecodedText, decodeText } from "./decoded-text.ts";

const SHORTEST = 8;
/** Fewer characters of a cut secret help nobody, and would hide ordinary words. */
const SHORTEST_CUT = 5;
/** No message is longer than what would show more. */
const LONGEST_CUT = 4096;

/** Names of variables whose value is a place, not the secret itself: a path must stay readable for whoever approves or looks for a fault. */
const PLACE_NAME = /(?:FILE|PATH|DIR|HOME|SOCK|CONFIG|CREDENTIALS|INFO|ASKPASS)$/i;
const PLACE = /^(?:~|\.{0,2})\/|^[A-Za-z]:\\/;

function secretValues(environment: Readonly<Record<string, string | undefined>>, mark: string): readonly string[] {
  return Object.entries(environment).flatMap(([name, value]) =>
    isLongEnough(value, mark) && holdsSecret(name, value) ? [value, ...passwordIn(value)] : [],
  );
}

/** The values of secret-looking variables, and what they look like in hexadecimal and base64, longest first. */
export function secretForms(environment: Readonly<Record<string, string | undefined>>, mark: string): readonly string[] {
  return longestFirst(secretValues(environment, mark).flatMap((value) => [value, ...encodedForms(value)]));
}

/** How many levels of escapes are read: JSON in JSON has two. */
const LEVELS = 3;

/** What a text with one of the values says once its escapes are read, which may be less than the value: that has some of its own. */
export function readForms(environment: Readonly<Record<string, string | undefined>>, mark: string): readonly string[] {
  const values = secretValues(environment, mark).flatMap((value) => [value, ...readings(value).map(({ text }) => text)]);
  // A space is a plus sign in forms, and what cannot be written in UTF-8 is replaced.
  const spelled = values.flatMap((value) => [value, value.replaceAll(" ", "+"), value.replace(/\p{Surrogate}/gu, "\ufffd")]);
  return longestFirst(spelled.filter((value) => isLongEnough(value, mark)));
}

/** The values in small hexadecimal digits. */
export function hexForms(environment: Readonly<Record<string, string | undefined>>, mark: string): readonly string[] {
  return [...new Set(secretValues(environment, mark).map((value) => Buffer.from(value).toString("hex")))];
}

/** What a text says, level by level; nothing if it has no escapes. */
export function readings(given: string): readonly DecodedText[] {
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

function longestFirst(forms: readonly string[]): readonly string[] {
  return [...new Set(forms)].filter((form) => form.length >= SHORTEST).sort((a, b) => b.length - a.length);
}

/** The spellings that programs break into lines: base64 and hexadecimal. Hexadecimal ones in small letters only. */
export function wrappedForms(environment: Readonly<Record<string, string | undefined>>, mark: string): readonly string[] {
  const values = secretValues(environment, mark);
  return [
    ...new Set(values.flatMap((value) => encodedForms(value).filter((form) => !/^[0-9A-F]+$/.test(form) || /^\d+$/.test(form)))),
  ].filter((form) => form.length >= SHORTEST);
}

/** Where a text that was cut off begins with a part of a secret that goes to its end; nothing if it does not. */
export function cutFormAt(text: string, forms: readonly string[]): number | undefined {
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
function isLongEnough(value: string | undefined, mark: string): value is string {
  return value !== undefined && value.length >= SHORTEST && !mark.includes(value) && !value.includes(mark);
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
