/**
 * Takes code of another language. Gives the shell texts and the lists of words that it starts, as far as they stand in the code as literals.
 * Guesses freely: a call that only looks like one adds a command that does not run. Whoever forbids commands wants it so.
 */
import { unescapeLiteral } from "../../arguments/escapes.ts";

/** Something that code starts: shell text, or a program with its words. */
export type StartedText = string | readonly string[];

export const LITERAL: string = /(?:"""[\s\S]*?"""|'''[\s\S]*?'''|"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|`[^`]*`)/.source;
export const LITERALS: RegExp = new RegExp(LITERAL, "gs");
/** A call that starts a program, with its literal words: `system("…")`, `run(["rm", "-rf"])`. */
const STARTS = new RegExp(
  String.raw`(?<![\w])(?:system\*?|readpipe|popen\w*|Popen|exec(?:Sync|File|FileSync|v|vp|vpe|ve|l|lp|le|lpe)?|execa(?:Sync|Command|CommandSync)?|pcntl_exec|posix_spawnp?|spawn(?:Sync|\w{1,4})?|create_subprocess_\w+|check_call|check_output|getoutput|getstatusoutput|shell_exec|passthru|proc_open|open3|capture\w*|execute|cmd|run|call|command|Command(?:\.new)?|shell|call-process(?:-shell-command)?|start-process|(?:async-)?shell-command(?:-to-string)?|run-program|do shell script)\s*(?:\{[^{}]{0,80}\}\s*)?(?:\(\s*)?(?:(?:os\.)?P_\w+\s*,\s*)?(?:\w{1,20}\s*=(?!=)\s*)?(?:[[(]\s*)?[rbfu]{0,2}(${LITERAL}(?:\s*,\s*(?:\[\s*)?${LITERAL})*)\s*([+.%\w]?)`,
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
const ASSIGNED = new RegExp(
  String.raw`(?<![\w.])([$@]?[A-Za-z_]\w{0,40})\s{0,9}=\s{0,9}[rbfu]?(${LITERAL}|\[\s*${LITERAL}(?:\s*,\s*${LITERAL})*\s*\])`,
  "gs",
);
const MAX_ASSIGNED = 16;
const BACKTICK_LANGUAGES: ReadonlySet<string> = new Set(["perl", "ruby", "php", "julia", "crystal"]);
const MAX_NESTED = 3;
/** `q(…)`, `qq{…}`. */
const PERL_QUOTES = /(?<![\w$@%&>])qq?\s?(?:\(([^()]*)\)|\{([^{}]*)\}|\[([^[\]]*)\]|<([^<>]*)>|\/([^/]*)\/|\|([^|]*)\|)/g;
const PERL_BRACKETS = 6;

/** What code starts. `language`: the program that runs it. */
export function textsInCode(code: string, language: string, depth = 0): readonly StartedText[] {
  const quoted = language === "perl" ? code.replace(PERL_QUOTES, (_, ...groups: readonly string[]) => asLiteral(groups)) : code;
  const text = withKnownValues(quoted.replace(JOINED, ""));
  const found: StartedText[] = [];
  for (const inner of depth < MAX_NESTED ? evaluatedIn(text) : []) found.push(...textsInCode(inner, language, depth + 1));
  for (const pattern of [STARTS, OPENS_LIST]) for (const [, words = ""] of text.matchAll(pattern)) found.push(...startedByLiterals(words));
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
function startedByLiterals(text: string): readonly StartedText[] {
  const [first = "", second, ...rest] = literalsIn(text);
  // `execvp("touch", ["touch", "m"])`: a program is told its own name.
  const isNamed = second !== undefined && second === first.slice(first.lastIndexOf("/") + 1);
  const literals = [first, ...(second === undefined || isNamed ? [] : [second]), ...rest];
  const isPlain = literals.length < 2 || literals.every((literal) => /^[\w./:=@%+,-]+$/.test(literal));
  return isPlain ? [literals.join(" ")] : [literals.join(" "), literals];
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
