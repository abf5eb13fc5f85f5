import { spawnSync } from "node:child_process";
import { expect, test } from "vitest";

/** What people see, without times and folders. */
function plain(stdout: string): string {
  return stdout.replace(/\(\d+ ms\)/g, "(… ms)").replace(/\/\S*hookloop-demo-\w+/g, "…");
}

test("npm start plays the demonstration without a key, a network or a terminal, and ends", () => {
  const { PATH, HOME, TMPDIR } = process.env;
  const env = { PATH, HOME, ...(TMPDIR && { TMPDIR }) };
  const { status, stdout, stderr } = spawnSync(process.execPath, ["scripts/start.mjs"], { encoding: "utf8", env, input: "" });
  const shown = plain(stdout);
  expect(stderr).toBe("");
  expect(status).toBe(0);
  expect(shown.match(/^\d\. .+$/gm)).toEqual([
    "1. Untrusted hooks do not run",
    "2. A guard blocks a deletion",
    "3. A context hook changes an answer",
    "4. A formatter runs after an edit",
    "5. A Stop hook keeps the agent going once",
    "6. A broken hook is reported",
  ]);
  expect(shown).toContain("no-delete.mjs will not run: not approved yet");
  expect(shown).toContain("PreToolUse:Bash: no-delete.mjs denied: Deleting is not for agents here. Ask a person. (… ms)");
  expect(shown).toContain("The next release is called Heron.");
  expect(shown).toContain("// formatted by a hook");
  expect(shown).toContain("Stop: checks-first.mjs keeps the agent going: run echo passed > checks.log");
  expect(shown).toMatch(/PostToolUse:Grep: missing\.sh failed/);
  expect(shown).toContain("Three things to try next");
  expect(stdout).not.toContain("\u001b");
});
