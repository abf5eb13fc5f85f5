import { type ChildProcess, spawn } from "node:child_process";
import { chmodSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { afterEach, beforeAll, describe, expect, it } from "vitest";
import { reapOrphans } from "../../../packages/hookloop/src/run/process/orphans.ts";
import { readAncestry } from "../../../packages/hookloop/src/run/process/read-run-files.ts";
import { createRunFile } from "../../../packages/hookloop/src/run/process/run-file.ts";
import { isLive, liveGroup, readIfThere, runLine, temporaryFolder, until } from "./processes.ts";

const bundles = temporaryFolder();
beforeAll(async () => {
  const entryPoints = [fixture("engine"), fixture("ancestry")];
  await build({
    entryPoints,
    outdir: bundles,
    outExtension: { ".js": ".mjs" },
    bundle: true,
    platform: "node",
    format: "esm",
    logLevel: "warning",
  });
});

function fixture(name: string): string {
  return fileURLToPath(new URL(`fixtures/${name}.ts`, import.meta.url));
}

/** A fixture as a program that a bare `node` can run. */
function bundled(name: string): string {
  return path.join(bundles, `${name}.mjs`);
}

const leftovers: number[] = [];
afterEach(() => {
  for (const group of leftovers.splice(0)) {
    try {
      process.kill(-group, "SIGKILL");
    } catch {
      // It is gone, as it should be.
    }
  }
});

/** Start time of a process, read as `reapOrphans` must see it. */
function startTime(pid: number): string {
  const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
  return stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19] ?? "";
}

function startGroup(line: string): ChildProcess & { pid: number } {
  const child = spawn("/bin/sh", ["-c", line], { detached: true, stdio: "ignore" });
  if (child.pid === undefined) throw new Error("not started");
  leftovers.push(child.pid);
  return child as ChildProcess & { pid: number };
}

