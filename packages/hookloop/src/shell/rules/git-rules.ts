import { findOption } from "../arguments.ts";
import { splitGit } from "../programs/git.ts";
import { optionForms } from "../programs/option-table.ts";
import type { ShellWord } from "../types.ts";
import { type Call, callOf, clearlyHas, has, isUnknown, type Report, readGiven } from "./call.ts";
import { configOf, effective, isHarmlessSetting, judgeGitPrograms, judgePush } from "./git-settings.ts";
import { compileRules, type Judge, type Rule } from "./rule.ts";

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

const MAX_ALIASES = 3;

/** `git -c alias.x=push x`: what the alias stands for. */
function withoutAlias(rest: readonly ShellWord[], config: ReadonlyMap<string, string>, call: Call): readonly ShellWord[] {
  let words = rest;
  for (let turn = 0; turn < MAX_ALIASES; turn++) {
    const name = words[0];
    const alias = name && config.get(`alias.${name.text.toLowerCase()}`);
    if (!alias || !name) return words;
    if (alias.startsWith("!")) {
      call.scene.judgeText(alias.slice(1), name.span);
      return [];
    }
    const replaced = alias
      .split(/\s+/)
      .filter(Boolean)
      .map((text) => ({ ...name, text, source: text, parts: [{ kind: "text" as const, text, isQuoted: false }] }));
    words = splitGit([name, ...replaced, ...words.slice(1)]).rest;
  }
  return words;
}

const LOSES = "it throws away changes that are in no commit";
const REWRITES = "it destroys history or what keeps it";

/** Rows for what follows `git` and its own options; the first operand is the sub-command. */
const SUBCOMMANDS: readonly (Rule | Judge)[] = [
  { programs: "reset", with: ["--hard", "--merge"], without: ["--help"], kind: "git-discards-work", text: LOSES },
  {
    programs: "clean",
    with: ["-f", "--force"],
    without: ["-n", "--dry-run", "--help"],
    kind: "git-discards-work",
    text: "it deletes files that git does not track",
  },
  {
    programs: "clean",
    with: ["-i", "--interactive"],
    without: ["-n", "--dry-run", "--help", "-f", "--force"],
    kind: "git-loses-reference",
    text: "it deletes files that git does not track",
  },
  { programs: "checkout", judge: judgeCheckout },
  { programs: "restore", judge: judgeRestore },
  { programs: "switch", with: ["-f", "--force", "--discard-changes"], kind: "git-discards-work", text: LOSES },
  { programs: "stash", sub: "drop|clear", kind: "git-discards-work", text: "it throws away stashed changes" },
  { programs: "rebase", with: ["--abort"], kind: "git-discards-work", text: "it throws away the work of a rebase" },
  {
    programs: "merge cherry-pick am revert",
    with: ["--abort"],
    kind: "git-discards-work",
    text: "it throws away the work of resolving conflicts",
  },
  {
    programs: "worktree",
    sub: "remove",
    with: ["-f", "--force"],
    kind: "git-discards-work",
    text: "it removes a working tree with its changes",
  },
  {
    programs: "submodule",
    sub: "deinit",
    with: ["-f", "--force"],
    kind: "git-discards-work",
    text: "it removes a submodule with its changes",
  },
  {
    programs: "rebase am cherry-pick revert merge",
    with: ["--skip", "--quit"],
    kind: "git-loses-reference",
    text: "it leaves out the changes of a commit",
  },
  { programs: "submodule", sub: "update", with: ["-f", "--force"], kind: "git-discards-work", text: LOSES },
  { programs: "mv", with: ["-f", "--force"], kind: "git-discards-work", text: "it overwrites without asking" },
  {
    programs: "fetch",
    when: (call) => call.given.operands.some(({ text }) => replacesBranch(text, has(call, "-f", "--force"))),
    kind: "git-loses-reference",
    text: "it replaces local branches",
  },
  { programs: "update-ref", without: ["-d", "--delete", "--stdin", "--help"], kind: "git-loses-reference", text: "it moves a reference" },
  { programs: "read-tree", with: ["--reset"], kind: "git-discards-work", text: LOSES },
  { programs: "checkout-index", with: ["-f", "--force"], kind: "git-discards-work", text: LOSES },
  { programs: "rm", with: ["-f", "--force"], without: ["-n", "--dry-run", "--cached", "--help"], kind: "git-discards-work", text: LOSES },
  {
    programs: "branch",
    when: deletesBranchByForce,
    kind: "git-rewrites-history",
    text: "it deletes a branch whose commits may be nowhere else",
  },
  {
    programs: "branch",
    with: ["-f", "--force", "-M", "-C"],
    when: (call) => !deletesBranchByForce(call),
    kind: "git-loses-reference",
    text: "it moves a branch, whatever it holds",
  },
  { programs: "tag", with: ["-d", "--delete", "-f", "--force"], kind: "git-loses-reference", text: "it deletes or moves a tag" },
  { programs: "commit", with: ["--amend"], kind: "git-rewrites-history", text: "it replaces the last commit" },
  { programs: "commit push merge", with: ["--no-verify"], kind: "git-skips-checks", text: "it skips the checks of the repository" },
  { programs: "clone init", with: ["--template"], kind: "runs-helper", text: "it brings hooks along that git will run" },
  { programs: "push send-pack http-push", judge: judgePush },
  { programs: "filter-branch filter-repo", kind: "git-rewrites-history", text: "it rewrites the history of the repository" },
  { programs: "reflog", sub: "expire|delete|drop", without: ["-n", "--dry-run", "--help"], kind: "git-rewrites-history", text: REWRITES },
  { programs: "gc", when: (call) => AT_ONCE.test(pruneValue(call)), kind: "git-rewrites-history", text: REWRITES },
  { programs: "prune", without: ["-n", "--dry-run", "--help"], kind: "git-rewrites-history", text: REWRITES },
  {
    programs: "repack",
    with: ["-A", "--unpack-unreachable"],
    when: (call) => has(call, "-d"),
    kind: "git-loses-reference",
    text: REWRITES,
  },
  {
    programs: "update-ref symbolic-ref",
    with: ["-d", "--delete", "--stdin"],
    kind: "git-rewrites-history",
    text: "it deletes a reference",
  },
  {
    programs: "replace",
    with: ["-f", "--force", "-d", "--delete"],
    kind: "git-loses-reference",
    text: "it replaces objects of the history",
  },
  { programs: "notes", sub: "remove|prune", kind: "git-loses-reference", text: "it deletes notes" },
  { programs: "remote", sub: "remove|rm|prune", kind: "git-loses-reference", text: "it forgets a remote or its branches" },
  { programs: "lfs", sub: "prune", kind: "git-loses-reference", text: "it deletes large files that are kept locally" },
  { programs: "config", when: setsProgram, kind: "loads-code", text: "it makes git run another program from now on" },
  {
    programs: "diff log show format-patch",
    with: ["--output", "--ext-diff", "--textconv"],
    kind: "runs-helper",
    text: "it writes a file or runs a configured program",
  },
  { programs: "grep", with: ["-O", "--open-files-in-pager"], kind: "runs-helper", text: "it runs a program on what it finds" },
  { programs: "bisect", sub: "run", kind: "runs-helper", text: "it runs a program at every step" },
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
  const config = configOf(call, globals);
  const words = withoutAlias(rest, config, call);
  // Git prefers its own sub-commands to aliases; which names are its own depends on its version.
  if (words !== rest) judgeSubcommand(subcommandOf(call, rest), report);
  if (words.length === 0) return;
  if (isUnknown(words[0])) report("unreadable", "what git shall do is known only when it runs", words[0]);
  const inner = subcommandOf(call, words);
  judgeSubcommand(inner, report);
  // `GIT CLEAN -FD`: a program that ignores the case of the name may ignore that of the options, too.
  if (/[A-Z]/.test(words[0]?.text ?? "")) judgeSubcommand(subcommandOf(call, words.map(inLowerCase)), report);
  if (inner.name === "gc" && EXPIRES.some((name) => AT_ONCE.test(config.get(name) ?? ""))) report("git-rewrites-history", REWRITES);
  if (
    inner.name === "clean" &&
    /^(?:false|no|off|0)$/i.test(config.get("clean.requireforce") ?? "") &&
    !clearlyHas(inner, "-n", "--dry-run")
  ) {
    report("git-discards-work", "it deletes files that git does not track");
  }
  judgeGitPrograms({ inner, config }, report);
  judgeStarted(inner);
}

