import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import type { RegisteredHook } from "../../../packages/hookloop/src/config/registered-hook.ts";
import { type CommandPorts, createCommandRunner } from "../../../packages/hookloop/src/run/command-runner.ts";
import { sampleHook, sampleInput } from "../../../packages/hookloop/src/run/sample-hook.test-suite.ts";
import type { RawOutcome, RunInput } from "../../../packages/hookloop/src/run/types.ts";
import { afterThisFile } from "../../cleanup.ts";

/** A new folder, gone when the test file is done. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(path.join(tmpdir(), "hookloop-test-"));
  afterThisFile(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** What the runner of these tests is made with. `PATH` is enough for `sh`, `node` and `python3`. */
export const PORTS: CommandPorts = { environment: { PATH: process.env["PATH"] ?? "/usr/bin:/bin", HOME: "/root" }, version: "1.2.3" };

export interface ShellRun {
  readonly line: string;
  /** The hook's variables; `$F` is always a fresh folder. */
  readonly env?: Record<string, string>;
  readonly hook?: Partial<RegisteredHook>;
  readonly input?: Partial<RunInput>;
  readonly ports?: Partial<CommandPorts>;
}

export interface ShellEnd {
  readonly outcome: RawOutcome;
  readonly folder: string;
  /** From the call to the outcome. */
  readonly elapsedMs: number;
  /** The content of a file in `$F`, trimmed; `undefined` if it does not exist. */
  readonly file: (name: string) => string | undefined;
}

/** Runs a shell line as a command hook, for real. */
export async function runLine({ line, env = {}, hook = {}, input = {}, ports = {} }: ShellRun): Promise<ShellEnd> {
  const folder = temporaryFolder();
  const runner = createCommandRunner({ ...PORTS, ...ports });
  const startedAt = performance.now();
  const outcome = await runner(
    { hook: sampleHook({ target: { kind: "command", command: line, shell: "sh" }, ...hook }) },
    sampleInput({ cwd: folder, projectRoot: folder, env: { F: folder, ...env }, ...input }),
  );
  return { outcome, folder, elapsedMs: performance.now() - startedAt, file: (name) => readIfThere(path.join(folder, name)) };
}

export function readIfThere(file: string): string | undefined {
  return existsSync(file) ? readFileSync(file, "utf8").trim() : undefined;
}

/** Waits until something is true; fails the test by its own limit otherwise. */
export async function until(condition: () => boolean, limitMs = 10_000): Promise<void> {
  const deadline = performance.now() + limitMs;
  while (!condition()) {
    if (performance.now() > deadline) throw new Error(`not true after ${limitMs} ms: ${condition}`);
    await wait(10);
  }
}

/** Pids of live processes in a process group, from /proc; zombies are not alive (nothing may be reaping them here). */
export function liveGroup(group: number): number[] {
  if (!(group > 1)) throw new Error(`not a process group: ${group}`);
  return liveProcesses().flatMap((process) => (process.group === group ? [process.pid] : []));
}

export function isLive(pid: number): boolean {
  return liveProcesses().some((process) => process.pid === pid);
}

function liveProcesses(): { pid: number; group: number }[] {
  return readdirSync("/proc").flatMap((name) => {
    const stat = /^\d+$/.test(name) ? readStatLine(name) : undefined;
    const [state, , group] = stat?.slice(stat.lastIndexOf(")") + 2).split(" ") ?? [];
    return state === undefined || state === "Z" || state === "X" ? [] : [{ pid: Number(name), group: Number(group) }];
  });
}

function readStatLine(pid: string): string | undefined {
  try {
    return readFileSync(`/proc/${pid}/stat`, "utf8");
  } catch {
    // It ended while we looked.
    return undefined;
  }
}
