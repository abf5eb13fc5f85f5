/** Where code of other languages stands in a command: in the value of an option, on the input, in a substituted file. */

import { programOf, readArguments, unescapeLiteral } from "../arguments.ts";
import type { ShellWord, Span } from "../types.ts";
import { wordSet } from "../words.ts";
import { codeOptions, optionForms } from "./program.ts";
import type { Input } from "./started.ts";

export interface Code {
  readonly text: string;
  readonly at: { readonly span: Span };
  /** The folder that its program goes to first. */
  readonly folder?: ShellWord | undefined;
}

/** The code that a command runs. */
export function codesIn(words: readonly ShellWord[], stdin: Input, span: Span): readonly Code[] {
  const program = programOf(words[0]);
  const names = codeOptions(program);
  if (!names) return [];
  const given = readArguments(words, optionForms(program));
  const inline = given.options
    .filter(({ name, value }) => names.includes(name) && value?.text)
    .map(({ value, word }) => ({ text: value?.text ?? "", at: word }));
  // `node -pe code`: one of the letters takes the code.
  const letters = program === "node" ? words.findIndex(({ text }) => /^-[ep]{2}$/.test(text)) : -1;
  const joined = letters === -1 ? [] : words.slice(letters + 1, letters + 2).map((word) => ({ text: word.text, at: word }));
  const evaluated =
    program === "deno" && given.operands[0]?.text === "eval" ? given.operands.slice(1).map((word) => ({ text: word.text, at: word })) : [];
  // `python3 - file`: what follows is for the code.
  const isProgram = given.operands[0] === undefined || /^(?:-|\/dev\/(?:stdin|fd\/0))$/.test(given.operands[0].text);
  const input = stdin?.kind === "text" && inline.length === 0 && isProgram ? [{ text: stdin.text, at: { span } }] : [];
  return [...inline, ...joined, ...evaluated, ...input, ...codesInOptions(program, words), ...substitutedFiles(words)];
}

/** Modules of Python that run the code they are given. */
const RUNS_CODE = /^(?:timeit|pdb|profile|cProfile|trace|asyncio|code|doctest)$/;

