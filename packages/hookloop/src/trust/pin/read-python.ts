// Takes the text of a Python file; says the first place that is not of a small, closed part of the language, which neither reads files nor
// starts or loads anything. Of a hook of the user it gives the lines that it starts.
// SECURITY: what is not listed here is a doubt, whatever it means.

import { UNKNOWN } from "../../shell/index.ts";
import { OWN, PROJECT, quotedWord, set } from "./code-reader.ts";

interface Token {
  readonly kind: "line" | "text" | "name" | "number" | "mark" | "odd";
  readonly value: string;
  readonly at: number;
}

/** SECURITY: a project writes what it likes; more than this is not taken apart. */
const MAX_LENGTH = 256 * 1024;
const STRING = String.raw`"""(?:\\[\s\S]|(?!""")[^\\])*"""|'''(?:\\[\s\S]|(?!''')[^\\])*'''|"(?:\\[\s\S]|[^"\\\n])*"|'(?:\\[\s\S]|[^'\\\n])*'`;
const TOKEN = new RegExp(
  String.raw`(?:[ \t]+|\\\n|#[^\n]*)|(?<line>\n)|(?<text>(?:[rRuUfF]|[bB][rR]?|[rR][bBfF]|[fF][rR])?(?:${STRING}))|(?<name>[A-Za-z_]\w*)|(?<number>\d[\w.]*)|(?<mark>\*\*=?|//=?|->|[-+*/%&|^=!<>:]=|[-+*/%&|^~<>()[\]{},:.;=])|(?<odd>[\s\S])`,
  "gy",
);

function tokensOf(text: string): readonly Token[] {
  if (text.length > MAX_LENGTH) return [{ kind: "odd", value: "its length", at: 0 }];
  return [...text.replaceAll(/\r\n?/g, "\n").matchAll(TOKEN)].flatMap(({ groups = {}, index, 0: value }): readonly Token[] => {
    const kind = (["line", "text", "name", "number", "mark", "odd"] as const).find((one) => groups[one] !== undefined);
    return kind === undefined ? [] : [{ kind, value, at: index }];
  });
}

const WORDS = set(
  "if elif else for while in not and or is None True False def return try except finally raise pass break continue lambda global nonlocal",
);
/** What may be used without having been made. */
const BUILTINS = set(
  "print len str int float bool list dict set tuple sorted min max sum any all enumerate zip range isinstance reversed repr abs ord chr exit quit Exception ValueError KeyError TypeError IndexError AttributeError RuntimeError OSError UnicodeDecodeError SystemExit KeyboardInterrupt __name__",
);
/** The rest of them: made in one function, such a name still means the language's own in another. */
const OTHER_BUILTINS = set(
  "open eval exec compile getattr setattr delattr hasattr globals locals vars dir type object super classmethod staticmethod property memoryview bytearray input breakpoint help id hash map filter format next iter aiter anext slice callable issubclass copyright credits license",
);
const MODULES: ReadonlyMap<string, ReadonlySet<string>> = new Map([
  ["json", set("load loads dumps JSONDecodeError")],
  ["sys", set("stdin stdout stderr exit argv")],
  ["re", set("search match fullmatch compile sub findall finditer split escape error I IGNORECASE M MULTILINE S DOTALL X VERBOSE")],
  ["os", set("environ path sep")],
  ["os.path", set("basename dirname join splitext normpath isabs")],
  ["os.environ", set("get")],
  ["fnmatch", set("fnmatch fnmatchcase")],
  ["shlex", set("quote")],
]);
/** Methods of texts, lists, tables, matches and streams. */
const METHODS = set(
  "get items keys values append extend add update pop copy split rsplit splitlines strip lstrip rstrip lower upper title startswith endswith removeprefix removesuffix join replace find rfind index count isdigit isalpha isspace partition rpartition zfill encode decode search match fullmatch findall finditer sub group groups groupdict start end span read readline readlines write flush buffer code",
);

/** Why it is not known that a text neither reads, starts nor loads anything, in words; nothing if that is known. */
export function doubtOfPython(text: string): string | undefined {
  if (text.split("\n", 2).some((line) => /coding[:=](?!\s*utf-?8\b)/i.test(line))) return "line 1 (another encoding)";
  const tokens = tokensOf(text);
  const made = madeBy(tokens);
  const odd = tokens.find((token, at) => !isKnown({ tokens, made }, token, at));
  return odd && `line ${text.slice(0, odd.at).split("\n").length} (${odd.value.trim().slice(0, 40) || "a blank"})`;
}

interface Code {
  readonly tokens: readonly Token[];
  /** Names that the text gives a value, or a parameter. */
  readonly made: ReadonlySet<string>;
}

