/** What leaves its process group, or its session, belongs to what started it all the same: what we end, we end whole. */
import { type ChildProcess, spawnSync } from "node:child_process";
import path from "node:path";
import { describe, expect, test } from "vitest";
import type { Diagnostic } from "../../packages/hookloop/src/diagnostic.ts";
import { openMcpServers } from "../../packages/hookloop/src/mcp/open-mcp-servers.ts";
import { readStat } from "../../packages/hookloop/src/run/process/process-identity.ts";
import type { Program } from "../../packages/hookloop/src/run/process/program.ts";
import { createLeftovers, openPrograms, type Programs } from "../../packages/hookloop/src/run/process/programs.ts";
import { createRunFile } from "../../packages/hookloop/src/run/process/run-file.ts";
import { RunProcesses } from "../../packages/hookloop/src/run/process/run-processes.ts";
import { type AgentLab, ended, openAgentLab, say, use } from "../agent/agent-lab.ts";
import { runLine, temporaryFolder } from "../engine/execute/processes.ts";
import { brokerFromSource } from "../engine/execute/through-broker/broker-from-source.ts";
import { APART, ESCAPES, escapeLine, haveEscaped, liveWith, newSleep, remaining, until } from "./live-processes.ts";

const PATH = process.env["PATH"] ?? "";
const bash = (line: string, more: Partial<Program> = {}): Program => ({
  file: "bash",
  args: ["-c", line],
  isShell: false,
  env: { PATH },
  cwd: "/",
  fallbackCwd: "/",
  stdin: Buffer.alloc(0),
  timeoutMs: 60_000,
  ...more,
});
/** They must be gone when the outcome is there, but for what the system itself takes. */
const gone = (seconds: string): Promise<unknown> => remaining(seconds, 500);

function open(): { readonly programs: Programs; readonly said: Diagnostic[] } {
  const said: Diagnostic[] = [];
  return { programs: openPrograms({ onDiagnostic: (diagnostic) => said.push(diagnostic) }), said };
}

describe("a command", () => {
  test("at its time limit", async () => {
    const { programs } = open();
    const seconds = newSleep();
    const { end, allow } = programs.start(bash(`${escapeLine(seconds)}\nwait`), { text: "a Bash command" });
    await until(() => haveEscaped(seconds), "all have left");
    allow(1);
    expect((await end).failure?.kind).toBe("timeout");
    expect(await gone(seconds)).toEqual([]);
  });

  test("in the foreground, when it is cancelled", async () => {
    const { programs } = open();
    const lines: Readonly<Record<string, (seconds: string) => string>> = {
      timeout: (seconds) => `timeout ${seconds} sleep ${seconds}; true`,
      "set -m": (seconds) => `set -m; sleep ${seconds}; true`,
      setpgrp: (seconds) => `perl -e 'setpgrp; system "sleep", "${seconds}"'; true`,
      "exec timeout": (seconds) => `exec timeout ${seconds} sleep ${seconds}`,
      coproc: (seconds) => `set -m; coproc timeout ${seconds} sleep ${seconds}; wait`,
      disown: (seconds) => `set -m; sleep ${seconds} & disown -a; sleep ${seconds}`,
      "env -i setsid": (seconds) => `env -i setsid sh -c 'sleep ${seconds}; true' & wait`,
    };
    const ends = Object.entries(lines).map(async ([way, line]) => {
      const seconds = newSleep();
      const cancel = new AbortController();
      const end = programs.run(bash(line(seconds), { signal: cancel.signal }), { text: "a Bash command" });
      await until(() => haveEscaped(seconds, { way: line }), "it runs");
      cancel.abort();
      return [way, (await end).failure?.kind, await gone(seconds)];
    });
    expect(await Promise.all(ends)).toEqual(Object.keys(lines).map((way) => [way, "aborted", []]));
  });

  test("that dies by a signal", async () => {
    const { programs } = open();
    const seconds = newSleep();
    const line = `${escapeLine(seconds)}\nuntil [ "$(pgrep -fc '^sleep ${seconds}')" -ge ${count()} ]; do sleep 0.05; done; kill -KILL $$`;
    expect((await programs.run(bash(line), { text: "a Bash command" })).failure?.kind).toBe("signal");
    expect(await gone(seconds)).toEqual([]);
  });

  test("that ends by itself: what is in its session ends with ours, what has a session of its own stays; both are named", async () => {
    const { programs, said } = open();
    const [seconds, apart] = [newSleep(), newSleep()];
    const lines = `${escapeLine(seconds, ESCAPES)}\n${escapeLine(apart, APART)}`;
    const all = `until [ "$(pgrep -fc '^sleep ${seconds}')$(pgrep -fc '^sleep ${apart}')" = ${count(ESCAPES)}${count(APART)} ]; do sleep 0.05; done`;
    expect(await programs.run(bash(`exec > /dev/null 2>&1 < /dev/null; ${lines}\n${all}`), { text: "a Bash command" })).toMatchObject({
      exitCode: 0,
    });
    const pids = (text: string): readonly number[] =>
      liveWith(text).flatMap(({ pid, command }) => (/^(?:sleep|timeout)/.test(command) ? [pid] : []));
    const named = (at: number): readonly number[] =>
      /\(pid ([\d, ]+)\)/
        .exec(said[at]?.text ?? "")?.[1]
        ?.split(", ")
        .map(Number) ?? [];
    expect(said.map(({ text }) => text)).toEqual([
      expect.stringMatching(/it stays when/),
      expect.stringMatching(/it ends with the session/),
    ]);
    expect(new Set(named(0))).toEqual(new Set(pids(apart)));
    expect(named(1)).toEqual(expect.arrayContaining([...pids(seconds)]));
    await programs.close();
    expect(await gone(seconds)).toEqual([]);
    expect(haveEscaped(apart, APART)).toBe(true);
    expect(said[2]?.text).toBe("what a Bash command had left running was ended with the session");
  });
});

