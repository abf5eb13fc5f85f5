/**
 * Denies what would change a protected branch: pushes to it in whatever way the line says so, its deletion, and commits and merges while it
 * is checked out. It prevents accidents; a script that pushes is not seen, and the rules of the server hold where this one does not.
 */

import { resolve } from "node:path";
import { ask, deny, type HookHandler } from "@hookloop/sdk";
import { isObject } from "../check-options.ts";
import type { SessionPlace } from "../engine/index.ts";
import {
  aliasedInLine,
  folderOf,
  globsPattern,
  programName,
  readGit,
  readingOf,
  type ShellCommand,
  type ShellReading,
  type ShellWord,
  splitGit,
  UNKNOWN,
} from "../shell/index.ts";
import { type CallEffect, effectOf } from "./call-effect.ts";
import { type Branches, type Finding, judgeGit, plainBranch } from "./git-effects.ts";
import { type GitRepository, repositoryAt } from "./git-repository.ts";
import type { ShippedHook } from "./index.ts";

export interface ProtectBranchesOptions {
  /** Names, or patterns with `*`; `main` and `master` if left out. */
  readonly branches?: readonly string[] | undefined;
  /** What becomes of commits and merges on such a branch here, before they are pushed. */
  readonly commits?: "deny" | "allow" | undefined;
}

export function protectBranches({ home }: Pick<SessionPlace, "home">, options: ProtectBranchesOptions = {}): ShippedHook {
  const branches = branchesOf(options);
  const judge: HookHandler<"PreToolUse", string> = (call) => {
    const effect = effectOf(call, home);
    const lines = [...effect.commands.map(({ reading }) => reading), ...gitTools(call)];
    const found = [
      ...lines.flatMap((reading) => judgeLine(reading, { cwd: call.cwd, home, branches })),
      ...writtenReferences(effect, branches),
      ...remoteTools(call, branches),
    ];
    const worst = found.find(({ decision }) => decision === "deny") ?? found[0];
    if (!worst) return undefined;
    const reason = `protect-branches: it would ${worst.text}. Work on a branch of its own, and open a pull request`;
    return worst.decision === "deny" ? deny(reason) : ask(reason);
  };
  return { name: "protect-branches", parts: [{ event: "PreToolUse", options: { guard: true }, handler: judge }] };
}

const DEFAULT: readonly string[] = ["main", "master"];

function branchesOf({ branches = DEFAULT, commits = "deny" }: ProtectBranchesOptions): Branches {
  const pattern = globsPattern(branches);
  return {
    commits,
    isProtected: (name) => pattern.test(plainBranch(name)),
    mayInclude: (given) => {
      const wanted = globsPattern([given, plainBranch(given)]);
      return branches.some((one) => one.includes("*") || wanted.test(one) || wanted.test(`refs/heads/${one}`));
    },
  };
}

interface Line {
  readonly cwd: string;
  readonly home: string;
  readonly branches: Branches;
}

/** What is known of the repositories that a line works in, and where the line itself has gone to another branch. */
interface Scene extends Line {
  readonly gone: Map<string, string | undefined>;
  readonly repositoryAt: (folder: string, gitDir?: string) => GitRepository | undefined;
}

function judgeLine(reading: ShellReading, line: Line): readonly Finding[] {
  const known = new Map<string, GitRepository | undefined>();
  const at = (folder: string, gitDir?: string): GitRepository | undefined => {
    const key = `${folder}\0${gitDir ?? ""}`;
    if (!known.has(key)) known.set(key, repositoryAt(folder, line.home, gitDir));
    return known.get(key);
  };
  const scene: Scene = { ...line, gone: new Map(), repositoryAt: at };
  const [first] = reading.commands;
  const aliased = aliasedInLine(reading).flatMap((one) => (one.kind === "words" && first ? [{ ...first, words: one.words }] : []));
  return [...reading.commands, ...aliased].flatMap((command) => judgeCommand(command, scene));
}

