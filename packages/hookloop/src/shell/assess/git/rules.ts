import type { ShellWord } from "../../types.ts";
import { type Call, callOf, clearlyHas, has, isUnknown, operand, type Report } from "../call/call.ts";
import { readArguments } from "../call/read-arguments.ts";
import type { Judge, Rule } from "../rule.ts";
import { compileRules } from "../rule.ts";
import { configOf, judgeGitPrograms } from "./config.ts";
import { judgePush } from "./push.ts";
import { judgeCheckout, judgeRestore } from "./worktree.ts";

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
    with: ["--abort", "--quit"],
    kind: "git-loses-reference",
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
    programs: "rebase am cherry-pick revert",
    with: ["--skip", "--quit"],
    kind: "git-loses-reference",
    text: "it leaves out the changes of a commit",
  },
  { programs: "submodule", sub: "update", with: ["-f", "--force"], kind: "git-discards-work", text: LOSES },
  { programs: "mv worktree", with: ["-f", "--force"], kind: "git-loses-reference", text: "it overwrites without asking" },
  {
    programs: "fetch",
    when: (call) => call.given.operands.some(({ text }) => /^\+[^:]+:(?!refs\/remotes\/)/.test(text)),
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
  { programs: "commit", with: ["--amend"], kind: "git-loses-reference", text: "it replaces the last commit" },
  { programs: "commit push merge", with: ["--no-verify"], kind: "git-skips-checks", text: "it skips the checks of the repository" },
  { programs: "push", judge: judgePush },
  { programs: "filter-branch filter-repo", kind: "git-rewrites-history", text: "it rewrites the history of the repository" },
  { programs: "reflog", sub: "expire|delete|drop", without: ["-n", "--dry-run", "--help"], kind: "git-rewrites-history", text: REWRITES },
  { programs: "gc", when: (call) => /^(?:now|all|\d+\.)/.test(pruneValue(call)), kind: "git-rewrites-history", text: REWRITES },
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

function pruneValue({ given }: Call): string {
  return given.options.findLast(({ name }) => name === "--prune")?.value ?? "";
}

function setsProgram(call: Call): boolean {
  const key = call.given.operands.find(({ text }) => text.includes("."))?.text ?? "";
  return (
    /^(?:core\.(?:hookspath|sshcommand|pager|editor|fsmonitor|askpass|gitproxy)|alias\.|credential\.|filter\.|gpg\.program|include|diff\.external|merge\..*driver|protocol\.)/i.test(
      key,
    ) &&
    call.given.operands.length > 1 &&
    !has(call, "--get", "--get-all", "--unset", "--list")
  );
}

/** Global options that point git at another repository, other programs or a pager. */
const ELSEWHERE = ["--exec-path", "--git-dir", "--work-tree", "--namespace", "--super-prefix", "--config-env"];
const MAX_ALIASES = 3;

function judgeGit(call: Call, report: Report): void {
  const { globals, rest } = splitGlobals(call.words);
  const names = readArguments(globals, GIT_VALUED).options.map(({ name }) => name);
  if (names.some((name) => ELSEWHERE.includes(name)) || names.includes("--paginate") || globals.some(({ text }) => text === "-p")) {
    report("git-looks-elsewhere", "it makes git use another repository or other programs than usual", globals[0]);
  }
  const config = configOf(call, globals);
  const words = withoutAlias(rest, config, call);
  if (words.length === 0) return;
  if (isUnknown(words[0])) report("unreadable", "what git shall do is known only when it runs", words[0]);
  const inner = callOf(call.command, words, call.scene, "git");
  judgeSubcommand(inner, report);
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

/** `git submodule foreach`, `rebase --exec`, `bisect run`: shell text in git's own words. */
function judgeStarted({ name, given, command, scene }: Call): void {
  const [first, ...rest] = given.operands;
  const isBisect = name === "bisect" && first?.text === "run";
  if (isBisect) scene.judgeWords(rest, command);
  if (name === "submodule" && first?.text === "foreach") scene.judgeText(rest.map(({ text }) => text).join(" "), command.span);
  if (name !== "rebase") return;
  for (const { name: option, value } of given.options) if (value && /^(?:-x|--exec)$/.test(option)) scene.judgeText(value, command.span);
}

const GIT_VALUED: ReadonlySet<string> = new Set(
  "-C -c --git-dir --work-tree --namespace --super-prefix --config-env --exec-path --attr-source".split(" "),
);

function splitGlobals(words: readonly ShellWord[]): { readonly globals: readonly ShellWord[]; readonly rest: readonly ShellWord[] } {
  let at = 1;
  for (; at < words.length; at++) {
    const text = words[at]?.text ?? "";
    if (text === "--") return { globals: words.slice(1, at), rest: words.slice(at + 1) };
    if (!text.startsWith("-")) break;
    if (GIT_VALUED.has(text)) at++;
  }
  return { globals: words.slice(1, at), rest: words.slice(at) };
}

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
    words = [...replaced, ...words.slice(1)];
  }
  return words;
}

export const GIT_RULES: readonly (Rule | Judge)[] = [
  { programs: "git", judge: judgeGit },
  { programs: "bfg", kind: "git-rewrites-history", text: "it rewrites the history of the repository" },
  { programs: "git-filter-repo git-filter-branch", kind: "git-rewrites-history", text: "it rewrites the history of the repository" },
  {
    programs: "gh",
    sub: "repo|release|secret|variable|gist|issue|run|cache|ssh-key|gpg-key|label|project|codespace|ruleset delete",
    when: (call) => /^(?:repo|release|secret|variable|ssh-key|gpg-key)$/.test(operand(call, 0)),
    kind: "destroys-service",
    text: "it deletes something on GitHub",
  },
  {
    programs: "gh",
    sub: "issue|gist|run|cache|label|project|codespace|ruleset delete",
    kind: "changes-service",
    text: "it deletes something on GitHub",
  },
  { programs: "gh", sub: "repo archive|rename|edit", kind: "changes-service", text: "it changes a repository on GitHub" },
  {
    programs: "gh",
    sub: "api",
    when: (call) => /^delete$/i.test(call.given.options.findLast(({ name }) => name === "-X" || name === "--method")?.value ?? ""),
    kind: "destroys-service",
    text: "it deletes something on GitHub",
  },
  { programs: "glab", sub: "repo|release|variable|ci|issue|mr delete", kind: "destroys-service", text: "it deletes something on GitLab" },
];