function count(ways: typeof ESCAPES = { ...ESCAPES, ...APART }): number {
  return Object.keys(ways).length;
}

describe("a hook", () => {
  test("at its time limit, also in the broker; and when the broker is lost", async () => {
    const runFile = createRunFile({ folder: path.join(temporaryFolder(), "runs") });
    const [broker, lost] = [brokerFromSource(), brokerFromSource()];
    expect(await Promise.all([broker.start(), lost.start()])).toEqual([true, true]);
    const runs = [undefined, broker.run, lost.run].map(async (run, at) => {
      const seconds = newSleep();
      const ports = { runFile, ...(run && { run }) };
      const outcome = runLine({ line: `${escapeLine(seconds)}\nwait`, hook: { timeoutMs: at === 2 ? 60_000 : 3000 }, ports });
      await until(() => haveEscaped(seconds), "all have left");
      if (at === 2) process.kill(lost.pid ?? 0, "SIGKILL");
      return [(await outcome).outcome.failure?.kind, await gone(seconds)];
    });
    expect(await Promise.all(runs)).toEqual([
      ["timeout", []],
      ["timeout", []],
      ["signal", []],
    ]);
    await broker.close();
    runFile.close();
  });

  test("that ended by itself and left its group: it is named, and ends with the session", async () => {
    const seconds = newSleep();
    const said: Diagnostic[] = [];
    const leftovers = createLeftovers({ onDiagnostic: (diagnostic) => said.push(diagnostic) });
    const runFile = createRunFile({ folder: path.join(temporaryFolder(), "runs") });
    const line = `exec > /dev/null 2>&1; env -i timeout ${seconds} sleep ${seconds} & until pgrep -f '^sleep ${seconds}'; do sleep 0.05; done`;
    const { outcome } = await runLine({ line, ports: { runFile, leftovers } });
    expect(outcome.failure).toBeUndefined();
    expect(said).toMatchObject([{ code: "HL_EXECUTE_LEFT_RUNNING", text: expect.stringMatching(/left 2 processes running/) }]);
    await leftovers.end();
    expect(await gone(seconds)).toEqual([]);
    runFile.close();
  });
});

test("a server that is closed, and a server that ends by itself", async () => {
  const { programs } = open();
  const seconds = newSleep();
  const line = (end: string): string => `exec 3<&0; ( ${escapeLine(seconds)}\n) <&- > /dev/null 2>&1; node -e '${SERVER}' <&3; ${end}`;
  const server = (end: string): object => ({ type: "stdio", command: "bash", args: ["-c", line(end)], env: {} });
  const servers = { polite: server("exit"), stays: server("sleep 60") } as Parameters<typeof openMcpServers>[0]["servers"];
  const problems: string[] = [];
  const connections = await openMcpServers({ servers, cwd: "/", onProblem: (text) => problems.push(text), programs });
  expect(problems).toEqual([]);
  await until(() => liveWith(seconds).length >= 2 * count(), "all have left");
  await connections.close();
  expect(await gone(seconds)).toEqual([]);
});

const SERVER = `
let rest = "";
process.stdin.on("end", () => process.exit()).on("data", (chunk) => {
  rest += chunk;
  for (let end; (end = rest.indexOf("\\n")) >= 0; rest = rest.slice(end + 1)) {
    const { id, method, params } = JSON.parse(rest.slice(0, end));
    const result = method === "initialize" ? { protocolVersion: params.protocolVersion, capabilities: {}, serverInfo: { name: "s", version: "1" } } : {};
    if (id !== undefined) console.log(JSON.stringify({ jsonrpc: "2.0", id, result }));
  }
});`;

