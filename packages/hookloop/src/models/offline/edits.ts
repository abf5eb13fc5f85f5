/** Calls that write a file and change its lines. A file is read before its lines are changed, so nothing of it is lost and hooks for Edit and Write see it. */

import { counted } from "../../diagnostic.ts";
import type { ToolResultBlock } from "../../run/index.ts";
import { type About, bash, type Draft, isQuoted, literally, type Quotes, type Reading, resultText, shellWord } from "./phrase.ts";

export function write(file: string, content: string): readonly Draft[] {
  return [{ tool: "Write", purpose: "create", input: { file_path: file, content } }];
}

/** A text as the lines of a file. */
export function lines(text: string): string {
  return text === "" || text.endsWith("\n") ? text : `${text}\n`;
}

export function edit(file: string, from: string, to: string): readonly Draft[] {
  return [{ tool: "Edit", purpose: "change", input: { file_path: file, old_string: from, new_string: to, replace_all: true } }];
}

/** One edit for each file that has it. A name that is part of longer ones would break them. */
export function editEverywhere(old: string, fresh: string, place: string | undefined): Reading {
  const look = (pattern: string, next: NonNullable<Draft["next"]>): readonly Draft[] => [
    {
      tool: "Grep",
      purpose: "prepare",
      input: { pattern, ...(place !== undefined && { path: place }), output_mode: "files_with_matches" },
      next,
    },
  ];
  const filesIn = (result: ToolResultBlock): readonly string[] =>
    resultText(result)
      .split("\n")
      .filter((line) => line.startsWith("/"));
  const edits = (result: ToolResultBlock): readonly Draft[] | string => {
    const files = filesIn(result);
    if (result.is_error) return [];
    if (files.length === 0) return `${old} is in no file${place === undefined ? "" : ` of ${place}`}, so I changed nothing.`;
    if (/^\(/m.test(resultText(result)))
      return `Not every file was searched for ${old}, so I changed nothing. Say it for one folder: replace ${old} with ${fresh} in src.`;
    return files.flatMap((file) => edit(file, old, fresh));
  };
  if (!/^[\w$]+$/.test(old)) return look(literally(old), edits);
  return look(`[\\w$]${literally(old)}|${literally(old)}[\\w$]`, (result) => {
    const longer = filesIn(result);
    if (result.is_error) return [];
    if (longer.length === 0) return look(literally(old), edits);
    return `${old} is also part of longer words (${counted(longer.length, "file")}, the first is ${longer[0]}), so I changed nothing. Say it with more of the text around it: replace "${old}(" with "${fresh}(" everywhere.`;
  });
}

const NOT_THERE = /no file|does not exist/i;

/** A new file: what is there already is not replaced by the way. */
export function createNew(file: string, content: string, about: About): readonly Draft[] {
  const text = /^[^"\n]+\n$/.test(content) ? content.trim() : "TEXT";
  const there = `${file} is already there, so I wrote nothing. To add to it: add a line "${text}" to ${file}. To begin it anew: write "${text}" to ${file}.`;
  return unlessThere(file, { there, drafts: write(file, content) }, about);
}

/** What is done only where there is no such file; else it is said. */
export function unlessThere(
  file: string,
  { there, drafts }: { readonly there: string; readonly drafts: readonly Draft[] },
  { tools }: About,
): readonly Draft[] {
  // A name with signs of a pattern in it is looked up by reading it.
  const isPlain = !/[*?[\]{}!()\\]|^\.?\.\/|^[/~]|(?:^|\/)(?:\.git|node_modules)\//.test(file);
  if (isPlain && (tools === undefined || tools.has("Glob")))
    return [
      {
        tool: "Glob",
        purpose: "prepare",
        input: { pattern: file.replace(/^@(?=[^/])/, "") },
        subject: file,
        next: (result) => (result.is_error ? [] : /^\//m.test(resultText(result)) ? there : drafts),
      },
    ];
  if (tools && !tools.has("Read")) return drafts;
  const next = (result: ToolResultBlock): readonly Draft[] | string =>
    !result.is_error ? there : NOT_THERE.test(resultText(result)) ? drafts : [];
  return [{ tool: "Read", purpose: "prepare", input: { file_path: file }, next }];
}

/** The lines of a file that was shown whole; nothing if a part is missing or was cut. */
function numberedLines(shown: string): readonly string[] | undefined {
  if (/^<system-reminder>.*contents are empty|^\(the file is empty\)$|^$/.test(shown)) return [];
  const all = shown.split("\n").map((line) => /^ *\d+(?:\t|→)(.*)$/s.exec(line)?.[1]);
  if (all.some((line) => line === undefined || / more characters\]$/.test(line))) return undefined;
  const own = all as readonly string[];
  return own.at(-1) === "" ? own.slice(0, -1) : own;
}

/** Reads a file before a change that depends on its lines; one that is seen only in part is left alone. */
export function readFirst(file: string, change: (own: readonly string[]) => readonly Draft[] | string): Reading {
  const next = (result: ToolResultBlock): readonly Draft[] | string => {
    if (result.is_error) return [];
    const own = numberedLines(resultText(result));
    return own === undefined ? `I see ${file} only in part, so I changed nothing.` : change(own);
  };
  return [{ tool: "Read", purpose: "prepare", input: { file_path: file }, next }];
}

/** A line more, at the end or at the top; a file that is not there begins with it. */
export function addLine(file: string, text: string, isFirst = false): readonly Draft[] {
  const next = (result: ToolResultBlock): readonly Draft[] | string => {
    const shown = resultText(result);
    if (result.is_error) return NOT_THERE.test(shown) ? write(file, lines(text)) : [];
    const own = numberedLines(shown);
    if (own === undefined) return [bash(`printf '%s\\n' ${shellWord(text)} >> ${shellWord(file)}`, "change")];
    if (own.every((line) => line === "")) return write(file, lines(text));
    // The line that says what runs a script stays the first.
    const isAbove = isFirst && !own[0]?.startsWith("#!");
    return replaceLines(file, own, isFirst ? 0 : own.length - 1, (line) => (isAbove ? `${text}\n${line}` : `${line}\n${text}`));
  };
  return [{ tool: "Read", purpose: "prepare", input: { file_path: file }, next }];
}

/** Which line is meant, from 0; or why that cannot be said. */
export function lineAt(own: readonly string[], anchor: number | string, file: string): number | string {
  if (typeof anchor === "number") {
    const at = anchor < 0 ? own.length + anchor : anchor - 1;
    return own[at] === undefined ? `${file} has ${counted(own.length, "line")}, so I changed nothing.` : at;
  }
  const exact = own.flatMap((line, at) => (line === anchor ? at : []));
  const found = exact.length > 0 ? exact : own.flatMap((line, at) => (line.includes(anchor) ? at : []));
  if (found.length === 1) return found[0] ?? 0;
  if (found.length === 0) return `"${anchor}" is not in ${file}, so I changed nothing.`;
  const numbers = found.map((at) => at + 1).join(", ");
  return `"${anchor}" is in several lines of ${file} (${numbers}), so I changed nothing. Say which one: before line ${(found[0] ?? 0) + 1}.`;
}

/** Changes one line that is named by its number or by text in it; without a new text it goes. */
export function changeLine(file: string, anchor: number | string, change: (line: string) => string | undefined): Reading {
  return readFirst(file, (own) => {
    const at = lineAt(own, anchor, file);
    return typeof at === "string" ? at : replaceLines(file, own, at, change);
  });
}

/** Takes words out wherever they are; where they are all of a line, the line goes with them. */
export function removeWords(file: string, words: string): Reading {
  const next = (result: ToolResultBlock): readonly Draft[] | string => {
    const own = numberedLines(resultText(result));
    if (result.is_error) return [];
    const holding = own?.flatMap((line, at) => (line.includes(words) ? at : [])) ?? [];
    const isWhole = own !== undefined && holding.length > 0 && holding.every((at) => own[at] === words);
    if (!isWhole) return edit(file, words, "");
    const [first = 0] = holding;
    if (holding.length === 1) return replaceLines(file, own, first, () => undefined);
    return first === 0 ? edit(file, `${words}\n`, "") : edit(file, `\n${words}`, "");
  };
  return [{ tool: "Read", purpose: "prepare", input: { file_path: file }, next }];
}

/** One line, with as much around it as is there only once; without a new text it goes. */
export function replaceLines(
  file: string,
  own: readonly string[],
  at: number,
  change: (line: string) => string | undefined,
  { before }: { readonly before?: (line: string) => string } = {},
): readonly Draft[] | string {
  const text = own.join("\n");
  const changed = change(own[at] ?? "");
  // The line before one that goes is needed for the end of it.
  const least = changed === undefined || before ? 1 : 0;
  if (changed === undefined && own.length === 1) return write(file, "");
  for (let more = least; more <= own.length; more++) {
    const [from, to] = [Math.max(0, at - more), Math.min(own.length, at + more + 1)];
    const old = own.slice(from, to).join("\n");
    if (old === "" || text.split(old).length !== 2) continue;
    const above = own.slice(from, at).map((line, index) => (before && from + index === at - 1 ? before(line) : line));
    const fresh = [...above, ...(changed === undefined ? [] : [changed]), ...own.slice(at + 1, to)].join("\n");
    return [{ tool: "Edit", purpose: "change", input: { file_path: file, old_string: old, new_string: fresh } }];
  }
  return `I cannot tell that line of ${file} from the others, so I changed nothing.`;
}

/** How a comment is written; nothing where that is not known. */
export function comment(text: string, file: string): string | undefined {
  if (/\.(?:[cm]?[jt]sx?|c|h|cpp|cs|java|go|rs|swift|kt|php|scss)$/i.test(file)) return `// ${text}`;
  if (/\.(?:py|rb|sh|bash|ya?ml|toml|pl|conf|env)$|(?:^|\/)(?:Makefile|Dockerfile|\.env|\.gitignore)$/i.test(file)) return `# ${text}`;
  if (/\.(?:md|html?|xml|svg|vue)$/i.test(file)) return `<!-- ${text} -->`;
  return /\.css$/i.test(file) ? `/* ${text} */` : undefined;
}

// --- values of configuration files ---

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
