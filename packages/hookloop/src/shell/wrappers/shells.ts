import { type ShellWord, UNKNOWN } from "../types.ts";
import { programName } from "./program-name.ts";
import { readOptions } from "./read-options.ts";
import {
  dynamicScript,
  type Input,
  isSpecialFile,
  readsItsCommands,
  type Started,
  scriptIn,
  scriptText,
  unknownOption,
} from "./started.ts";
import type { Wrapper } from "./wrapper.ts";

/** Shells: `-c` makes the first operand a script; without operands the script comes from stdin. */
export const SHELLS: ReadonlySet<string> = new Set([
  "sh",
  "bash",
  "zsh",
  "dash",
  "ksh",
  "mksh",
  "ash",
  "rbash",
  "fish",
  "csh",
  "tcsh",
  "yash",
  "posh",
  "lksh",
  "rksh",
  "oksh",
  "osh",
  "hush",
]);

/** Whether text that this program hands to a shell may be read by another one than bash. */
export function mayBePosix(name: string): boolean {
  return !/^(?:r?bash|zsh)$/.test(name);
}

const SHELL_OPTIONS: Wrapper = {
  flags: "abcdefghiklmnprstuvxBCDEFGHIJKLMNPQRTVWXYZ",
  valued: "oO",
  longFlags: [
    "login",
    "noediting",
    "noprofile",
    "norc",
    "posix",
    "restricted",
    "verbose",
    "interactive",
    "debugger",
    "no-config",
    "private",
    "version",
    "help",
  ],
  longValued: ["init-file", "rcfile", "command", "init-command", "emulate"],
};

/** What a shell runs: the script in its words, or its input. */
export function startedByShell(words: readonly ShellWord[], stdin: Input): readonly Started[] {
  const name = programName(words);
  const { rest: operands, letters, values, unknown } = readOptions(words, SHELL_OPTIONS);
  // `bash -`: a lone dash ends the options, like `--`.
  const rest = operands[0]?.text === "-" ? operands.slice(1) : operands;
  const isPosix = mayBePosix(name);
  const startFile = (values.get("rcfile") ?? values.get("init-file"))?.text ?? "";
  const doubts = [
    ...(unknown === undefined ? [] : [unknownOption(name, unknown)]),
    ...(startFile.includes(UNKNOWN) || isSpecialFile(startFile) ? [dynamicScript()] : []),
  ];
  // Only a check of the syntax.
  if (letters.includes("n") && !words.some(({ text }) => text.startsWith("+"))) return doubts;
  const long = values.get("command") ?? values.get("init-command");
  if (long) return [...doubts, ...scriptIn([long], { isPosix })];
  if (letters.includes("c")) return [...doubts, ...scriptIn(rest.slice(0, 1), { positionals: rest.slice(1), isPosix })];
  if (words.some(({ text }) => text === "--version" || text === "--help")) return doubts;
  // An unquoted word of which nothing is known may be `-c` and more.
  if (rest[0]?.text === UNKNOWN) return [...doubts, dynamicScript()];
  if (rest[0] && isSpecialFile(rest[0].text) && !letters.includes("s")) return [...doubts, ...startedByInput(name, stdin)];
  const readsStdin = rest.length === 0 || letters.includes("s");
  if (!readsStdin || unknown !== undefined) return doubts;
  return [...doubts, ...startedByInput(name, stdin)];
}

/** Commands that come from stdin. */
export function startedByInput(name: string, stdin: Input): readonly Started[] {
  if (stdin?.kind === "text") return scriptText(stdin.text, stdin.span, { isStdin: true, isPosix: mayBePosix(name) });
  // A file is no better known when it is named as an operand.
  const file = stdin?.kind === "file" ? stdin.target?.text : undefined;
  if (file !== undefined && !file.includes(UNKNOWN) && !isSpecialFile(file) && file !== "-") return [];
  return [readsItsCommands(name)];
}
