// Starts programs that are no hooks: commands of tools, MCP servers, git. Each runs in its own session, is noted while it lives,
// and is ended with the session; so is what it left running.

import { createLeftovers, type LeftoverOptions } from "./leftovers.ts";
import { type StartedProgram, startProgram } from "./process-group.ts";
import { RUN_VARIABLE } from "./process-identity.ts";
import { PROCESS_LIMITS, type Program, type ProgramEnd } from "./program.ts";
import { createInertRunFile, type RunFile, type StartedRun } from "./run-file.ts";
import { RunProcesses } from "./run-processes.ts";

export interface Programs {
  /** Starts one; `text` says what it is, as in a sentence: `a Bash command`. */
  start(program: Program, what: ProgramKind): StartedProgram;
  run(program: Program, what: ProgramKind): Promise<ProgramEnd>;
  /** A new folder for this user only, until the session ends. */
  makeFolder(kind: string): string;
  /** Ends what runs, and what programs that have ended left running. */
  close(): Promise<void>;
}

export interface ProgramKind {
  /** As in a sentence: `a Bash command`, `the MCP server "files"`. */
  readonly text: string;
  /** What it leaves running is no helper on purpose, and ends with it. */
  readonly endsWhole?: boolean | undefined;
}

export interface ProgramsOptions extends Partial<Pick<LeftoverOptions, "onDiagnostic">> {
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
