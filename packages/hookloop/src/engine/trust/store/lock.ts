import { randomBytes } from "node:crypto";
import { linkSync, readFileSync, rmSync, unlinkSync, writeFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import type { Processes, ProcessId } from "./types.ts";

export interface LockOptions {
  readonly file: string;
  readonly processes: Processes;
  readonly waitMs?: number | undefined;
}

const WAIT_MS = 10_000;

/** Does the work while no other process does; throws if the lock cannot be had in time. */
export async function withLock<Result>({ file, processes, waitMs = WAIT_MS }: LockOptions, work: () => Result): Promise<Result> {
  const own = `${file}.${randomBytes(6).toString("hex")}`;
  const self = processes.self();
  // The lock appears by a link, with its content: nobody ever sees an empty one.
  writeFileSync(own, textOf(self), { mode: 0o600, flag: "wx" });
  try {
    await take({ file, own, processes, until: performance.now() + waitMs });
    try {
      return work();
    } finally {
      rmSync(file, { force: true });
    }
  } finally {
    rmSync(own, { force: true });
  }
}

interface Taking {
  readonly file: string;
  readonly own: string;
  readonly processes: Processes;
  readonly until: number;
}

async function take({ file, own, processes, until }: Taking): Promise<void> {
  while (!tryLink(own, file)) {
    const holder = readHolder(file);
    if (performance.now() > until) throw new Error(lockedText(file, holder));
    const isRemoved = holder !== undefined && !processes.isRunning(holder) && removeStale({ file, own, holder });
    if (!isRemoved) await sleep(2 + Math.random() * 8);
  }
}

function tryLink(own: string, file: string): boolean {
  try {
    linkSync(own, file);
    return true;
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw thrown;
  }
}

/**
 * SECURITY: only one process at a time may remove the lock of one dead holder, and it looks again before it does.
 * Without that, a slow one would remove the lock that a faster one has taken since.
 */
function removeStale({ file, own, holder }: { readonly file: string; readonly own: string; readonly holder: ProcessId }): boolean {
  const claim = `${file}.stale-${holder.pid}-${holder.startTime}`;
  if (!tryLink(own, claim)) return false;
  try {
    const now = readHolder(file);
    const isSame = now?.pid === holder.pid && now.startTime === holder.startTime;
    if (isSame) unlinkSync(file);
    return isSame;
  } finally {
    rmSync(claim, { force: true });
  }
}

function readHolder(file: string): ProcessId | undefined {
  try {
    const [, pid, startTime] = /^(\d+) (\w+)\n$/.exec(readFileSync(file, "utf8")) ?? [];
    return pid === undefined || startTime === undefined ? undefined : { pid: Number(pid), startTime };
  } catch {
    // It was given back in this moment; the next try will tell.
    return undefined;
  }
}

function textOf({ pid, startTime }: ProcessId): string {
  return `${pid} ${startTime}\n`;
}

function lockedText(file: string, holder: ProcessId | undefined): string {
  const who = holder ? `process ${holder.pid} holds it` : "nobody can tell who holds it";
  return `${file} is locked: ${who}. If no hookloop runs, remove that file.`;
}
