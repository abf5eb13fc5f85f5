import { readFirst, replaceLines } from "./edits.ts";
import { isQuoted, literally, type Quotes, type Reading } from "./phrase.ts";

export interface NamedValue {
  readonly key: string;
  /** "from 80": what it must be now. */
  readonly old?: string | undefined;
}

const CONFIG = /(?:\.(?:json[c5]?|ya?ml|toml|ini|env|properties|conf|cfg)|(?:^|\/)\.(?:env(?:\.\w+)?|\w+rc))$/i;
const JSON_FILE = /\.json[c5]?$/i;
const FIELD = "(?:values?|fields?|keys?|property|setting|entry|option|variable|constant)";

/** "the version", "the value of port", "PORT" of a configuration file: what stands behind the name is meant, not the name. */
export function valueNamed(verb: string, from: string, file: string, quotes: Quotes): NamedValue | undefined {
  const [, text = "", old] = /^(.+?)(?: from (.+))?$/is.exec(from.trim()) ?? [];
  const [, article, field, word = "", tail] =
    new RegExp(
      `^((?:the|its|my|our) )?(${FIELD} (?:of |for |called |named )?(?:the )?)?([\\w.$-]+|[\\ue000-\\uf8ff])( ${FIELD})?$`,
      "is",
    ).exec(text) ?? [];
  const isField = /^value/i.test(field ?? "") || tail !== undefined;
  if (word === "" || /^(?:rename|convert|turn|refactor|transform)$/i.test(verb) || (field !== undefined && !isField)) return undefined;
  if (isQuoted(word) && !isField && !/^set$/i.test(verb)) return undefined;
  const isReplaced = /^(?:replace|substitute|swap|exchange|use|write|put|say|s|sed)$/i.test(verb);
  const isMeant = isReplaced
    ? CONFIG.test(file) && (article !== undefined || isField)
    : article !== undefined || isField || old !== undefined || /^(?:set|bump)$/i.test(verb) || CONFIG.test(file);
  return isMeant ? { key: quotes.value(word), ...(old !== undefined && { old: quotes.value(old.trim()) }) } : undefined;
}

/** Where the value of a name begins: behind `"name":`, `name =`, `name: `. */
function assignment(key: string, file: string): RegExp {
  const name = literally(key).replaceAll(/(?<!\\)\./g, "\\.");
  return JSON_FILE.test(file)
    ? new RegExp(`"${name}"\\s*:\\s*`)
    : new RegExp(`^\\s*(?:export\\s+)?(?:(?:const|let|var|static|readonly)\\s+)*["']?${name}["']?\\s*(?:=|:(?=\\s))\\s*`);
}

