import { isSpecialFile, programName } from "../programs/started.ts";
import { type ShellWord, UNKNOWN } from "../types.ts";
import { loadParser, wordSet } from "../words.ts";
import type { Findings, Place, Reader } from "./findings.ts";
import { mayChangeFolder, ShellState } from "./shell-state.ts";

/** Ends the here-document in which text is parsed: there `$(…)` and backticks are commands, and quotes are text. */
const END = "hookloop-end-of-text";

/**
 * SECURITY: reads the commands in quoted text as soon as anything in the line evaluates text, whether or not this text is seen to get
 * there: `[[ -v 'a[$(rm x)]' ]]` runs rm. Where text does get there, or may, more may run than is read.
 */
export function readEvaluated(reader: Reader): void {
  const { found } = reader;
  const seen = new Set<string>();
  for (;;) {
    // What is read adds more of both.
    const next = found.texts.find(({ text, isScript }) => !seen.has(text) && (isScript || found.evaluated.isActive));
    if (!next) break;
    seen.add(next.text);
    const state = new ShellState(next.place.state);
    state.forget();
    // It runs where the text stands, and the state is that of the end.
    if (mayChangeFolder(next.place.source)) state.folders.goAnywhere();
    const inside = { ...next.place, state, stdin: undefined, redirects: [], printsData: false, isAssignment: false };
    if (next.isScript) reader.readScript(next.text, inside);
    else readText(next.text, inside, reader);
  }
  for (const { text, span } of found.startFiles)
    if (isSpecialFile(text)) found.doubt("dynamic-script", "A shell runs commands from a place that is known only when it runs.", span);
  for (const { span, how } of found.evaluated.hidden(found.commands, found.functions)) {
    const what = { code: "arithmetic or a subscript", name: "the name of a variable", prompt: "a prompt" }[how];
    found.doubt("dynamic-script", `The shell evaluates text as ${what}, and runs the commands in it.`, span);
  }
}

function readText(text: string, place: Place, { found, readNode }: Reader): void {
  if (!found.mayParse(text)) return;
  const source = `: <<${END}\n${text}\n${END}\n`;
  const { commands, errors } = loadParser().parse(source);
  const command = commands[0]?.command;
  const redirect = command?.type === "Command" ? command.redirects[0] : undefined;
  if (errors?.length || commands.length !== 1 || redirect?.type !== "HereDoc" || text.includes(END)) {
    found.doubt("unparsable", "Text that is evaluated could not be parsed.", place.fixed);
    return;
  }
  readNode(redirect.body, { ...place, source });
}

/** Programs around a command that leave it in the shell itself. */
const SAME_SHELL = wordSet("eval builtin command noglob time trap source . exec");
/** An assignment in arithmetic, or text that may become one. */
const ASSIGNS = /(?<![=!<>])=(?!=)|<<=|>>=|\+\+|--|\\|\$'|\uFFFF/;
/** Builtins whose words name variables. */
const NAMES_VARIABLES = wordSet(
  "read mapfile readarray getopts unset export declare typeset local readonly integer float vared zparseopts",
);
/** Those to which `-n` and `-i` mean nothing of that kind. */
const READS = wordSet("read mapfile readarray unset");
/** Builtins that take a variable with its subscript. */
const TAKES_SUBSCRIPT = new Set(["test", "["]);

/**
 * A variable is set here, by whatever means bash has for it: `PATH=x` is only one of them. `UNKNOWN`: any may be, where the name is known only
 * when it runs, and in arithmetic.
 */
export function noteSet(name: string, { wrapping }: Place, found: Findings): void {
  if (wrapping.names.every((program) => SAME_SHELL.has(program))) found.sets.add(name);
}

/** Arithmetic, in which any name may be assigned. */
export function noteArithmetic(code: string, place: Place, found: Findings): void {
  if (ASSIGNS.test(code)) noteSet(UNKNOWN, place, found);
}

/** A name with a subscript: `a[x=1]`. */
export function noteSubscripted(text: string, place: Place, found: Findings): void {
  const start = text.indexOf("[");
  if (start !== -1) noteArithmetic(text.slice(start), place, found);
}

/** What a builtin sets. */
export function noteBuiltin(words: readonly ShellWord[], place: Place, found: Findings): void {
  const name = programName(words);
  const args = words.slice(1);
  if (name === "let") for (const { text } of args) noteArithmetic(text, place, found);
  else if (name === "printf" || name === "wait") noteOption(args, name === "printf" ? "v" : "p", place, found);
  else if (TAKES_SUBSCRIPT.has(name)) for (const { text } of args) noteSubscripted(text, place, found);
  else if (NAMES_VARIABLES.has(name)) for (const word of args) noteNamed(word, READS.has(name), place, found);
}

/** `printf -v NAME`, `wait -p NAME`. */
function noteOption(args: readonly ShellWord[], letter: string, place: Place, found: Findings): void {
  for (const [index, { text }] of args.entries()) {
    const at = text.startsWith("-") ? text.indexOf(letter) : -1;
    // An unquoted variable may be the option with its value.
    if (text.startsWith(UNKNOWN) && index === 0) noteSet(UNKNOWN, place, found);
    if (at === -1) continue;
    const value = text.slice(at + 1) || args[index + 1]?.text || UNKNOWN;
    noteSubscripted(value, place, found);
    noteSet(variableIn(value), place, found);
  }
}

/** Any word may be the name, and so may the end of an option: `read -raNAME`. */
function noteNamed({ text, source }: ShellWord, isReader: boolean, place: Place, found: Findings): void {
  noteSubscripted(text, place, found);
  if (/^[-+]/.test(text)) {
    // `declare -n`: what is assigned lands elsewhere; `-i`: what is assigned is arithmetic.
    if ((!isReader && /^-[a-zA-Z]*[ni]/.test(text)) || text.includes(UNKNOWN)) noteSet(UNKNOWN, place, found);
    for (let at = 2; at < Math.min(text.length, MAX_LETTERS); at++) noteSet(variableIn(text.slice(at)), place, found);
    return;
  }
  // `x=(…)` as written is unknown as a whole.
  const list = text === UNKNOWN ? /^(\w+)\+?=\(/.exec(source)?.[1] : undefined;
  noteSet(list ?? variableIn(text), place, found);
}

const MAX_LETTERS = 64;

/** The name at the start of a text; nothing that could be a name sets nothing. */
function variableIn(text: string): string {
  const name = /^\w*/.exec(text)?.[0] ?? "";
  return text[name.length] === UNKNOWN ? UNKNOWN : name;
}
