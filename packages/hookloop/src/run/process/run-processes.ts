// The one way in which what we have started is ended. Takes a start; gives and ends all that belongs to it, whatever group it is in:
// `timeout`, `set -m` and setpgrp leave the group, `setsid` and daemons the session.
// Refuses to touch what is not proved to be of this start, this program itself, and what it was started from.

import { setTimeout as wait } from "node:timers/promises";
import {
  isGroupAlive,
  isRunning,
  type ProcessIdentity,
  type ProcessStat,
  ProcessTable,
  parentChain,
  pidsSince,
  readStat,
  signalGroup,
  signalProcess,
} from "./process-identity.ts";

export interface RunIdentity {
  /** The program itself; also its group and its session, because it is started `detached`. 0 if it is no process. */
  readonly leader: number;
  /** `HOOKLOOP_RUN` of this start; inherited by what it starts. */
  readonly mark?: string | undefined;
}

interface RunProof {
  readonly known?: readonly ProcessIdentity[] | undefined;
  /** This program has started it, and it runs or has just ended: then its session belongs to no other process. Otherwise one process that is known, or has a mark, must be in it. */
  readonly isSessionOurs?: boolean | undefined;
  /** Without what has gone to a session of its own. */
  readonly isOnlySession?: boolean | undefined;
}

/** How often it is looked whether something has ended. */
const LOOK_MS = 5;
/** What is started while others are ended is found in the next round. */
const MOST_ROUNDS = 5;

/** The processes of one start. They are remembered once they were seen: descent is lost when a parent ends. */
export class RunProcesses {
  readonly #run: RunIdentity;
  readonly #proof: RunProof;
  readonly #seen = new Map<number, ProcessIdentity>();

  constructor(run: RunIdentity, proof: RunProof = {}) {
    this.#run = run;
    this.#proof = proof;
    for (const one of proof.known ?? []) this.#seen.set(one.pid, one);
  }