const PLAIN_VALUE = /^("(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'|[^\s"'{[(#;,|>&*][^#;,{}()[\]"']*?)(?=\s*(?:[;,}\]].*|\s(?:#|\/\/).*)?$)/;

export function setValue(file: string, { key, old }: NamedValue, fresh: string): Reading {
  return readFirst(file, (own) => {
    const found = placeOfValue(file, key, own);
    if (found === undefined)
      return `${file} has no value called "${key}", so I changed nothing. For words: replace "${key}" with "${fresh}" in ${file}.`;
    if (typeof found === "string") return found;
    const { at, start, value } = found;
    const now = value.replace(/^(["'])(.*)\1$/s, "$2");
    if (old !== undefined && old !== now) return `"${key}" in ${file} is ${now}, not ${old}, so I changed nothing.`;
    return replaceLines(file, own, at, (line) => line.slice(0, start) + written(value, fresh, file) + line.slice(start + value.length));
  });
}

/** A new name and value as the last ones of a JSON file; a name that is there gets the value. */
export function addValue(file: string, key: string, fresh: string): Reading {
  return readFirst(file, (own) => {
    if (placeOfValue(file, key, own) !== undefined)
      return `${file} has a value called "${key}" already, so I changed nothing. Say: set ${key} to ${fresh} in ${file}.`;
    const end = own.findLastIndex((line) => line.trim() === "}");
    const last = own[end - 1];
    if (last === undefined || !isJson(own.join("\n"))) return `I cannot tell where "${key}" belongs in ${file}, so I changed nothing.`;
    const indent = /^\s*/.exec(own.find((line) => /^\s+"/.test(line)) ?? "  ")?.[0];
    const line = `${indent}${JSON.stringify(key)}: ${written("", fresh, file)}`;
    const isFirst = last.trim() === "{";
    return replaceLines(file, own, end - 1, () => `${last}${isFirst ? "" : ","}\n${line}`);
  });
}

/** Takes a value out of a JSON file with its name, and the comma that would be too many. */
export function removeValue(file: string, key: string): Reading {
  return readFirst(file, (own) => {
    const found = placeOfValue(file, key, own);
    if (found === undefined) return `${file} has no value called "${key}", so I changed nothing.`;
    if (typeof found === "string") return found;
    const { at, start, value } = found;
    const line = own[at] ?? "";
    const behind = line.slice(start + value.length).trim();
    const isAlone = new RegExp(`^\\s*"${literally(key)}"\\s*:\\s*$`).test(line.slice(0, start)) && /^,?$/.test(behind);
    if (!isAlone || at === 0) return `"${key}" does not stand in a line of its own in ${file}, so I changed nothing.`;
    const before = own[at - 1] ?? "";
    const kept = behind === "," ? before : before.replace(/,\s*$/, "");
    const rest = [...own.slice(0, at - 1), kept, ...own.slice(at + 1)].join("\n");
    return isJson(own.join("\n")) && !isJson(rest)
      ? `${file} would be no JSON without "${key}", so I changed nothing.`
      : replaceLines(file, own, at, () => undefined, { before: () => kept });
  });
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    // The caller says what that means.
    return false;
  }
}

export function isJsonFile(file: string): boolean {
  return JSON_FILE.test(file);
}

interface ValuePlace {
  readonly at: number;
  readonly start: number;
  readonly value: string;
}

/** The line and column of the value; nothing if the name is not there, or why it cannot be told. */
function placeOfValue(file: string, key: string, own: readonly string[]): ValuePlace | string | undefined {
  const begins = assignment(key, file);
  const all = own.flatMap((line, at) => (begins.test(line) ? at : []));
  const found = all.length > 1 && JSON_FILE.test(file) ? outermost(own, all, begins) : all;
  const [at] = found;
  if (at === undefined) return undefined;
  const place = begins.exec(own[at] ?? "");
  const start = (place?.index ?? 0) + (place?.[0].length ?? 0);
  const value = PLAIN_VALUE.exec((own[at] ?? "").slice(start))?.[1];
  if (found.length > 1)
    return `"${key}" is in several lines of ${file} (${found.map((one) => one + 1).join(", ")}), so I changed nothing. Say: replace line ${at + 1} of ${file} with TEXT.`;
  if (value === undefined)
    return `"${key}" in ${file} is more than one plain value, so I changed nothing. Say: replace "A" with "B" in ${file}.`;
  return { at, start, value };
}

/** A name may be there once for the file, and again inside of something else. */
function outermost(own: readonly string[], found: readonly number[], begins: RegExp): readonly number[] {
  const indent = (at: number): number => /^\s*/.exec(own[at] ?? "")?.[0].length ?? 0;
  const top = Math.min(...own.flatMap((line, at) => (/^\s+"/.test(line) ? indent(at) : [])));
  const outer = found.filter((at) => indent(at) === top && begins.exec(own[at] ?? "")?.index === top);
  return outer.length === 1 ? outer : found;
}

/** As the old value was written: in its quotes, or bare. */
function written(value: string, fresh: string, file: string): string {
  const quote = /^["']/.exec(value)?.[0];
  const isBare = /^(?:-?\d+(?:\.\d+)?|true|false|null)$/.test(fresh);
  if (quote === "'") return `'${fresh.replace(/[\\']/g, "\\$&")}'`;
  const needsQuotes = quote !== undefined || (!isBare && /\.(?:json[c5]?|toml|[cm]?[jt]sx?)$/i.test(file));
  return needsQuotes ? JSON.stringify(fresh) : fresh;
}
