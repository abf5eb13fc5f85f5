/**
 * Takes the text of a script, or of a handler; gives why a path that it compares never matches, as the rest of a sentence: file tools send
 * absolute paths. Nothing unless what is compared is the path as it was sent, and the same name is looked for in no other way.
 */

export type ScriptLanguage = "js" | "py" | "sh";

/** A name, and whether the path is to begin with it. */
interface Compared {
  readonly name: string;
  readonly isStart: boolean;
  readonly by?: "jq" | undefined;
}

export function barePath(text: string, language: ScriptLanguage): string | undefined {
  if (!/\b(?:file|notebook)_path\b/.test(text)) return undefined;
  const plain = text.replaceAll("\\", "");
  const all = [...(language === "sh" ? inShell(text) : inProgram(text)), ...inJq(text)];
  const found = all.find(({ name }) => isBare(name) && !isCovered(name, plain));
  if (!found) return undefined;
  return `compares file_path with ${JSON.stringify(found.name)}, and agents send absolute paths: it never matches. Write ${cureOf(found, language)}.`;
}

function isBare(name: string): boolean {
  return /[./]/.test(name) && name.length < 100 && !/^(?:[/$~*?[{]|\.{1,2}\/?$|[A-Za-z]:|\w+:\/\/)/.test(name) && !/[\n]/.test(name);
}

/** The end of the path is compared with it as well. */
function isCovered(name: string, text: string): boolean {
  const stem = name.replace(/[*/]+$/, "");
  return [`/${stem}`, `*${stem}`, `)${stem}`, `]${stem}`].some((one) => text.includes(one)) || endsWith(stem).test(text);
}

function endsWith(name: string): RegExp {
  return new RegExp(`ends_?[wW]ith\\(\\s*["'\`]${name.replace(/[^\w]/g, "\\$&")}`);
}

function cureOf({ name, isStart, by }: Compared, language: ScriptLanguage): string {
  const stem = name.replace(/^\.\//, "");
  const quoted = JSON.stringify(`/${stem}`);
  if (by === "jq") return isStart ? `contains(${quoted})` : `endswith(${quoted})`;
  if (language === "sh") return `case $path in */${stem}${isStart && !stem.endsWith("*") ? "*" : ""}) … ;; esac`;
  const part = JSON.stringify(`/${stem.replace(/\*+$/, "")}`);
  if (language === "py") return isStart ? `${part} in file_path` : `file_path.endswith(${quoted})`;
  return isStart ? `file_path.includes(${part})` : `file_path.endsWith(${quoted})`;
}

/** SECURITY: a checkout's script may be anything; guards are short. */
const MOST_NAMES = 10;

/** What gives the path as it was sent: the field itself, with what stands for nothing, or as an absolute path again. */
const READ = String.raw`(?:file|notebook)_path(?:["'](?:\s*,\s*["']{2})?\s*[\])])?`;
const OR_NOTHING = String.raw`(?:\s*(?:\?\?|\|\||or)\s*["'\x60]{2})?`;
const SAME = String.raw`(?:(?:[pP]ath(?:lib)?\.)?(?:Pure)?(?:Path|normalize|resolve|normpath|abspath)|str|String)\(\s*`;
const TEXT = String.raw`["'\x60]([^"'\x60\n]{1,100})["'\x60]`;
const OF = String.raw`[\w"'[\]?.]{0,60}?`;

function inProgram(text: string): readonly Compared[] {
  const own = heldIn(text);
  if (own === undefined) return [];
  const held = `(?:${SAME}${OF}${own}\\s*\\)|${own})`;
  const literal = `(?:${SAME})?${TEXT}`;
  const elements = elementsIn(text);
  const ofElements = (pattern: (name: string) => string): readonly string[] =>
    elements.flatMap(({ name, values }) => (new RegExp(pattern(`${name}\\b(?!\\s*[(.\\[])`)).test(text) ? values : []));
  const equal = [
    ...literals(text, String.raw`${held}(?:\s*(?:\?\?|\|\||or)\s*["'\x60]{2}\)?)?\s*[=!]==?\s*${literal}`),
    ...literals(text, String.raw`${literal}\s*[=!]==?\s*${OF}${held}`),
    ...lists(text, String.raw`${held}\s+(?:not\s+)?in\s*[([{]([^()[\]{}]{1,1000})[)\]}]`),
    ...lists(text, String.raw`\[([^[\]]{1,1000})\]\)?\.(?:includes|has)\(\s*${OF}${held}`),
    ...lists(text, String.raw`\bswitch\s*\(\s*${OF}${held}\s*\)\s*\{([\s\S]{0,1000})`, /\bcase\s+["'\x60]([^"'\x60\n]{1,100})/g),
    ...namedLists(text, held),
    ...ofElements((name) => String.raw`${held}\s*===?\s*${name}|(?<![\w.])${name}\s*===?\s*${OF}${held}`),
  ];
  const starts = [
    ...lists(text, String.raw`${held}\??\.starts[wW]ith\(\s*\(?((?:[ft]?${TEXT.replace("(", "(?:")}[\s,]*){1,20})`),
    ...ofElements((name) => String.raw`${held}\??\.starts[wW]ith\(\s*${name}`),
    ...literals(text, String.raw`\bfnmatch(?:case)?\(\s*${OF}${held}\s*,\s*${TEXT}`),
    ...ofElements((name) => String.raw`\bfnmatch(?:case)?\(\s*${OF}${held}\s*,\s*${name}`),
    ...literals(text, String.raw`\bdirname\(\s*${OF}${held}\s*\)\s*===?\s*${TEXT}`).map((name) => `${name}/`),
    ...patterns(text, String.raw`/\^${SOURCE}/[a-z]*\.(?:test|exec)\(\s*${OF}${held}`),
    ...patterns(text, String.raw`${held}\??\.(?:match|search)\(\s*/\^${SOURCE}/`),
    ...patterns(text, String.raw`\bre\.(?:match\(\s*r?["']\^?|(?:search|findall)\(\s*r?["']\^)([^"'\n]{1,100})["']\s*,\s*${OF}${held}`),
    ...(new RegExp(String.raw`\.(?:some|find)\(\s*\(?(\w{1,40})\)?\s*=>\s*\1\.test\(\s*${OF}${held}`).test(text)
      ? patterns(text, String.raw`[[,]\s*/\^${SOURCE}/[a-z]*(?=\s*[\],])`)
      : []),
  ];
  return [...equal.map(asName), ...starts.map(asStart)];
}

/** What stands behind the `^` of a pattern of JavaScript. */
const SOURCE = String.raw`([^\n/\\]{0,100}(?:\\.[^\n/\\]{0,100}){0,20})`;

const asName = (name: string): Compared => ({ name, isStart: false });
const asStart = (name: string): Compared => ({ name, isStart: true });

/** A pattern for the expressions that are the path; nothing if a variable of its name may be something else. */
function heldIn(text: string): string | undefined {
  const given = String.raw`(?:${SAME})?[^=;\n(]{0,40}(?:\([^()=;\n]{0,40}\)[^=;\n(]{0,40}){0,2}(?:\.get\(\s*["'])?\b${READ}${OR_NOTHING}\)?`;
  const plain = new RegExp(
    String.raw`(?<![\w.])(\w{1,40})(?:\s*:\s*\w{1,40})?\s*=(?!=)\s*(?!\S{0,40}\bbasename)${given}[ \t]*(?:;|$)`,
    "gm",
  );
  const taken = /\{[^{}\n]{0,200}\b(?:file|notebook)_path:\s*(\w{1,40})[^{}\n]{0,200}\}\s*=/g;
  const assigned = [...text.matchAll(plain), ...text.matchAll(taken)].slice(0, MOST_NAMES).map(([, name = ""]) => name);
  const names = assigned.filter((name) => !WRAPPED.test(lineOf(text, name)));
  const isSure = (name: string): boolean =>
    [...text.matchAll(new RegExp(String.raw`(?<![\w."'])${name}(?:\s*:\s*\w{1,40})?\s*=(?![=>])`, "g"))].length <= 1;
  const isField = (name: string): boolean => /^(?:file|notebook)_path$/.test(name);
  const own = ["file_path", "notebook_path"].every(
    (name) => names.includes(name) || !new RegExp(String.raw`(?<![\w."'])${name}\s*=(?![=>])`).test(text),
  );
  if (!own || !names.filter(isField).every(isSure)) return undefined;
  const variables = names.filter((name) => !isField(name) && isSure(name)).map((name) => String.raw`(?<![\w.])${name}\b`);
  const sure = [String.raw`\b${READ}`, ...new Set(variables)].join("|");
  return `(?:${[
    sure,
    ...parametersIn(text, `(?:${sure})`)
      .filter(isSure)
      .map((name) => String.raw`(?<![\w.])${name}\b`),
  ].join("|")})`;
}

/** The value of a variable is another than the path: its last part, or what it is relative to. */
const WRAPPED = /basename|relative|relpath|\.name\b|removeprefix|dirname/;

function lineOf(text: string, name: string): string {
  return new RegExp(String.raw`^.{0,200}(?<![\w.])${name}\s*(?::\s*\w+)?\s*=(?!=).{0,300}`, "m").exec(text)?.[0] ?? "";
}

/** What a function calls the path that it is given as its only argument. */
function parametersIn(text: string, held: string): readonly string[] {
  const called = [...new Set(literals(text, String.raw`(?<![\w.])(\w{1,40})\(\s*${OF}${held}\s*\)`))].slice(0, MOST_NAMES);
  return called.flatMap((name) =>
    literals(
      text,
      String.raw`(?:\bdef\s+${name}\s*\(\s*|\bfunction\s+${name}\s*\(\s*|\b${name}\s*=\s*(?:function\s*)?\(?\s*)(\w{1,40})(?:\s*:\s*\w{1,40})?\s*(?:\)|=>)`,
    ),
  );
}

interface Element {
  readonly name: string;
  readonly values: readonly string[];
}

/** `for b in LIST`, `LIST.some((b) => …)`: the variable, and the texts of the list. */
function elementsIn(text: string): readonly Element[] {
  const list = String.raw`([\w.]{1,40}|[[({][^()[\]{}\n]{1,500}[)\]}])`;
  const found = [
    ...text.matchAll(new RegExp(String.raw`\bfor\s+(?<name>\w{1,40})\s+in\s+${list}`, "g")),
    ...text.matchAll(new RegExp(String.raw`\bfor\s*\(\s*(?:const|let|var)\s+(?<name>\w{1,40})\s+of\s+${list}`, "g")),
    ...text.matchAll(new RegExp(String.raw`${list}\.(?:some|find|every|filter|forEach)\(\s*\(?(?<name>\w{1,40})\)?(?::\s*\w+)?\s*=>`, "g")),
  ];
  return found.slice(0, MOST_NAMES).map(({ groups, 1: first = "", 2: second = "" }) => {
    const name = groups?.["name"] ?? "";
    const source = first === name ? second : first;
    return { name, values: /^\w/.test(source) ? valuesOf(text, source) : textsIn(source) };
  });
}

function literals(text: string, pattern: string, flags = "g"): readonly string[] {
  return [...text.matchAll(new RegExp(pattern, flags))].map(([, name = ""]) => name);
}

function textsIn(list: string, one: RegExp = /(?<![\w"'\x60])["'\x60]([^"'\x60\n]{1,100})["'\x60]/g): readonly string[] {
  return [...list.matchAll(one)].map(([, name = ""]) => name);
}

function lists(text: string, pattern: string, one?: RegExp): readonly string[] {
  return literals(text, pattern).flatMap((list) => textsIn(list, one));
}

function namedLists(text: string, held: string): readonly string[] {
  const names = [
    ...literals(text, String.raw`${held}\s+(?:not\s+)?in\s+(\w{1,40})`),
    ...literals(text, String.raw`\b(\w{1,40})\.(?:includes|has)\(\s*${OF}${held}\s*\)`),
  ];
  return [...new Set(names)].slice(0, MOST_NAMES).flatMap((name) => valuesOf(text, name));
}

function valuesOf(text: string, name: string): readonly string[] {
  const plain = name.replaceAll(".", "\\.");
  return lists(text, String.raw`\b${plain}\b(?:\s*:[^=\n]{1,60})?\s*=\s*(?:(?:new\s+)?\w{1,20}\(\s*)?[([{]([^()[\]{}]{1,1000})[)\]}]`);
}

/** What a pattern begins with, if that is nothing but letters; all of it if that cannot be told. */
function patterns(text: string, pattern: string): readonly string[] {
  return literals(text, pattern).flatMap((source) => startOf(source) ?? []);
}

function startOf(source: string): string | undefined {
  // What may be anything, or a slash.
  if (/^(?:\.|\[|\\[/wWsSdD]|\(\^|\((?:\?:)?(?:\.|\^)|\$|\/)/.test(source)) return undefined;
  return source.replace(/\\(?=[./_-])/g, "").replace(/(?:\.\*|\$|\(\?:\/\|\$\))+$/, "");
}

function inShell(text: string): readonly Compared[] {
  const given =
    /^[ \t]*(?:(?:local|export|readonly)\s+)?(\w{1,40})=["']?\$\(([^\n]{0,300}\b(?:file|notebook)_path\b[^\n]{0,100})\)["']?[ \t]*$/gm;
  const names = [...text.matchAll(given)].slice(0, MOST_NAMES).flatMap(([, name = "", from = ""]) => (CHANGED.test(from) ? [] : [name]));
  const sure = names.filter((name) => [...text.matchAll(new RegExp(`(?<![\\w$-])${name}=`, "g"))].length === 1);
  const piped = text.matchAll(
    /\bjq\b[^|\n]{0,100}\.(?:file|notebook)_path\b[^|\n]{0,60}\|\s*grep((?:\s+-\w+)*)\s+(["']?)([^"'\s]{1,100})\2/g,
  );
  const ofFunctions = sure.flatMap((name) => parametersInShell(text, name));
  return [...sure.flatMap((name) => ofVariable(text, name)), ...ofFunctions, ...[...piped].flatMap(grepped)];
}

/** What functions that get the path alone compare their `$1` with. */
function parametersInShell(text: string, name: string): readonly Compared[] {
  const called = literals(
    text,
    String.raw`(?:^|[;&|]|\b(?:if|then|do|!))[ \t]*([\w-]{1,40})[ \t]+"?\$\{?${name}\}?"?[ \t]*(?:$|[;&|)])`,
    "gm",
  );
  const bodies = called
    .slice(0, MOST_NAMES)
    .flatMap((one) => literals(text, String.raw`(?:^|\n)\s*(?:function\s+)?${one}\s*\(\)\s*\{([\s\S]{0,1000}?)\}`));
  return bodies.flatMap((body) => ofVariable(body, "1"));
}

/** It is no longer what was sent. */
const CHANGED = /basename|dirname|realpath|readlink|\b(?:sed|awk|cut|tr|xargs|perl)\b|ltrimstr|\bg?sub\(|split|#/;

function ofVariable(text: string, name: string): readonly Compared[] {
  const value = String.raw`["']?\$\{?${name}\}?["']?`;
  const all = (pattern: string): readonly RegExpExecArray[] => [...text.matchAll(new RegExp(pattern, "g"))];
  const equal = all(String.raw`\[\[?\s+${value}\s+!?==?\s+["']?([^\s"'\]]{1,100})`).map(([, found = ""]) => globbed(found));
  const looped = all(String.raw`\bfor\s+(\w{1,40})\s+in\s+([^;\n]{1,300})`).flatMap(([, item = "", list = ""]) => {
    const isCompared = new RegExp(String.raw`${value}\s+==?\s+["']?\$\{?${item}\}?["']?\s`).test(text);
    return isCompared ? list.split(/\s+/).map((one) => one.replace(/^["']|["']$/g, "")) : [];
  });
  const matched = all(String.raw`${value}\s+=~\s+["']?\^([^\s"'\]]{1,100})`).flatMap(([, found = ""]) => startOf(found) ?? []);
  const cases = all(String.raw`\bcase\s+${value}\s+in\b([\s\S]{0,1000}?)\besac\b`).flatMap(([, body = ""]) => armsOf(body));
  const asked = all(String.raw`(?:echo|printf\s+\S{1,10})\s+${value}\s*\|\s*grep((?:\s+-\w+)*)\s+(["']?)([^"'\s]{1,100})\2`).flatMap(
    grepped,
  );
  const fed = all(String.raw`\bgrep((?:\s+-\w+)*)\s+(["']?)([^"'\s]{1,100})\2\s*<<<\s*${value}`).flatMap(grepped);
  return [...equal, ...looped.map(globbed), ...matched.map(asStart), ...cases.map(globbed), ...asked, ...fed];
}

function globbed(name: string): Compared {
  return { name, isStart: name.endsWith("*") };
}

function armsOf(body: string): readonly string[] {
  const arms = [...body.matchAll(/(?:^|;;)\s*\(?([^()\n;]{1,300})\)/g)].map(([, patterns = ""]) => patterns);
  return arms.flatMap((patterns) => patterns.split("|").map((one) => one.trim().replace(/^["']|["']$/g, "")));
}

/** `grep ^a`, `grep -x a`: anything else may stand in the middle of a path. */
function grepped([, options = "", , source = ""]: RegExpExecArray): readonly Compared[] {
  const name = startOf(source.replace(/^\^/, "").replace(/^\.(?=\w)/, "\\."));
  if (name === undefined || !(source.startsWith("^") || /-\w*x/.test(options))) return [];
  return [{ name, isStart: !/-\w*x/.test(options) && !source.endsWith("$") }];
}

function inJq(text: string): readonly Compared[] {
  const equal = literals(text, String.raw`\.(?:file|notebook)_path\s*[=!]=\s*\\?"([^"\\\n]{1,100})`);
  const starts = literals(text, String.raw`\.(?:file|notebook)_path\s*\|\s*startswith\(\\?"([^"\\\n]{1,100})`);
  return /\bjq\b/.test(text) ? [...equal.map(asName), ...starts.map(asStart)].map((one) => ({ ...one, by: "jq" as const })) : [];
}
