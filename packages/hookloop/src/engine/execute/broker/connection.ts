// One broker process and the programs it runs. A program given to it always settles: by its end, or by the loss of the broker.
import { type ChildProcess, spawn } from "node:child_process";
import { setTimeout as wait } from "node:timers/promises";
import { onAbort } from "../abort-listeners.ts";
import { failure, NO_OUTPUT, thrownText } from "../failures.ts";
import { timerDelay } from "../limits.ts";
import { PROCESS_LIMITS, type Program, type ProgramEnd, RunProcesses, runProgram } from "../process/index.ts";
import type { RunFailure } from "../types.ts";
import type { FromBroker, PlainProgram, ToBroker } from "./messages.ts";

/** A broker that is this late with an outcome is not slow but stuck. */
const LATE_MS = 5000;
const CLOSE_MS = 2000;
/** Node starts in 0.06 s; much more on a machine that is short of everything. */
const START_MS = 20_000;

interface Job {
  readonly program: Program;
  resolve: (end: ProgramEnd) => void;
  readonly startedAt: number;
  pid?: number;
  isInBackground?: boolean;
  /** `onStart` threw. */
  refusal?: RunFailure;
  late?: NodeJS.Timeout;
  forgetSignal?: () => void;
}

export interface ConnectionOptions {
  readonly script: string;
  /** Told once if the broker is lost; never after `close`. */
  readonly onLost: (text: string) => void;
}

export class BrokerConnection {
  readonly #child: ChildProcess;
  readonly #onLost: (text: string) => void;
  readonly #jobs = new Map<number, Job>();
  readonly #readied: Promise<boolean>;
  #setReadied: (isReady: boolean) => void = () => {};
  #isReady = false;
  #isOver = false;
  #lastId = 0;

