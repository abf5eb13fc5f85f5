import { execFileSync, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, describe, expect, test } from "vitest";
import { type Damage, readTrace, traceRecords } from "../../../packages/hookloop/src/trace/append-file.ts";
import { createTraceWriter } from "../../../packages/hookloop/src/trace/trace-writer.ts";

const FIXTURE = path.resolve("test/engine/trace/fixtures/write-records.mjs");
const folders: string[] = [];

function temporaryFolder(): string {
  const folder = mkdtempSync(path.join(tmpdir(), "trace-process-"));
  folders.push(folder);
  return folder;
}
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

interface Report {
  readonly file?: string;
  readonly problems: readonly { readonly code: string; readonly text: string }[];
  readonly inMemory: number;
  readonly decision: string;
}

/** Runs the fixture behind other commands (`setpriv …`) and reads its report. */
function run(before: readonly string[], args: readonly string[], env: NodeJS.ProcessEnv = process.env): Report {
  const [program = process.execPath, ...rest] = [...before, process.execPath, FIXTURE, ...args];
  const { stdout, stderr, status } = spawnSync(program, rest, { encoding: "utf8", env });
  if (status !== 0) throw new Error(`exit ${status}: ${stderr}`);
  return JSON.parse(stdout) as Report;
}

describe("several processes on one trace", () => {
  test.each([
    [200, 200],
    [100, 70_000],
    [60, 250_000],
  ])("4 × %i records of %i bytes: every line parses, none is lost", async (count, bytes) => {
    const file = path.join(temporaryFolder(), "trace.jsonl");
    const children = [1, 2, 3, 4].map(() =>
      spawn(process.execPath, [FIXTURE, file, String(count), String(bytes)], { stdio: ["ignore", "ignore", "inherit"] }),
    );
    await Promise.all(children.map((child) => once(child, "exit")));
    const damage: Damage[] = [];
    const records = [...traceRecords(file, (found) => damage.push(found))];
    expect(damage).toEqual([]);
    const sessions = groupBySession(records);
    expect([...sessions.values()].map((own) => own.map(({ seq }) => seq))).toEqual(
      Array(4).fill(Array.from({ length: count }, (_, index) => index + 1)),
    );
    rmSync(file);
  });
});

function groupBySession<Item extends { readonly session: string }>(records: readonly Item[]): Map<string, Item[]> {
  const groups = new Map<string, Item[]>();
  for (const record of records) groups.set(record.session, [...(groups.get(record.session) ?? []), record]);
  return groups;
}

describe("kill -9", () => {
  test("at random points 20 times, each followed by another writer: at most the torn record is lost", { timeout: 180_000 }, async () => {
    const file = path.join(temporaryFolder(), "trace.jsonl");
    for (let round = 0; round < 20; round++) {
      const child = spawn(process.execPath, [FIXTURE, file, "100000", "240000"], { stdio: "ignore" });
      // One record is whole for certain when the second has begun.
      while (!existsSync(file) || statSync(file).size < 500_000) await sleep(2);
      await sleep(Math.random() * 10);
      child.kill("SIGKILL");
      await once(child, "exit");
      createTraceWriter({ file }).write({
        v: 2,
        seq: round,
        t: 0,
        mono: 0,
        session: "resumed",
        type: "considered",
        event: "Stop",
        hooks: [],
        names: [],
      });
      const { records, damage } = readTrace(file);
      const own = records.filter(({ session }) => session === `p${child.pid}`).map(({ seq }) => seq);
      expect(own).toEqual(own.map((_, index) => index + 1));
      expect(own.length).toBeGreaterThan(0);
      expect(records.at(-1)).toMatchObject({ session: "resumed", seq: round });
      expect(damage.length).toBeLessThanOrEqual(1);
      rmSync(file);
    }
  });

  test("a torn tail made by hand is what a resumed session finds", () => {
    const file = path.join(temporaryFolder(), "trace.jsonl");
    run([], [file, "2", "500"]);
    execFileSync("truncate", ["-s", "-100", file]);
    run([], [file, "1", "500"]);
    const { records, damage } = readTrace(file);
    expect(records.map(({ seq }) => seq)).toEqual([1, 1]);
    expect(damage).toEqual([expect.objectContaining({ reason: "not JSON" })]);
  });
});

