import { findOption, readArguments } from "../../arguments/read-arguments.ts";
import type { ShellWord } from "../../types.ts";
import { type Call, has, type Report } from "../call/call.ts";
import { effective } from "./options.ts";

const OVERWRITES = "it overwrites files with committed versions: changes in them are lost";
/** Words that may follow an option with an optional value. */
const OPTION_WORDS: Readonly<Record<string, RegExp>> = {
  "--track": /^(?:direct|inherit)$/,
  "-t": /^(?:direct|inherit)$/,
  "--recurse-submodules": /^(?:on-demand|checkout|yes|no)$/,
};
const VALUED: ReadonlySet<string> = new Set([
  "-b",
  "-B",
  "--orphan",
  "--conflict",
  "--pathspec-from-file",
  "--unified",
  "-U",
  "--inter-hunk-context",
]);

const CHOOSES_FILES = ["--ours", "--theirs", "-2", "-3", "-p", "--patch", "--pathspec-from-file"];
/** So short that no other option of `checkout` begins the same. */
const SHORTEST = "--our".length;

/** `checkout` switches branches or overwrites files, by what follows it. */
export function judgeCheckout(call: Call, report: Report): void {
  if (has(call, "--help")) return;
  const words = call.words.slice(1).filter((word, at, list) => !OPTION_WORDS[list[at - 1]?.text ?? ""]?.test(word.text));
  const given = effective(readArguments(words, VALUED), call.name);
  const names = new Set(given.options.map(({ name }) => name));
  if (names.has("-f") || [...names].some((name) => /^--f(?:o(?:r(?:c(?:e)?)?)?)?$/.test(name))) {
    report("git-discards-work", "it throws away changes that are in no commit");
    return;
  }
  if (findOption(given, CHOOSES_FILES, SHORTEST) || given.afterDashes.length > 0) {
    report("git-discards-work", OVERWRITES);
    return;
  }
  if (names.has("-b") || names.has("-B") || names.has("--orphan")) return;
  judgeCheckoutOperands(given.operands, report);
}

/** `1.2.x`: a branch of releases, not a file. */
const VERSION = /(?:^|[/-])v?\d+(?:\.\d+)*\.x$/i;

function judgeCheckoutOperands(operands: readonly ShellWord[], report: Report): void {
  const [first] = operands;
  if (operands.length > 1) report("git-discards-work", OVERWRITES, operands[1]);
  else if (first && /^(?:\.|\.\.?\/.*|:\/?.*|.*\/|.*[*?].*)$/.test(first.text)) report("git-discards-work", OVERWRITES, first);
  else if (first && /\.[a-z][a-z\d]{0,4}$/i.test(first.text) && !VERSION.test(first.text))
    report("git-loses-reference", `if ${first.text} is a file, ${OVERWRITES}`, first);
}

const RESTORE_VALUED: ReadonlySet<string> = new Set([
  "-s",
  "--source",
  "--pathspec-from-file",
  "--conflict",
  "-U",
  "--unified",
  "--inter-hunk-context",
]);

/** `restore` overwrites files unless it only touches the index. Naming one of the two targets switches the other off. */
export function judgeRestore(call: Call, report: Report): void {
  const { options, operands } = readArguments(call.words.slice(1), RESTORE_VALUED);
  const names = options.map(({ name }) => name);
  if (names.some((name) => isLong(name, "--help") || name === "-h")) return;
  const staged = lastOf(names, ["-S", "--staged"]);
  const worktree = lastOf(names, ["-W", "--worktree"]);
  const reachesFiles = worktree ?? staged === undefined;
  const hasFiles = operands.length > 0 || lastOf(names, ["-p", "--patch"]) || names.some((name) => isLong(name, "--pathspec-from-file"));
  if (reachesFiles && hasFiles) report("git-discards-work", OVERWRITES, operands[0]);
}

/** Whether an option is on, off (`--no-…`), or not named; the last one counts. */
function lastOf(names: readonly string[], [letter, long]: readonly [string, string]): boolean | undefined {
  const last = names.findLast((name) => name === letter || isLong(name, long) || name === `--no-${long.slice(2)}`);
  return last === undefined ? undefined : !last.startsWith("--no-");
}

function isLong(given: string, full: string): boolean {
  return given === full || (given.length >= (full === "--worktree" ? 3 : 4) && full.startsWith(given));
}
