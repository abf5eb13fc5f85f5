/** What guards the agent is not changed by a program in a way that nobody has listed: without a person to ask, the call is refused. */
import path from "node:path";
import { describe, expect, test } from "vitest";
import { type Approval, openHooks, type PendingHook } from "../../packages/hookloop/src/index.ts";
import { openAgentLab, say, use } from "../agent/agent-lab.ts";

describe("a headless run refuses", () => {
  test.each([
    ["a command of sed's own language", "sed -n 'w.envrc' a.txt"],
    ["a flag of a substitution", "sed 's/one/two/w .envrc' a.txt"],
    ["a script on the input", "sed -n -f - a.txt <<'EOF'\nw .envrc\nEOF"],
    ["an option of a program that nobody knows", "./tool --out=.envrc"],
    ["an attached option", "./tool -o.envrc"],
    ["a text for a program that nobody knows", "./tool '.output .envrc'"],
    ["a text on its input", "echo '.output .envrc' | ./tool"],
    ["an argument of a script", "sh tool .envrc"],
    ["code of another language", 'node -e \'require("fs").appendFileSync(".envrc", "x")\''],
    ["a variable", "GIT_TRACE=$PWD/.envrc git status"],
    ["awk", 'awk \'BEGIN { print "x" > ".envrc" }\''],
  ])("%s", async (_, command) => {
    const lab = openAgentLab();
    lab.write("project/a.txt", "one\n");
    // Writes to whatever it is told to.
    lab.write(
      "project/tool",
      `#!/bin/sh\nfor word in "$@" $(cat 2>/dev/null </dev/stdin); do case "$word" in *.envrc) : > .envrc;; esac; done\n`,
    );
    const script = lab.script([[use("Bash", { command })], say("done")]);
    const { exit, stderr } = await lab.run({ args: ["-p", "go", "--script", script, "--allowedTools", "Bash"] });
    expect([exit, lab.read("project/.envrc")]).toEqual([0, undefined]);
    expect(stderr).toContain(".envrc");
  });

  test("what is done to the agent itself, and goes on", async () => {
    const lab = openAgentLab();
    lab.write("project/.claude/settings.json", "{}");
    lab.write("project/empty/x", "");
    const commands = [
      "kill -STOP $PPID",
      "prlimit --pid $PPID --nofile=3",
      "p=$PPID; kill -9 $p",
      "mount --bind empty .claude",
      "chmod 000 .claude",
    ];
    const script = lab.script([...commands.map((command) => [use("Bash", { command })]), say("done")]);
    const { exit, stdout, stderr } = await lab.run({ args: ["-p", "go", "--script", script, "--allowedTools", "Bash"] });
    expect([exit, stdout, lab.read("project/.claude/settings.json")]).toEqual([0, "done\n", "{}"]);
    expect(stderr.match(/running agent/g)?.length).toBeGreaterThanOrEqual(3);
  });
});

test("a guard goes on blocking after the agent tried to rewrite what the guard imports", async () => {
  const lab = openAgentLab();
  const rules =
    'import { readFileSync } from "node:fs";\nexport const check = () => { if (readFileSync(0, "utf8").includes("FORBID")) { console.error("forbidden"); process.exit(2); } };\n';
  lab.write("project/tools/guard.mjs", 'import { check } from "./rules.mjs"; check();\n');
  lab.write("project/tools/rules.mjs", rules);
  const guard = { type: "command", command: 'node "$CLAUDE_PROJECT_DIR"/tools/guard.mjs', onFailure: "block" };
  lab.write("project/.hookloop/hooks.json", { hooks: { PreToolUse: [{ matcher: "Bash|Write|Edit", hooks: [guard] }] } });
  const review = async (all: readonly PendingHook[]): Promise<readonly Approval[]> =>
    all.map(({ hook, digest }) => ({ id: hook.id, digest }));
  const ports = { home: lab.home, env: { PATH: process.env["PATH"] ?? "", HOME: lab.home }, managedRoot: path.join(lab.base, "managed") };
  await (await openHooks({ cwd: lab.project, trust: { review }, ports, onDiagnostic: () => {} })).close();
  const script = lab.script([
    [use("Write", { file_path: path.join(lab.project, "tools/rules.mjs"), content: "export const check = () => {};\n" })],
    [use("Bash", { command: "printf 'export const check = () => {};' > tools/rules.mjs" })],
    [use("Bash", { command: "touch FORBID" })],
    [use("Write", { file_path: path.join(lab.project, "src/a.mjs"), content: "one\n" })],
    say("done"),
  ]);
  const { exit, stderr } = await lab.run({
    args: ["-p", "go", "--script", script, "--permission-mode", "acceptEdits", "--allowedTools", "Bash"],
  });
  expect([exit, lab.read("project/tools/rules.mjs"), lab.read("project/FORBID")]).toEqual([0, rules, undefined]);
  expect(lab.read("project/src/a.mjs")).toBe("one\n");
  expect(stderr).toContain("a registered hook names or loads it");
});