const EXPIRES = ["gc.pruneexpire", "gc.reflogexpire", "gc.reflogexpireunreachable"];

function subcommandOf(call: Call, words: readonly ShellWord[]): Call {
  const inner = callOf(call.command, words, call.scene, "git");
  return { ...inner, given: effective(inner.given, inner.name) };
}

function inLowerCase(word: ShellWord): ShellWord {
  return word.text.startsWith("-") ? { ...word, text: word.text.toLowerCase() } : word;
}

/** `git-reset --hard`: the program behind a sub-command, called by its own name. */
function judgeDashed(call: Call, report: Report): void {
  const [name, ...rest] = call.words;
  const text = call.name.slice("git-".length);
  if (name) judgeSubcommand(subcommandOf(call, [{ ...name, text, source: text }, ...rest]), report);
}

/** `git submodule foreach`, `rebase --exec`, `bisect run`: shell text in git's own words. */
function judgeStarted({ name, given, command, scene }: Call): void {
  const [first, ...rest] = given.operands;
  const isBisect = name === "bisect" && first?.text === "run";
  if (isBisect) scene.judgeWords(rest, command);
  if (name === "submodule" && first?.text === "foreach") scene.judgeText(rest.map(({ text }) => text).join(" "), command.span);
  const code = RUNS_VALUE[name];
  for (const { name: option, value } of given.options) if (value?.text && code?.test(option)) scene.judgeText(value.text, command.span);
}

/** Options whose value is shell text, per sub-command. */
const RUNS_VALUE: Readonly<Record<string, RegExp>> = Object.assign(Object.create(null), {
  rebase: /^(?:-x|--exec)$/,
  difftool: /^(?:-x|--extcmd)$/,
  grep: /^--open-files-in-pager$/,
});

const DASHED = "reset clean checkout restore switch stash push branch rm rebase worktree submodule reflog gc prune update-ref read-tree";

export const GIT_RULES: readonly (Rule | Judge)[] = [
  { programs: "git", judge: judgeGit },
  {
    programs: DASHED.split(" ")
      .map((name) => `git-${name}`)
      .join(" "),
    judge: judgeDashed,
  },
  { programs: "bfg", kind: "git-rewrites-history", text: "it rewrites the history of the repository" },
  { programs: "git-filter-repo git-filter-branch", kind: "git-rewrites-history", text: "it rewrites the history of the repository" },
];
