import { type Arguments, findOption, type GivenOption } from "../arguments.ts";
import { exportedBy, isHarmlessSetting, settingsOf, splitGit } from "../programs/git.ts";
import { optionForms } from "../programs/program.ts";
import type { ShellWord } from "../types.ts";
import { wordSet } from "../words.ts";
import { type Call, callOf, clearlyHas, has, isUnknown, operand, type Report, readGiven } from "./call.ts";
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

/** Settings and variables by which git runs another program to reach a remote. */
const REACHES_REMOTE =
  /^(?:core\.(?:sshcommand|gitproxy)|ssh\.variant|remote\..*\.(?:uploadpack|receivepack|proxy|vcs)|protocol\.(?:.*\.)?allow$|url\.(?:ext|fd)::)/;
const REMOTE_VARIABLES = wordSet("GIT_SSH GIT_SSH_COMMAND GIT_SSH_VARIANT GIT_PROXY_COMMAND GIT_ASKPASS SSH_ASKPASS");
const HARMLESS_PROGRAM = /^(?:|true|:|cat|less|more|vim?|nano|emacs|code(?: -w| --wait)?)$/;
const PROGRAM_VARIABLES = wordSet(
  "PAGER EDITOR VISUAL GIT_PAGER GIT_EDITOR GIT_SEQUENCE_EDITOR GIT_EXTERNAL_DIFF GIT_EXEC_PATH GIT_CONFIG_GLOBAL GIT_CONFIG_SYSTEM GIT_TEMPLATE_DIR GIT_ALLOW_PROTOCOL",
);

function runsVariable({ command }: Call): boolean {
  return command.assignments.some(({ name, value }) => {
    if (name === "GIT_CONFIG_PARAMETERS") return value.text.replace(/'([^']*)'(?:='([^']*)')?/g, "").trim() !== "";
    return PROGRAM_VARIABLES.has(name) && !HARMLESS_PROGRAM.test(value.text);
  });
}

/** `GIT_PAGER='…' git log`: git hands the value to a shell. */
function judgeVariables({ command, scene }: Call): void {
  for (const { name, value } of command.assignments)
    if (PROGRAM_VARIABLES.has(name) || REMOTE_VARIABLES.has(name)) scene.judgeText(value.text, value.span);
}

/** `export GIT_SSH=…; git fetch`. */
function exportedIn({ scene }: Call): readonly string[] {
  return [...scene.text.matchAll(/(?:^|[\s;&|(])(GIT_\w+|SSH_ASKPASS)=/g)].map(([, name = ""]) => name);
}

/** Options that name the program on the other side; so short they may be, and mean nothing else. */
const NAMES_PROGRAM = ["--upload-pack", "--receive-pack", "--exec"];
const SHORTEST_PROGRAM = "--rece".length - 1;

/** Programs that git would run because this very call says so. */
function judgeGitPrograms({ inner, config }: { readonly inner: Call; readonly config: ReadonlyMap<string, string> }, report: Report): void {
  judgeVariables(inner);
  const names = [...config.keys()];
  const variables = [...inner.command.assignments.map(({ name }) => name), ...exportedIn(inner)];
  const reaches = names.some((name) => REACHES_REMOTE.test(name)) || variables.some((name) => REMOTE_VARIABLES.has(name));
  const ownConfig = inner.name === "clone" ? inner.given.options.filter(({ name }) => name === "-c" || /^--conf/.test(name)) : [];
  const named =
    NAMES_PROGRAM.some((option) => findOption(inner.given, [option], SHORTEST_PROGRAM)) || (inner.name === "clone" && has(inner, "-u"));
  const isOdd =
    named ||
    ownConfig.some(({ value }) => REACHES_REMOTE.test(value?.text.toLowerCase() ?? "")) ||
    inner.given.operands.some(({ text }) => /^ext::/.test(text));
  if ((reaches || isOdd) && isNetwork(inner)) report("git-runs-program", "it makes git run a program of its own to reach the remote");
  const isOther = [...config].some(([name, value]) => !isHarmlessSetting(name, value) && !REACHES_REMOTE.test(name));
  if (isOther || runsVariable(inner)) {
    report("git-looks-elsewhere", "it makes git run another program than usual");
  }
}

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
function effective(given: Arguments, subcommand: string): Arguments {
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

/** Branches that others build on, and tags. */
const SHARED =
  /^(?:refs\/heads\/)?(?:main|master|trunk|develop|dev|development|staging|stable|production|prod|release(?:s)?(?:[/-].*)?|hotfix[/-].*|gh-pages|head|refs\/tags\/.*|v?\d+(?:\.\d+)+(?:[-+.].*)?)$/i;

/** Pushing is safe until it replaces or deletes what is there. */
function judgePush(call: Call, report: Report): void {
  if (clearlyHas(call, "--help")) return;
  const given = effective(readGiven(call.words, optionForms("git push")), call.name);
  const names = given.options.map(({ name }) => name);
  if (names.some((name) => name === "-n" || /^--dry-?\w*$/.test(name))) return;
  const refs = given.operands.slice(1);
  if (names.some((name) => name === "-d" || /^--de(?:l(?:e(?:t(?:e)?)?)?)?$/.test(name)) || refs.some(({ text }) => /^\+?:./.test(text))) {
    report("git-rewrites-history", "it deletes a branch or tag of the remote");
  }
  if (names.some((name) => /^--mi(?:r(?:r(?:o(?:r)?)?)?)?$|^--pru(?:n(?:e)?)?$/.test(name)))
    report("git-rewrites-history", "it deletes what the remote has and this repository has not");
  const plus = refs.find(({ text }) => text.startsWith("+") || text.includes(":+"));
  if (plus) report("git-rewrites-history", "it replaces the history of the remote", plus);
  if (names.includes("-f") || names.some((name) => /^--forc?e?$/.test(name)))
    judgeForce(
      refs.map(({ text }) => text),
      report,
    );
}

function judgeForce(refs: readonly string[], report: Report): void {
  const targets = refs.map((ref) => ref.slice(ref.indexOf(":") + 1));
  const isTopic = targets.length > 0 && targets.every((target) => !SHARED.test(target) && /^[\w./-]+$/.test(target));
  if (isTopic) report("git-rewrites-topic", "it replaces the history of a branch on the remote");
  else report("git-rewrites-history", "it replaces the history of the remote");
}

const NETWORK =
  /^(?:push|http-push|remote-\w+|imap-send|request-pull|fetch|pull|clone|ls-remote|submodule|send-pack|fetch-pack|http-fetch|maintenance|subtree|svn|lfs|backfill|p4|send-email)$/;

/** Whether a sub-command talks to a remote. */
function isNetwork(call: Call): boolean {
  if (NETWORK.test(call.name)) return true;
  if (call.name === "remote")
    return call.given.operands.some(({ text }) => /^(?:update|show|prune|set-head|add)$/.test(text)) && operand(call, 0) !== "";
  return call.name === "archive" && call.given.options.some(({ name }) => /^--rem/.test(name) || name === "--exec");
}

export const GIT_RULES: readonly (Rule | Judge)[] = [
  { programs: "git", judge: judgeGit },
  ...rules("git-rewrites-history", "it rewrites the history of the repository", "bfg git-filter-repo:"),
];
