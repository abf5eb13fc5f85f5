/**
 * Takes strings and records, gives them without secrets: what is recognisable by its own prefix, what is the value of a secret-looking
 * variable (plain, URL-encoded, JSON-escaped, base64), and what stands in a field named like one. Works on single strings, before
 * serialising, so what comes out is valid JSON. Redacting twice changes nothing. Linear time.
 */
import { secretForms } from "./secret-forms.ts";

export const HIDDEN = "[redacted]";

export interface Redactor {
  /** One text without secrets. */
  readonly text: (text: string) => string;
  /** A copy without secrets; the value itself if there are none. */
  readonly value: <Value>(value: Value) => Value;
  /** Whether serialised JSON may hold a secret. No false negatives, so most records need one look instead of a walk. */
  readonly suspects: (json: string) => boolean;
}

// SECURITY: every rule starts with a literal and ends in a class that takes all of \w, so that a match cannot uncover the next one; where a
// rule has several parts, a look-behind keeps it from starting inside its own run (quadratic otherwise).
const RULES: readonly string[] = [
  "\\bsk-[\\w-]{16,}",
  "\\b[sr]k_(?:live|test)_\\w{10,}",
  "\\bgh[a-z]_\\w{20,}",
  "\\bgithub_pat_\\w{20,}",
  "\\bgl(?:pat|dt|rt|soat|cbt|ptt|ft|imt|agent)-[\\w-]{16,}",
  "\\bxox[a-z]-[\\w-]{10,}",
  "\\bxapp-[\\w-]{10,}",
  "hooks\\.slack\\.com/services/[\\w/]{20,}",
  "\\b(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}\\w*",
  "\\bAIza[\\w-]{35,}",
  "\\bya29\\.[\\w-]{20,}",
  "\\bnpm_\\w{30,}",
  "\\bpypi-[\\w-]{50,}",
  "\\bhf_\\w{30,}",
  "\\bdop_v1_\\w{40,}",
  "\\bshp(?:at|ca|pa|ss)_\\w{32,}",
  "\\blin_api_\\w{32,}",
  "\\bhvs\\.[\\w-]{24,}",
  "\\bdapi[a-f0-9]{32}\\w*",
  "\\bAGE-SECRET-KEY-1\\w{40,}",
  "\\bSG\\.[\\w-]{16,64}\\.[\\w-]{16,}",
  "(?<![\\w-])eyJ[\\w-]{8,4096}\\.eyJ[\\w-]{8,8192}\\.[\\w-]*",
  "\\b\\d{8,10}:AA[\\w-]{32,}",
  "(?<=\\b(?:Bearer|Basic) )[^\\s\"'\\\\]{8,}",
  "(?<=://[^\\s:@/\"'\\\\]{0,64}:)[^\\s:@/\"'\\\\]{3,256}(?=@)",
  "-----BEGIN [A-Z ]{0,40}PRIVATE KEY(?: BLOCK)?-----[\\s\\S]*?(?:-----END [A-Z ]{0,40}-----|$)",
];

/** The literal each rule hangs on, none of which JSON would escape. */
const HINTS =
  /sk-|[sr]k_(?:live|test)_|gh[a-z]_|github_pat_|gl(?:pat|dt|rt|soat|cbt|ptt|ft|imt|agent)-|xox[a-z]-|xapp-|hooks\.slack|A(?:KIA|SIA|BIA|CCA)|AIza|ya29\.|npm_|pypi-|hf_|dop_v1_|shp(?:at|ca|pa|ss)_|lin_api_|hvs\.|dapi|AGE-SECRET|SG\.|eyJ|:AA|B(?:earer|asic) |:\/\/[^"\s/]{0,330}@|PRIVATE KEY/;

/** Nothing shorter is found by a rule or is a value; most keys are. */
const SHORTEST_TOKEN = 8;
/** Fields whose text is a secret whatever it looks like. */
const SECRET_FIELD = /passw|secret|token$|api_?key|credential|private_?key/i;
const SECRET_FIELD_IN_JSON = /"[^"]{0,80}(?:passw|secret|token|api_?key|credential|private_?key)[^"]{0,80}":"/i;

/** Makes a redactor for one environment; values shorter than 8 characters are too common to hide. */
export function createRedactor(environment: Readonly<Record<string, string | undefined>>): Redactor {
  const rules = new RegExp(RULES.join("|"), "g");
  const forms = secretForms(environment, HIDDEN);
  const values = anyOf(forms);
  const valuesInJson = anyOf([...new Set(forms.map((form) => JSON.stringify(form).slice(1, -1)))].sort(longestFirst));

  const byRules = (part: string): string => (HINTS.test(part) ? part.replace(rules, HIDDEN) : part);
  const piece = (text: string): string => {
    const plain = values ? text.replace(values, HIDDEN) : text;
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
    HINTS.test(json) || SECRET_FIELD_IN_JSON.test(json) || (valuesInJson !== undefined && json.search(valuesInJson) >= 0);
  return { text, value: (value) => redactValue(value, text), suspects };
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
