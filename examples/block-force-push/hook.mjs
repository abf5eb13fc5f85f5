// @ts-check
// Denies force pushes to main and master, and deleting them, for everyone who lets an agent use git. Other branches are free.
// It reads words as a shell splits them, also those of `sh -c "…"` and `eval`, no more. Not seen: `"$(…)"`, names in variables (`$G push -f`), scripts, git
// aliases, --git-dir, push.default=matching, other languages. hookloop's own rules (`deny: ["Bash(git push --force *)"]`) read more of that.
// Too strict: a line of a here-document counts as a command, and a force push that hides its branch ($BRANCH, a checkout before) is denied.
import { execFileSync } from "node:child_process";
import path from "node:path";
import { deny, hook } from "@hookloop/sdk";

const PROTECTED = ["main", "master"];
const UNKNOWN = "";

export const blockForcePush = hook("PreToolUse", { name: "block-force-push", tool: "Bash", guard: true }, ({ tool_input, cwd }) => {
  const branches = rewrittenBranches(tool_input.command, cwd);
  const branch = branches.find((name) => PROTECTED.includes(name));
  if (branch)
    return deny(`A force push to ${branch} is not allowed: others build on its history. Push to another branch and open a pull request.`);
  if (branches.includes(UNKNOWN))
    return deny("It is not clear which branch this force push rewrites. Name it: git push --force-with-lease <remote> <branch>");
});

/** Every branch that the command force-pushes to. @param {string} command @param {string} cwd */
function rewrittenBranches(command, cwd) {
  /** @type {string[]} */
  const branches = [];
  let folder = cwd;
  let isHeadMoved = false;
  for (const words of simpleCommands(command)) {
    // A folder that cannot be read here (`cd "$X"`, `cd ~`) has no branch to look up, so the push counts as unclear.
    if (words[0] === "cd") folder = path.resolve(folder, words[1] ?? "~");
    for (const script of scriptsIn(words)) branches.push(...rewrittenBranches(script, folder));
    for (const [index, word] of words.entries()) {
      if (path.basename(word) !== "git") continue;
      const call = readGitCall(words.slice(index + 1), folder);
      if (call.name === "push" && call.isSetHere) branches.push(UNKNOWN);
      if (call.name === "push") branches.push(...pushTargets(call.args, call.folder, isHeadMoved));
      isHeadMoved ||= ["checkout", "switch", "branch"].includes(call.name);
    }
  }
  return branches;
}

/** What `sh -c "…"` and `eval "…"` run, wherever they stand: behind sudo, env, xargs. @param {string[]} words */
function scriptsIn(words) {
  return words.flatMap((word, at) => {
    const rest = words.slice(at + 1);
    if (word === "eval") return rest.length === 1 ? rest : [];
    if (!/^(?:ba|da|z|k|a)?sh$/.test(path.basename(word))) return [];
    const option = rest.findIndex((one) => /^-[a-z]*c/.test(one));
    return rest.slice(option + 1, option === -1 ? 0 : undefined).filter((one) => /\s/.test(one));
  });
}

const WORD = String.raw`(?:'[^']*'|"(?:\\[\s\S]|[^"\\])*"|\\[\s\S]|[^\s;&|()<>'"\\])+`;
const TOKEN = new RegExp(String.raw`#[^\n]*|(?:\d+|&)?[<>]+[&|-]?[ \t]*(?:${WORD})?|(?<word>${WORD})|(?<end>[;&|()\n]+)`, "g");

/** The words of each simple command, without quotes, comments and redirections. @param {string} command */
function simpleCommands(command) {
  /** @type {string[][]} */
  const commands = [[]];
  const text = command.replace(/\\\r?\n/g, "").replaceAll("`", "$(");
  for (const { groups = {} } of text.matchAll(TOKEN)) {
    if (groups.end) commands.push([]);
    if (groups.word) commands.at(-1)?.push(unquote(groups.word));
  }
  return commands;
}

/** @param {string} word */
function unquote(word) {
  return word.replace(
    /'([^']*)'|"((?:\\[\s\S]|[^"\\])*)"|\\([\s\S])/g,
    (_, single, double, escaped) => single ?? escaped ?? double.replace(/\\([$"\\])/g, "$1"),
  );
}

/** @param {string[]} words what stands behind `git` @param {string} folder */
function readGitCall(words, folder) {
  let at = 0;
  let isSetHere = false;
  for (; words[at]?.startsWith("-"); at++) {
    const option = words[at] ?? "";
    if (option === "-C") folder = path.resolve(folder, words[at + 1] ?? "");
    // `-c remote.origin.push=+main`: what is pushed, and that it is forced.
    isSetHere ||= /^remote\..*\.(?:push|mirror)(?:=|$)/i.test(words[at + 1] ?? "") && /^(?:-c|--config-env)$/.test(option);
    if (["-C", "-c", "--git-dir", "--work-tree", "--namespace", "--config-env"].includes(option)) at++;
  }
  return { name: words[at] ?? "", args: words.slice(at + 1), folder, isSetHere };
}

/** @param {string[]} args what stands behind `git push` @param {string} folder @param {boolean} isHeadMoved */
function pushTargets(args, folder, isHeadMoved) {
  const isValue = (/** @type {number} */ at) => /^(?:-[a-z]*o|--push-option|--receive-pack|--exec|--repo)$/i.test(args[at - 1] ?? "");
  const options = args.filter((word) => word.startsWith("-"));
  const [, ...refspecs] = args.filter((word, at) => !word.startsWith("-") && !isValue(at));
  // git takes abbreviated long options, and short ones in a bundle: --forc, --mirr, --del, -4uf.
  const isForced = options.some((word) => /^--(?:for|m|de)|^-[a-z0-9]*[fd]/i.test(word));
  if (isForced && options.some((word) => /^--(?:al|b|m)/.test(word))) return [UNKNOWN];
  if (isForced && refspecs.length === 0) refspecs.push("HEAD");
  return refspecs.filter((refspec) => isForced || /^[+:]/.test(refspec)).flatMap((refspec) => refspecTargets(refspec, folder, isHeadMoved));
}

/** @param {string} refspec @param {string} folder @param {boolean} isHeadMoved */
function refspecTargets(refspec, folder, isHeadMoved) {
  const [source = "", target = source] = refspec.replace(/^\+/, "").split(":");
  const isHead = target === "HEAD" || target === "@";
  const branch =
    isHead && isHeadMoved ? UNKNOWN : isHead ? git(folder, "symbolic-ref", "--short", "HEAD") : target.replace(/^(?:refs\/)?heads\//, "");
  if (/^$|[$*?[{]/.test(branch)) return [UNKNOWN];
  // A branch without a target may be configured to go elsewhere: `git push -f` on a branch that tracks origin/main.
  const configured = target === source ? git(folder, "rev-parse", "--abbrev-ref", `${branch}@{push}`).replace(/^[^/]+\//, "") : "";
  return configured ? [branch, configured] : [branch];
}

/** One line of git's answer, empty if it has none. @param {string} folder @param {string[]} args */
function git(folder, ...args) {
  try {
    return execFileSync("git", ["-C", folder, ...args], { encoding: "utf8", timeout: 5000, stdio: ["ignore", "pipe", "ignore"] }).trim();
  } catch {
    // No repository, a detached head, nothing configured: the caller takes it as "cannot tell" or "nothing more".
    return "";
  }
}
