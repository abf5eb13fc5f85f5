import { type ShellWord, UNKNOWN } from "../../types.ts";
import { programName } from "../../wrappers/program-name.ts";
import type { ShellState } from "./shell-state.ts";

const CHANGES_VARIABLES = new Set([
  "read",
  "mapfile",
  "readarray",
  "getopts",
  "let",
  "unset",
  "printf",
  "wait",
  "set",
  "shift",
  "source",
  ".",
  "vared",
  "zparseopts",
  "zstyle",
  "shopt",
  "setopt",
  "unsetopt",
  "emulate",
]);
const DECLARES = new Set(["export", "declare", "typeset", "local", "readonly"]);

/** What a command changes in the shell that runs it. */
export function applyEffects(words: readonly ShellWord[], state: ShellState, isPosix: boolean): void {
  const name = programName(words);
  const args = words.slice(1);
  const definition = state.functions.get(name);
  if (definition) {
    state.forget();
    if (definition.changesFolder) state.folder = UNKNOWN;
    return;
  }
  if (name.includes(UNKNOWN)) {
    state.forget();
    state.folder = UNKNOWN;
  } else if (name === "cd" || name === "chdir" || (name === "pushd" && !isPosix)) state.changeFolder(operandOf(args));
  else if (name === "popd" || name === "pushd") state.folder = UNKNOWN;
  else if (name === "trap") state.giveUp();
  else if (name === "alias") for (const { text } of args) state.aliases.add(text.split("=")[0] ?? "");
  else if (DECLARES.has(name)) declareVariables(name, args, state);
  else if (CHANGES_VARIABLES.has(name)) {
    if (name !== "printf" || args[0]?.text.startsWith("-")) state.forgetNamed(args);
  }
}

/** `cd -P -- folder`. */
function operandOf(args: readonly ShellWord[]): ShellWord | undefined {
  return args.find(({ text }, index) => !/^-[LPe@]*$/.test(text) || text === "-" || args[index - 1]?.text === "--") ?? undefined;
}

/** `export a=b` is an assignment; with options the variable may work in another way. */
function declareVariables(name: string, args: readonly ShellWord[], state: ShellState): void {
  const isPlain = args.every(({ text }) => /^\w+(?:=|$)/.test(text));
  if (!isPlain) {
    state.forgetNamed(args);
    return;
  }
  for (const { text } of args) {
    const [variable = "", value] = text.split(/=(.*)/s);
    if (value !== undefined) state.assign(variable, value);
    if (name === "readonly") state.freeze(variable);
  }
}