/** A module that starts a shell line. */
function node(line = "", then = ""): string {
  return `import { spawn } from "node:child_process";\nspawn("bash", ["-c", ${JSON.stringify(line)}], { stdio: "ignore" });\n${then}`;
}

describe("the agent, with everything that can run", () => {
  const WHO = ["a command", "a command in the background", "a hook", "a warm script", "a module", "a module in a process"];

  async function start(): Promise<{ readonly lab: AgentLab; readonly all: readonly string[]; readonly child: ChildProcess }> {
    const lab = openAgentLab();
    const all = WHO.map(newSleep);
    const [command, background, hook, warm, worker, host] = all.map((seconds) => `${escapeLine(seconds)}\nwait`);
    lab.write("project/warm.mjs", node(warm, "for (;;);"));
    lab.write("project/.hookloop/worker.mjs", node(worker, "export default () => undefined;"));
    lab.write("project/.hookloop/host.mjs", node(host, "export default () => undefined;"));
    const async = { type: "command", async: true, timeout: 600 };
    const after = [
      { ...async, command: hook },
      { ...async, command: "node warm.mjs", warm: true },
    ];
    const modules = [
      { type: "module", path: "./worker.mjs" },
      { type: "module", path: "./host.mjs", isolation: "process" },
    ];
    lab.write("project/.hookloop/hooks.json", {
      hooks: { SessionStart: [{ hooks: modules }], PostToolUse: [{ matcher: "Bash", hooks: after }] },
    });
    const turns = [[use("Bash", { command: background, run_in_background: true })], [use("Bash", { command })], say("done")];
    const args = ["-p", "go", "--trust-workspace", "--allowedTools", "Bash", "--script", lab.script(turns)];
    const child = lab.start({ args });
    await until(() => all.every((seconds) => haveEscaped(seconds)), "all have left");
    return { lab, all, child };
  }
  const left = async (all: readonly string[]): Promise<readonly (readonly [string | undefined, unknown])[]> => {
    const found = await Promise.all(all.map((seconds) => remaining(seconds, 2000)));
    return found.flatMap((some, at) => (some.length > 0 ? [[WHO[at], some] as const] : []));
  };

  test.each([
    ["SIGTERM", 1],
    ["SIGQUIT", 131],
  ] as const)("ends all of it at %s", async (signal, code) => {
    const { all, child } = await start();
    const end = ended(child);
    child.kill(signal);
    const { exit, stderr } = await end;
    expect(exit, stderr).toBe(code);
    expect(await left(all)).toEqual([]);
  });

  test("killed with -9 has all of it ended by the next start, which names it", async () => {
    const { lab, all, child } = await start();
    const end = ended(child);
    child.kill("SIGKILL");
    await end;
    const { exit, stderr } = await lab.run({ args: ["-p", "go", "--script", lab.script([]), "--no-project-hooks"] });
    expect(exit, stderr).toBe(0);
    expect(stderr).toMatch(/HL_EXECUTE_ORPHAN: processes [\d, ]+ \(a Bash command in the background\) were left over/);
    expect(await left(all)).toEqual([]);
  });
});

test("what a module has started ends with it also where no process has a session: the container's began outside of it", async (context) => {
  const contained = ["unshare", "--pid", "--fork", "--mount-proc", "bash", "-c"];
  context.skip(spawnSync("unshare", [...contained.slice(1), "true"]).status !== 0, "private process spaces are not permitted here");
  const lab = openAgentLab();
  const seconds = newSleep();
  lab.write("project/.hookloop/worker.mjs", node(`${escapeLine(seconds)}\nwait`, "export default () => undefined;"));
  const hooks = { SessionStart: [{ hooks: [{ type: "module", path: "./worker.mjs" }] }] };
  lab.write("project/.hookloop/hooks.json", { hooks });
  const sleeping = `pgrep -fc '^sleep ${seconds}'`;
  const line = `"$@" & until [ "$(${sleeping})" -ge ${count()} ]; do sleep 0.05; done; kill -TERM $!; wait $!; sleep 0.5; echo left: $(${sleeping})`;
  const turns = [[use("Bash", { command: "sleep 60" })], say("done")];
  const args = ["-p", "go", "--trust-workspace", "--allowedTools", "Bash", "--script", lab.script(turns)];
  expect((await lab.run({ before: [...contained, line, "bash"], args })).stdout).toMatch(/left: 0$/m);
});

test("a run that this program was started from is left alone: it would end itself, and the terminal it was started in", () => {
  const known = [readStat(process.ppid)].filter((one) => one !== undefined);
  expect(known).toHaveLength(1);
  expect(new RunProcesses({ leader: process.ppid }, { known }).find()).toEqual([]);
});
