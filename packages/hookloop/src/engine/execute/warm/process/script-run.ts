// One run of a script in a process that outlives it. It ends when the loop has nothing left to do, when the script says
// `process.exit`, or when something is thrown that nobody catches: as it would in a process of its own.
import { AsyncLocalStorage } from "node:async_hooks";
import { writeSync } from "node:fs";
import type { ToWarm } from "../messages.ts";
import { fillDescriptors, readDescriptor } from "./descriptors.ts";
import type { LoadScript } from "./load-script.ts";
import { dropStreams } from "./streams.ts";
import { clearTimers, nextTurn } from "./timers.ts";

/** Thrown by `process.exit`, so that the code behind it does not run. */
class Ended extends Error {}

interface Run {
  readonly job: ToWarm;
  isExiting: boolean;
  isSealed: boolean;
  /** The top-level code of the script waits for something. */
  isLoading: boolean;
  isCrashed: boolean;
}

export interface RunEnd {
  readonly exitCode: number;
  readonly stdout: Buffer;
  readonly stderr: Buffer;
  readonly isCrashed: boolean;
}

export interface ScriptRunsOptions {
  readonly load: LoadScript;
  readonly onEnd: (end: RunEnd) => void;
}

/** Exit code of a script whose top-level await never settles. */
const UNSETTLED = 13;

export class ScriptRuns {
  readonly #options: ScriptRunsOptions;
  readonly #store = new AsyncLocalStorage<Run>();
  #run: Run | undefined;

  constructor(options: ScriptRunsOptions) {
    this.#options = options;
  }

  /** Takes over how this process ends. */
  install(): void {
    process.exit = ((code?: number | string | null): never => this.#exit(code)) as typeof process.exit;
    process.on("beforeExit", () => this.#onBeforeExit());
    process.setUncaughtExceptionCaptureCallback((thrown) => this.#onUncaught(thrown));
  }

  start(job: ToWarm): void {
    const run: Run = { job, isExiting: false, isSealed: false, isLoading: true, isCrashed: false };
    this.#run = run;
    process.argv = [process.execPath, job.file, ...job.args];
    setVariables(job.env);
    process.chdir(job.cwd);
    fillDescriptors(job.stdin);
    void this.#store.run(run, () => this.#load(run));
  }

  async #load(run: Run): Promise<void> {
    try {
      await this.#options.load(run.job.realpath);
      run.isLoading = false;
    } catch (thrown) {
      run.isLoading = false;
      this.#onUncaught(thrown as Error);
    }
  }

  #onBeforeExit(): void {
    const run = this.#run;
    if (!run || run.isSealed) return;
    if (process.listenerCount("beforeExit") === 1) {
      this.#finish(run);
      return;
    }
    // The script's own listeners come after this one, and may give the loop something to do.
    nextTurn(() => {
      if (process.getActiveResourcesInfo().every((name) => name === "Immediate")) this.#finish(run);
    });
  }

  #finish(run: Run): void {
    if (run.isSealed) return;
    if (run.isLoading) process.exitCode ??= UNSETTLED;
    try {
      this.#exit(undefined);
    } catch {
      // Always thrown, for scripts; here nothing stands behind it.
    }
  }

  #exit(code: number | string | null | undefined): never {
    const run = this.#run;
    // A callback of a run that is over must not end the one that runs now.
    const caller = this.#store.getStore() ?? run;
    if (!run || run.isSealed || caller !== run) throw new Ended();
    if (code !== undefined && code !== null) process.exitCode = Number(code);
    if (!run.isExiting) {
      run.isExiting = true;
      this.#tellExit(run);
    }
    this.#seal(run, Number(process.exitCode ?? 0));
    throw new Ended();
  }

  #tellExit(run: Run): void {
    try {
      process.emit("exit", Number(process.exitCode ?? 0));
    } catch (thrown) {
      if (thrown instanceof Ended) return;
      this.#printCrash(run, thrown);
    }
  }

  #seal(run: Run, exitCode: number): void {
    if (run.isSealed) return;
    run.isSealed = true;
    const { stdoutBytes, stderrBytes } = run.job;
    const end = { exitCode, stdout: readDescriptor(1, stdoutBytes), stderr: readDescriptor(2, stderrBytes), isCrashed: run.isCrashed };
    // The answer first: nobody waits for the rest.
    this.#options.onEnd(end);
    dropStreams();
    clearTimers();
  }

  #onUncaught(thrown: Error): void {
    const run = this.#run;
    if (thrown instanceof Ended || !run || run.isSealed) return;
    if (process.listenerCount("uncaughtException") > 0) {
      (process as NodeJS.EventEmitter).emit("uncaughtException", thrown, "uncaughtException");
      return;
    }
    this.#printCrash(run, thrown);
    this.#finish(run);
  }

  #printCrash(run: Run, thrown: unknown): void {
    run.isCrashed = true;
    run.isLoading = false;
    process.exitCode = 1;
    const text = thrown instanceof Error ? (thrown.stack ?? String(thrown)) : `Uncaught ${String(thrown)}`;
    writeSync(2, `${text}\n\nNode.js ${process.version}\n`);
  }
}

function setVariables(env: Readonly<Record<string, string>>): void {
  for (const name of Object.keys(process.env)) if (env[name] === undefined) delete process.env[name];
  for (const [name, value] of Object.entries(env)) if (process.env[name] !== value) process.env[name] = value;
}
