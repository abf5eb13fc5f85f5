/** awk and sed: small languages that start shell text. */
import { unescapeLiteral } from "../../arguments/escapes.ts";
import type { ShellWord, Span } from "../../types.ts";
import type { Input } from "../started.ts";
import { type Code, substitutedFiles } from "./inline-code.ts";

const STRING = /"(?:[^"\\]|\\.)*"/.source;
const AWK_SYSTEM = new RegExp(String.raw`\bsystem\s*\(\s*(?:(${STRING})\s*(\)?)|[^)])`, "g");
/** `"…" | getline`, `print | "…"`; the third group: text that is joined to it. */
const AWK_PIPE = new RegExp(String.raw`(${STRING})\s*\|&?\s*getline|\|&?\s*\(?\s*(${STRING})[ \t]*([\w$("]?)`, "g");
/** `("…" $1) | getline`. */
const AWK_JOINED = new RegExp(String.raw`\(\s*(${STRING})[^()|"]*\)\s*\|&?\s*getline`, "g");
/** `"rm" " -rf /" | getline`. */
const AWK_STRINGS = new RegExp(String.raw`(?:${STRING}\s*){2,8}(?=\|&?\s*getline)`, "g");
/** `cmd | getline`, `print | cmd`: the command is in a variable. */
const AWK_VARIABLE = /(?<![|/\w])[A-Za-z_]\w*\s*\|&?\s*getline|\bprintf?\b[^;{}\n/|]*\|(?!\|)&?\s*(?!getline)[A-Za-z_$]/;
const A_SHELL = /^"\s*(?:\S*\/)?(?:ba|z|da|k|a)?sh(?:\s+-\w+)*\s*"$/;
const AWK_ASSIGNED = new RegExp(String.raw`(?<![\w$])([A-Za-z_]\w*)\s*=\s*(${STRING})`, "g");
const MAX_ASSIGNED = 16;

/** What awk code starts, and why that may not be all. */
export interface AwkReading {
  readonly texts: readonly string[];
  /** As `its code …`. */
  readonly unknown: readonly string[];
}

/** awk starts shell text with `system("…")`, `"…" | getline` and `print | "…"`. */
export function readAwk(code: string): AwkReading {
  const text = withKnownValues(code);
  const texts: string[] = [];
  const unknown: string[] = [];
  const add = (literal: string, isJoined: boolean): void => {
    texts.push(isJoined ? `${unquote(literal)}"$unknown"` : unquote(literal));
  };
  for (const [, literal, end] of text.matchAll(AWK_SYSTEM)) {
    if (literal) add(literal, false);
    if (!literal || end !== ")") unknown.push("runs what it reads as commands");
  }
  for (const [, before, after, joined] of text.matchAll(AWK_PIPE)) {
    add(before ?? after ?? "", Boolean(joined));
    if (A_SHELL.test(after ?? "")) unknown.push("runs what it prints as commands");
  }
  for (const [, literal = ""] of text.matchAll(AWK_JOINED)) add(literal, true);
  for (const [words] of text.matchAll(AWK_STRINGS))
    add(`"${[...words.matchAll(new RegExp(STRING, "g"))].map(([string]) => string.slice(1, -1)).join("")}"`, false);
  if (/@[A-Za-z_]\w*\s*\(/.test(text)) unknown.push("calls what it names only when it runs");
  if (AWK_VARIABLE.test(text) || /\|&?\s*\$\d|\$\d+\s*\|\s*getline/.test(text)) unknown.push("runs what it reads as commands");
  return { texts, unknown };
}

/** `BEGIN { c = "rm x"; system(c) }`. */
function withKnownValues(text: string): string {
  let filled = text;
  for (const [, name = "", value = ""] of [...text.matchAll(AWK_ASSIGNED)].slice(0, MAX_ASSIGNED)) {
    filled = filled
      .replace(new RegExp(`(\\bsystem\\s{0,9}\\(\\s{0,9})${name}(?=\\s{0,9}\\))`, "g"), (_, call: string) => call + value)
      .replace(new RegExp(`(?<![\\w$])${name}(?=\\s{0,9}\\|&?\\s{0,9}getline)`, "g"), () => value)
      .replace(new RegExp(`(\\|&?\\s{0,9})${name}(?![\\w(])`, "g"), (_, pipe: string) => pipe + value);
  }
  return filled;
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

const SED_WRITES = /(?:^|[;{}]\s*|\$|\d|[/|#@,][gipIm\d]*)w\s+[\w./~]/;
const SED_EXECUTES = /^\d*e(?:\s+\S|$)|[;{}]\s*\d*e(?:\s|$)|^(?:\d+|\$|\/[^/\n]*\/)(?:,(?:\d+|\$|\/[^/\n]*\/))?\s*!?\s*e(?:\s|$)/;
const SED_COMMAND = /(?:^|[;{}\n]\s*)(?:(?:\d+|\$|\/[^/\n]*\/)(?:,(?:\d+|\$|\/[^/\n]*\/))?\s*!?\s*)?e\s+([^\n]+)/;
const SED_REPLACED = /^s(.)(?:\\.|(?!\1)[^\\])*\1((?:\\.|(?!\1)[^\\])*)\1[gipIm\d]*e/s;
const MAX_FLAGS = 64;

/** `s/x/y/e`: behind the third delimiter stand only flags, `e` among them. Not one expression: it would take time to the fourth power. */
function runsReplacement(text: string): boolean {
  const delimiter = text.charAt(1);
  if (!text.startsWith("s") || delimiter === "") return false;
  const second = text.indexOf(delimiter, 2);
  const third = second < 0 ? -1 : text.indexOf(delimiter, second + 1);
  const flags = /[egipIm\d]*$/.exec(text.slice(-MAX_FLAGS))?.[0] ?? "";
  const last = text.lastIndexOf(delimiter, text.length - 1);
  const isFlag = /[egipIm\d]/.test(delimiter);
  return third >= 0 && flags.includes("e") && (isFlag || text.length - last - 1 <= flags.length);
}

/** What a sed script does beside editing: it writes files with `w` and runs commands with `e`. */
export function readSed(text: string): { readonly isMore: boolean; readonly command: string | undefined } {
  const executes = SED_EXECUTES.test(text) || runsReplacement(text);
  if (!executes) return { isMore: SED_WRITES.test(text), command: undefined };
  return { isMore: true, command: SED_COMMAND.exec(text)?.[1] ?? SED_REPLACED.exec(text)?.[2]?.replace(/\\(.)/g, "$1") };
}

/** `e` without a command, or a replacement that is made of what was read and then run. */
export function runsInput(text: string): boolean {
  const { command, isMore } = readSed(text);
  if (!isMore || !(SED_EXECUTES.test(text) || runsReplacement(text))) return false;
  return command === undefined || (runsReplacement(text) && /&|\\\d/.test(SED_REPLACED.exec(text)?.[2] ?? ""));
}
