import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const PROGRAM = fileURLToPath(new URL("../../packages/hookloop/bin/hookloop.js", import.meta.url));

test("without -p and without a terminal it says how to use -p, and does nothing", () => {
  const { status, stdout, stderr } = spawnSync(process.execPath, [PROGRAM, "agent", "go"], { input: "hello\n", encoding: "utf8" });
  expect(status).toBe(2);
  expect(stdout).toBe("");
  expect(stderr.replace("npx hookloop", "hookloop")).toBe(
    'HL_CLI_NO_TERMINAL: A conversation needs a terminal, and there is none. For one answer without a terminal: hookloop agent -p "what to do" (the prompt may also come on stdin).\n',
  );
});

test.each([
  ["--settings", "/none/settings.json", "There is no file /none/settings.json."],
  ["--mcp-config", "/none/mcp.json", "There is no file /none/mcp.json."],
  ["--add-dir", "/none", "There is no folder /none."],
  ["--permission-mode", "careless", '"careless" is not a permission mode.'],
])("%s %s is wrong usage: nothing is started without it", (flag, value, text) => {
  const { status, stdout, stderr } = spawnSync(process.execPath, [PROGRAM, "agent", "-p", "run pwd", flag, value], { encoding: "utf8" });
  expect({ status, stdout }).toEqual({ status: 2, stdout: "" });
  expect(stderr).toContain(`HL_CLI_USAGE: ${text}`);
});