/** `node --import data:text/javascript,…`, `perl '-Mvars;code'`, `python3 -m timeit code`. */
function codesInOptions(program: string, words: readonly ShellWord[]): readonly Code[] {
  const module =
    program === "python" ? words.findIndex(({ text }, at) => RUNS_CODE.test(text) && /^-\w*m$/.test(words[at - 1]?.text ?? "")) : -1;
  return words.slice(1).flatMap((word, index): readonly Code[] => {
    const data = /(?:^|=)data:([^,]*),(.*)$/s.exec(word.text);
    if (data) return [{ text: dataText(data[1] ?? "", data[2] ?? ""), at: word }];
    const loaded = program === "perl" ? /^-[mM](.*[;(].*)$/s.exec(word.text)?.[1] : undefined;
    if (loaded !== undefined) return [{ text: loaded, at: word }];
    return module !== -1 && index + 1 > module && !word.text.startsWith("-") ? [{ text: word.text, at: word }] : [];
  });
}

function dataText(type: string, text: string): string {
  if (/;base64$/i.test(type)) return Buffer.from(text, "base64").toString();
  try {
    return decodeURIComponent(text);
  } catch {
    // A percent sign that means itself.
    return text;
  }
}

/** `python3 <(echo …)`: what stands in the substitution most likely becomes the text of the file. */
export function substitutedFiles(words: readonly ShellWord[]): readonly Code[] {
  return words.slice(1).flatMap((word) =>
    word.parts.flatMap((part) => {
      if (part.kind !== "computed" || !part.source.startsWith("<(")) return [];
      const printed = part.source.slice(2, -1).replace(/^\s*(?:printf|echo)(?:\s+-\w+)*\s+['"]?/, "");
      const text = printed
        .replace(/['"]\s*$/, "")
        .replaceAll("\\n", "\n")
        .replaceAll("\\t", "\t");
      return [{ text, at: word }];
    }),
  );
}

/** Something that code starts: shell text, or a program with its words. */
export type StartedText = string | readonly string[];

export const LITERAL: string = /(?:"""[\s\S]*?"""|'''[\s\S]*?'''|"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|`[^`]*`)/.source;
export const LITERALS: RegExp = new RegExp(LITERAL, "gs");
/** A call that starts a program, with its literal words: `system("…")`, `run(["rm", "-rf"])`. */
const STARTS = new RegExp(
  String.raw`(?<![\w])(?:system\*?|readpipe|popen\w*|Popen|exec(?:Sync|File|FileSync|v|vp|vpe|ve|l|lp|le|lpe)?|execa(?:Sync|Command|CommandSync)?|pcntl_exec|posix_spawnp?|spawn(?:Sync|\w{1,4})?|create_subprocess_\w+|check_call|check_output|getoutput|getstatusoutput|shell_exec|passthru|proc_open|open[23]|capture\w*|execute|cmd|run|call|command|Command(?:\.new)?|shell|call-process(?:-shell-command)?|start-process|(?:async-)?shell-command(?:-to-string)?|run-program|do shell script)\s*(?:\{[^{}]{0,80}\}\s*)?(?:\(\s*)?(?:[^"'\x60(){};,\s][^"'\x60(){};,\n]{0,40},\s*){0,4}(?:\w{1,20}\s*=>?(?!=)\s*)?(?:[[(]\s*)?[rbfu]{0,2}(${LITERAL}(?:\s*,\s*(?:\{[^{}[\]]{0,80}?\bargs["']?\s{0,9}:\s*)?(?:\[\s*)?${LITERAL})*)\s*([+.%\w]?)`,
  "gs",
);
const QUOTED_COMMAND = /(?:%[xw]|q[xw])\s*(?:\(([^)]*)\)|\{([^}]*)\}|\[([^\]]*)\]|<([^>]*)>|([/|!#~'"])((?:\\.|(?!\5)[^\\\n])*)\5)/g;
/** `open(F, "-|", "rm", "-rf")`. */
const OPENS_LIST = new RegExp(String.raw`\bopen\s{0,9}\(?[^;]{0,300}?["'](?:-\||\|-)["']\s*,\s*(${LITERAL}(?:\s*,\s*${LITERAL})*)`, "g");
const OPENS_PIPE =
  /\bopen\s{0,9}\(?[^;]{0,300}?["']\s{0,9}\|\s{0,9}([^"'|]{1,2000})["']|\bopen\s{0,9}\(?[^;]{0,300}?["']([^"'|]{1,2000})\|\s{0,9}["']/g;
const BACKTICKS = /`([^`]+)`/g;
/** `exec("import os; …")`, `eval('…')`: code in code. */
const EVALUATES = new RegExp(String.raw`\b(?:exec|eval)\s*\(?\s*(${LITERAL})`, "gs");
/** Tcl: `exec touch m`, `[exec touch m]`, `spawn touch m`, `system touch m`. */
const BARE_WORDS = /(?:^|[;[{\n])\s*(?:catch\s*\{\s*)?(?:exec|spawn|system)\s+(?:-\w+\s+)*([^\n;\]}]+)/g;
/** `"tou" + "ch m"`, `'a' . 'b'`, `"a" .. "b"`: one literal. */
const JOINED = /(["'])\s{0,9}(?:\+|\.{1,2})\s{0,9}\1/g;
/** `["git"] + ["push"]`, `["git"].concat(["push"])`: one list. */
const JOINED_LISTS = /(["'])\s{0,9},?\s{0,9}[\])]\s{0,9}(?:\+|\.concat\()\s{0,9}[[(]\s{0,9}(?=["'])/g;
const JOINED_LITERALS = new RegExp(String.raw`${LITERAL}(?:[ \t]{0,9}(?:\+|\.{1,2})?[ \t]{0,9}${LITERAL})+`, "gs");
const ASSIGNED = new RegExp(
  String.raw`(?<![\w.])([$@]?[A-Za-z_]\w{0,40})\s{0,9}=\s{0,9}[rbfu]?(${LITERAL}|[[(]\s*${LITERAL}(?:\s*,\s*${LITERAL})*\s*[\])])`,
  "gs",
);
const MAX_ASSIGNED = 16;
/** `f"git {x}"`. */
const FORMATTED = /(?<!\w)[rb]?f[rb]?["'][^"']*\{/;
/** What starts programs, by whatever name it is called then. */
const NAMES_STARTER =
  /\b(?:system|popen\w*|Popen|spawn\w*|exec(?:Sync|File|FileSync|v\w*|l\w*)|subprocess|child_process|open[23]|shell_exec|passthru|proc_open|getoutput|check_\w+|Open3|IPC::Cmd|sys\.process|os\.execute|call(?:Command|Process)|readProcess\w*|createProcess)\b|\.execute\(\)|\(sh\s/;
/** Literals that follow each other, as in a list of words. */
const SEQUENCE = new RegExp(String.raw`${LITERAL}(?:[\s,[\](){}:=\w]{0,12}${LITERAL})*`, "gs");
const MAX_BESIDE = 24;
const MAX_TEXT = 400;
const BACKTICK_LANGUAGES = wordSet("perl ruby php julia crystal");
const MAX_NESTED = 3;
/** `q(…)`, `qq{…}`. */
const PERL_QUOTES = /(?<![\w$@%&>])qq?\s?(?:\(([^()]*)\)|\{([^{}]*)\}|\[([^[\]]*)\]|<([^<>]*)>|\/([^/]*)\/|\|([^|]*)\|)/g;
const PERL_BRACKETS = 6;

/**
 * Takes code of another language. Gives the shell texts and the lists of words that it starts, as far as they stand in the code as literals.
 * Guesses freely: a call that only looks like one adds a command that does not run. For rules that forbid commands that is the safe side.
 */
export function textsInCode(code: string, language: string, depth = 0): readonly StartedText[] {
  const quoted = language === "perl" ? code.replace(PERL_QUOTES, (_, ...groups: readonly string[]) => asLiteral(groups)) : code;
  const text = withKnownValues(quoted.replace(JOINED, "").replace(JOINED_LISTS, "$1, "));
  const found: StartedText[] = [];
  for (const inner of depth < MAX_NESTED ? evaluatedIn(text) : []) found.push(...textsInCode(inner, language, depth + 1));
  found.push(...startedByCalls(text));
  for (const [, to = "", from = ""] of text.matchAll(OPENS_PIPE)) found.push(to || from);
  if (language === "tclsh" || language === "expect") for (const [, words = ""] of text.matchAll(BARE_WORDS)) found.push(words);
  if (!BACKTICK_LANGUAGES.has(language)) {
    // The tagged templates of zx and Bun.
    for (const [, command = ""] of text.matchAll(/\$`([^`]+)`/g)) found.push(command);
    return found;
  }
  for (const [, ...groups] of [...text.matchAll(QUOTED_COMMAND), ...text.matchAll(BACKTICKS)])
    found.push(groups.findLast((group) => group !== undefined) ?? "");
  return found;
}

/** Code with each text that is put together from literals as one: `".e" + "nv"`, and `".e" "nv"` as awk and Python have it. */
export function withJoinedLiterals(code: string): string {
  return code.replace(JOINED_LITERALS, (all) => `"${[...all.matchAll(LITERALS)].map(([literal]) => literal.slice(1, -1)).join("")}"`);
}

function startedByCalls(text: string): readonly StartedText[] {
  const calls = [...text.matchAll(STARTS), ...text.matchAll(OPENS_LIST)].flatMap(({ 0: call, 1: words = "", 2: joined = "" }) =>
    startedByLiterals(words, /^[+.%]$/.test(joined) || FORMATTED.test(call)),
  );
  const beside = NAMES_STARTER.test(text) ? [...text.matchAll(SEQUENCE)].slice(0, MAX_BESIDE) : [];
  return [...calls, ...beside.flatMap(([words]) => besideStarter(words))];
}

function asLiteral(groups: readonly string[]): string {
  const text = groups.slice(0, PERL_BRACKETS).find((group) => group !== undefined) ?? "";
  return `"${text.replace(/["\\]/g, "\\$&")}"`;
}

/** Code that code evaluates. */
export function evaluatedIn(text: string): readonly string[] {
  return [...text.matchAll(EVALUATES)].map(([, literal = ""]) => literalsIn(literal)[0] ?? "");
}

/** Whether it starts text to which something is joined that is no literal. */
export function startsJoinedText(text: string): boolean {
  return [...text.replace(JOINED, "").matchAll(STARTS)].some(([, , joined = ""]) => /^[+.%]$/.test(joined));
}

/** One literal is shell text. Several are words, or shell text with options behind it: both are taken. */
function startedByLiterals(text: string, isJoined: boolean): readonly StartedText[] {
  // What is joined to it, or filled into it, is known only when it runs.
  const known = literalsIn(text).join(" ").trimStart();
  if (isJoined) return known === "" ? [] : [`${known.replace(/%[sdr]|\{[^{}]*\}/g, '"$unknown"')}"$unknown"`];
  const [first = "", second, ...rest] = literalsIn(text);
  // `execvp("touch", ["touch", "m"])`: a program is told its own name.
  const isNamed = second !== undefined && second === first.slice(first.lastIndexOf("/") + 1);
  const literals = [first, ...(second === undefined || isNamed ? [] : [second]), ...rest];
  const isPlain = literals.length < 2 || literals.every((literal) => /^[\w./:=@%+,-]+$/.test(literal));
  return isPlain ? [literals.join(" ")] : [literals.join(" "), literals];
}

/** `f = os.system; f("rm x")`: which call is given a text cannot be told, so one that has several words counts as started. */
function besideStarter(text: string): readonly string[] {
  const literals = literalsIn(text);
  const joined = literals.join(" ").trim();
  return /^[\w./~-]+\s+\S/.test(joined) && joined.length <= MAX_TEXT
    ? [joined, ...literals.filter((one) => one !== joined && /\s/.test(one))]
    : [];
}

/** `c = "rm x"; system(c)`: a variable that stands alone in a call is what it was given. */
function withKnownValues(text: string): string {
  const assigned = [...text.matchAll(ASSIGNED)].slice(0, MAX_ASSIGNED);
  let filled = text;
  for (const [, name = "", value = ""] of assigned) {
    const used = new RegExp(`(?<=[(,[]\\s{0,9}|\\b(?:system|exec)\\s{1,9})${name.replace("$", "\\$")}(?=\\s{0,9}(?:[),;\\]]|$))`, "g");
    filled = filled.replace(used, () => value);
  }
  return filled;
}

/** The literals in a piece of code, without quotes and escapes. */
export function literalsIn(text: string): readonly string[] {
  return [...text.matchAll(LITERALS)].map(([literal]) => {
    const quotes = /^(?:"""|''')/.test(literal) && literal.length >= 6 ? 3 : 1;
    return unescapeLiteral(literal.slice(quotes, -quotes));
  });
}

const STRING = /"(?:[^"\\]|\\.)*"/.source;
const AWK_SYSTEM = new RegExp(String.raw`\bsystem\s*\(\s*(?:(${STRING})\s*(\)?)|[^)])`, "g");
/** `"…" | getline`, `print | "…"`; the third group: text that is joined to it. */
const AWK_PIPE = new RegExp(String.raw`(${STRING})\s*\|&?\s*getline|\|&?\s*\(?\s*(${STRING})[ \t]*([\w$("]?)`, "g");
/** `("…" $1) | getline`. */
const AWK_JOINED = new RegExp(String.raw`\(\s*(${STRING})[^()|"]*\)\s*\|&?\s*getline`, "g");
/** `cmd | getline`, `print | cmd`: the command is in a variable. */
const AWK_VARIABLE = /(?<![|/\w])[A-Za-z_]\w*\s*\|&?\s*getline|\bprintf?\b[^;{}\n/|]*\|(?!\|)&?\s*(?!getline)[A-Za-z_$]/;
const A_SHELL = /^"\s*(?:\S*\/)?(?:ba|z|da|k|a)?sh(?:\s+-\w+)*\s*"$/;
const AWK_ASSIGNED = new RegExp(String.raw`(?<![\w$])([A-Za-z_]\w*)\s*=\s*(${STRING})`, "g");

/** What awk code starts, and why that may not be all. */
interface AwkReading {
  readonly texts: readonly string[];
  /** As `its code …`. */
  readonly unknown: readonly string[];
}

/** awk starts shell text with `system("…")`, `"…" | getline` and `print | "…"`. */
export function readAwk(code: string): AwkReading {
  const readings = awkVersions(code).map(readAwkText);
  return { texts: [...new Set(readings.flatMap(({ texts }) => texts))], unknown: [...new Set(readings.flatMap(({ unknown }) => unknown))] };
}

function readAwkText(text: string): AwkReading {
  const texts: string[] = [];
  const unknown: string[] = [];
  const add = (literal: string, isJoined: boolean): void => {
    texts.push(isJoined ? `${unquote(literal)}"$unknown"` : unquote(literal));
  };
  for (const [, literal, end] of text.matchAll(AWK_SYSTEM)) {
    if (literal) add(literal, end !== ")");
    if (!literal || end !== ")") unknown.push("runs what it reads as commands");
  }
  for (const [, before, after, joined] of text.matchAll(AWK_PIPE)) {
    add(before ?? after ?? "", Boolean(joined));
    if (A_SHELL.test(after ?? "")) unknown.push("runs what it prints as commands");
  }
  for (const [, literal = ""] of text.matchAll(AWK_JOINED)) add(literal, true);
  if (/@[A-Za-z_]\w*\s*\(/.test(text)) unknown.push("calls what it names only when it runs");
  if (AWK_VARIABLE.test(text) || /\|&?\s*\$\d|\$\d+\s*\|\s*getline/.test(text)) unknown.push("runs what it reads as commands");
  return { texts, unknown };
}

const AWK_NAME = new RegExp(String.raw`${STRING}|(?<![\w$.])([A-Za-z_]\w*)(?![\w(])(?!\s*(?:=(?![=~])|\+\+|--))`, "g");

/** `BEGIN { c = "rm"; system(c " x") }`: the code with the values of variables in their places and texts that follow each other joined; once for each value. */
function awkVersions(code: string): readonly string[] {
  const values = new Map<string, string[]>();
  const text = withJoinedStrings(code);
  for (const [, name = "", value = ""] of [...text.matchAll(AWK_ASSIGNED)].slice(0, MAX_ASSIGNED))
    values.set(name, [...(values.get(name) ?? []), value]);
  const count = Math.max(1, ...[...values.values()].map(({ length }) => length));
  return Array.from({ length: count }, (_, turn) =>
    withJoinedStrings(
      text.replace(
        AWK_NAME,
        (found: string, name?: string) => values.get(name ?? "")?.at(Math.min(turn, (values.get(name ?? "")?.length ?? 1) - 1)) ?? found,
      ),
    ),
  );
}

function withJoinedStrings(text: string): string {
  return text.replace(
    new RegExp(String.raw`(${STRING})(?:[ \t]*${STRING})+`, "g"),
    (all) => `"${[...all.matchAll(new RegExp(STRING, "g"))].map(([one]) => one.slice(1, -1)).join("")}"`,
  );
}

function unquote(literal: string): string {
  return unescapeLiteral(literal.slice(1, -1));
}

/** Every piece of a command that may be awk code. */
export function awkCodes(words: readonly ShellWord[], stdin: Input, span: Span): readonly Code[] {
  const isProgram = words.some(({ text }, at) => {
    const file = /^(?:-f|-E|--file=|--exec=)(.+)$/.exec(text)?.[1] ?? (/^(?:-f|-E|--file|--exec)$/.test(text) ? words[at + 1]?.text : "");
    return file === "-" || file === "/dev/stdin";
  });
  // `-v c='rm x'`
  const given = words.flatMap(({ text }, at) => {
    const value = words[at - 1]?.text === "-v" ? text : /^(?:-v|--assign=)(.+)$/s.exec(text)?.[1];
    const [, name, rest] = /^(\w+)=(.*)$/s.exec(value ?? "") ?? [];
    return name === undefined ? [] : [`${name}="${(rest ?? "").replaceAll('"', '\\"')}";`];
  });
  const inWords = words.slice(1).map((word) => ({ text: given.join("") + word.text, at: word }));
  const input = stdin?.kind === "text" && isProgram ? [{ text: stdin.text, at: { span } }] : [];
  return [...input, ...inWords, ...substitutedFiles(words)];
}
