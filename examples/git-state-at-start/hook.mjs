// @ts-check
// Tells the model at the start of a session where the work stands: branch, ahead and behind, changed files, last commits.
// Outside a repository, or if git takes longer than two seconds, it says nothing.
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { context, hook } from "@hookloop/sdk";

const MAX_FILES = 20;
const MAX_LINE = 120;

export const gitStateAtStart = hook("SessionStart", { name: "git-state-at-start" }, async ({ cwd }) => {
  const [status, commits] = await Promise.all([git(cwd, "status", "--porcelain", "--branch"), git(cwd, "log", "-5", "--format=%h %s")]);
  if (!status) return;
  const [branch = "", ...files] = lines(status);
  const more = files.length > MAX_FILES ? [`… and ${files.length - MAX_FILES} more`] : [];
  return context(
    [
      `Git state when the session started. Branch: ${branch.replace("## ", "")}`,
      files.length > 0 ? `Changed files (${files.length}):` : "No changed files.",
      ...files.slice(0, MAX_FILES),
      ...more,
      ...(commits ? ["Last commits:", ...lines(commits)] : []),
    ].join("\n"),
  );
});

/** @param {string} output */
function lines(output) {
  return output.split("\n").map((line) => line.slice(0, MAX_LINE));
}

/** git's answer, empty if there is none in time. @param {string} cwd @param {string[]} args */
async function git(cwd, ...args) {
  // A session start only looks: it takes no lock that the user's own git waits for, and starts no monitor or signature check of the repository's choice.
  const quiet = ["--no-optional-locks", "-c", "core.fsmonitor=false", "-c", "log.showSignature=false"];
  try {
    const { stdout } = await promisify(execFile)("git", [...quiet, ...args], {
      cwd,
      timeout: 2000,
      killSignal: "SIGKILL",
      maxBuffer: 64 * 1024 * 1024,
    });
    return stdout.trimEnd();
  } catch {
    // No repository, no commit yet, no git, or too slow: in each case there is nothing to tell.
    return "";
  }
}