/** Whether this machine lets us do something; tests that need it say why they are left out. */
function can(program: string, args: readonly string[]): boolean {
  return spawnSync(program, args, { stdio: "ignore" }).status === 0;
}

const NOBODY = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"] as const;
const canBeNobody = can(NOBODY[0], [...NOBODY.slice(1), "true"]);
const canMount = can("unshare", ["-m", "sh", "-c", "mount -t tmpfs -o size=64k tmpfs /mnt"]);

describe("a place that cannot be written", () => {
  const { HOME: _home, XDG_STATE_HOME: _state, ...bare } = process.env;

  test("HOME unset: records stay in memory, with one warning, and the run continues", () => {
    const report = run([], ["path", "3", "100"], bare);
    expect(report).toMatchObject({ inMemory: 3, decision: "deny", problems: [{ code: "HL_TRACE_WRITE_FAILED" }] });
    expect(report.problems[0]?.text).toContain("HOME and XDG_STATE_HOME are unset");
  });

  test("HOME below something that is no folder", () => {
    expect(run([], ["path", "3", "100"], { ...bare, HOME: "/dev/null/x" })).toMatchObject({
      inMemory: 3,
      problems: [{ code: "HL_TRACE_WRITE_FAILED" }],
    });
  });

  test.skipIf(!canBeNobody)("HOME of another user, read-only (needs setpriv)", () => {
    const home = temporaryFolder();
    chmodSync(home, 0o755);
    const report = run(NOBODY, ["path", "3", "100"], { ...bare, HOME: home });
    expect(report).toMatchObject({ inMemory: 3, decision: "deny", problems: [{ code: "HL_TRACE_WRITE_FAILED" }] });
    expect(report.problems).toHaveLength(1);
  });

  test.skipIf(!canBeNobody)("a folder of another user that is open to all is refused (needs setpriv)", () => {
    const open = path.join(temporaryFolder(), "open");
    mkdirSync(open);
    chmodSync(path.dirname(open), 0o755);
    chmodSync(open, 0o777);
    const report = run(NOBODY, [path.join(open, "trace.jsonl"), "1", "100"]);
    expect(report).toMatchObject({ inMemory: 1, problems: [{ code: "HL_TRACE_WRITE_FAILED" }] });
  });

  test.skipIf(!canMount)("a read-only file system (needs a mount namespace)", () => {
    const mount = temporaryFolder();
    const inside = ["unshare", "-m", "sh", "-c", `mount -t tmpfs -o size=64k,ro tmpfs ${mount} && exec "$@"`, "sh"];
    expect(run(inside, [path.join(mount, "a", "trace.jsonl"), "3", "100"])).toMatchObject({
      inMemory: 3,
      problems: [{ code: "HL_TRACE_WRITE_FAILED" }],
    });
  });

  test.skipIf(!canMount)("a disk that fills up: what is on it parses, the rest is in memory (needs a mount namespace)", () => {
    const mount = temporaryFolder();
    const copy = path.join(temporaryFolder(), "copy.jsonl");
    const script = `mount -t tmpfs -o size=256k tmpfs ${mount} && "$@" && cp ${mount}/t/trace.jsonl ${copy}`;
    const report = run(["unshare", "-m", "sh", "-c", script, "sh"], [path.join(mount, "t", "trace.jsonl"), "100", "5000"]);
    const { records, damage } = readTrace(copy);
    expect(damage).toEqual([]);
    expect(readFileSync(copy, "utf8").endsWith("\n")).toBe(true);
    expect(records.map(({ seq }) => seq)).toEqual(records.map((_, index) => index + 1));
    expect(records.length).toBeGreaterThan(10);
    expect(records.length + report.inMemory).toBe(100);
    expect(report.problems).toHaveLength(1);
  });
});
