import { closeSync, openSync, readdirSync, readFileSync, readSync, statSync } from "node:fs";

/** One process of this machine since it started. A pid alone is reused; with the start time it is not. */
export interface ProcessIdentity {
  readonly pid: number;
  /** Clock ticks since boot. */
  readonly startTime: string;
}

export interface ProcessStat extends ProcessIdentity {
  readonly state: string;
  readonly parent: number;
  readonly group: number;
  /** 0 where it began outside of this container. */
  readonly session: number;
  /** A thread of the kernel: no program has started it, and it has no environment. */
  readonly isKernel: boolean;
}

/** `PF_KTHREAD` of the system's flags. */
const KERNEL_THREAD = 0x0020_0000;

/** What `/proc` says about a process; `undefined` if it is gone, or where there is no `/proc`. */
export function readStat(pid: number | "self"): ProcessStat | undefined {
  const text = readProc(`/proc/${pid}/stat`);
  if (text === undefined) return undefined;
  // The name stands in parentheses and may contain anything, parentheses too.
  const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
  const [state = "", parent, group, session, , , flags] = fields;
  return {
    pid: Number.parseInt(text, 10),
    startTime: fields[19] ?? "",
    state,
    parent: Number(parent),
    group: Number(group),
    session: Number(session),
    isKernel: (Number(flags) & KERNEL_THREAD) !== 0,
  };
}

const page = Buffer.alloc(4096);

/** The beginning of a file of `/proc`, in one read into a buffer of our own: 10 µs, where readFileSync takes 25, and every command hook pays it. */
export function readProc(file: string): string | undefined {
  try {
    const fd = openSync(file, "r");
    try {
      return page.toString("latin1", 0, readSync(fd, page, 0, page.length, 0));
    } finally {
      closeSync(fd);
    }
  } catch {
    // It has ended, or this system has no /proc: unknown either way.
    return undefined;
  }
}

/** Whether exactly this process still runs. A zombie does not. */
export function isRunning(one: ProcessIdentity): boolean {
  const stat = readStat(one.pid);
  return stat !== undefined && isSame(stat, one) && isLive(stat);
}

export function isSame(one: ProcessIdentity, other: ProcessIdentity): boolean {
  return one.pid === other.pid && one.startTime === other.startTime;
}

/** A process, its parent, and so on up to the first of the system. */
export function parentChain(pid: number | "self"): readonly ProcessStat[] {
  const chain: ProcessStat[] = [];
  for (let stat = readStat(pid); stat && stat.pid > 1 && chain.length < 256; stat = readStat(stat.parent)) chain.push(stat);
  return chain;
}

/** Whether a group has members. Zombies that are not reaped count, so `true` is not proof that something runs. */
export function isGroupAlive(group: number): boolean {
  try {
    process.kill(-group, 0);
    return true;
  } catch (thrown) {
    // EPERM: members exist, but they belong to someone else.
    return (thrown as NodeJS.ErrnoException).code === "EPERM";
  }
}

/** Sends a signal to every process of a group; a group that is gone is fine. */
export function signalGroup(group: number, name: "SIGTERM" | "SIGKILL"): void {
  // SECURITY: kill(-1) and kill(-0) reach far more than one hook.
  if (!Number.isSafeInteger(group) || group <= 1) return;
  try {
    process.kill(-group, name);
  } catch {
    // ESRCH: it is gone. EPERM: it changed its user, and we may not.
  }
}

export function signalProcess(one: ProcessIdentity, name: "SIGTERM" | "SIGKILL"): void {
  // SECURITY: asked right before, because numbers are reused.
  if (one.pid <= 1 || !isRunning(one)) return;
  try {
    process.kill(one.pid, name);
  } catch {
    // It has just ended, or changed its user.
  }
}

/** The variable by which the processes of one start are known when neither pid and start time nor group and session tell. */
export const RUN_VARIABLE = "HOOKLOOP_RUN";

export function markOf(pid: number): string | undefined {
  try {
    const variables = readFileSync(`/proc/${pid}/environ`, "latin1").split("\0");
    return variables.find((variable) => variable.startsWith(`${RUN_VARIABLE}=`))?.slice(RUN_VARIABLE.length + 1);
  } catch {
    // It has ended, or belongs to someone else.
    return undefined;
  }
}

/** What runs on this machine at one moment, zombies left out; empty where there is no `/proc`. The marks are read when they are asked for. */
export class ProcessTable {
  readonly processes: readonly ProcessStat[];
  readonly #marks = new Map<number, string | undefined>();

  constructor(pids: readonly number[] = allPids()) {
    this.processes = pids.flatMap((pid) => {
      const stat = readStat(pid);
      return stat && isLive(stat) ? [stat] : [];
    });
  }

  markOf(pid: number): string | undefined {
    if (!this.#marks.has(pid)) this.#marks.set(pid, markOf(pid));
    return this.#marks.get(pid);
  }
}

/** Up to so many numbers are tried one by one: 3 µs each, where the list of all processes takes 200. */
const FEW_PIDS = 40;
/** The numbers may have begun anew in a longer time, unseen. */
const IN_ORDER_MS = 2000;

/**
 * Numbers of what may have been started after a process, which was so many milliseconds ago. The system gives them in order, so after a short
 * run they are few. Threads may be among them.
 */
export function pidsSince(first: number, elapsedMs: number): readonly number[] {
  const last = elapsedMs > IN_ORDER_MS ? undefined : lastPid();
  if (last === undefined || last < first) return allPids();
  if (last - first > FEW_PIDS) return allPids().filter((pid) => pid > first && pid <= last);
  const numbers = Array.from({ length: last - first }, (_, at) => first + 1 + at);
  return numbers.filter((pid) => statSync(`/proc/${pid}`, { throwIfNoEntry: false }) !== undefined);
}

/** The number that was given last; the end of `/proc/loadavg`. */
function lastPid(): number | undefined {
  const last = Number(readProc("/proc/loadavg")?.trimEnd().split(" ").at(-1));
  return Number.isSafeInteger(last) && last > 1 ? last : undefined;
}

function isLive({ state }: ProcessStat): boolean {
  return state !== "Z" && state !== "X";
}

function allPids(): number[] {
  try {
    return readdirSync("/proc").flatMap((name) => (/^\d+$/.test(name) ? [Number(name)] : []));
  } catch {
    // No /proc on this system: nothing can be said.
    return [];
  }
}

/** What a lock must know about processes. */
export interface KnownProcesses {
  self(): ProcessIdentity;
  isRunning(process: ProcessIdentity): boolean;
  /** When a process was started; absent if it cannot be told. */
  startOf(pid: number): string | undefined;
}

export const PROCESSES: KnownProcesses = {
  self: () => ({ pid: process.pid, startTime: readStat("self")?.startTime || UNKNOWN_START }),
  startOf: (pid) => readStat(pid)?.startTime,
  isRunning: (other) => (other.startTime === UNKNOWN_START || readStat("self") === undefined ? hasPid(other) : isRunning(other)),
};

/** Where there is no /proc, a pid is all there is: a lock of a pid that is in use is left alone. */
const UNKNOWN_START = "unknown";

function hasPid({ pid }: ProcessIdentity): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (thrown) {
    // EPERM: it is there and belongs to another user.
    return (thrown as NodeJS.ErrnoException).code === "EPERM";
  }
}
