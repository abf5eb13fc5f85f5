/** Modules that register hooks in the words of other systems, in real sessions. */
import { appendFileSync, existsSync, mkdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { type AgentLab, lines, openAgentLab, say, use } from "./agent-lab.ts";

const GUARD = readFileSync(new URL("../sources/fixtures/sampling-guard.mjs", import.meta.url), "utf8");

/** A project with the guard of the source, and a folder that a command would delete. */
function openGuarded(text = GUARD, place = "project/guard.mjs"): { readonly lab: AgentLab; readonly file: string } {
  const lab = openAgentLab();
  const file = lab.write(place, text);
  mkdirSync(path.join(lab.project, "build"));
  return { lab, file };
}

/** The shipped guard would block as well. */
const env = { HOOKLOOP_DISABLE: "safety" };
const DELETE = ["-p", "run rm -rf build", "--allowedTools", "Bash", "--model", "offline"];
const isThere = (lab: AgentLab): boolean => existsSync(path.join(lab.project, "build"));

test("a guard as its source writes it blocks a command and an edit in a real session", async () => {
  const { lab, file } = openGuarded();
  const deleting = await lab.run({ env, args: [...DELETE, "--extension", file, "--trust-workspace"] });
  expect([deleting.exit, isThere(lab)]).toEqual([0, true]);
  expect(deleting.stdout + deleting.stderr).toContain("Dangerous command blocked: Attempted root deletion");
  lab.script([[use("Write", { file_path: path.join(lab.project, "secrets.txt"), content: "x" })], say("ok")]);
  const args = ["-p", "go", "--allowedTools", "Write", "--script", path.join(lab.base, "script.json")];
  await lab.run({ env, args: [...args, "--extension", "guard.mjs", "--trust-workspace"] });
  expect(lab.read("project/secrets.txt")).toBeUndefined();
  await lab.run({ env, args });
  expect(lab.read("project/secrets.txt")).toBe("x");
  await lab.run({ env, args: DELETE });
  expect(isThere(lab)).toBe(false);
});

test("a file of the project is approved like its hooks: until then nothing starts, and a change of it blocks", async () => {
  const { lab, file } = openGuarded();
  const args = [...DELETE, "--extension", file];
  const first = await lab.run({ env, args });
  expect([first.exit, first.stdout, isThere(lab)]).toEqual([1, "", true]);
  expect(first.stderr).toContain(`hookloop trust review --extension ${file}`);
  expect(first.stderr).toMatch(/^HL_TRUST_REQUIRED: "guard\.mjs" must be able to run\. /m);
  const [{ id = "", state } = {}] = JSON.parse(await lab.command(["trust", "--json", "--extension", file])) as {
    id?: string;
    state?: string;
  }[];
  expect([id, state]).toEqual([expect.stringMatching(/^project:PreToolUse:/), "new"]);
  await lab.command(["trust", "approve", id, "--extension", file]);
  expect(await lab.command(["trust", "--extension", file])).toMatch(/project:PreToolUse:\w+ +trusted +yes/);
  const approved = await lab.run({ env, args });
  expect([approved.exit, isThere(lab)]).toEqual([0, true]);
  appendFileSync(file, "// one more line\n");
  const changed = await lab.run({ env, args });
  expect([changed.exit, changed.stdout]).toEqual([1, ""]);
  expect(changed.stderr).toMatch(/HL_TRUST_GATE_WITHHELD: [\s\S]*\+ *\/\/ one more line/);
  const allSame = await lab.run({ env, args: [...args, "--allow-changed-hooks"] });
  expect([allSame.exit, isThere(lab)]).toEqual([0, true]);
  // It is missed only where the command line names it.
  await lab.run({ env, args: DELETE });
  expect(isThere(lab)).toBe(false);
});

test("a file elsewhere is the user's own: it runs at first sight, and not once it has changed", async () => {
  const { lab, file } = openGuarded(GUARD, "tools/guard.mjs");
  const args = [...DELETE, "--extension", file];
  const first = await lab.run({ env, args });
  expect([first.exit, isThere(lab), first.stderr]).toEqual([0, true, expect.not.stringContaining("HL_TRUST")]);
  appendFileSync(file, "// one more line\n");
  const { exit, stderr } = await lab.run({ env, args });
  expect([exit, stderr, isThere(lab)]).toEqual([1, expect.stringContaining("HL_TRUST_GATE_WITHHELD"), true]);
});

test.each([
  ["import x from './nothing.mjs'", "cannot be loaded"],
  ["throw new Error('broken')", "cannot be loaded: broken"],
  ["export const register = 1", 'what it exports as "register" is no function'],
  ["export function register() { throw new Error('broken') }", "cannot be loaded: broken"],
  ["export const a = 1", "registers no hook. Call registerHook("],
  ['import { registerHook } from "hookloop/compat/sampling"; registerHook("pre_bash", () => {})', 'Did you mean "pre_bash_sample"?'],
])("nothing starts with an extension that cannot be part of it: %s", async (text, why) => {
  const { lab, file } = openGuarded(text);
  const { exit, stdout, stderr } = await lab.run({ env, args: [...DELETE, "--extension", file, "--trust-workspace"] });
  expect([exit, stdout, isThere(lab)]).toEqual([1, "", true]);
  expect(stderr).toMatch(/^HL_CONFIG_EXTENSION: /m);
  expect(stderr).toContain(why);
});

test("a file that is not there is wrong usage", async () => {
  const { lab } = openGuarded();
  const { exit, stderr } = await lab.run({ env, args: [...DELETE, "--extension", "gaurd.mjs"] });
  expect([exit, stderr]).toEqual([2, expect.stringMatching(/^HL_CLI_USAGE: There is no file .*gaurd\.mjs/)]);
});

test("several extensions, in TypeScript too, with the engine itself if they want it", async () => {
  const { lab, file } = openGuarded();
  const other = lab.write(
    "project/more.ts",
    `import { createSamplingRegistry } from "hookloop/compat/sampling";
export function register(hooks: never): void {
  const registry = createSamplingRegistry({ hooks });
  registry.registerHook("pre_bash_sample", ({ input }) => ({ status: "cancel", reason: "no shell: " + input?.["command"] }), { priority: 200 });
}
`,
  );
  const args = ["--extension", file, "--extension", other, "--trust-workspace", "--output-format", "stream-json"];
  const { stdout } = await lab.run({ env, args: [...DELETE, ...args] });
  expect(JSON.stringify(lines(stdout))).toContain("no shell: rm -rf build");
  expect(isThere(lab)).toBe(true);
});

test("the agent's own tools cannot change an extension of the session", async () => {
  const { lab, file } = openGuarded();
  lab.script([[use("Bash", { command: "echo > guard.mjs" })], [use("Write", { file_path: file, content: "x" })], say("ok")]);
  const args = ["-p", "go", "--allowedTools", "Write", "Bash", "--script", path.join(lab.base, "script.json")];
  await lab.run({ env, args: [...args, "--extension", file, "--trust-workspace"] });
  expect(readFileSync(file, "utf8")).toBe(GUARD);
});

test("CLAUDE_CODE_DISABLE_HOOKS switches off an extension, or one of its hooks, by name, loudly", async () => {
  for (const name of ["bashSafetyHook", "guard.mjs"]) {
    const { lab, file } = openGuarded();
    const args = [...DELETE, "--extension", file, "--trust-workspace"];
    const { exit, stderr } = await lab.run({ env: { ...env, CLAUDE_CODE_DISABLE_HOOKS: name }, args });
    expect([exit, isThere(lab), stderr]).toEqual([0, false, expect.stringMatching(`HL_ADMIT_DISABLED: .*"?${name}`)]);
  }
});

test("what an extension prints does not reach stdout, which is for the answer", async () => {
  const { lab, file } = openGuarded(
    `console.log("printed at the start");\n${GUARD.replace("const { command }", 'console.log("printed by a hook");\n  const { command }')}`,
  );
  const { stdout, stderr } = await lab.run({ env, args: [...DELETE, "--extension", file, "--trust-workspace"] });
  expect(stdout).not.toContain("printed");
  expect(stderr).toMatch(/printed at the start[\s\S]*printed by a hook/);
});
