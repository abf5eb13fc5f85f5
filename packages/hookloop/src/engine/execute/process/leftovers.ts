// Takes what hooks and commands that ended by themselves left running; ends it when the session closes, and names what stays.
// Why not earlier: they may start a helper on purpose. Why then: a session that is over leaves nothing behind without a word.
// Refuses to end a session of which no process is known, by pid and start time or by its mark: numbers are reused.
import type { Diagnostic } from "../../../diagnostic.ts";
import { atExit } from "./at-exit.ts";
import { isRunning, type ProcessIdentity, ProcessTable } from "./process-identity.ts";
import { PROCESS_LIMITS } from "./program.ts";
import { type LeftBehind, type RunIdentity, RunProcesses } from "./run-processes.ts";

/** Helpers of a program that has ended. */
export interface Leftover extends LeftBehind {
  readonly run: RunIdentity;
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

/** Those of which something still runs are kept at this many. */
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
  const sayOnce = (diagnostic: Diagnostic, key: string): void => {
    if (said.has(key)) return;
    said.add(key);
    onDiagnostic(diagnostic);
  };
  const forget = atExit(() => {
    const table = known.length > 0 ? new ProcessTable() : undefined;
    const alive = known.map(processesOf).filter((processes) => processes.find(table).length > 0);
    for (const processes of alive) processes.kill();
  });
  return {
    note(left) {
      const { leftRunning = [], leftApart = [], of } = left;
      if (leftApart.length > 0) sayOnce(apartNotice(of, leftApart), `apart ${keyOf(left)}`);
      if (leftRunning.length === 0) return;
      if (known.length >= LOOK_THROUGH_AT) known = known.filter((one) => one.leftRunning?.some(isRunning));
      known.push(left);
      sayOnce(leftNotice(of, leftRunning), keyOf(left));
    },
    async end() {
      forget();
      const all = known.splice(0);
      const table = all.length > 0 ? new ProcessTable() : undefined;
      const found = await Promise.all(all.map((left) => processesOf(left).end(graceMs, table)));
      const ended = all.filter((_, at) => found[at]?.length);
      for (const left of new Map(ended.map((one) => [keyOf(one), one])).values()) onDiagnostic(endedNotice(left));
    },
  };
}

function processesOf({ run, leftRunning }: Leftover): RunProcesses {
  return new RunProcesses(run, { known: leftRunning, isOnlySession: true });
}

function keyOf({ of }: Leftover): string {
  return of.hook ?? of.text;
}

function leftNotice(of: Starter, left: readonly ProcessIdentity[]): Diagnostic {
  const text = `${of.text} has ended and left ${processesText(left)}; it ends with the session. Start it with setsid if it must stay`;
  return { code: "HL_EXECUTE_LEFT_RUNNING", level: "notice", text, ...hookField(of) };
}

function apartNotice(of: Starter, left: readonly ProcessIdentity[]): Diagnostic {
  const text = `${of.text} has ended and left ${processesText(left)} in a session of its own (setsid); it stays when this session ends. End it with: kill ${left.map(({ pid }) => pid).join(" ")}`;
  return { code: "HL_EXECUTE_LEFT_RUNNING", level: "notice", text, ...hookField(of) };
}

function processesText(left: readonly ProcessIdentity[]): string {
  const what = left.length === 1 ? "a process" : `${left.length} processes`;
  return `${what} running (pid ${left.map(({ pid }) => pid).join(", ")})`;
}

function endedNotice({ of }: Leftover): Diagnostic {
  const text = `what ${of.text} had left running was ended with the session`;
  return { code: "HL_EXECUTE_LEFT_RUNNING", level: "notice", text, ...hookField(of) };
}

function hookField({ hook }: Starter): Pick<Diagnostic, "hook"> {
  return hook === undefined ? {} : { hook };
}