  constructor({ script, onLost }: ConnectionOptions) {
    this.#onLost = onLost;
    this.#readied = new Promise((resolve) => {
      this.#setReadied = resolve;
    });
    // SECURITY: an empty environment, so that NODE_OPTIONS cannot reach it; each hook's own comes with its program.
    // In a session of its own, so that Ctrl-C in the terminal does not end it before the engine has decided.
    this.#child = spawn(process.execPath, [script], {
      cwd: "/",
      env: {},
      detached: true,
      stdio: ["ignore", "ignore", "ignore", "ipc"],
      serialization: "advanced",
    });
    this.#child.on("message", (message) => this.#onMessage(message as FromBroker));
    this.#child.on("error", (error) => this.#lose(thrownText(error)));
    // Not "exit": that can come before the last messages have been read.
    this.#child.on("disconnect", () => this.#lose("it ended"));
    this.#letHostEnd();
    const late = setTimeout(() => this.#isReady || this.#lose("it did not start"), START_MS);
    late.unref();
    void this.#readied.then(() => clearTimeout(late));
  }

  /** Whether programs can be given to it now. */
  get isReady(): boolean {
    return this.#isReady && !this.#isOver && this.#child.connected;
  }

  get pid(): number | undefined {
    return this.#child.pid;
  }

  /** Resolves when programs can be given to it, with `false` if that will never be. */
  async readied(): Promise<boolean> {
    this.#keepHost();
    const isReady = await this.#readied;
    if (this.#jobs.size === 0) this.#letHostEnd();
    return isReady;
  }

  run(program: Program): Promise<ProgramEnd> {
    const id = ++this.#lastId;
    try {
      this.#send({ kind: "run", id, program: plain(program) });
    } catch {
      // It cannot be written as a message, so none has left.
      return runProgram(program);
    }
    return new Promise((resolve) => {
      const job: Job = { program, resolve, startedAt: performance.now() };
      this.#jobs.set(id, job);
      if (this.#jobs.size === 1) this.#keepHost();
      this.#expectWithin(job, program.timeoutMs);
      job.forgetSignal = onAbort(program.signal, () => this.#abort(id));
    });
  }

  /** Ends what runs, then the broker. */
  async close(): Promise<void> {
    const isLost = this.#isOver;
    for (const id of this.#jobs.keys()) this.#abort(id);
    while (this.#jobs.size > 0) await wait(5);
    this.#isOver = true;
    this.#setReadied(false);
    if (isLost || this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    await this.#end();
  }

  async #end(): Promise<void> {
    const child = this.#child;
    child.ref();
    const ended = new Promise((resolve) => child.once("exit", resolve));
    const late = setTimeout(() => child.kill("SIGKILL"), CLOSE_MS);
    if (child.connected) child.disconnect();
    await ended;
    clearTimeout(late);
  }

  #send(message: ToBroker): void {
    this.#child.send(message, (error) => error && this.#lose(thrownText(error)));
  }

  #onMessage(message: FromBroker): void {
    if (message.kind === "ready") {
      this.#isReady = true;
      this.#setReadied(true);
      return;
    }
    const job = this.#jobs.get(message.id);
    if (job === undefined) return;
    if (message.kind === "started") this.#onStarted(message.id, job, message.pid);
    else if (message.kind === "line") this.#onFirstLine(message.id, job, message.line);
    else this.#settle(message.id, { ...message.end, failure: job.refusal ?? message.end.failure });
  }

  #onStarted(id: number, job: Job, pid: number): void {
    job.pid = pid;
    try {
      job.program.onStart?.(pid);
    } catch (thrown) {
      job.refusal = failure("could-not-start", `it could not be started: ${thrownText(thrown)}`);
      this.#abort(id);
    }
  }

  /** Whoever waits gets the line, and the end as a promise. */
  #onFirstLine(id: number, job: Job, line: string): void {
    const ms = job.program.onFirstLine?.(line);
    if (ms === undefined || job.isInBackground || this.#isOver) return;
    job.isInBackground = true;
    this.#send({ kind: "allow", id, ms });
    this.#expectWithin(job, ms);
    const foreground = job.resolve;
    const continues = new Promise<ProgramEnd>((resolve) => {
      job.resolve = resolve;
    });
    foreground({ ...NO_OUTPUT, durationMs: performance.now() - job.startedAt, stdout: line, continues });
  }

  #abort(id: number): void {
    const job = this.#jobs.get(id);
    if (job === undefined || this.#isOver) return;
    this.#send({ kind: "abort", id });
    this.#expectWithin(job, 0);
  }

  #expectWithin(job: Job, ms: number): void {
    const { graceMs, drainMs } = { ...PROCESS_LIMITS, ...job.program.limits };
    clearTimeout(job.late);
    job.late = setTimeout(
      () => {
        // A second time, because after a busy stretch timers run before messages that have long arrived.
        job.late = setTimeout(() => this.#lose("it does not answer"), LATE_MS / 2);
      },
      timerDelay(ms + graceMs + drainMs + LATE_MS / 2),
    );
  }

  #settle(id: number, end: ProgramEnd): void {
    const job = this.#jobs.get(id);
    if (job === undefined) return;
    this.#jobs.delete(id);
    clearTimeout(job.late);
    job.forgetSignal?.();
    if (this.#jobs.size === 0) this.#letHostEnd();
    job.resolve(end);
  }

  #lose(why: string): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#setReadied(false);
    this.#child.kill("SIGKILL");
    for (const [id, job] of this.#jobs) void this.#endLost(id, job, why);
    this.#onLost(why);
  }

  /** What ran in a broker that is gone is ended from here; its answer is lost. */
  async #endLost(id: number, job: Job, why: string): Promise<void> {
    clearTimeout(job.late);
    if (job.pid !== undefined) {
      // The broker has ended a moment ago, so the session is certainly still the job's.
      const processes = new RunProcesses({ leader: job.pid, mark: job.program.mark }, { isSessionOurs: true });
      await processes.end({ ...PROCESS_LIMITS, ...job.program.limits }.graceMs);
    }
    const text = `the process that runs hooks for this large program was lost (${why})`;
    const lost =
      job.pid === undefined
        ? failure("could-not-start", `it could not be started: ${text}`)
        : failure("signal", `it was ended, and its answer is lost, because ${text}`);
    this.#settle(id, { ...NO_OUTPUT, durationMs: performance.now() - job.startedAt, failure: job.refusal ?? lost });
  }

  #keepHost(): void {
    this.#child.ref();
    this.#child.channel?.ref();
  }

  #letHostEnd(): void {
    this.#child.unref();
    this.#child.channel?.unref();
  }
}

function plain({ onStart: _, signal: __, onFirstLine, ...program }: Program): PlainProgram {
  return { ...program, tellsFirstLine: onFirstLine !== undefined };
}
