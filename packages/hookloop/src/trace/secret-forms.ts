import { isSecretName, sensitivityOf } from "../engine/execute/environment/index.ts";

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

/** Every spelling in which the values of secret-looking variables turn up, longest first. */
export function secretForms(environment: Readonly<Record<string, string | undefined>>, mark: string): readonly string[] {
  const values = secretValues(environment, mark);
  const forms = new Set(
    values.flatMap((value) => [value, ...urlForms(value), ...jsonForms(value), ...byteForms(value), ...encodedForms(value)]),
  );
  return [...forms].filter((form) => form.length >= SHORTEST).sort((a, b) => b.length - a.length);
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

/** As in a path, as in a form, and with the small hexadecimal digits that some programs write. */
function urlForms(value: string): readonly string[] {
  const encoded = encodeURIComponent(value.replace(/\p{Surrogate}/gu, "\ufffd"));
  const form = encoded.replaceAll("%20", "+");
  return [encoded, form, smallHex(encoded), smallHex(form)];
}

function smallHex(encoded: string): string {
  return encoded.replace(/%[0-9A-F]{2}/g, (code) => code.toLowerCase());
}

/** As JSON text, as JSON inside of JSON, and in the all-ASCII spelling of other languages. */
function jsonForms(value: string): readonly string[] {
  const once = JSON.stringify(value).slice(1, -1);
  const ascii = once.replace(/[\u0080-\uffff]/g, (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, "0")}`);
  return [once, ascii, once.replaceAll("/", "\\/"), JSON.stringify(once).slice(1, -1)];
}

/** Each byte written out: in addresses, in code, in JSON, and in a page. */
function byteForms(value: string): readonly string[] {
  const bytes = [...Buffer.from(value)].map((byte) => byte.toString(16).padStart(2, "0"));
  const units = Array.from({ length: value.length }, (_, at) => value.charCodeAt(at).toString(16).padStart(4, "0"));
  const written = [bytes.map((hex) => `%${hex}`), bytes.map((hex) => `\\x${hex}`), units.map((hex) => `\\u${hex}`)].map((all) =>
    all.join(""),
  );
  const page = value.replace(/[&<>"']/g, (sign) => ENTITIES[sign] ?? sign);
  return [...written, ...written.map((form) => form.replace(/[a-f]/g, (digit) => digit.toUpperCase())), page];
}

const ENTITIES: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" };

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