function judgeCommand(command: ShellCommand, scene: Scene): readonly Finding[] {
  const { words } = command;
  const name = programName(words);
  if (name === "git" || name.startsWith("git-")) return judgeGitCommand(command, scene);
  const base = folderOf(command, scene) ?? scene.cwd;
  const repository = scene.repositoryAt(base);
  const branch = scene.gone.has(base) ? scene.gone.get(base) : repository?.branch;
  const { branches } = scene;
  // `$GIT push origin main`: whatever the program is, it is told to push.
  if (name.includes(UNKNOWN) && words[1]?.text === "push")
    return judgeGit({ words: words.slice(1), options: [], repository, branch, stdin: "", branches, go: () => {} });
  return judgeOther(name, words, { branches, branch });
}

function judgeGitCommand(command: ShellCommand, scene: Scene): readonly Finding[] {
  const { words, assignments } = command;
  const { gone, branches, home } = scene;
  const { inFolder, gitDir } = readGit(words);
  const dir = gitDir?.text ?? assignments.find((one) => one.name === "GIT_DIR")?.value.text;
  const folder = resolve(folderOf(command, scene) ?? scene.cwd, inFolder?.text ?? ".");
  const repository = scene.repositoryAt(folder, dir === undefined ? undefined : resolve(folder, dir));
  const { rest, options } = splitGit(words);
  const [sub, ...args] = rest;
  const branch = gone.has(folder) ? gone.get(folder) : repository?.branch;
  const stdin = command.stdin?.kind === "text" ? command.stdin.text : "";
  const go = (to: string | undefined, where = "."): void => void gone.set(resolve(folder, where), to);
  const shared = { options, repository, branch, stdin, branches, go };
  const meant = sub && repository?.settings(`alias.${sub.text}`).at(-1);
  if (!sub || !meant) return judgeGit({ ...shared, words: rest });
  // `!…` is a line of its own; where it goes, the branch is that of the repository.
  if (meant.startsWith("!")) return judgeLine(readingOf(meant.slice(1)), { cwd: folder, home, branches });
  return judgeGit({ ...shared, words: [...wordsOf(meant, sub), ...args] });
}

function wordsOf(text: string, { span }: ShellWord): readonly ShellWord[] {
  return text
    .split(/\s+/)
    .filter(Boolean)
    .map((one): ShellWord => ({ text: one, source: one, span, parts: [{ kind: "text", text: one, isQuoted: false }] }));
}

/** Other programs that push or commit, and those that talk to the server. */
const PUSHERS = /^(?:jj|sl|hg|hub|gt|ghstack|git-town)$/;
const RELEASERS: Readonly<Record<string, RegExp>> = {
  npm: /^version$/,
  pnpm: /^version$/,
  yarn: /^version$/,
  lerna: /^(?:version|publish)$/,
  "standard-version": /^/,
  "release-it": /^/,
  "semantic-release": /^/,
  bumpversion: /^/,
  "bump-my-version": /^bump$/,
};
const TALKERS = /^(?:gh|glab|curl|wget|http|https|xh)$/;
const MUTATIONS = /\b(?:createCommitOnBranch|updateRefs?|deleteRef|mergeBranch)\b/;
const CHANGES =
  /^(?:-X|--method|--request)$|^(?:-[dfFT]|--(?:data[\w-]*|field|raw-field|input|json|upload-file|method|request)(?:=.*)?|-X\w+)$|^(?:PATCH|DELETE|PUT|POST)$/i;

