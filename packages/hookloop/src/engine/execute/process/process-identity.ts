import { closeSync, openSync, readdirSync, readFileSync, readSync } from "node:fs";
import { setTimeout as wait } from "node:timers/promises";

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
  readonly session: number;
}

/** What `/proc` says about a process; `undefined` if it is gone, or where there is no `/proc`. */
export function readStat(pid: number | "self"): ProcessStat | undefined {
  const text = readStatLine(pid);
  if (text === undefined) return undefined;
  // The name stands in parentheses and may contain anything, parentheses too.
  const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
  const [state = "", parent, group, session] = fields;
  const startTime = fields[19] ?? "";
  return { pid: Number.parseInt(text, 10), startTime, state, parent: Number(parent), group: Number(group), session: Number(session) };
}

const line = Buffer.alloc(1024);

/** One read into a buffer of our own: 10 µs, where readFileSync takes 25, and every command hook pays it. */
function readStatLine(pid: number | "self"): string | undefined {
  try {
    const fd = openSync(`/proc/${pid}/stat`, "r");
    try {
      return line.toString("latin1", 0, readSync(fd, line, 0, line.length, 0));
    } finally {
      closeSync(fd);
    }
  } catch {
    // It has ended, or this system has no /proc: unknown either way.
    return undefined;
  }
}

/** Whether exactly this process still runs. A zombie does not. */
export function isRunning({ pid, startTime }: ProcessIdentity): boolean {
  const stat = readStat(pid);
  return stat !== undefined && stat.startTime === startTime && isLive(stat);
}

/** The live processes of a group. */
export function groupMembers(group: number): ProcessStat[] {
  return allPids().flatMap((pid) => {
    const stat = readStat(pid);
    return stat?.group === group && isLive(stat) ? [stat] : [];
  });
}

/** Whether a group has members. Zombies that nobody reaps count, so `true` is not proof that something runs. */
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

/**
 * TERM to a group, KILL after the grace; settles when it is gone, or cannot be ended.
 * Refuses to touch a group of which none of the `known` processes lives: numbers are reused.
 */
export async function endGroup(group: number, known: readonly ProcessIdentity[], graceMs: number): Promise<void> {
  // As long as one known member lives, the group's number is nobody else's; who joined it since came from that member.
  const all: readonly ProcessIdentity[] = [...known, ...groupMembers(group)];
  // SECURITY: asked again right before each signal.
  if (!known.some(isRunning)) return;
  signalGroup(group, "SIGTERM");
  await until(() => !all.some(isRunning), graceMs);
  if (!all.some(isRunning)) return;
  signalGroup(group, "SIGKILL");
  await until(() => groupMembers(group).length === 0, graceMs);
}

/** Waits, but not for longer than that: a process in an uninterruptible call of the system may not die at all. */
async function until(condition: () => boolean, ms: number): Promise<void> {
  const deadline = performance.now() + ms;
  while (!condition() && performance.now() < deadline) await wait(10);
}

/** The variable by which what a session has started is known when pid and start time no longer tell: its leader is gone, or was never looked up. */
export const RUN_VARIABLE = "HOOKLOOP_RUN";

/** The mark that a process was started with. */
export function markOf(pid: number): string | undefined {
  try {
    const variables = readFileSync(`/proc/${pid}/environ`, "latin1").split("\0");
    return variables.find((variable) => variable.startsWith(`${RUN_VARIABLE}=`))?.slice(RUN_VARIABLE.length + 1);
  } catch {
    // It has ended, or belongs to someone else.
    return undefined;
  }
}

/** Live processes that were started with one of these marks. */
export function markedProcesses(marks: readonly string[]): ProcessStat[] {
  if (marks.length === 0) return [];
  return allPids().flatMap((pid) => {
    const stat = marks.includes(markOf(pid) ?? "") ? readStat(pid) : undefined;
    return stat && isLive(stat) ? [stat] : [];
  });
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
