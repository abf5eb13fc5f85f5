/** The hooks that watch, in real sessions: what they say, and what `hookloop trace verify` finds. */
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test, vi } from "vitest";
import { afterThisTest } from "../cleanup.ts";
import { type AgentLab, type Ended, ended, openAgentLab, PROGRAM, say, use } from "./agent-lab.ts";

const ALLOWED = ["--permission-mode", "bypassPermissions"];

function watched(hooks: readonly unknown[]): AgentLab {
  const lab = openAgentLab();
  lab.write("project/.hookloop/hooks.json", { use: hooks });
  return lab;
}

const verify = (lab: AgentLab, ...args: readonly string[]): { exit: number | null; stdout: string } => {
  const env = { PATH: process.env["PATH"] ?? "", HOME: lab.home };
  const { status, stdout } = spawnSync(process.execPath, [PROGRAM, "trace", "verify", ...args], {
    cwd: lab.project,
    env,
    encoding: "utf8",
  });
  return { exit: status, stdout };
};

/** The audit files of the lab's project, by name. */
function auditFiles(lab: AgentLab): readonly string[] {
  const folder = path.join(lab.home, ".local/state/hookloop/audit");
  if (!existsSync(folder)) return [];
  return readdirSync(folder).flatMap((project) =>
    readdirSync(path.join(folder, project))
      .sort()
      .map((name) => path.join(folder, project, name)),
  );
}

const run = (lab: AgentLab, id: string, ...commands: readonly string[]): Promise<Ended> => {
  const script = lab.script([...commands.map((command) => [use("Bash", { command })]), say("finished")]);
  return lab.run({ args: ["-p", "go", ...ALLOWED, "--script", script, "--session-id", id], env: { LANG: "C.UTF-8" } });
};

test("the lines of the teaching loop come on stderr, also for a call that is denied", async () => {
  const lab = watched(["tool-log", "tool-summary", { name: "large-output", limit: 20 }]);
  const { stdout, stderr } = await run(lab, "s1", "echo hello", "rm -rf /", "seq 100");
  expect(stdout).toBe("finished\n");
  expect(stderr.split("\n").filter((line) => line.includes("[HOOK]"))).toEqual([
    "[HOOK] Bash(['echo hello'])",
    "[HOOK] Bash(['rm -rf /'])",
    "[HOOK] Bash(['seq 100'])",
    "[HOOK] ⚠ Large output from Bash: 291 chars",
    "[HOOK] Stop: session used 3 tool calls",
  ]);
});

test("metrics are in the trace of the session", async () => {
  const lab = watched(["metrics"]);
  await run(lab, "s1", "seq 3 | head -1", "exit 3");
  const [file = ""] = lab.stateFiles("traces");
  const metrics = readFileSync(file, "utf8")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line))
    .filter(({ type }) => type === "metric");
  expect(metrics.map(({ name, fields }) => [name, fields.tool_name ?? fields.command_base ?? fields.answers, fields.exit_code])).toEqual([
    ["tool_executed", "Bash", undefined],
    ["bash_executed", "seq", 0],
    ["tool_executed", "Bash", undefined],
    ["bash_executed", "exit", 3],
    ["tokens_used", 3, undefined],
  ]);
});

describe("an audit file of a session", () => {
  test("has its verdicts and denied calls, and is as it was written until someone changes it", async () => {
    const lab = watched(["audit"]);
    await run(lab, "s1", "echo one", "rm -rf /");
    const [file = ""] = auditFiles(lab);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const before = readFileSync(file, "utf8");
    expect(before).toMatch(/"decision":"deny","event":"PreToolUse"/);
    expect(before).toMatch(/"status":"denied".*"type":"notRun"/);
    expect(verify(lab, "s1")).toEqual({ exit: 0, stdout: `${file}: ${before.split("\n").length - 1} records, as it was written\n` });
    const lines = before.split("\n");
    writeFileSync(file, lines.toSpliced(3, 1).join("\n"));
    expect(verify(lab)).toEqual({ exit: 1, stdout: expect.stringContaining("  line 3: removed: record 4 is missing behind line 3\n") });
    writeFileSync(file, before.replace("rm -rf /", "ls"));
    const changed = verify(lab, file, "--json");
    const line = lines.findIndex((one) => one.includes("rm -rf /")) + 1;
    expect(JSON.parse(changed.stdout)).toMatchObject([{ findings: [{ kind: "changed", line, seq: line }] }]);
    expect(changed.exit).toBe(1);
  });

  test("wrong usage is exit 2", () => {
    expect(verify(openAgentLab(), "nothing").exit).toBe(2);
  });

  test("of two sessions at once is two files", async () => {
    const lab = watched(["audit"]);
    const script = lab.script([[use("Bash", { command: "sleep 0.5" })], [use("Bash", { command: "true" })], say("finished")]);
    await Promise.all(["a", "b"].map((id) => lab.run({ args: ["-p", "go", ...ALLOWED, "--script", script, "--session-id", id] })));
    expect(auditFiles(lab).map((file) => path.basename(file))).toEqual(["a.jsonl", "b.jsonl"]);
    expect(verify(lab).exit).toBe(0);
  });

  test("continues when the session is resumed", async () => {
    const lab = watched(["audit"]);
    await run(lab, "s1", "echo one");
    const records = readFileSync(auditFiles(lab)[0] ?? "", "utf8").split("\n").length;
    await lab.run({ args: ["-p", "again", ...ALLOWED, "--script", lab.script([say("again")]), "--resume", "s1"] });
    expect(auditFiles(lab)).toHaveLength(1);
    expect(readFileSync(auditFiles(lab)[0] ?? "", "utf8").split("\n").length).toBeGreaterThan(records);
    expect(verify(lab).exit).toBe(0);
  });
});

