/**
 * Whoever changes the store says so first to the sessions that watch over it: a claim, a file that it holds open, with the digest of what the
 * store will say. Each session sees from the process that holds the file whether it was started by one of its own tools, and answers. What the
 * store says without such a claim was written by something else, and is put back. A session that is stuck meanwhile sees the claim later: a
 * small process holds it open until then.
 */

import { spawn } from "node:child_process";
import { createHash, randomBytes } from "node:crypto";
import {
  closeSync,
  ftruncateSync,
  linkSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  unlinkSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Processes, ProcessId } from "./seal-record.ts";

/** A session that is stopped or stuck is not waited for longer. */
const CLAIM_WAIT_MS = 3000;
/** So long its claim is held open for it. */
const HOLD_MS = 600_000;
const CLAIM = /^[0-9a-f]{12}\.claim$/;

/** Where sessions and claims are noted, beside the store. */
export function claimFolder(storeFolder: string): string {
  return path.join(storeFolder, "watch");
}

export function nameOfWatcher({ pid, startTime }: ProcessId): string {
  return `${pid}-${startTime}`;
}

export function digestOfText(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

interface Announcement {
  /** What the store says, and what it is about to say. */
  readonly before: string | undefined;
  readonly text: string;
}

/** Tells every session that watches over the store what it is about to say; returns when they have seen it, or can see it later. */
export async function announce(storeFolder: string, { before, text }: Announcement, processes: Processes): Promise<void> {
  const folder = claimFolder(storeFolder);
  const self = processes.self();
  const watchers = watchersIn(folder, processes).filter((one) => one !== nameOfWatcher(self));
  if (watchers.length === 0) return;
  const claim = path.join(folder, `${randomBytes(6).toString("hex")}.claim`);
  const fd = openSync(claim, "wx", 0o600);
  const change = `${digestOfText(before ?? "")} ${digestOfText(text)}`;
  let isHeld = false;
  try {
    writeSync(fd, claimLine(self, change));
    const until = performance.now() + CLAIM_WAIT_MS;
    const isAnswered = (): boolean => {
      const names = new Set(namesIn(folder));
      return watchers.every((watcher) => names.has(`${path.basename(claim)}.${watcher}`) || !names.has(watcher));
    };
    while (!isAnswered() && performance.now() < until) await sleep(2);
    if (!isAnswered()) isHeld = handOver({ claim, fd, change, watchers }, processes);
  } finally {
    closeSync(fd);
    if (!isHeld) for (const name of ["", ...watchers.map((watcher) => `.${watcher}`)]) rmSync(claim + name, { force: true });
  }
}

function claimLine({ pid, startTime }: ProcessId, change: string): string {
  return `${pid} ${startTime} ${change}\n`;
}

interface HeldClaim {
  readonly claim: string;
  readonly fd: number;
  readonly change: string;
  readonly watchers: readonly string[];
}

/** Waits for the answers, as `announce` does, and removes the claim. */
const HOLDER = `
const { existsSync, rmSync } = require("node:fs");
const { dirname, join } = require("node:path");
const [claim, ms, ...watchers] = process.argv.slice(1);
const until = Date.now() + Number(ms);
const timer = setInterval(() => {
  const isOpen = watchers.some((one) => !existsSync(claim + "." + one) && existsSync(join(dirname(claim), one)));
  if (isOpen && existsSync(claim) && Date.now() < until) return;
  clearInterval(timer);
  for (const name of [claim, ...watchers.map((one) => claim + "." + one)]) rmSync(name, { force: true });
}, 50);`;

/** Starts the process that holds the claim open from now on, for sessions that could not look yet; false: it could not be started. */
function handOver({ claim, fd, change, watchers }: HeldClaim, { startOf }: Processes): boolean {
  try {
    const args = ["-e", HOLDER, claim, String(HOLD_MS), ...watchers];
    const holder = spawn(process.execPath, args, { detached: true, stdio: ["ignore", "ignore", "ignore", fd], cwd: "/" });
    // A start that fails is seen by the pid that is not there.
    holder.on("error", () => {});
    holder.unref();
    const startTime = holder.pid === undefined ? undefined : startOf?.(holder.pid);
    if (holder.pid === undefined || startTime === undefined) return false;
    ftruncateSync(fd);
    writeSync(fd, claimLine({ pid: holder.pid, startTime }, change), 0);
    return true;
  } catch {
    // Then it is as if the session had not been waited for.
    return false;
  }
}

/** The sessions that watch; what killed ones left is removed. */
function watchersIn(folder: string, { isRunning }: Processes): readonly string[] {
  return namesIn(folder).filter((name) => {
    const [, pid, startTime] = /^(\d+)-(\w+)$/.exec(name) ?? [];
    if (pid === undefined || startTime === undefined) return false;
    const isLive = isRunning({ pid: Number(pid), startTime });
    if (!isLive) rmSync(path.join(folder, name), { force: true });
    return isLive;
  });
}

export interface SeenClaim {
  readonly file: string;
  readonly by: ProcessId;
  /** What the store said before. */
  readonly before: string;
  readonly digest: string;
}

/** The claims that a session has not answered yet. */
export function openClaims(folder: string, watcher: string): readonly SeenClaim[] {
  const names = namesIn(folder);
  return names.flatMap((name): readonly SeenClaim[] => {
    if (!CLAIM.test(name) || names.includes(`${name}.${watcher}`)) return [];
    const file = path.join(folder, name);
    const [, pid, startTime, before, digest] = /^(\d+) (\w+) ([0-9a-f]{64}) ([0-9a-f]{64})\n$/.exec(readClaim(file)) ?? [];
    if (pid === undefined || startTime === undefined || before === undefined || digest === undefined) return [];
    return [{ file, by: { pid: Number(pid), startTime }, before, digest }];
  });
}

export function answerClaim({ file }: SeenClaim, watcher: string): void {
  try {
    writeFileSync(`${file}.${watcher}`, "", { mode: 0o600, flag: "wx" });
  } catch {
    // Answered already, or it is over.
  }
}

export function noteWatcher(folder: string, watcher: string): void {
  mkdirSync(folder, { mode: 0o700, recursive: true });
  writeFileSync(path.join(folder, watcher), "", { mode: 0o600 });
}

function readClaim(file: string): string {
  try {
    return readFileSync(file, "latin1");
  } catch {
    // It is over.
    return "";
  }
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    // Nobody has watched yet.
    return [];
  }
}

interface LockOptions {
  /** `FILE.lock`, for what is done to FILE. */
  readonly file: string;
  readonly processes: Processes;
  readonly waitMs?: number | undefined;
}

const LOCK_WAIT_MS = 10_000;
/** A lock appears with its content, so one that cannot be read is what a crash of the machine left. No work under it takes this long. */
const UNREADABLE_MS = 60_000;
/** A process that dies while it takes over the lock of a dead one leaves a claim, which is taken over like a lock; so often in a row. */
const DEEPEST_CLAIM = 5;

/** Does the work while no other process does; throws if the lock cannot be had in time. Whoever is killed, at whatever point, leaves nothing to remove by hand. */
export async function withLock<Result>(
  { file, processes, waitMs = LOCK_WAIT_MS }: LockOptions,
  work: () => Result | Promise<Result>,
): Promise<Result> {
  const self = processes.self();
  // Who makes it stands in its name: one that was killed before it wrote a word into it is known, too.
  const own = `${file}.${self.pid}-${self.startTime}-${randomBytes(6).toString("hex")}`;
  try {
    // The lock appears by a link, with its content: an empty one is never seen.
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