function judgeOther(
  name: string,
  words: readonly ShellWord[],
  { branches, branch }: { branches: Branches; branch: string | undefined },
): readonly Finding[] {
  const texts = words.slice(1).map(({ text }) => text);
  const named = texts.map((text) => text.replace(/^--?\w[\w-]*=/, "")).find((text) => branches.isProtected(text));
  if (PUSHERS.test(name) && texts.includes("push") && named !== undefined) return [{ decision: "deny", text: `push to ${named}` }];
  if (Object.hasOwn(RELEASERS, name) && texts.some((text) => RELEASERS[name]?.test(text)) && texts.length > (name === "npm" ? 1 : 0)) {
    const isOn = branch !== undefined && branches.isProtected(branch) && branches.commits === "deny";
    return isOn && !texts.some((text) => /^--no-git|^--dry-run/.test(text)) ? [{ decision: "deny", text: `commit to ${branch}` }] : [];
  }
  if (name === "gh" && texts[0] === "repo" && texts[1] === "sync" && named !== undefined)
    return [{ decision: "deny", text: `move ${named}` }];
  const mutation = texts.find((text) => MUTATIONS.test(text))?.match(/[\w./-]+/g) ?? [];
  const changed = TALKERS.test(name) ? mutation.find((one) => branches.isProtected(one.replace(/^refs\/heads\//, ""))) : undefined;
  if (changed !== undefined) return [{ decision: "deny", text: `change ${changed} on the server` }];
  if (!TALKERS.test(name) || !texts.some((text) => CHANGES.test(text))) return [];
  const reference = texts.flatMap((text) => [...text.matchAll(/(?:refs\/heads|branches)\/([\w.-][\w./-]*)|\b(?:branch|base)=([\w./-]+)/g)]);
  const isFile = texts.some((text) => /\/(?:contents|merges|git\/refs|branches|repository\/(?:files|commits))\b/.test(text));
  const hit = reference.map(([, one, other]) => one ?? other ?? "").find((one) => branches.isProtected(one));
  return isFile && hit !== undefined ? [{ decision: "deny", text: `change ${hit} on the server` }] : [];
}

/** `.git/refs/heads/main` is the branch. */
function writtenReferences({ commands, writes }: CallEffect, branches: Branches): readonly Finding[] {
  const files = [...writes, ...commands.flatMap(({ touched }) => touched.flatMap((one) => (one.isWrite ? one.files : [])))];
  const hit = files
    .map((file) => /(?:\.git|\.bare|\/worktrees\/[^/]+)\/(?:.*\/)?refs\/heads\/(.+)$/.exec(file)?.[1])
    .find((one) => one && branches.isProtected(one));
  return hit === undefined ? [] : [{ decision: "deny", text: `move ${hit}` }];
}

interface Call {
  readonly tool_name: string;
  readonly tool_input: unknown;
  readonly cwd: string;
}

/** `mcp__git__git_commit` with `repo_path` is `git -C … commit`. */
function gitTools({ tool_name, tool_input }: Call): readonly ShellReading[] {
  const sub = /(?:^|_)git_(commit|push|merge|rebase|reset|revert|cherry_pick|pull)$/i.exec(tool_name)?.[1];
  if (sub === undefined || !isObject(tool_input)) return [];
  const folder = tool_input["repo_path"] ?? tool_input["path"] ?? tool_input["repository"] ?? tool_input["cwd"] ?? ".";
  const words = ["remote", "branch", "refspec", "target", "revision"]
    .map((field) => tool_input[field])
    .filter((value) => typeof value === "string");
  const force = tool_input["force"] === true ? ["--force"] : [];
  return [readingOf(["git", "-C", String(folder), sub.toLowerCase().replace("_", "-"), ...force, ...words].map(quoted).join(" "))];
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

/** Tools that change a branch on the server: `mcp__github__push_files` with `branch`. A pull request only proposes. */
const REMOTE =
  /push_files|create_or_update_file|delete_file|create_commit|update_(?:ref|reference|branch)|delete_(?:ref|reference|branch)|commit_files|merge_branch/i;

function remoteTools({ tool_name, tool_input }: Call, branches: Branches): readonly Finding[] {
  if (!REMOTE.test(tool_name) || !isObject(tool_input)) return [];
  const named = ["branch", "branch_name", "ref", "base", "target_branch"].map((field) => tool_input[field]);
  const hit = named.find((value): value is string => typeof value === "string" && branches.isProtected(value));
  return hit === undefined ? [] : [{ decision: "deny", text: `change ${hit} on the server` }];
}
