/** awk and sed: small languages that start shell text. */
import type { ShellWord } from "../../types.ts";
import type { Call, Report } from "../call/call.ts";
import { unescapeLiteral } from "../call/escapes.ts";
import { placeOfText } from "../call/place.ts";
import type { Judge } from "../rule.ts";

const STRING = /"(?:[^"\\]|\\.)*"/.source;
const AWK_SYSTEM = new RegExp(String.raw`\bsystem\s*\(\s*(?:(${STRING})\s*(\)?)|[^)])`, "g");
/** `"…" | getline`, `print | "…"`; the third group: text that is joined to it. */
const AWK_PIPE = new RegExp(String.raw`(${STRING})\s*\|&?\s*getline|\|&?\s*\(?\s*(${STRING})[ \t]*([\w$("]?)`, "g");
/** `("…" $1) | getline`. */
const AWK_JOINED = new RegExp(String.raw`\(\s*(${STRING})[^()|"]*\)\s*\|&?\s*getline`, "g");
/** `"rm" " -rf /" | getline`. */
const AWK_STRINGS = new RegExp(String.raw`(?:${STRING}\s*){2,8}(?=\|&?\s*getline)`, "g");
const AWK_WRITES = /\bprintf?\b[^;{}\n|]*>>?\s*"(\/[^"]*)"/g;
/** `cmd | getline`, `print | cmd`: the command is in a variable. */
const AWK_VARIABLE = /(?<![|/\w])[A-Za-z_]\w*\s*\|&?\s*getline|\bprintf?\b[^;{}\n/|]*\|(?!\|)&?\s*(?!getline)[A-Za-z_$]/;
const A_SHELL = /^"\s*(?:\S*\/)?(?:ba|z|da|k|a)?sh(?:\s+-\w+)*\s*"$/;

/** awk starts shell text with `system("…")`, `"…" | getline` and `print | "…"`. */
function judgeAwk(call: Call, report: Report): void {
  const { stdin, span } = call.command;
  const isProgram = call.given.options.some(
    ({ name, value }) => /^(?:-f|-E|--file|--exec)$/.test(name) && /^(?:-|\/dev\/stdin)$/.test(value ?? ""),
  );
  if (stdin?.kind === "text" && isProgram) judgeAwkCode(stdin.text, { span }, call, report);
  for (const word of call.words.slice(1)) {
    judgeAwkCode(word.text, word, call, report);
    for (const part of word.parts) if (part.kind === "computed" && /^<\(/.test(part.source)) judgeAwkCode(part.source, word, call, report);
  }
}

function judgeAwkCode(text: string, at: Pick<ShellWord, "span">, call: Call, report: Report): void {
  const judge = (literal: string, isJoined: boolean): void =>
    call.scene.judgeText(isJoined ? `${unquote(literal)}"$unknown"` : unquote(literal), at.span);
  for (const [, literal, end] of text.matchAll(AWK_SYSTEM)) {
    if (literal) judge(literal, false);
    if (!literal || end !== ")") report("inline-unknown-command", "its code runs what it reads as commands", at);
  }
  for (const [, before, after, joined] of text.matchAll(AWK_PIPE)) {
    judge(before ?? after ?? "", Boolean(joined));
    if (A_SHELL.test(after ?? "")) report("inline-unknown-command", "its code runs what it prints as commands", at);
  }
  for (const [, literal = ""] of text.matchAll(AWK_JOINED)) judge(literal, true);
  for (const [words] of text.matchAll(AWK_STRINGS))
    judge(`"${[...words.matchAll(new RegExp(STRING, "g"))].map(([string]) => string.slice(1, -1)).join("")}"`, false);
  judgeAwkWrites(text, at, call, report);
  if (/@[A-Za-z_]\w*\s*\(/.test(text)) report("inline-unknown-command", "its code calls what it names only when it runs", at);
  if (AWK_VARIABLE.test(text) || /\|&?\s*\$\d|\$\d+\s*\|\s*getline/.test(text))
    report("inline-unknown-command", "its code runs what it reads as commands", at);
}

function judgeAwkWrites(text: string, at: Pick<ShellWord, "span">, call: Call, report: Report): void {
  for (const [, path = ""] of text.matchAll(AWK_WRITES)) {
    const { kind } = placeOfText(path, call);
    if (kind === "device") report("overwrite-device", "its code writes over a device", at);
    else if (kind === "system") report("overwrite-system", "its code writes to a folder of the system", at);
  }
}

function unquote(literal: string): string {
  return unescapeLiteral(literal.slice(1, -1));
}

const SED_WRITES = /(?:^|[;{}]\s*|\$|\d|[/|#@,][gipIm\d]*)w\s+[\w./~]/;
const SED_EXECUTES = /^\d*e(?:\s+\S|$)|[;{}]\s*\d*e(?:\s|$)/;
const SED_COMMAND = /(?:^|[;{}]\s*)(?:\d+|\$)?e\s+([^\n]+)/;
const SED_REPLACED = /^s(.)(?:\\.|(?!\1)[^\\])*\1((?:\\.|(?!\1)[^\\])*)\1[gipIm\d]*e/s;

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

const MAX_FLAGS = 64;

function executes(text: string): boolean {
  return SED_EXECUTES.test(text) || runsReplacement(text);
}

/** sed writes files with `w` and runs commands with `e`. */
function judgeSed(call: Call, report: Report): void {
  for (const word of call.words.slice(1)) {
    const { text } = word;
    if (!SED_WRITES.test(text) && !executes(text)) continue;
    report("runs-helper", "its script writes a file or runs a command", word);
    const command = SED_COMMAND.exec(text)?.[1] ?? SED_REPLACED.exec(text)?.[2]?.replace(/\\(.)/g, "$1");
    if (command && executes(text)) call.scene.judgeText(command, word.span);
  }
}

export const TEXT_LANGUAGE_RULES: readonly Judge[] = [
  { programs: "awk", judge: judgeAwk },
  { programs: "sed gsed", judge: judgeSed },
];