function isKnown(code: Code, { kind, value }: Token, at: number): boolean {
  const { tokens, made } = code;
  if (kind === "text") return isKnownText(code, value);
  if (kind !== "name") return kind !== "odd" && (value !== "*" || tokens[at - 1]?.value !== "import");
  const [before, next] = [tokens[at - 1]?.value ?? "\n", tokens[at + 1]?.value ?? "\n"];
  if (before === ".") return isKnownMember(tokens, value, at);
  if (value === "import") return /^[\n;:]$/.test(before) && isKnownImport(tokens, at + 1);
  if (value === "as")
    return (
      /^(?:\)|[A-Z]\w+)$/.test(before) &&
      tokens[tokens.findLastIndex((one, index) => index < at && one.kind === "line") + 1]?.value === "except"
    );
  if (WORDS.has(value)) return true;
  if (OTHER_BUILTINS.has(value)) return false;
  // A module is only something whose members are taken.
  if (MODULES.has(value)) return !made.has(value) && (next === "." || isInImport(tokens, at));
  return BUILTINS.has(value) || (made.has(value) && !value.startsWith("__")) || (next === "=" && /^[(,]$/.test(before));
}

function isKnownText({ made }: Code, value: string): boolean {
  const [, prefix = ""] = /^(\w*)/.exec(value) ?? [];
  const values = /f/i.test(prefix) ? (value.replaceAll(/\{\{|\}\}/g, "").match(/\{[^}]*\}?/g) ?? []) : [];
  return values.every((one) => {
    const name = /^\{(\w+)(?:![rsa])?(?::[<>^]?\d*)?\}$/.exec(one)?.[1];
    return name !== undefined && made.has(name) && !name.startsWith("__");
  });
}

function isKnownMember(tokens: readonly Token[], name: string, at: number): boolean {
  const owner = tokens[at - 2]?.kind === "name" ? (tokens[at - 2]?.value ?? "") : "";
  const full = tokens[at - 3]?.value === "." ? `${tokens[at - 4]?.value}.${owner}` : owner;
  const members = MODULES.get(full);
  if (members === undefined) return METHODS.has(name);
  // `os.environ` as a whole could be changed, and `os.path` handed on.
  const isWhole = MODULES.has(`${full}.${name}`) && tokens[at + 1]?.value !== ".";
  return members.has(name) && !isWhole && !/^(?:=|[-+*/%&|]=)$/.test(tokens[at + 1]?.value ?? "");
}

function isKnownImport(tokens: readonly Token[], start: number): boolean {
  const end = tokens.findIndex(({ kind, value }, at) => at >= start && (kind === "line" || value === ";"));
  const names = tokens.slice(start, end === -1 ? undefined : end).map(({ value }) => value);
  return names.length % 2 === 1 && names.every((name, at) => (at % 2 === 0 ? MODULES.has(name) : name === ","));
}

function isInImport(tokens: readonly Token[], at: number): boolean {
  const before = tokens.findLastIndex(({ kind, value }, index) => index < at && (kind === "line" || value === ";" || value === ":"));
  return tokens[before + 1]?.value === "import";
}

function madeBy(tokens: readonly Token[]): ReadonlySet<string> {
  const isMade = (at: number): boolean => {
    const [before = "\n", next = "\n"] = [tokens[at - 1]?.value, tokens[at + 1]?.value];
    if (before === ".") return false;
    if (/^(?:=|[-+*/%&|]=|:=)$/.test(next) || /^(?:def|for|as|lambda|\*|\*\*)$/.test(before)) return true;
    return /^(?:[,):=]|in)$/.test(next) && /^(?:[(,;\n]|lambda)$/.test(before);
  };
  return new Set(tokens.flatMap(({ kind, value }, at) => (kind === "name" && isMade(at) ? [value] : [])));
}

// Of a hook of the user: what its text starts.

