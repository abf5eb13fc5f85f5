// Takes what hooks and commands that ended by themselves left running; ends it when the session closes.
// Why not earlier: they may start a helper on purpose. Why then: a session that is over leaves nothing behind without a word.
// Refuses to end a group of which no process is known by pid and start time: numbers are reused.
import type { Diagnostic } from "../../../diagnostic.ts";
import { atExit } from "./at-exit.ts";
import { endGroup, isRunning, type ProcessIdentity, signalGroup } from "./process-identity.ts";
import { PROCESS_LIMITS } from "./program.ts";

/** A helper of a program that has ended. */
export interface Leftover {
  readonly group: number;
  readonly members: readonly ProcessIdentity[];
  readonly of: Starter;
}

/** What started it: a hook, or a program of the agent. */
export interface Starter {
  /** As in a sentence: `hook "format"`, `a Bash command`. */
  readonly text: string;
  readonly hook?: string | undefined;
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
  const forget = atExit(() => {
    for (const { group } of known.filter(isAlive)) signalGroup(group, "SIGKILL");
  });
  return {
    note(left) {
      if (known.length >= LOOK_THROUGH_AT) known = known.filter(isAlive);
      known.push(left);
      if (said.has(keyOf(left))) return;
      said.add(keyOf(left));
      onDiagnostic(leftNotice(left));
    },
    async end() {
      forget();
      const alive = known.filter(isAlive);
      known = [];
      await Promise.all(alive.map((left) => endGroup(left.group, left.members, graceMs)));
      for (const left of new Map(alive.map((one) => [keyOf(one), one])).values()) onDiagnostic(endedNotice(left));
    },
  };
}

function isAlive({ members }: Leftover): boolean {
  return members.some(isRunning);
}

function keyOf({ of }: Leftover): string {
  return of.hook ?? of.text;
}

function leftNotice({ of, members }: Leftover): Diagnostic {
  const what = members.length === 1 ? "a process" : `${members.length} processes`;
  const text = `${of.text} has ended and left ${what} running (pid ${members.map(({ pid }) => pid).join(", ")}); it ends with the session. Start it with setsid if it must stay`;
  return { code: "HL_EXECUTE_LEFT_RUNNING", level: "notice", text, ...hookField(of) };
}

function endedNotice({ of }: Leftover): Diagnostic {
  const text = `what ${of.text} had left running was ended with the session`;
  return { code: "HL_EXECUTE_LEFT_RUNNING", level: "notice", text, ...hookField(of) };
}

function hookField({ hook }: Starter): Pick<Diagnostic, "hook"> {
  return hook === undefined ? {} : { hook };
}
