/**
 * Whoever changes the store says so first to the sessions that watch over it: a claim, a file that it holds open, with the digest of what the
 * store will say. Each session sees from the process that holds the file whether it was started by one of its own tools, and answers. What the
 * store says without such a claim was written by something else, and is put back.
 */
import { createHash, randomBytes } from "node:crypto";
import { closeSync, mkdirSync, openSync, readdirSync, readFileSync, rmSync, writeFileSync, writeSync } from "node:fs";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Processes, ProcessId } from "./types.ts";

/** A session that is stopped or stuck is not waited for longer. */
const WAIT_MS = 3000;
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

/** Tells every session that watches over the store what it is about to say; returns when they have seen it. */
export async function announce(storeFolder: string, text: string, processes: Processes): Promise<void> {
  const folder = claimFolder(storeFolder);
  const self = processes.self();
  const watchers = watchersIn(folder, processes).filter((one) => one !== nameOfWatcher(self));
  if (watchers.length === 0) return;
  const claim = path.join(folder, `${randomBytes(6).toString("hex")}.claim`);
  const fd = openSync(claim, "wx", 0o600);
  try {
    writeSync(fd, `${self.pid} ${self.startTime} ${digestOfText(text)}\n`);
    const until = performance.now() + WAIT_MS;
    const isAnswered = (): boolean => {
      const names = new Set(namesIn(folder));
      return watchers.every((watcher) => names.has(`${path.basename(claim)}.${watcher}`) || !names.has(watcher));
    };
    while (!isAnswered() && performance.now() < until) await sleep(2);
  } finally {
    closeSync(fd);
    rmSync(claim, { force: true });
    for (const watcher of watchers) rmSync(`${claim}.${watcher}`, { force: true });
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
  readonly digest: string;
}

/** The claims that a session has not answered yet. */
export function openClaims(folder: string, watcher: string): readonly SeenClaim[] {
  const names = namesIn(folder);
  return names.flatMap((name): readonly SeenClaim[] => {
    if (!CLAIM.test(name) || names.includes(`${name}.${watcher}`)) return [];
    const file = path.join(folder, name);
    const [, pid, startTime, digest] = /^(\d+) (\w+) ([0-9a-f]{64})\n$/.exec(readClaim(file)) ?? [];
    if (pid === undefined || startTime === undefined || digest === undefined) return [];
    return [{ file, by: { pid: Number(pid), startTime }, digest }];
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
