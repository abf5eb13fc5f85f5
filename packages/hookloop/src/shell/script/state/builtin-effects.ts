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
    if (definition.changesFolder) state.folders.goAnywhere();
    return;
  }
  if (name.includes(UNKNOWN)) {
    state.forget();
    state.folders.goAnywhere();
  } else if (name === "cd" || name === "chdir" || (name === "pushd" && !isPosix && args.length > 0)) goTo(args, state);
  else if (name === "popd" || name === "pushd") state.folders.goAnywhere();
  else if (name === "trap") state.giveUp();
  else if (name === "alias") for (const { text } of args) state.aliases.add(text.split("=")[0] ?? "");
  else if (DECLARES.has(name)) declareVariables(name, args, state);
  else if (CHANGES_VARIABLES.has(name)) {
    if (name !== "printf" || args[0]?.text.startsWith("-")) state.forgetNamed(args);
  }
}

/** `cd -P -- folder`. */
function goTo(args: readonly ShellWord[], state: ShellState): void {
  const start = args.findIndex(({ text }) => !/^-[LPe@qs]+$/.test(text));
  const isPhysical = args.slice(0, start === -1 ? undefined : start).some(({ text }) => text.includes("P"));
  const rest = start === -1 ? [] : args.slice(args[start]?.text === "--" ? start + 1 : start);
  // `pushd +1` turns the stack, `pushd -n` stays, and to zsh two words are a part of the folder's name and what replaces it.
  if (rest.length > 1 || /^[-+]./.test(rest[0]?.text ?? "")) state.folders.goAnywhere();
  else state.changeFolder(rest[0], isPhysical);
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
