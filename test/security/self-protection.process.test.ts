/** What guards the agent is not changed by a program in a way that no table lists: without the user to ask, the call is refused. */
import path from "node:path";
import { describe, expect, test } from "vitest";
import { openHooks } from "../../packages/hookloop/src/open.ts";
import type { Approval, PendingHook } from "../../packages/hookloop/src/trust/types.ts";
import { openAgentLab, say, use } from "../agent/agent-lab.ts";

describe("a headless run refuses", () => {
  test.each([
    ["a command of sed's own language", "sed -n 'w.envrc' a.txt"],
    ["a flag of a substitution", "sed 's/one/two/w .envrc' a.txt"],
    ["a script on the input", "sed -n -f - a.txt <<'EOF'\nw .envrc\nEOF"],
    ["an option of an unknown program", "./tool --out=.envrc"],
    ["an attached option", "./tool -o.envrc"],
    ["a text for an unknown program", "./tool '.output .envrc'"],
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
    const { exit, stderr } = await lab.play({ args: ["-p", "go", "--script", script, "--allowedTools", "Bash"] });
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
    const { exit, stdout, stderr } = await lab.play({ args: ["-p", "go", "--script", script, "--allowedTools", "Bash"] });
    expect([exit, stdout, lab.read("project/.claude/settings.json")]).toEqual([0, "done\n", "{}"]);
    expect(stderr.match(/running agent/g)?.length).toBeGreaterThanOrEqual(3);
  });
});

test("a guard keeps blocking after the agent tried to rewrite what the guard imports", async () => {
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
  await (
    await openHooks({ cwd: lab.project, sources: ["user", "project", "local", "plugin"], trust: { review }, ports, onDiagnostic: () => {} })
  ).close();
  const script = lab.script([
    [use("Write", { file_path: path.join(lab.project, "tools/rules.mjs"), content: "export const check = () => {};\n" })],
    [use("Bash", { command: "printf 'export const check = () => {};' > tools/rules.mjs" })],
    [use("Bash", { command: "touch FORBID" })],
    [use("Write", { file_path: path.join(lab.project, "src/a.mjs"), content: "one\n" })],
    say("done"),
  ]);
  const { exit, stderr } = await lab.play({
    args: ["-p", "go", "--script", script, "--permission-mode", "acceptEdits", "--allowedTools", "Bash"],
  });
  expect([exit, lab.read("project/tools/rules.mjs"), lab.read("project/FORBID")]).toEqual([0, rules, undefined]);
  expect(lab.read("project/src/a.mjs")).toBe("one\n");
  expect(stderr).toContain("a registered hook runs it");
});

describe("a headless run keeps what every project relies on", () => {
  test("the trust store stays when a folder above it is stashed, renamed or deleted", async () => {
    const lab = openAgentLab();
    lab.write("home/.local/state/hookloop/marker", "kept");
    const local = `${lab.home}/.local`;
    const commands = [
      "git init -q ~ && git -C ~ -c user.name=a -c user.email=a@b commit -qm x --allow-empty && git -C ~ -c user.name=a -c user.email=a@b stash -u",
      `node -e "fs.rmSync('${local}',{recursive:true})"`,
      `node -e "fs.renameSync(process.env.HOME+'/.local','${lab.base}/away')"`,
      "mv ~/.local away",
    ];
    const script = lab.script([...commands.map((command) => [use("Bash", { command })]), say("done")]);
    const { exit, stdout, stderr } = await lab.play({ args: ["-p", "go", "--script", script, "--allowedTools", "Bash"] });
    expect([exit, stdout, lab.read("home/.local/state/hookloop/marker")]).toEqual([0, "done\n", "kept"]);
    expect(stderr).toContain("trust store");
  });

  test("the files of this run's MCP servers and hookloop's own code are not written by an edit that needs no question", async () => {
    const lab = openAgentLab();
    const server = 'process.stdin.resume(); process.stdin.on("end", () => process.exit());';
    lab.write("project/mcp/server.mjs", server);
    lab.write("project/mcp/servers.json", { mcpServers: { a: { command: process.execPath, args: ["mcp/server.mjs"] } } });
    lab.write("project/node_modules/hookloop/bin/hookloop.js", "one");
    const before = lab.read("project/mcp/servers.json");
    const files = ["mcp/servers.json", "mcp/server.mjs", "node_modules/hookloop/bin/hookloop.js", "mcp/notes.md"];
    for (const name of files.slice(0, 3)) expect(lab.read(`project/${name}`)).toBeDefined();
    const turns = files.map((name) => [
      use("Read", { file_path: `${lab.project}/${name}` }),
      use("Write", { file_path: `${lab.project}/${name}`, content: "changed" }),
    ]);
    const script = lab.script([...turns, say("done")]);
    const args = ["-p", "go", "--script", script, "--permission-mode", "acceptEdits", "--mcp-config", "mcp/servers.json"];
    const { exit, stderr } = await lab.play({ args, env: { MCP_TIMEOUT: "500" } });
    expect([exit, ...files.map((name) => lab.read(`project/${name}`))]).toEqual([0, before, server, "one", "changed"]);
    expect(stderr).toContain("configuration of this run");
    expect(stderr).toContain("hookloop itself");
  });
});
