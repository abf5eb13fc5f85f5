/** Locks, run files and folders of programs that were killed, or whose disk was full: nothing has to be removed by hand. */
import { spawn, spawnSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { build } from "esbuild";
import { describe, expect, onTestFinished, test } from "vitest";
import { reapOrphans } from "../../packages/hookloop/src/run/process/orphans.ts";
import { createRunFile } from "../../packages/hookloop/src/run/process/run-file.ts";
import { makeFolders } from "../../packages/hookloop/src/state-files.ts";
import { ended, openAgentLab, say, use } from "../agent/agent-lab.ts";
import { until } from "./live-processes.ts";

function folder(): string {
  const made = realpathSync(mkdtempSync(path.join(tmpdir(), "hookloop-left-")));
  onTestFinished(() => rmSync(made, { recursive: true, force: true }));
  return made;
}

const LOCKING = `
import { readFileSync } from "node:fs";
import { isRunning, readStat } from "./packages/hookloop/src/run/process/process-identity.ts";
import { withLock } from "./packages/hookloop/src/trust/store/announce.ts";
import { replaceFile } from "./packages/hookloop/src/state-files.ts";
const [, , file, rounds] = process.argv;
const processes = { self: () => readStat("self"), isRunning };
for (let round = 0; round < Number(rounds); round++) {
  await withLock({ file: file + ".lock", processes }, () => replaceFile(file, String(Number(readFileSync(file, "utf8")) + 1)));
}
`;

test("processes killed at random points of taking and giving back a lock leave nothing that stops the next", async () => {
  const place = folder();
  const program = path.join(place, "locking.mjs");
  const stdin = { contents: LOCKING, resolveDir: path.resolve("."), loader: "ts" } as const;
  await build({ stdin, outfile: program, bundle: true, platform: "node", format: "esm", logLevel: "error" });
  const data = path.join(place, "data");
  mkdirSync(data);
  const file = path.join(data, "count");
  writeFileSync(file, "0");
  const start = (rounds: number): ReturnType<typeof spawn> =>
    spawn(process.execPath, [program, file, String(rounds)], { stdio: ["ignore", "ignore", "inherit"] });
  let running = Array.from({ length: 4 }, () => start(1e6));
  onTestFinished(() => {
    for (const child of running) child.kill("SIGKILL");
  });
  await until(() => Number(readFileSync(file, "utf8")) > 0, "the first has had its turn");
  for (let at = 0; at < 40; at++) {
    await wait(Math.random() * 50);
    running[at % 4]?.kill("SIGKILL");
    running[at % 4] = start(1e6);
  }
  for (const child of running) child.kill("SIGKILL");
  await wait(50);
  running = [];
  const before = Number(readFileSync(file, "utf8"));
  const last = start(1);
  expect(await new Promise((done) => last.once("exit", done))).toBe(0);
  expect(Number(readFileSync(file, "utf8"))).toBe(before + 1);
  expect(readdirSync(data)).toEqual(["count"]);
});

describe("the run files", () => {
  const dead = { pid: 4_194_000, startTime: "1" };

  /** A run file as an engine that was killed leaves it. */
  function plant(runs: string, lines: readonly object[], changes: object = {}): string {
    const runFile = createRunFile({ folder: runs });
    const [name = ""] = readdirSync(runs);
    const header = JSON.parse(readFileSync(path.join(runs, name), "utf8").split("\n")[0] ?? "");
    runFile.close();
    const file = path.join(runs, "4194000-00000000-0000-4000-8000-000000000000.jsonl");
    writeFileSync(file, [{ ...header, engine: dead, ...changes }, ...lines].map((line) => `${JSON.stringify(line)}\n`).join(""));
    return file;
  }

  test("temporary folders of a killed session are removed; nothing else that stands in its file is", async () => {
    const base = folder();
    const uuid = "00000000-0000-4000-8000-000000000000";
    const names = [`hookloop-session-${uuid}`, "mine", `hookloop-linked-${uuid}`, `hookloop-gone-${uuid}`];
    const [own = "", mine = "", linked = ""] = names.map((name) => path.join(base, name));
    for (const made of [own, mine]) mkdirSync(path.join(made, "deep"), { recursive: true });
    symlinkSync(mine, linked);
    plant(
      path.join(base, "runs"),
      names.map((name) => ({ folder: path.join(base, name) })),
    );
    await reapOrphans(path.join(base, "runs"));
    expect([own, path.join(mine, "deep"), linked].map((one) => existsSync(one))).toEqual([false, true, true]);
    expect(readdirSync(path.join(base, "runs"))).toEqual([]);
  });

  test("what was started in the moment of the kill, before its process could be noted, is ended; what left its group by itself is not", async () => {
    const runs = path.join(folder(), "runs");
    const start = (mark: string): number => {
      const child = spawn("sleep", ["600"], { detached: true, stdio: "ignore", env: { PATH: process.env["PATH"], HOOKLOOP_RUN: mark } });
      onTestFinished(() => void child.kill("SIGKILL"));
      return child.pid ?? 0;
    };
    const [caught, daemon, other] = ["mark.2", "mark.1", "else.2"].map(start);
    const done = { pid: 4_194_001, startTime: "1", hook: "", depth: 0, hooks: [], number: 1 };
    plant(runs, [{ starting: { number: 1 } }, { start: done }, { end: done.pid }, { starting: { number: 2, text: "a Bash command" } }], {
      mark: "mark",
    });
    const { ended: reaped } = await reapOrphans(runs);
    expect(reaped).toMatchObject([{ pid: caught, text: "a Bash command" }]);
    const isLive = (pid = 0): boolean => / [RS] /.test(readFileSync(`/proc/${pid}/stat`, "latin1"));
    expect([daemon, other].map(isLive)).toEqual([true, true]);
  });

  test("files of another boot, and files that a full disk left empty, do not pile up", async () => {
    const runs = path.join(folder(), "runs");
    const other = plant(runs, [], { system: `11111111-2222-4333-8444-555555555555 pid:[1]` });
    const empty = path.join(runs, "4194000-00000000-0000-4000-8000-000000000001.jsonl");
    writeFileSync(empty, "");
    await reapOrphans(runs);
    expect(readdirSync(runs)).toHaveLength(2);
    for (const file of [other, empty]) utimesSync(file, 1, 1);
    await reapOrphans(runs);
    expect(readdirSync(runs)).toEqual([]);
  });

  test("a link in the place of their folder does not lead to other files", async () => {
    const base = folder();
    const sessions = path.join(base, "sessions");
    mkdirSync(sessions, { mode: 0o700 });
    const file = path.join(sessions, "4194000-00000000-0000-4000-8000-000000000001.jsonl");
    writeFileSync(file, "kept");
    utimesSync(file, 1, 1);
    symlinkSync(sessions, path.join(base, "runs"));
    await reapOrphans(path.join(base, "runs"));
    expect(existsSync(file)).toBe(true);
  });

  test("a full disk costs what did not fit, not what was noted before, and is said once", (context) => {
    context.skip(spawnSync("unshare", ["-m", "true"]).status !== 0, "private mounts are not permitted here");
    const place = folder();
    const program = path.join(place, "fill.mjs");
    const text = `
      import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
      import { createRunFile } from "./packages/hookloop/src/run/process/run-file.ts";
      const said = [];
      const runFile = createRunFile({ folder: process.argv[2] + "/runs", onProblem: (text) => said.push(text) });
      runFile.started({ pid: 5, text: "first" });
      try { writeFileSync(process.argv[2] + "/big", Buffer.alloc(1e6)); } catch {}
      for (let at = 0; at < 200; at++) runFile.started({ pid: 6, text: "x".repeat(200) });
      rmSync(process.argv[2] + "/big");
      runFile.started({ pid: 7, text: "last" });
      const file = process.argv[2] + "/runs/" + readdirSync(process.argv[2] + "/runs")[0];
      const noted = readFileSync(file, "utf8").split("\\n").flatMap((line) => { try { return JSON.parse(line).start?.text ?? []; } catch { return []; } });
      console.log(JSON.stringify({ said: said.length, first: noted.includes("first"), last: noted.includes("last") }));`;
    const stdin = { contents: text, resolveDir: path.resolve("."), loader: "ts" } as const;
    return build({
      stdin,
      outfile: program,
      bundle: true,
      platform: "node",
      format: "esm",
      logLevel: "error",
      external: ["oxc-transform"],
    }).then(() => {
      const line = 'mount -t tmpfs -o size=64k none "$1" && exec "$2" "$3" "$1"';
      mkdirSync(path.join(place, "disk"));
      const run = spawnSync("unshare", ["-m", "bash", "-c", line, "bash", path.join(place, "disk"), process.execPath, program], {
        encoding: "utf8",
      });
      expect(JSON.parse(run.stdout || run.stderr)).toEqual({ said: 1, first: true, last: true });
    });
  });
});

describe("a folder that cannot be made", () => {
  test.each(["/proc/x", "/proc/x/y/z", "/proc/self/fd/x/y", "/sys/x/y", "/dev/null/x"])("%s is an error, at once", (place) => {
    expect(() => makeFolders(place)).toThrow(/EN|EPERM|EACCES|EROFS|not a folder/);
  });

  test.each(["/proc/x", "/dev/null", "/dev/null/x"])("XDG_STATE_HOME=%s is said, and the session works", async (state) => {
    const lab = openAgentLab();
    const script = lab.script([[use("Bash", { command: "true" })], say("done")]);
    const child = lab.start({ args: ["-p", "go", "--allowedTools", "Bash", "--script", script], env: { XDG_STATE_HOME: state } });
    const timer = setTimeout(() => child.kill("SIGKILL"), 20_000);
    const { exit, stdout, stderr } = await ended(child);
    clearTimeout(timer);
    expect({ exit, stdout }, stderr).toEqual({ exit: 0, stdout: "done\n" });
    expect(stderr).toMatch(/HL_TRACE_WRITE_FAILED: .*XDG_STATE_HOME/);
  });

  test("a file that the agent is told to write there is an error for the model", async () => {
    const lab = openAgentLab();
    const script = lab.script([[use("Write", { file_path: "/proc/x/y/z.txt", content: "x" })], say("done")]);
    const child = lab.start({ args: ["-p", "go", "--permission-mode", "bypassPermissions", "--script", script, "--add-dir", "/proc"] });
    const timer = setTimeout(() => child.kill("SIGKILL"), 20_000);
    expect(await ended(child)).toMatchObject({ exit: 0, stdout: "done\n" });
    clearTimeout(timer);
  });
});
