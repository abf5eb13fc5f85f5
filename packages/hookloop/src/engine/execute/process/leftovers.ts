// Takes what hooks that ended by themselves left running; ends it when the session closes.
// Why not earlier: a hook may start a helper on purpose. Why then: a session that is over leaves nothing behind without a word.
// Refuses to end a group of which no process is known by pid and start time: numbers are reused.
import { setTimeout as wait } from "node:timers/promises";
import type { Diagnostic } from "../../../diagnostic.ts";
import { groupMembers, isRunning, type ProcessIdentity, signalGroup } from "./process-identity.ts";
import { PROCESS_LIMITS } from "./program.ts";

/** A helper of a hook that has ended. */
export interface Leftover {
  readonly group: number;
  readonly members: readonly ProcessIdentity[];
  readonly hook: { readonly id: string; readonly name: string };
}

export interface Leftovers {
  note(left: Leftover): void;
  /** TERM, then KILL after the grace; resolves when they are gone. */
  end(): Promise<void>;
}

/** The groups that still have one of their members are looked through at this many. */
const LOOK_THROUGH_AT = 64;

export interface LeftoverOptions {
  /** Told once for each hook that leaves something, and once for each that had it ended. */
  readonly onDiagnostic: (diagnostic: Diagnostic) => void;
  readonly graceMs?: number | undefined;
}

/** Remembers the helpers of one session. */
export function createLeftovers({ onDiagnostic, graceMs = PROCESS_LIMITS.graceMs }: LeftoverOptions): Leftovers {
  let known: Leftover[] = [];
  const said = new Set<string>();
  return {
    note(left) {
      if (known.length >= LOOK_THROUGH_AT) known = known.filter(isAlive);
      known.push(left);
      if (said.has(left.hook.id)) return;
      said.add(left.hook.id);
      onDiagnostic(leftNotice(left));
    },
    async end() {
      const alive = known.filter(isAlive);
      known = [];
      await Promise.all(alive.map((left) => endGroup(left, graceMs)));
      for (const hook of new Map(alive.map((left) => [left.hook.id, left.hook])).values()) onDiagnostic(endedNotice(hook));
    },
  };
}

function isAlive({ members }: Leftover): boolean {
  return members.some(isRunning);
}

async function endGroup({ group, members }: Leftover, graceMs: number): Promise<void> {
  // As long as one known member lives, the group's number is nobody else's; who joined it since came from that member.
  const all: readonly ProcessIdentity[] = [...members, ...groupMembers(group)];
  // SECURITY: asked again right before each signal.
  if (members.some(isRunning)) signalGroup(group, "SIGTERM");
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

function leftNotice({ hook, members }: Leftover): Diagnostic {
  const what = members.length === 1 ? "a process" : `${members.length} processes`;
  const text = `hook "${hook.name}" has ended and left ${what} running (pid ${members.map(({ pid }) => pid).join(", ")}); it ends with the session. Start it with setsid if it must stay`;
  return { code: "HL_EXECUTE_LEFT_RUNNING", level: "notice", text, hook: hook.id };
}

function endedNotice({ id, name }: Leftover["hook"]): Diagnostic {
  return {
    code: "HL_EXECUTE_LEFT_RUNNING",
    level: "notice",
    text: `what hook "${name}" had left running was ended with the session`,
    hook: id,
  };
}
