import { randomBytes } from "node:crypto";
import { linkSync, readdirSync, readFileSync, rmSync, statSync, unlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Processes, ProcessId } from "./types.ts";

export interface LockOptions {
  /** `FILE.lock`, for what is done to FILE. */
  readonly file: string;
  readonly processes: Processes;
  readonly waitMs?: number | undefined;
}

const WAIT_MS = 10_000;
/** A lock appears with its content, so one that nobody can read is what a crash of the machine left. No work under it takes this long. */
const UNREADABLE_MS = 60_000;
/** A process that dies while it takes over the lock of a dead one leaves a claim, which is taken over like a lock; so often in a row. */
const DEEPEST_CLAIM = 5;

/** Does the work while no other process does; throws if the lock cannot be had in time. Whoever is killed, at whatever point, leaves nothing to remove by hand. */
export async function withLock<Result>(
  { file, processes, waitMs = WAIT_MS }: LockOptions,
  work: () => Result | Promise<Result>,
): Promise<Result> {
  const self = processes.self();
  // Who makes it stands in its name: one that was killed before it wrote a word into it is known, too.
  const own = `${file}.${self.pid}-${self.startTime}-${randomBytes(6).toString("hex")}`;
  try {
    // The lock appears by a link, with its content: nobody ever sees an empty one.
    writeFileSync(own, textOf(self), { mode: 0o600, flag: "wx" });
    await take({ file, own, processes, until: performance.now() + waitMs });
    try {
      sweep(file, processes);
      return await work();
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
    const isRemoved = removeIfDead({ file, own, processes }, DEEPEST_CLAIM);
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
 * Without that, a slow one would remove the lock that a faster one has taken since. Its claim to do so is a lock, too.
 */
function removeIfDead({ file, own, processes }: Omit<Taking, "until">, depth: number): boolean {
  const dead = deadHolder(file, processes);
  if (dead === undefined || depth === 0) return false;
  const claim = `${file}.stale-${dead}`;
  if (!tryLink(own, claim)) {
    removeIfDead({ file: claim, own, processes }, depth - 1);
    return false;
  }
  try {
    const isSame = deadHolder(file, processes) === dead;
    if (isSame) unlinkSync(file);
    return isSame;
  } finally {
    rmSync(claim, { force: true });
  }
}

/** A name for the holder of a lock, if it is certain that it does not hold it any more. */
function deadHolder(file: string, processes: Processes): string | undefined {
  const holder = readHolder(file);
  if (holder) return processes.isRunning(holder) ? undefined : `${holder.pid}-${holder.startTime}`;
  const stat = statSync(file, { throwIfNoEntry: false });
  return stat && Date.now() - stat.mtimeMs > UNREADABLE_MS ? `unread-${stat.ino}` : undefined;
}

/** What killed processes have left beside the lock: files they wanted to make it from, and half-written content. Only by who holds it. */
function sweep(file: string, processes: Processes): void {
  const folder = path.dirname(file);
  const [lock, target] = [path.basename(file), path.basename(file, ".lock")];
  for (const name of readdirSync(folder)) {
    const rest = path.join(folder, name);
    const [, pid, startTime = ""] = name.startsWith(`${lock}.`)
      ? (/^(\d+)-(\w+)-[0-9a-f]{12}$/.exec(name.slice(lock.length + 1)) ?? [])
      : [];
    const isOfDead = pid !== undefined && !processes.isRunning({ pid: Number(pid), startTime });
    const isHalf = name.startsWith(`${target}.`) && /^[0-9a-f]{12}\.tmp$/.test(name.slice(target.length + 1));
    if (isHalf || isOfDead) rmSync(rest, { force: true });
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
  const who = holder ? `process ${holder.pid} holds it` : "it is not known who holds it";
  return `${file} is locked: ${who}. If no hookloop runs, remove that file.`;
}
