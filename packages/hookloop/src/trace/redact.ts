/**
 * Takes strings and records, gives them without secrets: what is recognisable by its own prefix, what is the value of a secret-looking
 * variable (plain, URL-encoded, JSON-escaped, base64), and what stands in a field named like one. Works on single strings, before
 * serialising, so what comes out is valid JSON. Redacting twice changes nothing. Linear time.
 */
import { SECRET_HINTS, secretPattern } from "../engine/execute/environment/index.ts";
import { cutFormAt, secretForms } from "./secret-forms.ts";

export const HIDDEN = "[redacted]";

export interface Redactor {
  /** One text without secrets. */
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
  const forms = secretForms(environment, HIDDEN);
  const values = anyOf(forms);
  const valuesInJson = anyOf([...new Set(forms.map((form) => JSON.stringify(form).slice(1, -1)))].sort(longestFirst));

  const byRules = (part: string): string => (SECRET_HINTS.test(part) ? part.replace(rules, HIDDEN) : part);
  const piece = (text: string): string => {
    const whole = values ? text.replace(values, HIDDEN) : text;
    const plain = whole.endsWith(CUT) ? withoutCutForm(whole, forms) : whole;
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
    (valuesInJson !== undefined && (json.search(valuesInJson) >= 0 || json.includes(`${CUT}"`)));
  return { text, value: (value) => redactValue(value, text), suspects };
}

/** Ends every text that was shortened for a message: a secret may have been cut in two there. */
const CUT = "…";

function withoutCutForm(text: string, forms: readonly string[]): string {
  const at = cutFormAt(text.slice(0, -CUT.length), forms);
  return at === undefined ? text : `${text.slice(0, at)}${HIDDEN}${CUT}`;
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
