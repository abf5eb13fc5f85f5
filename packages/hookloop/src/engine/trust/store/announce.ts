/**
 * Whoever changes the store says so first to the sessions that watch over it: a claim, a file that it holds open, with the digest of what the
 * store will say. Each session sees from the process that holds the file whether it was started by one of its own tools, and answers. What the
 * store says without such a claim was written by something else, and is put back. A session that is stuck meanwhile sees the claim later: a
 * small process holds it open until then.
 */
import { spawn } from "node:child_process";
import { createHash, randomBytes } from "node:crypto";
import { closeSync, ftruncateSync, mkdirSync, openSync, readdirSync, readFileSync, rmSync, writeFileSync, writeSync } from "node:fs";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Processes, ProcessId } from "./types.ts";

/** A session that is stopped or stuck is not waited for longer. */
const WAIT_MS = 3000;
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

export interface Announcement {
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
    const until = performance.now() + WAIT_MS;
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

/** Notes a session that watches. */
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
