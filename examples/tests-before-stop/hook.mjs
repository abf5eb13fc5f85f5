// @ts-check
// Runs the tests before the agent calls its work done, for everyone who has read "all tests pass" once too often.
// It sends the agent back once: if the tests still fail after that, the agent may stop and the user is told.
// Work is what git shows as uncommitted. HOOK_TEST_COMMAND is the command (else `npm test`, if package.json has tests), HOOK_TEST_SECONDS the limit.
import { execFileSync, spawn } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { block, hook, tellUser } from "@hookloop/sdk";

const LIMIT_SECONDS = Number(process.env.HOOK_TEST_SECONDS ?? 300);
const TAIL_LENGTH = 3000;

export const testsBeforeStop = hook("Stop", { name: "tests-before-stop" }, async ({ cwd, stop_hook_active }) => {
  const project = process.env.CLAUDE_PROJECT_DIR ?? cwd;
  const command = testCommand(project);
  if (!command || !hasChanges(project)) return;
  const { isGreen, outcome, tail } = await run(command, project);
  if (isGreen) return;
  const report = `\`${command}\` ${outcome}. The end of its output:\n${tail}`;
  return stop_hook_active ? tellUser(`The agent stops, but the tests still fail. ${report}`) : block(`The work is not done yet: ${report}`);
});

/** @param {string} project */
function testCommand(project) {
  const manifest = path.join(project, "package.json");
  if (process.env.HOOK_TEST_COMMAND || !existsSync(manifest)) return process.env.HOOK_TEST_COMMAND;
  const script = JSON.parse(readFileSync(manifest, "utf8")).scripts?.test;
  // `npm init` writes a test script that always fails.
  return script && !script.includes("no test specified") ? "npm test" : undefined;
}

/** @param {string} project */
function hasChanges(project) {
  try {
    return (
      execFileSync("git", ["--no-optional-locks", "status", "--porcelain"], {
        cwd: project,
        timeout: 10_000,
        stdio: ["ignore", "pipe", "ignore"],
      }).length > 0
    );
  } catch {
    // No repository: there is nothing to compare with.
    return false;
  }
}

/**
 * Test commands are shell text, in package.json as in the environment; both are the user's own.
 * @param {string} command @param {string} cwd @returns {Promise<{ isGreen: boolean, outcome: string, tail: string }>}
 */
function run(command, cwd) {
  return new Promise((resolve, reject) => {
    let tail = "";
    let isLate = false;
    const child = spawn(command, { cwd, shell: true, detached: true, stdio: ["ignore", "pipe", "pipe"] });
    // The whole group, so that no server a test has started stays behind: when time is up, and when the agent ends this hook.
    const kill = () => process.kill(-Number(child.pid), "SIGKILL");
    const timer = setTimeout(() => {
      isLate = true;
      kill();
    }, LIMIT_SECONDS * 1000);
    process.once("SIGTERM", kill);
    for (const stream of [child.stdout, child.stderr]) {
      stream.on("data", (chunk) => {
        tail = (tail + chunk).slice(-TAIL_LENGTH);
      });
    }
    child.on("error", reject).on("close", (code) => {
      clearTimeout(timer);
      resolve({
        isGreen: code === 0,
        outcome: isLate ? `did not end within ${LIMIT_SECONDS} s` : `failed with exit code ${code}`,
        tail: tail.trim(),
      });
    });
  });
}
