/** Which hooks of a project run without a user at a terminal. */
import { execFileSync } from "node:child_process";
import { appendFileSync, existsSync, rmSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { type AgentLab, hooksOn, lines, openAgentLab, PROGRAM, say, use } from "./agent-lab.ts";
import { answers, openMessagesServer } from "./messages-server.ts";

const GUARD = "bash guard.sh";

/** A project whose guard forbids every command; whether the command ran tells whether the guard did. */
function openGuarded(): AgentLab {
  const lab = openAgentLab();
  lab.write("project/guard.sh", 'touch "$CLAUDE_PROJECT_DIR/guarded"\necho never >&2\nexit 2\n');
  lab.settings({ hooks: hooksOn(["PreToolUse"], GUARD) });
  lab.script([[use("Bash", { command: "touch ran" })], say("ok")]);
  return lab;
}

const argsOf = (lab: AgentLab, ...more: readonly string[]): { readonly args: readonly string[] } => ({
  args: ["-p", "go", "--allowedTools", "Bash", "--script", path.join(lab.base, "script.json"), ...more],
});
const traces = (lab: AgentLab): readonly string[] => ["ran", "guarded"].filter((name) => existsSync(path.join(lab.project, name)));

function hookloop(lab: AgentLab, ...args: readonly string[]): string {
  const env = { PATH: process.env["PATH"] ?? "", HOME: lab.home };
  return execFileSync(process.execPath, [PROGRAM, ...args], { cwd: lab.project, env, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
}

test("by default a hook of the project does not run, and one line on stderr names it and the cure", async () => {
  const lab = openGuarded();
  const { exit, stdout, stderr } = await lab.play(argsOf(lab));
  expect({ exit, stdout, traces: traces(lab) }).toEqual({ exit: 0, stdout: "ok\n", traces: ["ran"] });
  const named = stderr.split("\n").filter((line) => line.includes('"guard.sh"') || line.includes("project:PreToolUse"));
  expect(named).toHaveLength(1);
  expect(named[0]).toMatch(/^HL_ADMIT_UNTRUSTED: .*(hookloop trust|--trust-workspace)/);
});

test("the stream says which hooks were left out", async () => {
  const lab = openGuarded();
  const { stdout } = await lab.play(argsOf(lab, "--output-format", "stream-json"));
  expect(lines(stdout)[0]).toMatchObject({ subtype: "init", refused_hooks: [{ hook: expect.stringMatching(/^project:PreToolUse:/) }] });
});

test("--trust-workspace holds for this run only", async () => {
  const lab = openGuarded();
  await lab.play(argsOf(lab, "--trust-workspace"));
  expect(traces(lab)).toEqual(["guarded"]);
  await lab.play(argsOf(lab));
  expect(traces(lab)).toEqual(["ran", "guarded"]);
});

test("--trust-hook takes what trust export prints, and no longer once a byte of the script has changed", async () => {
  const lab = openGuarded();
  const [{ id = "" } = {}] = JSON.parse(hookloop(lab, "trust", "--json")) as { readonly id?: string }[];
  hookloop(lab, "trust", "approve", id);
  const flags = hookloop(lab, "trust", "export").trim().split(" ");
  expect(flags).toEqual(["--trust-hook", expect.stringMatching(/^project:PreToolUse:\w+=sha256:[0-9a-f]{64}$/)]);
  hookloop(lab, "trust", "revoke", id);
  await lab.play(argsOf(lab, ...flags));
  expect(traces(lab)).toEqual(["guarded"]);
  appendFileSync(path.join(lab.project, "guard.sh"), "# changed\n");
  rmSync(path.join(lab.project, "guarded"));
  const { exit, stderr } = await lab.play(argsOf(lab, ...flags));
  expect([exit, traces(lab)]).toEqual([1, []]);
  expect(stderr).toMatch(/^HL_TRUST_\w+: /m);
});

test("a digest that is none is wrong usage", async () => {
  const lab = openGuarded();
  const { exit, stderr } = await lab.play(argsOf(lab, "--trust-hook", "project:PreToolUse:x=sha256:12"));
  expect(exit).toBe(2);
  expect(stderr).toMatch(/^HL_CLI_USAGE: --trust-hook is ID=sha256:/);
});

test("--require-hooks does not start without a gate: exit 1, before the first model call", async () => {
  const lab = openGuarded();
  lab.settings({ hooks: hooksOn(["PreToolUse", "SessionStart"], GUARD) });
  const server = await openMessagesServer([answers({ type: "text", text: "hi" })]);
  const { exit, stdout, stderr } = await lab.play({ args: ["-p", "go", "--require-hooks"], env: server.env });
  expect({ exit, stdout, asked: server.requests.length }).toEqual({ exit: 1, stdout: "", asked: 0 });
  expect(stderr).toMatch(/HL_TRUST_\w+: /);
  const approved = await lab.play({ args: ["-p", "go", "--require-hooks", "--trust-workspace"], env: server.env });
  expect({ exit: approved.exit, asked: server.requests.length }).toEqual({ exit: 0, asked: 1 });
});

test("--no-project-hooks runs none of them, even with --trust-workspace; those of the user run", async () => {
  const lab = openGuarded();
  lab.write("home/.claude/settings.json", { hooks: hooksOn(["SessionStart"], 'touch "$CLAUDE_PROJECT_DIR/of-user"') });
  const { exit, stderr } = await lab.play(argsOf(lab, "--trust-workspace", "--no-project-hooks"));
  expect({ exit, traces: traces(lab) }).toEqual({ exit: 0, traces: ["ran"] });
  expect(existsSync(path.join(lab.project, "of-user"))).toBe(true);
  expect(stderr).toMatch(/project:PreToolUse|guard\.sh/);
});

test("--require-hooks does not start beside a settings file that cannot be read: it may hold a gate", async () => {
  const lab = openAgentLab();
  lab.write("project/.claude/settings.json", "{ nope");
  const { exit, stdout, stderr } = await lab.play({
    args: ["-p", "run pwd", "--require-hooks", "--trust-workspace", "--allowedTools", "Bash"],
  });
  expect([exit, stdout]).toEqual([1, ""]);
  expect(stderr).toMatch(/HL_TRUST_REQUIRED: A gate may be missing \(HL_CONFIG_INVALID_JSON\)/);
});
