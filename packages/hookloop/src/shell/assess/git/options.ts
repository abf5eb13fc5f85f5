import type { Arguments, GivenOption } from "../../arguments/read-arguments.ts";

/** Options of git that decide what is lost, and the letters for them. */
const LETTERS: Readonly<Record<string, string>> = {
  force: "-f",
  "dry-run": "-n",
  delete: "-d",
  interactive: "-i",
  patch: "-p",
  mirror: "",
  prune: "",
  "discard-changes": "",
};
/** `git reset` does what the last of these says. */
const RESET_MODES = ["hard", "soft", "mixed", "merge", "keep"];

/** The options that are still on at the end: a later `--no-force` takes `--force` and `-f` back. */
export function effective(given: Arguments, subcommand: string): Arguments {
  const options: GivenOption[] = [];
  for (const option of given.options) {
    if (option.name.startsWith("--no-")) removeFrom(options, fullName(option.name.slice("--no-".length)));
    else if (subcommand === "reset" && RESET_MODES.some((mode) => isModeOf(option.name, mode))) removeModes(options);
    options.push(option);
  }
  return { ...given, options };
}

/** SECURITY: `--no-force-with-lease` must not take `--force` back, so only a known name or its abbreviation counts. */
function fullName(text: string): string | undefined {
  if (text.length < 2) return undefined;
  return Object.hasOwn(LETTERS, text) ? text : Object.keys(LETTERS).find((name) => name.startsWith(text));
}

function removeFrom(options: GivenOption[], name: string | undefined): void {
  if (name === undefined) return;
  const kept = options.filter(
    (option) => option.name !== LETTERS[name] && !(option.name.startsWith("--") && fullName(option.name.slice(2)) === name),
  );
  options.splice(0, options.length, ...kept);
}

function removeModes(options: GivenOption[]): void {
  const kept = options.filter(({ name }) => !RESET_MODES.some((mode) => isModeOf(name, mode)));
  options.splice(0, options.length, ...kept);
}

function isModeOf(name: string, mode: string): boolean {
  return name.length > 3 && `--${mode}`.startsWith(name);
}
