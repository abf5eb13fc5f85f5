import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";

// Inside the repository, so that `hookloop` is found.
const folder = mkdtempSync(path.resolve("node_modules/.run-agent-"));
const home = mkdtempSync(path.join(tmpdir(), "hookloop-home-"));
afterAll(() => {
  for (const one of [folder, home]) rmSync(one, { recursive: true, force: true });
});

beforeAll(() => {
  const example = readFileSync("docs/reference/agent.md", "utf8").match(/^```js agent\.mjs\n([\s\S]*?)^```/m)?.[1];
  writeFileSync(path.join(folder, "agent.mjs"), example as string);
});

test("the example of the agent's page compiles under strict", () => {
  const tsc = path.resolve("node_modules/typescript/bin/tsc");
  const flags = "--ignoreConfig --noEmit --strict --allowJs --checkJs --skipLibCheck --target es2022 --module nodenext --types node".split(
    " ",
  );
  const { stdout, status } = spawnSync(process.execPath, [tsc, ...flags, "agent.mjs"], { cwd: folder, encoding: "utf8" });
  expect([status, stdout]).toEqual([0, ""]);
});

test("runAgent() asks the program's model, runs its tool and its hook", () => {
  const env = { PATH: process.env["PATH"], HOME: home };
  const output = execFileSync(process.execPath, ["agent.mjs"], { cwd: folder, encoding: "utf8", env });
  expect(output.trim().split("\n").sort()).toEqual(["Bash: denied", "Weather: ran", "completed It rains in Oslo."]);
});
