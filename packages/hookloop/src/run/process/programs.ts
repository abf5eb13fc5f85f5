// Starts programs that are no hooks: commands of tools, MCP servers, git. Each runs in its own session, is noted while it lives,
// and is ended with the session; so is what it left running.

import path from "node:path";
import type { Diagnostic } from "../../diagnostic.ts";
import { type ProgramPlace, systemSearchPath } from "../../permissions/index.ts";
import { isExecutable } from "../../state-files.ts";
import { atExit } from "./orphans.ts";
import { type StartedProgram, startProgram } from "./process-group.ts";
import { isRunning, type ProcessIdentity, ProcessTable, RUN_VARIABLE } from "./process-identity.ts";
import { PROCESS_LIMITS, type Program, type ProgramEnd } from "./program.ts";
import { createInertRunFile, type RunFile, type StartedRun } from "./run-file.ts";
import { type LeftBehind, type RunIdentity, RunProcesses } from "./run-processes.ts";

export interface Programs {
  /** Starts one; `text` says what it is, as in a sentence: `a Bash command`. */
  start(program: Program, what: ProgramKind): StartedProgram;
  run(program: Program, what: ProgramKind): Promise<ProgramEnd>;
  /** A new folder for this user only, until the session ends. */
  makeFolder(kind: string): string;
  close(): Promise<void>;
}

interface ProgramKind {
  /** As in a sentence: `a Bash command`, `the MCP server "files"`. */
  readonly text: string;
  /** What it leaves running is no helper on purpose, and ends with it. */
  readonly endsWhole?: boolean | undefined;
}

interface ProgramsOptions extends Partial<Pick<LeftoverOptions, "onDiagnostic">> {
  /** Without one nothing is noted for the case that this program is killed. */
  readonly runFile?: RunFile | undefined;
  readonly ancestry?: StartedRun["ancestry"];
}

export function openPrograms({ runFile = createInertRunFile(), ancestry, onDiagnostic = () => {} }: ProgramsOptions = {}): Programs {
  const leftovers = createLeftovers({ onDiagnostic });
  const running = new Map<AbortController, Promise<unknown>>();
  const start = (program: Program, { text, endsWhole }: ProgramKind): StartedProgram => {
    const closing = new AbortController();
    let leader = 0;
    let ended: ReturnType<RunFile["started"]> | undefined;
    const starting = runFile.starting({ text, ancestry });
    const { mark } = starting;
    const started = startProgram({
      ...program,
      env: { ...program.env, [RUN_VARIABLE]: mark },
      mark,
      signal: program.signal ? AbortSignal.any([program.signal, closing.signal]) : closing.signal,
      onStart(pid) {
        leader = pid;
        ended = starting.started(pid);
        program.onStart?.(pid);
      },
    });
    const end = started.end.then(async ({ leftRunning, leftApart, ...rest }): Promise<ProgramEnd> => {
      const run = { leader, mark };
      const known = [...(leftRunning ?? []), ...(leftApart ?? [])];
      if (known.length > 0 && endsWhole) await new RunProcesses(run, { known }).end(PROCESS_LIMITS.graceMs);
      else if (known.length > 0) leftovers.note({ run, leftRunning, leftApart, of: { text } });
      ended?.(endsWhole ? {} : { leftRunning, leftApart });
      running.delete(closing);
      return rest;
    });
    running.set(closing, end);
    return { ...started, end };
  };
  let end: Promise<void> | undefined;
  const endAll = async (): Promise<void> => {
    for (const closing of running.keys()) closing.abort();
    await Promise.all(running.values());
    await leftovers.end();
    runFile.close();
  };
  return {
    start,
    run: (program, what) => start(program, what).end,
    makeFolder: (kind) => runFile.makeFolder(kind),
    close: () => (end ??= endAll()),
  };
}

/** Where a program is that we start by its name, as git and bash; nothing if it is nowhere outside of the project. */
export function systemProgram(name: string, place: ProgramPlace): string | undefined {
  const folders = systemSearchPath(place).split(path.delimiter).filter(Boolean);
  return folders.map((folder) => path.join(folder, name)).find(isExecutable);
}

// Takes what hooks and commands that ended by themselves left running; ends it when the session closes, and names what stays.
// Why not earlier: they may start a helper on purpose. Why then: a session that is over leaves nothing behind without a word.
// Refuses to end a session of which no process is known, by pid and start time or by its mark: numbers are reused.

interface Leftover extends LeftBehind {
  readonly run: RunIdentity;
  readonly of: Starter;
}

/** What started it: a hook, or a program of the agent. */
interface Starter {
  /** As in a sentence: `hook "format"`, `a Bash command`. */
  readonly text: string;
  readonly hook?: string | undefined;
}

export interface Leftovers {
  note(left: Leftover): void;
  end(): Promise<void>;
}

/** Those of which something still runs are kept at this many. */
const LOOK_THROUGH_AT = 64;

interface LeftoverOptions {
  /** Told once for each hook that leaves something, and once for each that had it ended. */
  readonly onDiagnostic: (diagnostic: Diagnostic) => void;
  readonly graceMs?: number | undefined;
}

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
      if (leftApart.length > 0) sayOnce(notice(of, apartText(of, leftApart)), `apart ${keyOf(left)}`);
      if (leftRunning.length === 0) return;
      if (known.length >= LOOK_THROUGH_AT) known = known.filter((one) => one.leftRunning?.some(isRunning));
      known.push(left);
      sayOnce(notice(of, `${leftText(of, leftRunning)}; it ends with the session. Start it with setsid if it must stay`), keyOf(left));
    },
    async end() {
      forget();
      const all = known.splice(0);
      const table = all.length > 0 ? new ProcessTable() : undefined;
      const found = await Promise.all(all.map((left) => processesOf(left).end(graceMs, table)));
      const ended = all.filter((_, at) => found[at]?.length);
      for (const { of } of new Map(ended.map((one) => [keyOf(one), one])).values())
        onDiagnostic(notice(of, `what ${of.text} had left running was ended with the session`));
    },
  };
}

function processesOf({ run, leftRunning }: Leftover): RunProcesses {
  return new RunProcesses(run, { known: leftRunning, isOnlySession: true });
}

function keyOf({ of }: Leftover): string {
  return of.hook ?? of.text;
}

function leftText({ text }: Starter, left: readonly ProcessIdentity[]): string {
  const what = left.length === 1 ? "a process" : `${left.length} processes`;
  return `${text} has ended and left ${what} running (pid ${left.map(({ pid }) => pid).join(", ")})`;
}

function apartText(of: Starter, left: readonly ProcessIdentity[]): string {
  const cure = `End it with: kill ${left.map(({ pid }) => pid).join(" ")}`;
  return `${leftText(of, left)} in a session of its own (setsid); it stays when this session ends. ${cure}`;
}

function notice({ hook }: Starter, text: string): Diagnostic {
  return { code: "HL_EXECUTE_LEFT_RUNNING", level: "notice", text, ...(hook !== undefined && { hook }) };
}