const STARTS =
  /(?<!\bdef\s+|\basyncio\.|\w)(run|call|check_call|check_output|Popen|getoutput|getstatusoutput|system|popen\w?|exec[lv]\w*|spawn[lv]\w*|posix_spawnp?|create_subprocess_\w+)\s*\(/g;
const HANDED_ON = /\b(?:subprocess\.(?:run|call|check_\w+|Popen|get\w+)|os\.(?:system|popen))\b(?!\s*\()/;
const LOADS =
  /(?<![\w.])(?:exec|eval|compile|execfile|__import__)\s*\((?!\s*(?:"[^"\n]*"|'[^'\n]*')\s*[,)])|\bimport_module\s*\((?!\s*(?:"[^"\n]*"|'[^'\n]*')\s*[,)])|\b(?:run_path|run_module|addsitedir|SourceFileLoader|spec_from_file_location|load_source|CDLL)\s*\((?![^\n]*__OWN__)|\bdiscover\s*\(|\bpytest\.main\s*\(|\bfrom\s+sys\s+import\b[^\n]*\bpath\b/g;
/** Where modules are looked for; the script's own folder is the author's. */
const SEARCHES =
  /\bsys\.path\b(?!\s*\.\s*(?:pop|remove|index|count|copy)\b)(?!\s*\.\s*(?:insert|append)\s*\(\s*(?:\d+\s*,\s*)?(?:str\s*\(\s*)?["']\/(?!hookloop-project))/g;

/** The lines that a text starts, and where it starts or loads what is not known. */
export function startedByPython(text: string): { readonly lines: readonly string[]; readonly starts: readonly string[] } {
  const put = withFolders(text);
  const starts = [...put.replaceAll(`"${OWN}`, '"__OWN__').matchAll(LOADS), ...put.matchAll(SEARCHES)].map(
    ([found]) => `it loads code by ${found.trim()}`,
  );
  if (!/\b(?:subprocess|os|pty|asyncio|commands|posix|popen2)\b/.test(text)) return { lines: [], starts };
  const calls = [...put.matchAll(STARTS)];
  if (HANDED_ON.test(put)) starts.push("it hands on a way to start programs");
  if (calls.length > 50) starts.push("it starts more programs than are followed");
  return {
    lines: calls.slice(0, 50).flatMap(({ index, 0: whole, 1: name = "" }) => linesOf(put.slice(index + whole.length).slice(0, 4000), name)),
    starts,
  };
}

/** Puts texts in the place of the folders that are known. */
function withFolders(text: string): string {
  return text
    .replaceAll(/\bos\.environ(?:\.get\(|\[)\s*["'](?:CLAUDE|HOOKLOOP)_PROJECT_DIR["'][^\])]*[\])]/g, `"${PROJECT}"`)
    .replaceAll(
      /\bos\.path\.dirname\(\s*(?:os\.path\.(?:abspath|realpath)\(\s*__file__\s*\)|__file__)\s*\)|\bPath\(__file__\)(?:\.(?:resolve|absolute)\(\))?\.parent\b/g,
      `"${OWN}"`,
    )
    .replaceAll(/\bos\.path\.join\(\s*"([^"\n]*)"\s*,\s*["']([\w./-]+)["']\s*\)/g, '"$1/$2"')
    .replaceAll(/\bsys\.executable\b/g, '"python3"');
}

/** The words of a call as a line of the shell, also in its folder. */
function linesOf(text: string, name: string): readonly string[] {
  const rest = text.replace(/^\s*(?:args\s*=\s*)?/, "");
  const values = valuesOf(rest);
  const folder = values.find((value) => value.startsWith("cwd="))?.slice(4);
  const [first = UNKNOWN] = values;
  const isMany = /^(?:exec|spawn|posix|create_subprocess_exec)/.test(name);
  const words = /^[[(]/.test(rest) ? valuesOf(rest.slice(1)) : isMany ? [first.includes("P_") ? UNKNOWN : first, UNKNOWN] : undefined;
  const line = (words?.map(quotedWord).join(" ") ?? first).replaceAll(UNKNOWN, '"${unknown}"');
  return folder === undefined ? [line] : [line, `cd "${folder.replaceAll(UNKNOWN, "${unknown}")}" && ${line}`];
}

/** What stands between the commas up to the end of a bracket: texts, or unknown. */
function valuesOf(rest: string): readonly string[] {
  const values: Token[][] = [[]];
  let depth = 0;
  for (const token of tokensOf(rest)) {
    const isMark = token.kind === "mark";
    if (isMark && /^[)\]}]$/.test(token.value) && --depth < 0) break;
    if (isMark && token.value === "," && depth === 0) values.push([]);
    else if (token.kind !== "line") values.at(-1)?.push(depth > 0 ? { ...token, kind: "odd" } : token);
    if (isMark && /^[([{]$/.test(token.value)) depth++;
  }
  return values.filter((all, at) => all.length > 0 || at === 0).map(textOfAll);
}

/** `"a" "b"`, `"a" + x`, and of `cwd=x` also its name. */
function textOfAll([first, second, ...others]: readonly Token[]): string {
  if (first?.value === "cwd" && second?.value === "=") return `cwd=${textOfAll(others)}`;
  const all = [first, second, ...others].filter((one) => one !== undefined && one.value !== "+") as readonly Token[];
  return all
    .map(({ kind, value }) => (kind === "text" ? textOf(value) : UNKNOWN))
    .join("")
    .replaceAll(/\uFFFF+/g, UNKNOWN);
}

function textOf(token: string): string {
  const [, prefix = "", , inside = ""] = /^(\w*)("""|'''|"|')([\s\S]*)\2$/.exec(token) ?? [];
  const known = inside.replaceAll(/\\([\s\S])/g, (_, one: string) => (/[\\'"`/$]/.test(one) ? one : one === "n" ? "\n" : UNKNOWN));
  return /f/i.test(prefix) ? known.replaceAll(/\{[^}]*\}/g, UNKNOWN) : known;
}
