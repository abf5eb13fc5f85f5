import { findOption } from "../arguments.ts";
import { splitGit } from "../programs/git.ts";
import { optionForms } from "../programs/program.ts";
import { exportedBy, isHarmlessSetting, settingsOf } from "../programs/started-by-git.ts";
import type { ShellWord } from "../types.ts";
import { type Call, callOf, clearlyHas, has, isUnknown, type Report, readGiven } from "./call.ts";
import { effective, judgeGitPrograms, judgePush } from "./git-settings.ts";
import { compileRules, type Judge, type Rule, rules } from "./rule.ts";

const OVERWRITES = "it overwrites files with committed versions: changes in them are lost";
/** Words that may follow an option with an optional value. */
const OPTION_WORDS: Readonly<Record<string, RegExp>> = {
  "--track": /^(?:direct|inherit)$/,
  "-t": /^(?:direct|inherit)$/,
  "--recurse-submodules": /^(?:on-demand|checkout|yes|no)$/,
};

const CHOOSES_FILES = ["--ours", "--theirs", "-2", "-3", "-p", "--patch", "--pathspec-from-file"];
/** So short that no other option of `checkout` begins the same. */
const SHORTEST = "--our".length;

/** `checkout` switches branches or overwrites files, by what follows it. */
function judgeCheckout(call: Call, report: Report): void {
  if (has(call, "--help")) return;
  const words = call.words.filter((word, at, list) => !OPTION_WORDS[list[at - 1]?.text ?? ""]?.test(word.text));
  const given = effective(readGiven(words, optionForms("git checkout")), call.name);
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

/** `restore` overwrites files unless it only touches the index. Naming one of the two targets switches the other off. */
function judgeRestore(call: Call, report: Report): void {
  const { options, operands } = readGiven(call.words, optionForms("git restore"));
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

const REWRITES = "it destroys history or what keeps it";

/** Rows for what follows `git` and its own options; the first operand is the sub-command. */
const SUBCOMMANDS: readonly (Rule | Judge)[] = [
  { programs: "checkout", judge: judgeCheckout },
  { programs: "restore", judge: judgeRestore },
  { programs: "push send-pack http-push", judge: judgePush },
  ...rules(
    "git-discards-work",
    "it throws away changes that are in no commit",
    "reset: --hard --merge !--help",
    "switch: -f --force --discard-changes",
    "submodule: update -f --force",
    "read-tree: --reset",
    "checkout-index: -f --force",
    "rm: -f --force !-n !--dry-run !--cached !--help",
  ),
  ...rules("git-discards-work", "it deletes files that git does not track", "clean: -f --force !-n !--dry-run !--help"),
  ...rules(
    "git-loses-reference",
    "it deletes files that git does not track",
    "clean: -i --interactive !-n !--dry-run !--help !-f !--force",
  ),
  ...rules("git-discards-work", "it throws away stashed changes", "stash: drop|clear"),
  ...rules("git-discards-work", "it throws away the work of a rebase", "rebase: --abort"),
  ...rules("git-discards-work", "it throws away the work of resolving conflicts", "merge cherry-pick am revert: --abort"),
  ...rules("git-discards-work", "it removes a working tree with its changes", "worktree: remove -f --force"),
  ...rules("git-discards-work", "it removes a submodule with its changes", "submodule: deinit -f --force"),
  ...rules("git-loses-reference", "it leaves out the changes of a commit", "rebase am cherry-pick revert merge: --skip --quit"),
  ...rules("git-discards-work", "it overwrites without asking", "mv: -f --force"),
  ...rules("git-loses-reference", "it replaces local branches", [
    "fetch:",
    (call) => call.given.operands.some(({ text }) => replacesBranch(text, has(call, "-f", "--force"))),
  ]),
  ...rules("git-loses-reference", "it moves a reference", "update-ref: !-d !--delete !--stdin !--help"),
  ...rules("git-rewrites-history", "it deletes a branch whose commits may be nowhere else", ["branch:", deletesBranchByForce]),
  ...rules("git-loses-reference", "it moves a branch, whatever it holds", [
    "branch: -f --force -M -C",
    (call) => !deletesBranchByForce(call),
  ]),
  ...rules("git-loses-reference", "it deletes or moves a tag", "tag: -d --delete -f --force"),
  ...rules("git-rewrites-history", "it replaces the last commit", "commit: --amend"),
  ...rules("git-skips-checks", "it skips the checks of the repository", "commit push merge: --no-verify"),
  ...rules("runs-helper", "it brings hooks along that git will run", "clone init: --template"),
  ...rules("git-rewrites-history", "it rewrites the history of the repository", "filter-branch filter-repo:"),
  ...rules(
    "git-rewrites-history",
    "it destroys history or what keeps it",
    "reflog: expire|delete|drop !-n !--dry-run !--help",
    ["gc:", (call) => AT_ONCE.test(pruneValue(call))],
    "prune: !-n !--dry-run !--help",
  ),
  ...rules("git-loses-reference", "it destroys history or what keeps it", ["repack: -A --unpack-unreachable", (call) => has(call, "-d")]),
  ...rules("git-rewrites-history", "it deletes a reference", "update-ref symbolic-ref: -d --delete --stdin"),
  ...rules("git-loses-reference", "it replaces objects of the history", "replace: -f --force -d --delete"),
  ...rules("git-loses-reference", "it deletes notes", "notes: remove|prune"),
  ...rules("git-loses-reference", "it forgets a remote or its branches", "remote: remove|rm|prune"),
  ...rules("git-loses-reference", "it deletes large files that are kept locally", "lfs: prune"),
  ...rules("loads-code", "it makes git run another program from now on", ["config:", setsProgram]),
  ...rules("runs-helper", "it writes a file or runs a configured program", "diff log show format-patch: --output --ext-diff --textconv"),
  ...rules("runs-helper", "it runs a program on what it finds", "grep: -O --open-files-in-pager"),
  ...rules("runs-helper", "it runs a program at every step", "bisect: run"),
];

const judgeSubcommand = compileRules(SUBCOMMANDS);

function deletesBranchByForce(call: Call): boolean {
  return has(call, "-D") || (has(call, "-d", "--delete") && has(call, "-f", "--force"));
}

/** Moments so near that nothing which was lost lately survives them. */
const AT_ONCE = /^(?:now|all|today|0|\d+[. ]?(?:sec|min|hour|day))/i;

/** `+a:b`, or `a:b` by force: the local branch `b` loses what only it has. */
function replacesBranch(refspec: string, isForced: boolean): boolean {
  return (isForced ? /^(?!\w+:\/\/)\+?[^:@]+:(?!refs\/(?:remotes|tags)\/)./ : /^\+[^:]+:(?!refs\/remotes\/)/).test(refspec);
}

function pruneValue({ given }: Call): string {
  return given.options.findLast(({ name }) => name === "--prune")?.value?.text ?? "";
}

const READS_SETTING = ["--get", "--get-all", "--get-regexp", "--unset", "--unset-all", "--list"];

const RUNS_PROGRAM =
  /^(?:core\.(?:hookspath|sshcommand|pager|editor|fsmonitor|askpass|gitproxy)|alias\.|credential\.|filter\.|gpg\.program|include|diff\.external|merge\..*driver|protocol\.)/i;

function setsProgram({ given }: Call): boolean {
  const at = given.operands.findIndex(({ text }) => text.includes("."));
  const key = given.operands[at];
  if (!key) return false;
  // What begins with a dash after the name is its value.
  const after = given.options.find(({ word }) => word.span.start > key.span.start)?.word;
  const value = given.operands[at + 1] ?? after;
  const options = given.options.filter(({ word }) => word.span.start < key.span.start);
  if (!value || findOption({ ...given, options }, READS_SETTING)) return false;
  // Another file may never be read by git.
  if (findOption(given, ["-f", "--file"])) return RUNS_PROGRAM.test(key.text);
  return /^(?:alias|credential|protocol\..*allow$)/i.test(key.text) || !isHarmlessSetting(key.text, value.text);
}

/** Global options that point git at another repository, other programs or a pager. */
const ELSEWHERE = ["--exec-path", "--git-dir", "--work-tree", "--namespace", "--super-prefix", "--config-env"];

function judgeGit(call: Call, report: Report): void {
  const { globals, rest, options } = splitGit(call.words);
  const names = options.map(({ name }) => name.toLowerCase());
  if (names.some((name) => ELSEWHERE.includes(name)) || names.includes("--paginate") || globals.some(({ text }) => text === "-p")) {
    report("git-looks-elsewhere", "it makes git use another repository or other programs than usual", globals[0]);
  }
  const exported = call.scene.reading.commands.flatMap(exportedBy);
  const settings = settingsOf(call.words, [...exported, ...call.command.assignments]);
  const config = new Map([...settings].map(([name, { text }]) => [name, text]));
  if (rest.length === 0) return;
  if (isUnknown(rest[0])) report("unreadable", "what git shall do is known only when it runs", rest[0]);
  const inner = subcommandOf(call, rest);
  judgeSubcommand(inner, report);
  // `GIT CLEAN -FD`: a program that ignores the case of the name may ignore that of the options, too.
  if (/[A-Z]/.test(rest[0]?.text ?? "")) judgeSubcommand(subcommandOf(call, rest.map(inLowerCase)), report);
  if (inner.name === "gc" && EXPIRES.some((name) => AT_ONCE.test(config.get(name) ?? ""))) report("git-rewrites-history", REWRITES);
  if (
    inner.name === "clean" &&
    /^(?:false|no|off|0)$/i.test(config.get("clean.requireforce") ?? "") &&
    !clearlyHas(inner, "-n", "--dry-run")
  ) {
    report("git-discards-work", "it deletes files that git does not track");
  }
  judgeGitPrograms({ inner, config }, report);
}

const EXPIRES = ["gc.pruneexpire", "gc.reflogexpire", "gc.reflogexpireunreachable"];

function subcommandOf(call: Call, words: readonly ShellWord[]): Call {
  const inner = callOf(call.command, words, call.scene, "git");
  return { ...inner, given: effective(inner.given, inner.name) };
}

function inLowerCase(word: ShellWord): ShellWord {
  return word.text.startsWith("-") ? { ...word, text: word.text.toLowerCase() } : word;
}

export const GIT_RULES: readonly (Rule | Judge)[] = [
  { programs: "git", judge: judgeGit },
  ...rules("git-rewrites-history", "it rewrites the history of the repository", "bfg git-filter-repo:"),
];
