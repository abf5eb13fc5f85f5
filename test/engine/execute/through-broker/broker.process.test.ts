import { type ChildProcess, spawn } from "node:child_process";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { beforeAll, describe, expect, it } from "vitest";
import type { Broker, BrokerOptions } from "../../../../packages/hookloop/src/run/process/broker.ts";
import { isLive, liveGroup, readIfThere, runLine, type ShellRun, temporaryFolder, until } from "../processes.ts";
import { BROKER_SCRIPT, brokerFromSource } from "./broker-from-source.ts";

const MARK = 'echo $$ > "$F/group"; ';

interface Started {
  readonly broker: Broker;
  readonly pid: number;
  readonly problems: string[];
  readonly run: (run: ShellRun) => ReturnType<typeof runLine>;
}

async function started(options: BrokerOptions = {}): Promise<Started> {
  const problems: string[] = [];
  const broker = brokerFromSource({ onProblem: (text) => problems.push(text), ...options });
  expect(await broker.start()).toBe(true);
  const run: Started["run"] = ({ ports, ...rest }) => runLine({ ...rest, ports: { run: broker.run, ...ports } });
  return { broker, pid: broker.pid ?? 0, problems, run };
}

/** The parent of a hook: the broker, or this process if it was started directly. */
async function parentOf(run: Started["run"], more: Partial<ShellRun> = {}): Promise<number> {
  return Number((await run({ line: "echo $PPID", ...more })).outcome.stdout);
}

describe("the broker", () => {
  it("is the parent of hooks, in a large host", async () => {
    const { run, pid } = await started();
    expect(pid).toBeGreaterThan(1);
    expect(await parentOf(run)).toBe(pid);
  });

  it("is started by the first hook that needs it, which does not wait for it", async () => {
    const broker = brokerFromSource();
    const run: Started["run"] = (shell) => runLine({ ...shell, ports: { run: broker.run } });
    expect(broker.pid).toBeUndefined();
    expect(await parentOf(run)).toBe(process.pid);
    await until(() => broker.pid !== undefined);
    expect(await parentOf(run)).toBe(broker.pid);
  });

  it("gives a hook its own session, its three streams and nothing else", async () => {
    const { run } = await started();
    const line = `exec node -e '
      const { readdirSync, readFileSync } = require("fs");
      const sockets = readdirSync("/proc/self/fd").filter((fd) => { try { return fd > 2 && require("fs").readlinkSync("/proc/self/fd/" + fd).startsWith("socket:"); } catch { return false; } });
      const [, , , session] = readFileSync("/proc/self/stat", "utf8").split(") ")[1].split(" ");
      console.log(JSON.stringify({ sockets, isLeader: Number(session) === process.pid, names: Object.keys(process.env).filter((name) => name.startsWith("NODE_")) }));'`;
    expect(JSON.parse((await run({ line })).outcome.stdout)).toEqual({ sockets: [], isLeader: true, names: [] });
  });

  it("has no variables of the host", async () => {
    const { pid } = await started();
    const names = readFileSync(`/proc/${pid}/environ`, "utf8").split("\0").filter(Boolean);
    expect(names.filter((name) => !name.startsWith("NODE_CHANNEL_"))).toEqual([]);
  });

  it("is a failure of the run if the run cannot be noted", async () => {
    const { run } = await started();
    const note = (): never => {
      throw new Error("disk full");
    };
    const runFile = {
      starting: () => ({ mark: "mark", started: note }),
      started: note,
      makeFolder: () => "/nowhere",
      reserveFolder: () => "/nowhere",
      close: () => {},
    };
    const end = await run({ line: `${MARK}sleep 100`, ports: { runFile } });
    expect(end.outcome.failure).toEqual({ kind: "could-not-start", text: expect.stringContaining("disk full") });
    const group = end.file("group");
    if (group) expect(liveGroup(Number(group))).toEqual([]);
  });
});

describe("hooks are started directly", () => {
  it("in a small host, and no broker is started", async () => {
    const broker = brokerFromSource({ fromHostBytes: Number.POSITIVE_INFINITY });
    expect(await parentOf((run) => runLine({ ...run, ports: { run: broker.run } }))).toBe(process.pid);
    expect(broker.pid).toBeUndefined();
  });

  it("with more than 1 MB of input", async () => {
    const { run, pid } = await started({ largestInputBytes: undefined });
    const input = (size: number): Partial<ShellRun> => ({ input: { input: { x: "x".repeat(size) } } });
    expect(await parentOf(run, input(1_000_000))).toBe(pid);
    expect(await parentOf(run, input(1_100_000))).toBe(process.pid);
  });

  it("in a folder whose name is relative", async () => {
    const { run } = await started();
    expect(await parentOf(run, { input: { cwd: "." } })).toBe(process.pid);
  });

  it("after the host has changed its umask", async () => {
    const { run, pid } = await started();
    expect(await parentOf(run)).toBe(pid);
    const before = process.umask(0o027);
    try {
      await wait(600);
      expect((await run({ line: "umask; echo $PPID" })).outcome.stdout).toBe(`0027\n${process.pid}\n`);
    } finally {
      process.umask(before);
    }
  });

  it("after it was closed", async () => {
    const { broker, run } = await started();
    await broker.close();
    expect(await parentOf(run)).toBe(process.pid);
  });

  it("if the program of the broker is not there, without a word", async () => {
    const problems: string[] = [];
    const broker = brokerFromSource({ script: "/no/such/broker.mjs", onProblem: (text) => problems.push(text) });
    expect(await broker.start()).toBe(false);
    expect(await parentOf((run) => runLine({ ...run, ports: { run: broker.run } }))).toBe(process.pid);
    expect(problems).toEqual([]);
  });

  it("if it does not come up, and that is reported once", async () => {
    const script = path.join(temporaryFolder(), "broken.mjs");
    writeFileSync(script, "process.exit(3);\n");
    const problems: string[] = [];
    const broker = brokerFromSource({ script, onProblem: (text) => problems.push(text) });
    expect(await broker.start()).toBe(false);
    for (let count = 0; count < 3; count++)
      expect(await parentOf((run) => runLine({ ...run, ports: { run: broker.run } }))).toBe(process.pid);
    expect(problems).toEqual([expect.stringContaining("started directly")]);
  });
});

