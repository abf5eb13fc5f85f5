/** The teaching loop's own guard, in a real session of the agent. */
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, onTestFinished, test } from "vitest";

function runSession(command: (project: string) => string): { readonly lines: readonly string[]; readonly project: string } {
  const base = mkdtempSync(path.join(tmpdir(), "hookloop-teaching-"));
  onTestFinished(() => rmSync(base, { recursive: true, force: true }));
  const [project, home] = [path.join(base, "project"), path.join(base, "home")];
  for (const folder of [project, home]) mkdirSync(folder);
  const { stdout, stderr } = spawnSync(process.execPath, ["test/sources/fixtures/teaching-session.mjs", project, command(project)], {
    encoding: "utf8",
    env: { PATH: process.env["PATH"], HOME: home },
  });
  return { lines: (stdout + stderr).trim().split("\n"), project };
}

test("a guard written as the source writes it blocks the agent's Bash, and lets the rest run", () => {
  const denied = runSession((project) => `echo sudo > ${project}/made`);
  expect(denied.lines).toEqual(["denied: PreToolUse:Bash hook error: Permission denied by deny list", "completed"]);
  expect(existsSync(path.join(denied.project, "made"))).toBe(false);
  const allowed = runSession((project) => `echo hi > ${project}/made`);
  expect(allowed.lines).toEqual(["ran: ", "completed"]);
  expect(existsSync(path.join(allowed.project, "made"))).toBe(true);
});
