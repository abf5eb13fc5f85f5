/** Takes one git command. Gives what it would do to protected branches, as git itself would read its words. */

import { hasAny, optionForms, readArguments, type ShellWord, UNKNOWN, valuesOf } from "../shell/index.ts";
import type { GitRepository } from "./git-repository.ts";

/** What a guard of branches is asked. */
export interface Branches {
  isProtected(name: string): boolean;
  /** Whether a pattern of git may stand for a protected branch. */
  mayInclude(pattern: string): boolean;
  readonly commits: "deny" | "allow";
}

/** What a command would do to a branch; `ask`: to which one is known only when it runs. */
export interface Finding {
  readonly decision: "ask" | "deny";
  readonly text: string;
}

/** `refs/heads/main` and `heads/main` are `main`. */
export function plainBranch(name: string): string {
  return name.replace(/^(?:refs\/)?heads\//, "");
}

export interface GitCall {
  /** From the sub-command on. */
  readonly words: readonly ShellWord[];
  /** Git's own, before the sub-command. */
  readonly options: readonly { readonly name: string; readonly value?: ShellWord | undefined }[];
  readonly repository: GitRepository | undefined;
  /** What is checked out when it runs. */
  readonly branch: string | undefined;
  readonly stdin: string;
  readonly branches: Branches;
  /** The line goes on with another branch, or in another work tree. */
  readonly go: (to: string | undefined, where?: string) => void;
}

type Read = ReturnType<typeof readArguments>;

export function judgeGit(call: GitCall): readonly Finding[] {
  const [first] = call.words;
  const sub = first?.text.toLowerCase() ?? "";
  const read = readArguments(call.words, optionForms(`git ${sub}`));
  if (hasAny(read, ["help", "dry-run"]) || (sub === "push" && hasAny(read, ["n"]))) return [];
  return Object.hasOwn(JUDGES, sub) ? (JUDGES[sub]?.(call, read) ?? []) : [];
}

type Judge = (call: GitCall, read: Read) => readonly Finding[];

const denied = (text: string): readonly Finding[] => [{ decision: "deny", text }];

/** What a word may say; `undefined` among them: only the running shell knows. */
function textsOf({ text, parts }: ShellWord, branch: string | undefined): readonly (string | undefined)[] {
  if (!text.includes(UNKNOWN)) return [text];
  let spelled: readonly (string | undefined)[] = [""];
  for (const part of parts) {
    const said = saidBy(part, branch);
    spelled = spelled.flatMap((before) => said.map((one) => (before === undefined || one === undefined ? undefined : before + one)));
    if (spelled.length > MOST) return [undefined];
  }
  return spelled;
}

const MOST = 32;
/** What prints the branch that is checked out. */
const PRINTS_BRANCH =
  /\bgit\s+(?:-C\s+\S+\s+)?(?:branch\s+--show-current|rev-parse\s+--abbrev-ref\s+(?:HEAD|@)|symbolic-ref\s+(?:-q\s+|--quiet\s+)?--short\s+(?:-q\s+)?HEAD)\b/;

function saidBy(part: ShellWord["parts"][number], branch: string | undefined): readonly (string | undefined)[] {
  if (part.kind === "text") return [part.text];
  // Where no file has such a name, git gets the pattern itself.
  if (part.kind === "glob") return [part.text];
  if (part.kind === "home") return [undefined];
  if (part.kind === "computed" && PRINTS_BRANCH.test(part.source)) return [branch];
  const known = part.instead?.map((parts) => parts.flatMap((one) => saidBy(one, branch))) ?? [];
  return known.length > 0 ? known.map((texts) => (texts.includes(undefined) ? undefined : texts.join(""))) : [undefined];
}

function judgePush(call: GitCall, read: Read): readonly Finding[] {
  const { branch } = call;
  const deletes = hasAny(read, ["d", "delete"]);
  if (hasAny(read, ["mirror"])) return denied("replace every branch of the remote");
  if (hasAny(read, ["all", "branches"])) return denied("push every branch");
  const force = hasAny(read, ["f", "force", "force-with-lease"]) || read.options.some(({ name }) => /^--forc/.test(name));
  const isTag = (at: number): boolean => read.operands[at]?.text === "tag";
  const hasRepo = hasAny(read, ["repo"]);
  const given = read.operands.slice(hasRepo && read.operands.length < 2 ? 0 : 1);
  const refs = given.filter((_, at) => !isTag(at + 1) && !isTag(at));
  const pushed = { call, deletes, force };
  if (given.length > 0) return refs.flatMap((word) => textsOf(word, branch).flatMap((text) => judgeRefspec(text, pushed)));
  if (hasAny(read, ["tags"]) && !hasAny(read, ["follow-tags"])) return [];
  return judgeBarePush(read.operands[0]?.text ?? "origin", pushed);
}

/** `git push`, `git push origin`: what is pushed stands in settings. */
function judgeBarePush(remote: string, pushed: Pushed): readonly Finding[] {
  const { call, force } = pushed;
  const { branch, branches } = call;
  if (setting(call, `remote.${remote}.mirror`) === "true") return denied("replace every branch of the remote");
  const configured = settings(call, `remote.${remote}.push`);
  if (configured.length > 0) return configured.flatMap((text) => judgeRefspec(text, pushed));
  const way = setting(call, "push.default");
  if (way === "nothing") return [];
  if (way === "matching") return denied("push every branch that the remote has as well");
  const upstream = branch === undefined ? undefined : setting(call, `branch.${branch}.merge`);
  const target = (way === "upstream" || way === "tracking") && upstream ? plainBranch(upstream) : branch;
  return target !== undefined && branches.isProtected(target) ? denied(`${force ? "force-push" : "push"} to ${target}`) : [];
}

/** Tags, notes and what is known of remotes. */
const OTHER_REFS = /^refs\/(?!heads\/|\*)/;

interface Pushed {
  readonly call: GitCall;
  readonly deletes: boolean;
  readonly force: boolean;
}

/** `main`, `HEAD`, `+a:main`, `:main`, `refs/heads/*:refs/heads/*`. */
function judgeRefspec(text: string | undefined, { call, deletes, force }: Pushed): readonly Finding[] {
  if (text === undefined) return [{ decision: "ask", text: "push to a branch that is known only when it runs" }];
  const { branch, branches } = call;
  const spec = text.replace(/^\+/, "");
  if (spec.startsWith("^")) return [];
  if (spec === ":" || spec === "") return denied("push every branch that the remote has as well");
  const colon = spec.lastIndexOf(":");
  const named = colon === -1 || deletes ? spec : spec.slice(colon + 1);
  const target = named === "HEAD" || named === "@" ? branch : named;
  if (target === undefined || (!target.includes("*") && OTHER_REFS.test(target))) return [];
  const isHit = target.includes("*") ? branches.mayInclude(target) : branches.isProtected(target);
  if (!isHit) return [];
  const plain = plainBranch(target);
  if (deletes || colon === 0) return denied(`delete ${plain} on the remote`);
  return denied(`${force || text.startsWith("+") ? "force-push" : "push"} to ${plain}`);
}

function settings({ options, repository }: GitCall, name: string): readonly string[] {
  const own = options.flatMap(({ name: option, value }) => {
    const [, key, text] = option === "-c" ? (/^([^=]+)=(.*)$/s.exec(value?.text ?? "") ?? []) : [];
    return key?.toLowerCase() === name.toLowerCase() && text !== undefined ? [text] : [];
  });
  return [...(repository?.settings(name) ?? []), ...own];
}

function setting(call: GitCall, name: string): string | undefined {
  return settings(call, name).at(-1);
}

/** A commit, or anything else that moves what is checked out. The first commit of a repository makes its branch. */
function judgeMove(verb: string, isHarmless: (read: Read, call: GitCall) => boolean): Judge {
  return (call, read) => {
    const { branch, branches, repository } = call;
    if (branches.commits === "allow" || branch === undefined || !branches.isProtected(branch)) return [];
    if (hasAny(read, ["abort", "quit", "show-current-patch", "edit-todo"]) || isHarmless(read, call)) return [];
    return repository && !repository.hasBranch(branch) ? [] : denied(`${verb} ${branch}`);
  };
}

/** `origin/main`, `@{u}`: the branch as the remote has it. */
function isOwnUpstream(text: string, branch: string | undefined): boolean {
  return /^(?:@|HEAD)?@?\{u(?:pstream)?\}$|^FETCH_HEAD$/i.test(text) || (branch !== undefined && text.endsWith(`/${branch}`));
}

const mergesOwn = ({ operands }: Read, { branch }: GitCall): boolean => operands.every(({ text }) => isOwnUpstream(text, branch));

/** `git pull`, `git pull origin main`. */
function pullsOwn({ operands }: Read, { branch }: GitCall): boolean {
  return operands.slice(1).every(({ text }) => branch !== undefined && plainBranch(text.replace(/:.*$/, "")) === branch);
}

/** Without a commit, files are taken out of the index, or changes thrown away: the branch stays where it is. */
function resetStays({ operands, afterDashes }: Read, { branch }: GitCall): boolean {
  const [first] = operands;
  if (!first || afterDashes.includes(first) || operands.length > 1) return true;
  return (
    /^(?:HEAD|@)$/.test(first.text) ||
    isOwnUpstream(first.text, branch) ||
    (!/[~^@{}]|^[\da-f]{7,40}$/.test(first.text) && /[./]/.test(first.text) && !first.text.includes("origin/"))
  );
}

function judgeBranch({ words, branch, branches }: GitCall, read: Read): readonly Finding[] {
  const hit = read.operands.map(({ text }) => text).find((text) => branches.isProtected(text));
  const has = (...letters: readonly string[]): boolean => hasAny(read, letters);
  if (hasAny(read, ["r", "remotes"])) return [];
  if (has("d", "D", "delete")) return hit === undefined ? [] : denied(`delete ${plainBranch(hit)}`);
  if (has("m", "M", "move")) {
    const moved = read.operands.length === 1 ? [branch, read.operands[0]?.text] : read.operands.map(({ text }) => text);
    const one = moved.find((text) => text !== undefined && branches.isProtected(text));
    return one === undefined || words.length < 2 ? [] : denied(`rename ${plainBranch(one)}, or another branch to it`);
  }
  const target = has("c", "C", "copy") ? read.operands.at(-1)?.text : read.operands[0]?.text;
  return has("f", "force", "C") && target !== undefined && branches.isProtected(target) ? denied(`move ${plainBranch(target)}`) : [];
}

const NEW_BRANCH = ["b", "B", "c", "C", "create", "force-create", "orphan"];

function judgeSwitch(call: GitCall, given: Read): readonly Finding[] {
  const { words, branches, repository, go } = call;
  // Their values are names of branches: `-b name`, `-Bname`.
  const read = readArguments(words, { valued: "bBcC", longValued: ["create", "force-create", "orphan", "conflict"] });
  const made = valuesOf(read, NEW_BRANCH).at(-1)?.text;
  if (made !== undefined) {
    const isForced = hasAny(read, ["B", "C", "force-create"]) && branches.isProtected(made) && repository?.hasBranch(made) === true;
    go(made);
    return isForced ? denied(`move ${made}`) : [];
  }
  const [target] = read.operands;
  if (!target || given.afterDashes.length > 0 || read.operands.length > 1) return [];
  const name = plainBranch(target.text);
  if (hasAny(read, ["detach", "d"])) go(undefined);
  else if (/^(?:-|@\{-1\})$/.test(target.text)) go(call.branch === repository?.branch ? undefined : repository?.branch);
  else if (words[0]?.text === "switch" || branches.isProtected(name) || repository?.hasBranch(name)) go(name);
  return [];
}

function judgeWorktree({ words, branches, repository, go }: GitCall): readonly Finding[] {
  const read = readArguments(words, { valued: "bB", longValued: ["reason", "orphan"] });
  const [action, place, start] = read.operands;
  if (action?.text !== "add" || !place) return [];
  const made = valuesOf(read, ["b", "B", "orphan"]).at(-1)?.text;
  go(made ?? start?.text ?? place.text.split("/").at(-1), place.text);
  const isForced = hasAny(read, ["B"]) && made !== undefined && branches.isProtected(made) && repository?.hasBranch(made) === true;
  return isForced ? denied(`move ${made}`) : [];
}

/** `git fetch origin x:main`; the branch of the same name is only brought up to date. */
function judgeFetch({ branches, branch }: GitCall, { operands, options }: Read): readonly Finding[] {
  const force = options.some(({ name }) => name === "-f" || name === "--force");
  return operands.slice(1).flatMap((word) =>
    textsOf(word, branch).flatMap((text) => {
      const [, plus, from, to] = /^(\+?)([^:]*):(.+)$/.exec(text ?? "") ?? [];
      if (to === undefined || OTHER_REFS.test(to)) return [];
      const isHit = to.includes("*") ? branches.mayInclude(to) : branches.isProtected(to);
      return isHit && (plus === "+" || force || plainBranch(from ?? "") !== plainBranch(to)) ? denied(`move ${plainBranch(to)}`) : [];
    }),
  );
}

function judgeReferences({ stdin, branches, branch, go, words }: GitCall, read: Read): readonly Finding[] {
  const isSymbolic = words[0]?.text === "symbolic-ref";
  const [name, to] = read.operands.map(({ text }) => text);
  if (isSymbolic && name === "HEAD") {
    if (to !== undefined) go(plainBranch(to));
    return [];
  }
  const meant = name === "HEAD" || name === "@" ? `refs/heads/${branch ?? ""}` : (name ?? "");
  const lines = [...stdin.matchAll(/refs\/heads\/(\S+)/g)].map(([, one = ""]) => `refs/heads/${one}`);
  const isRead = isSymbolic && to === undefined && !hasAny(read, ["d", "delete"]);
  const hit = isRead ? undefined : [meant, ...lines].find((one) => one.startsWith("refs/heads/") && branches.isProtected(one));
  return hit === undefined ? [] : denied(`move or delete ${plainBranch(hit)}`);
}

/** `git subtree push --prefix=x origin main`. */
function judgeSubtree(call: GitCall): readonly Finding[] {
  const read = readArguments(call.words, { valued: "P", longValued: ["prefix", "branch", "annotate", "message"] });
  const [action, , ref] = read.operands;
  if (action?.text === "push" && ref)
    return textsOf(ref, call.branch).flatMap((text) => judgeRefspec(text, { call, deletes: false, force: false }));
  return /^(?:add|merge|pull)$/.test(action?.text ?? "") ? judgeMove("commit to", () => false)(call, read) : [];
}

const commits = judgeMove("commit to", () => false);

const JUDGES: Readonly<Record<string, Judge>> = {
  push: judgePush,
  "send-pack": judgePush,
  "http-push": judgePush,
  commit: commits,
  "cherry-pick": commits,
  revert: commits,
  am: commits,
  "filter-branch": judgeMove("rewrite", () => false),
  "filter-repo": judgeMove("rewrite", () => false),
  merge: judgeMove("merge into", mergesOwn),
  pull: (call, read) => [...judgeFetch(call, read), ...judgeMove("merge into", pullsOwn)(call, read)],
  rebase: judgeMove("rewrite", (read, call) => read.operands.length > 1 || mergesOwn(read, call)),
  reset: judgeMove("move", resetStays),
  branch: judgeBranch,
  checkout: judgeSwitch,
  switch: judgeSwitch,
  worktree: judgeWorktree,
  fetch: judgeFetch,
  "update-ref": judgeReferences,
  "symbolic-ref": judgeReferences,
  "fast-import": judgeReferences,
  subtree: judgeSubtree,
};