/** A program that fires events without an end. */
const LOOP = `
import { openHooks } from "hookloop";
const [cwd, home, count] = process.argv.slice(2);
const hooks = await openHooks({ cwd, sessionId: "loop", use: ["audit"], ports: { home, managedRoot: home + "/none" }, onDiagnostic: (one) => console.log(one.code) });
const call = (id) => ({ tool_name: "Bash", tool_input: { command: "x".repeat(2000) }, tool_use_id: id });
for (let at = 0; at < Number(count); at++) await hooks.runTool(call("t" + at), () => ({ stdout: "", stderr: "", interrupted: false }));
await hooks.close();
console.log("done");
`;

function loop(
  lab: AgentLab,
  count: number,
  { before = [], env = {} }: { before?: readonly string[]; env?: Record<string, string> } = {},
): ChildProcess {
  // Beside the workspace's node_modules, where the package is found by its name.
  const file = path.resolve("node_modules/.cache", `watching-${process.pid}-${Math.random()}.mjs`);
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, LOOP);
  const [program = "", ...args] = [...before, process.execPath, file, lab.project, lab.home, String(count)];
  const child = spawn(program, args, {
    env: { PATH: process.env["PATH"] ?? "", HOME: lab.home, ...env },
    stdio: ["ignore", "pipe", "inherit"],
  });
  afterThisTest(() => {
    child.kill("SIGKILL");
    spawnSync("rm", ["-f", file]);
  });
  return child;
}

test("kill -9 while it writes leaves an audit file in order, and the next session continues it", async () => {
  const lab = openAgentLab();
  for (let round = 0; round < 6; round++) {
    const child = loop(lab, 1_000_000);
    const before = auditFiles(lab)[0] === undefined ? 0 : statSync(auditFiles(lab)[0] ?? "").size;
    await vi.waitFor(() => expect(statSync(auditFiles(lab)[0] ?? "").size).toBeGreaterThan(before + 50_000 + round * 7001), {
      timeout: 20_000,
      interval: 3,
    });
    child.kill("SIGKILL");
    await ended(child);
    const { exit, stdout } = verify(lab);
    expect({ exit, stdout }).toEqual({ exit: 0, stdout: expect.stringMatching(/: \d+ records, as it was written\n$/) });
  }
  expect(auditFiles(lab)).toHaveLength(1);
  expect(readdirSync(path.dirname(auditFiles(lab)[0]?.replace("/audit/", "/audit-heads/") ?? ""))).toEqual(["loop.json"]);
});

test("a full disk is said once, calls run all the same, and what is on the disk is in order", async (context) => {
  context.skip(spawnSync("unshare", ["-m", "true"]).status !== 0, "private mounts are not permitted here");
  const lab = openAgentLab();
  const state = path.join(lab.base, "state");
  const copy = path.join(lab.base, "copy");
  mkdirSync(state);
  const script = 'mount -t tmpfs -o size=256k none "$1" && copy=$2 && state=$1 && shift 2 && "$@" && cp -a "$state" "$copy"';
  const child = loop(lab, 300, { before: ["unshare", "-m", "bash", "-c", script, "bash", state, copy], env: { XDG_STATE_HOME: state } });
  const { exit, stdout } = await ended(child);
  expect({ exit, stdout }).toEqual({ exit: 0, stdout: "HL_PERMISSION_NOT_APPLIED\nHL_TRACE_WRITE_FAILED\ndone\n" });
  const folder = path.join(copy, "hookloop/audit");
  const file = path.join(folder, readdirSync(folder)[0] ?? "", "loop.jsonl");
  expect(verify(lab, file)).toEqual({ exit: 0, stdout: expect.stringMatching(/: \d{2,} records, as it was written\n/) });
});
