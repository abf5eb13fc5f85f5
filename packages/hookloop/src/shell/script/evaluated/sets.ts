/**
 * Takes what the walk meets. Notes which variables the line sets in its own shell, by whatever means bash has for it: `PATH=x` is only one
 * of them. Refuses to guess: where the name is known only when it runs, and in arithmetic, it may be any.
 */
import { type ShellWord, UNKNOWN } from "../../types.ts";
import { programName } from "../../wrappers/program-name.ts";
import type { Findings } from "../findings.ts";
import type { Place } from "../place.ts";

/** Programs around a command that leave it in the shell itself. */
const SAME_SHELL = new Set(["eval", "builtin", "command", "noglob", "time", "trap", "source", ".", "exec"]);
/** An assignment in arithmetic, or text that may become one. */
const ASSIGNS = /(?<![=!<>])=(?!=)|<<=|>>=|\+\+|--|\\|\$'|\uFFFF/;
/** Builtins whose words name variables. */
const NAMES_VARIABLES = new Set(
  "read mapfile readarray getopts unset export declare typeset local readonly integer float vared zparseopts".split(" "),
);
/** Those to which `-n` and `-i` mean nothing of that kind. */
const READS = new Set(["read", "mapfile", "readarray", "unset"]);
/** Builtins that take a variable with its subscript. */
const TAKES_SUBSCRIPT = new Set(["test", "["]);

/** A variable is set here; `UNKNOWN`: any may be. */
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
