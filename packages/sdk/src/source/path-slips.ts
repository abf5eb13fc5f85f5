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
  if (language === "py") return isStart ? `${quoted} in file_path` : `file_path.endswith(${quoted})`;
  return isStart ? `file_path.includes(${quoted})` : `file_path.endsWith(${quoted})`;
}

/** SECURITY: a checkout's script may be anything; guards are short. */
const MOST_NAMES = 10;

/** What gives the path as it was sent: the field itself, with what stands for nothing. */
const READ = String.raw`(?:file|notebook)_path(?:["'](?:\s*,\s*["']{2})?\s*[\])])?`;
const OR_NOTHING = String.raw`(?:\s*(?:\?\?|\|\||or)\s*["'\x60]{2})?`;
const TEXT = String.raw`["'\x60]([^"'\x60\n]{1,100})["'\x60]`;

function inProgram(text: string): readonly Compared[] {
  const held = heldIn(text);
  if (held === undefined) return [];
  const equal = [
    ...literals(text, String.raw`${held}(?:\s*(?:\?\?|\|\||or)\s*["\'\x60]{2}\)?)?\s*[=!]==?\s*${TEXT}`),
    ...literals(text, String.raw`${TEXT}\s*[=!]==?\s*(?:\w{1,40}\??\.){0,3}${held}`),
    ...lists(text, String.raw`${held}\s+(?:not\s+)?in\s*[([{]([^()[\]{}]{1,1000})[)\]}]`),
    ...lists(text, String.raw`\[([^[\]]{1,1000})\]\)?\.(?:includes|has)\(\s*(?:\w{1,40}\??\.){0,3}${held}`),
    ...lists(
      text,
      String.raw`\bswitch\s*\(\s*(?:\w{1,40}\??\.){0,3}${held}\s*\)\s*\{([\s\S]{0,1000})`,
      /\bcase\s+["'\x60]([^"'\x60\n]{1,100})/g,
    ),
    ...namedLists(text, held),
  ];
  const starts = [
    ...lists(text, String.raw`${held}\??\.starts[wW]ith\(\s*\(?((?:[ft]?${TEXT.replace("(", "(?:")}[\s,]*){1,20})`),
    ...patterns(text, String.raw`/\^([^\n/\\]{0,100}(?:\\.[^\n/\\]{0,100}){0,20})/[a-z]*\.(?:test|exec)\(\s*(?:\w{1,40}\??\.){0,3}${held}`),
    ...patterns(text, String.raw`${held}\??\.(?:match|search)\(\s*/\^([^\n/\\]{0,100}(?:\\.[^\n/\\]{0,100}){0,20})/`),
    ...patterns(
      text,
      String.raw`\bre\.(?:match\(\s*r?["']\^?|(?:search|findall)\(\s*r?["']\^)([^"'\n]{1,100})["']\s*,\s*(?:\w{1,40}\.){0,3}${held}`,
    ),
  ];
  return [...equal.map(asName), ...starts.map(asStart)];
}

const asName = (name: string): Compared => ({ name, isStart: false });
const asStart = (name: string): Compared => ({ name, isStart: true });

/** A pattern for the expressions that are the path; nothing if a variable of its name may be something else. */
function heldIn(text: string): string | undefined {
  const plain = new RegExp(
    String.raw`(?<![\w.])(\w{1,40})(?:\s*:\s*\w{1,40})?\s*=(?!=)[^=;\n(]{0,40}(?:\([^()=;\n]{0,40}\)[^=;\n(]{0,40}){0,2}(?:\.get\(\s*["\'])?\b${READ}${OR_NOTHING}[ \t]*(?:;|$)`,
    "gm",
  );
  const taken = /\{[^{}\n]{0,200}\b(?:file|notebook)_path:\s*(\w{1,40})[^{}\n]{0,200}\}\s*=/g;
  const names = [...text.matchAll(plain), ...text.matchAll(taken)].slice(0, MOST_NAMES).map(([, name = ""]) => name);
  const isSure = (name: string): boolean =>
    [...text.matchAll(new RegExp(String.raw`(?<![\w."'])${name}(?:\s*:\s*\w{1,40})?\s*=(?![=>])`, "g"))].length <= 1;
  const isField = (name: string): boolean => /^(?:file|notebook)_path$/.test(name);
  const own = ["file_path", "notebook_path"].every(
    (name) => names.includes(name) || !new RegExp(String.raw`(?<![\w."'])${name}\s*=(?![=>])`).test(text),
  );
  const variables = names.filter((name) => !isField(name) && isSure(name)).map((name) => String.raw`(?<![\w.])${name}\b`);
  return own && names.filter(isField).every(isSure) ? `(?:${[String.raw`\b${READ}`, ...new Set(variables)].join("|")})` : undefined;
}

function literals(text: string, pattern: string): readonly string[] {
  return [...text.matchAll(new RegExp(pattern, "g"))].map(([, name = ""]) => name);
}

function lists(text: string, pattern: string, one: RegExp = /(?<![\w"'\x60])["'\x60]([^"'\x60\n]{1,100})["'\x60]/g): readonly string[] {
  return literals(text, pattern).flatMap((list) => [...list.matchAll(one)].map(([, name = ""]) => name));
}

function namedLists(text: string, held: string): readonly string[] {
  const names = [
    ...literals(text, String.raw`${held}\s+(?:not\s+)?in\s+(\w{1,40})`),
    ...literals(text, String.raw`\b(\w{1,40})\.(?:includes|has)\(\s*(?:\w{1,40}\??\.){0,3}${held}\s*\)`),
  ];
  return [...new Set(names)]
    .slice(0, 10)
    .flatMap((name) =>
      lists(text, String.raw`\b${name}\b(?:\s*:[^=\n]{1,60})?\s*=\s*(?:(?:new\s+)?\w{1,20}\(\s*)?[([{]([^()[\]{}]{1,1000})[)\]}]`),
    );
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
  return [...sure.flatMap((name) => ofVariable(text, name)), ...[...piped].flatMap(grepped)];
}

/** It is no longer what was sent. */
const CHANGED = /basename|dirname|realpath|readlink|\b(?:sed|awk|cut|tr|xargs|perl)\b|ltrimstr|\bg?sub\(|split|#/;

function ofVariable(text: string, name: string): readonly Compared[] {
  const value = String.raw`["']?\$\{?${name}\}?["']?`;
  const all = (pattern: string): readonly RegExpExecArray[] => [...text.matchAll(new RegExp(pattern, "g"))];
  const equal = all(String.raw`\[\[?\s+${value}\s+!?==?\s+["']?([^\s"'\]]{1,100})`).map(([, found = ""]) => globbed(found));
  const matched = all(String.raw`${value}\s+=~\s+["']?\^([^\s"'\]]{1,100})`).flatMap(([, found = ""]) => startOf(found) ?? []);
  const cases = all(String.raw`\bcase\s+${value}\s+in\b([\s\S]{0,1000}?)\besac\b`).flatMap(([, body = ""]) => armsOf(body));
  const asked = all(String.raw`(?:echo|printf\s+\S{1,10})\s+${value}\s*\|\s*grep((?:\s+-\w+)*)\s+(["']?)([^"'\s]{1,100})\2`).flatMap(
    grepped,
  );
  const fed = all(String.raw`\bgrep((?:\s+-\w+)*)\s+(["']?)([^"'\s]{1,100})\2\s*<<<\s*${value}`).flatMap(grepped);
  return [...equal, ...matched.map(asStart), ...cases.map(globbed), ...asked, ...fed];
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