/** What the run file of an engine that was killed looks like: the real header, but with an engine that is gone. */
function plantRunFile(folder: string, runs: object[]): string {
  const runFile = createRunFile({ folder });
  const [name = ""] = readdirSync(folder);
  const header = JSON.parse(readFileSync(path.join(folder, name), "utf8"));
  runFile.close();
  const file = path.join(folder, "dead.jsonl");
  const lines = [
    { ...header, engine: { pid: 999_999_9, startTime: "1" } },
    ...runs.map((start) => ({ start: { hook: "h", depth: 1, hooks: ["h"], ...start } })),
  ];
  writeFileSync(file, lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
  return file;
}

describe("a hook whose engine was killed", () => {
  it("is found by the next one and ended with its group, also if it ignores SIGTERM", async () => {
    const folder = temporaryFolder();
    const { pid } = startGroup("trap '' TERM; sleep 100 & while :; do sleep 0.05; done");
    const file = plantRunFile(folder, [{ pid, startTime: startTime(pid) }]);
    const { ended, left, diagnostics } = await reapOrphans(folder);
    expect(ended.map((run) => run.pid)).toEqual([pid]);
    expect(left).toEqual([]);
    expect(diagnostics).toEqual([{ code: "HL_EXECUTE_ORPHAN", level: "notice", hook: "h", text: expect.stringContaining(String(pid)) }]);
    await until(() => liveGroup(pid).length === 0);
    expect(readIfThere(file)).toBeUndefined();
  });

  it("is not ended if only its pid is the same", async () => {
    const folder = temporaryFolder();
    const { pid } = startGroup("sleep 100");
    plantRunFile(folder, [{ pid, startTime: String(Number(startTime(pid)) - 1) }]);
    const { ended, left, diagnostics } = await reapOrphans(folder);
    expect(ended).toEqual([]);
    expect(left.map((run) => run.pid)).toEqual([pid]);
    expect(diagnostics[0]).toMatchObject({ code: "HL_EXECUTE_ORPHAN", level: "warning" });
    expect(isLive(pid)).toBe(true);
  });

  it("is not touched if it was noted by another boot or in another container", async () => {
    const folder = temporaryFolder();
    const { pid } = startGroup("sleep 100");
    const file = plantRunFile(folder, [{ pid, startTime: startTime(pid) }]);
    writeFileSync(file, readFileSync(file, "utf8").replace(/"system":"[^"]*"/, '"system":"elsewhere"'));
    expect((await reapOrphans(folder)).ended).toEqual([]);
    expect(isLive(pid)).toBe(true);
    expect(readIfThere(file)).toBeDefined();
  });

  it.each([-1, 0, 1, 1.5, "5", null])("is not believed to be process %j", async (pid) => {
    const folder = temporaryFolder();
    plantRunFile(folder, [{ pid, startTime: "1" }]);
    expect(await reapOrphans(folder)).toEqual({ ended: [], left: [], diagnostics: [] });
  });

  it("that was not identified yet is reported, not ended", async () => {
    const folder = temporaryFolder();
    const { pid } = startGroup("sleep 100");
    plantRunFile(folder, [{ pid, startTime: "" }]);
    const { ended, left } = await reapOrphans(folder);
    expect([ended, left.map((run) => run.pid)]).toEqual([[], [pid]]);
    expect(isLive(pid)).toBe(true);
  });

  it("is left alone as long as its engine lives", async () => {
    const folder = temporaryFolder();
    const runFile = createRunFile({ folder });
    const { pid } = startGroup("sleep 100");
    runFile.started({ pid, hook: "h", ancestry: { depth: 0, hooks: [] } });
    expect((await reapOrphans(folder)).ended).toEqual([]);
    expect(isLive(pid)).toBe(true);
    runFile.close();
    expect(readdirSync(folder)).toEqual([]);
  });

  it("that had ended before is forgotten", async () => {
    const folder = temporaryFolder();
    const file = plantRunFile(folder, [{ pid: process.pid, startTime: startTime(process.pid) }]);
    writeFileSync(file, `${readFileSync(file, "utf8")}{"end":${process.pid}}\n{"start":{"pid":`);
    expect(await reapOrphans(folder)).toEqual({ ended: [], left: [], diagnostics: [] });
  });

  it("is ended for real: an engine killed with SIGKILL in the middle of a run", async () => {
    const folder = temporaryFolder();
    const marks = temporaryFolder();
    const engine = spawn(process.execPath, [bundled("engine"), folder, `echo $$ > ${marks}/group; sleep 100`], {
      stdio: ["ignore", "inherit", "inherit"],
    });
    await until(() => readIfThere(`${marks}/group`) !== undefined, 20_000);
    const group = Number(readIfThere(`${marks}/group`));
    leftovers.push(group);
    // The run is identified shortly after the start; the hook itself may be faster.
    await until(() =>
      readdirSync(folder).some((name) => new RegExp(`"pid":${group},"startTime":"\\d`).test(readFileSync(path.join(folder, name), "utf8"))),
    );
    engine.kill("SIGKILL");
    await new Promise((resolve) => engine.once("exit", resolve));
    expect(liveGroup(group)).not.toEqual([]);
    expect((await reapOrphans(folder)).ended.map(({ pid }) => pid)).toEqual([group]);
    await until(() => liveGroup(group).length === 0);
  });
});

describe("the folder of run files", () => {
  it("is made 0700 with files of 0600, whatever the umask", () => {
    const before = process.umask(0);
    const folder = path.join(temporaryFolder(), "state", "runs");
    try {
      const runFile = createRunFile({ folder });
      const [name = ""] = readdirSync(folder);
      expect([statSync(folder).mode & 0o777, statSync(path.join(folder, name)).mode & 0o777]).toEqual([0o700, 0o600]);
      runFile.close();
    } finally {
      process.umask(before);
    }
  });

  it.each([
    [
      "others can write to",
      (folder: string) => {
        mkdirSync(folder);
        chmodSync(folder, 0o777);
      },
    ],
    ["is a link", (folder: string) => symlinkSync(temporaryFolder(), folder)],
    ["is a file", (folder: string) => writeFileSync(folder, "")],
  ])("that %s is not used, and said; hooks run all the same", async (_, make) => {
    const folder = path.join(temporaryFolder(), "runs");
    make(folder);
    const problems: string[] = [];
    const runFile = createRunFile({ folder, onProblem: (text) => problems.push(text) });
    expect(problems).toEqual([expect.stringContaining(folder)]);
    expect((await runLine({ line: "echo ok", ports: { runFile } })).outcome.stdout).toBe("ok\n");
    expect(await reapOrphans(folder)).toEqual({ ended: [], left: [], diagnostics: [] });
  });

  it("does not grow without end", async () => {
    const folder = temporaryFolder();
    const runFile = createRunFile({ folder });
    const run = { pid: process.pid, hook: "h".repeat(1000), ancestry: { depth: 0, hooks: [] } };
    for (let count = 0; count < 1000; count++) runFile.started(run)();
    const [name = ""] = readdirSync(folder);
    expect(statSync(path.join(folder, name)).size).toBeLessThan(300 * 1024);
    runFile.close();
  });

  it("has a start for each run of a command hook, and its end by the next start; a short one is not identified", async () => {
    const folder = temporaryFolder();
    const runFile = createRunFile({ folder });
    const first = await runLine({ line: 'echo $$ > "$F/group"', ports: { runFile }, hook: { id: "mine" } });
    const second = await runLine({ line: 'echo $$ > "$F/group"', ports: { runFile }, hook: { id: "mine" } });
    const [name = ""] = readdirSync(folder);
    const notes = readFileSync(path.join(folder, name), "utf8").trim().split("\n").slice(1);
    const start = { startTime: "", hook: "mine", depth: 1, hooks: ["mine"] };
    // On a busy machine even this line takes long enough to be identified.
    const isIdentified = (note: { readonly start?: { readonly startTime: string } }): boolean => (note.start?.startTime ?? "") !== "";
    expect(notes.map((note) => JSON.parse(note)).filter((note) => !isIdentified(note))).toEqual([
      { starting: { number: 1, hook: "mine" } },
      { start: { pid: Number(first.file("group")), ...start, number: 1 } },
      { end: Number(first.file("group")) },
      { starting: { number: 2, hook: "mine" } },
      { start: { pid: Number(second.file("group")), ...start, number: 2 } },
    ]);
    runFile.close();
  });
});

describe("a program started from a hook knows it", () => {
  const inner = `node ${bundled("ancestry")}`;
  const ports = (folder: string): object => ({ runFile: createRunFile({ folder }), ancestry: { depth: 1, hooks: ["outer"] } });
  const known = { depth: 2, hooks: ["outer", "me"] };

  it("by its variables", async () => {
    const folder = temporaryFolder();
    const { outcome } = await runLine({
      line: `${inner} /no/such/folder`,
      hook: { id: "me" },
      input: { cwd: process.cwd() },
      ports: ports(folder),
    });
    expect(JSON.parse(outcome.stdout)).toEqual(known);
  });

  it("by its parent processes, if the hook stripped the variables", async () => {
    const folder = temporaryFolder();
    const line = `env -u HOOKLOOP_DEPTH -u HOOKLOOP_CHAIN ${inner} ${folder}`;
    const { outcome } = await runLine({ line, hook: { id: "me" }, input: { cwd: process.cwd() }, ports: ports(folder) });
    expect(JSON.parse(outcome.stdout)).toEqual(known);
  });

  it("by its session, if the hook has ended and its parents are gone", async () => {
    const folder = temporaryFolder();
    const line = `(sleep 0.5; env -u HOOKLOOP_DEPTH -u HOOKLOOP_CHAIN ${inner} ${folder} > "$F/ancestry.tmp"; mv "$F/ancestry.tmp" "$F/ancestry") >/dev/null 2>&1 &`;
    const { file, outcome } = await runLine({ line, hook: { id: "me" }, input: { cwd: process.cwd() }, ports: ports(folder) });
    expect(outcome.exitCode).toBe(0);
    await until(() => file("ancestry") !== undefined, 20_000);
    expect(JSON.parse(file("ancestry") ?? "")).toEqual(known);
  });

  it("only from run files of this boot and this container", () => {
    const folder = temporaryFolder();
    const file = plantRunFile(folder, [{ pid: process.pid, startTime: startTime(process.pid), hook: "me", depth: 2, hooks: ["me"] }]);
    expect(readAncestry({}, folder)).toEqual({ depth: 2, hooks: ["me"] });
    writeFileSync(file, readFileSync(file, "utf8").replace(/"system":"[^"]*"/, '"system":"elsewhere"'));
    expect(readAncestry({}, folder)).toEqual({ depth: 0, hooks: [] });
  });

  it("and one that was not, does not, under any load", async () => {
    const folder = temporaryFolder();
    const runFile = createRunFile({ folder });
    await Promise.all(Array.from({ length: 40 }, () => runLine({ line: "sleep 0.01", hook: { id: "me" }, ports: { runFile } })));
    expect(readAncestry({}, folder)).toEqual({ depth: 0, hooks: [] });
    runFile.close();
  });
});