describe("a broker that is lost", () => {
  it("fails the hooks it ran, leaves nothing of them, is said once, and is not missed", async () => {
    const { run, problems, pid } = await started();
    const others = Array.from({ length: 4 }, () => run({ line: `${MARK}trap '' TERM; sleep 100 & while :; do sleep 0.05; done` }));
    const killer = await run({ line: `${MARK}sleep 0.5; kill -9 $PPID; sleep 100` });
    const ends = [killer, ...(await Promise.all(others))];
    for (const { outcome, file } of ends) {
      expect(outcome).toMatchObject({ exitCode: null, failure: { kind: "signal", text: expect.stringContaining("its answer is lost") } });
      await until(() => liveGroup(Number(file("group"))).length === 0, 2000);
    }
    expect(isLive(pid)).toBe(false);
    expect(problems).toEqual([expect.stringContaining("started directly")]);
    expect(await parentOf(run)).toBe(process.pid);
  });

  it("because it is stuck is noticed after the limit of its hook, and ended", async () => {
    const { run, problems, pid } = await started();
    const running = run({ line: `${MARK}sleep 100`, hook: { timeoutMs: 1000 } });
    await wait(400);
    process.kill(pid, "SIGSTOP");
    const { outcome, elapsedMs, file } = await running;
    expect(outcome.failure?.kind).toBe("signal");
    expect(elapsedMs).toBeLessThan(12_000);
    await until(() => !isLive(pid) && liveGroup(Number(file("group"))).length === 0);
    expect(problems).toEqual([expect.stringContaining("does not answer")]);
  });

  it("before it has said that a hook started makes that hook one that could not start", async () => {
    const { run, pid } = await started();
    process.kill(pid, "SIGSTOP");
    const running = run({ line: 'touch "$F/ran"' });
    await wait(50);
    process.kill(pid, "SIGKILL");
    const { outcome, file } = await running;
    expect(outcome.failure).toEqual({ kind: "could-not-start", text: expect.stringContaining("was lost") });
    expect(file("ran")).toBeUndefined();
  });
});

describe("nothing is left", () => {
  const bundle = path.join(temporaryFolder(), "engine-with-broker.mjs");
  beforeAll(async () => {
    const entry = fileURLToPath(new URL("../fixtures/engine-with-broker.ts", import.meta.url));
    await build({ entryPoints: [entry], outfile: bundle, bundle: true, platform: "node", format: "esm", logLevel: "warning" });
  });

  function host(line: string): { child: ChildProcess; said: () => string[] } {
    const child = spawn(process.execPath, [bundle, BROKER_SCRIPT, line], { stdio: ["ignore", "pipe", "inherit"] });
    let text = "";
    child.stdout?.on("data", (chunk) => {
      text += chunk;
    });
    return { child, said: () => text.split("\n").filter(Boolean) };
  }

  it("of a broker that is closed while hooks run", async () => {
    const { broker, run, pid, problems } = await started();
    const running = run({ line: `${MARK}trap '' TERM; while :; do sleep 0.05; done` });
    await wait(400);
    await broker.close();
    const { outcome, file } = await running;
    expect(outcome.failure?.kind).toBe("aborted");
    expect(liveGroup(Number(file("group")))).toEqual([]);
    expect(isLive(pid)).toBe(false);
    expect(problems).toEqual([]);
  });

  it("of a broker that is closed while it starts", async () => {
    const broker = brokerFromSource();
    const before = children();
    const starting = broker.start();
    await broker.close();
    expect(await starting).toBe(false);
    expect(children()).toEqual(before);
  });

  it("of a host that ends without closing it: an idle broker does not keep it alive", async () => {
    const { child, said } = host("echo $PPID");
    const [code] = await new Promise<unknown[]>((resolve) => child.once("close", (...end) => resolve(end)));
    expect(code).toBe(0);
    const [pid, parent] = said();
    expect(parent).toBe(pid);
    await until(() => !isLive(Number(pid)));
  });

  it("of a host that is killed in the middle of a run, not even a hook that ignores SIGTERM", async () => {
    const marks = temporaryFolder();
    const { child, said } = host(`echo $$ > ${marks}/group; trap '' TERM; while :; do sleep 0.05; done`);
    await until(() => readIfThere(`${marks}/group`) !== undefined, 20_000);
    child.kill("SIGKILL");
    await until(() => liveGroup(Number(readIfThere(`${marks}/group`))).length === 0);
    await until(() => !isLive(Number(said()[0])));
  });
});

/** Pids of live processes whose parent is this one. */
function children(): string[] {
  return readdirSync("/proc").filter((name) => {
    const stat = /^\d+$/.test(name) ? readIfReadable(`/proc/${name}/stat`) : undefined;
    const [state, parent] = stat?.slice(stat.lastIndexOf(")") + 2).split(" ") ?? [];
    return state !== "Z" && Number(parent) === process.pid;
  });
}

function readIfReadable(file: string): string | undefined {
  try {
    return readFileSync(file, "utf8");
  } catch {
    // It ended while we looked.
    return undefined;
  }
}