  /** All that is alive: by the session, by the mark, by descent from those, and what was seen before. */
  find(table: ProcessTable = new ProcessTable()): readonly ProcessStat[] {
    const since = this.#since(table);
    const found = new Set(table.processes.filter((one) => this.#isSeed(one, table, since)));
    const isOurs = this.#proof.isSessionOurs || [...found].some((one) => this.#isInSession(one));
    for (const one of table.processes) if (isOurs && this.#isInSession(one)) found.add(one);
    if (found.size === 0) return [];
    addDescendants(found, table.processes);
    // SECURITY: the next start may have been made from within such a run, in a terminal server for example. Then all of it is left alone.
    const ancestors = new Set(parentChain("self").map(({ pid }) => pid));
    if ([...found].some(({ pid }) => pid <= 1 || (pid !== process.pid && ancestors.has(pid)))) return [];
    const alive = [...found].filter(({ pid }) => pid !== process.pid);
    for (const { pid, startTime } of alive) this.#seen.set(pid, { pid, startTime });
    return alive;
  }

  /** Whether something is alive. What was seen is asked first, which is cheap. */
  isAlive(): boolean {
    if ([...this.#seen.values()].some(isRunning)) return true;
    const table = new ProcessTable();
    return table.processes.length === 0 ? this.#run.leader > 1 && isGroupAlive(this.#run.leader) : this.find(table).length > 0;
  }

  /** Signals everything. First all is found, while it is connected; then the group in one go, which misses nothing that is being started; then the rest. */
  signal(name: "SIGTERM" | "SIGKILL", table: ProcessTable = new ProcessTable()): void {
    const { leader } = this.#run;
    const found = this.find(table);
    // Without /proc the group is all that is known.
    const isGroupOurs = table.processes.length === 0 || found.some(({ group }) => group === leader);
    const isInOneGo = isGroupOurs && readStat("self")?.group !== leader;
    if (isInOneGo) signalGroup(leader, name);
    for (const one of found) if (one.group !== leader || !isInOneGo) signalProcess(one, name);
  }

  /** KILL, at once and without waiting, for what must not wait. */
  kill(): void {
    for (let round = 0; round < MOST_ROUNDS; round++) {
      const before = this.#seen.size;
      this.signal("SIGKILL");
      if (this.#seen.size <= Math.max(before, 1)) return;
    }
  }

  /** TERM, KILL after the grace; settles when all is gone, or cannot be ended. Gives what there was. */
  async end(graceMs: number, table: ProcessTable = new ProcessTable()): Promise<readonly ProcessIdentity[]> {
    const found = this.find(table);
    if (found.length === 0) return found;
    this.signal("SIGTERM", table);
    if (await this.#isGoneWithin(graceMs, () => {})) return found;
    this.kill();
    await this.#isGoneWithin(graceMs, () => this.kill());
    return found;
  }

  /** Bounded: a process in an uninterruptible call of the system may not die at all. */
  async #isGoneWithin(ms: number, again: () => void): Promise<boolean> {
    const deadline = performance.now() + ms;
    while (this.isAlive()) {
      if (performance.now() >= deadline) return false;
      await wait(LOOK_MS);
      again();
    }
    return true;
  }

  /** When the program was started, as far as that is known: what is older cannot be its own, and needs no look at its mark. */
  #since({ processes }: ProcessTable): number {
    const { isSessionOurs } = this.#proof;
    const leader = processes.find(({ pid }) => pid === this.#run.leader);
    if (leader && (isSessionOurs || this.#isSeen(leader))) return Number(leader.startTime);
    return isSessionOurs ? ownStart() : 0;
  }

  #isSeen({ pid, startTime }: ProcessIdentity): boolean {
    return this.#seen.get(pid)?.startTime === startTime;
  }

  #isSeed(one: ProcessStat, table: ProcessTable, since: number): boolean {
    if (this.#isSeen(one)) return true;
    const { mark } = this.#run;
    if (mark === undefined || one.isKernel || Number(one.startTime) < since) return false;
    if (this.#isInSession(one)) return table.markOf(one.pid)?.startsWith(mark.slice(0, mark.lastIndexOf(".") + 1)) === true;
    return !this.#proof.isOnlySession && table.markOf(one.pid) === mark;
  }

  #isInSession({ session, group }: ProcessStat): boolean {
    const { leader } = this.#run;
    return leader > 1 && (session === leader || group === leader);
  }
}

/** What a program that has just ended by itself left running. */
export interface LeftBehind {
  /** In its session, and started from there. */
  readonly leftRunning?: readonly ProcessIdentity[] | undefined;
  /** In sessions of their own, as `setsid` makes them. */
  readonly leftApart?: readonly ProcessIdentity[] | undefined;
}

/** Looks for it among what was started since. That takes some 40 µs where nothing is left; a search through all processes takes milliseconds. */
export function leftBehind(run: RunIdentity, elapsedMs: number): LeftBehind {
  const proof = { isSessionOurs: true };
  if (new RunProcesses(run, proof).find(new ProcessTable(pidsSince(run.leader, elapsedMs))).length === 0) return {};
  const table = new ProcessTable();
  const all = new RunProcesses(run, proof).find(table);
  const inSession = new Set(new RunProcesses(run, { ...proof, isOnlySession: true }).find(table));
  const apart = all.filter((one) => !inSession.has(one));
  return { ...(inSession.size > 0 && { leftRunning: identities(inSession) }), ...(apart.length > 0 && { leftApart: identities(apart) }) };
}

/** Ends what this program has started, as the leader of its own session, and then itself with its group. */
export function endOwnSession(): void {
  new RunProcesses({ leader: process.pid }, { isSessionOurs: true }).kill();
  signalGroup(process.pid, "SIGKILL");
}

function identities(processes: Iterable<ProcessStat>): readonly ProcessIdentity[] {
  return [...processes].map(({ pid, startTime }) => ({ pid, startTime }));
}

function addDescendants(found: Set<ProcessStat>, all: readonly ProcessStat[]): void {
  const pids = new Set([...found].map(({ pid }) => pid));
  for (let isMore = true; isMore; ) {
    const more = all.filter(({ pid, parent }) => pids.has(parent) && !pids.has(pid));
    for (const one of more) {
      pids.add(one.pid);
      found.add(one);
    }
    isMore = more.length > 0;
  }
}

let ownStartTime: number | undefined;
function ownStart(): number {
  ownStartTime ??= Number(readStat("self")?.startTime ?? 0);
  return ownStartTime;
}
