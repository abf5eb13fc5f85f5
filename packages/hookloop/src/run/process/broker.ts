import type { ChildProcess } from "node:child_process";
import { existsSync } from "node:fs";
import path from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { onAbort, timerDelay } from "../limits.ts";
import { failure, NO_OUTPUT, type RunFailure, thrownText } from "../types.ts";
import { runProgram } from "./process-group.ts";
import { readProc } from "./process-identity.ts";
import { CHANNEL, hold, ownProgram, PROCESS_LIMITS, type Program, type ProgramEnd, startNode } from "./program.ts";
import { RunProcesses } from "./run-processes.ts";

const INHERITED = /^(?:Umask|Uid|Gid|Groups|Cap\w+|NoNewPrivs|Seccomp):.*$/gm;

/**
 * What a process started now would be allowed to do, as one text to compare; `undefined` where there is no `/proc`.
 * 60 µs. `process.umask()` would be faster, but sets the mask to 0 for a moment.
 */
export function readCredentials(): string | undefined {
  return readProc("/proc/self/status")?.match(INHERITED)?.join("\n");
}

/** User and group of this process, real and effective: the part of its credentials that takes 5 µs to read. */
export function readIds(): string {
  return [process.getuid?.(), process.geteuid?.(), process.getgid?.(), process.getegid?.()].join();
}

// One broker process and the programs it runs. A program given to it always settles: by its end, or by the loss of the broker.

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

interface ConnectionOptions {
  readonly script: string;
  /** Told once if the broker is lost; never after `close`. */
  readonly onLost: (text: string) => void;
}

class BrokerConnection {
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
    this.#child = startNode({ args: [script], cwd: "/", env: {}, ...CHANNEL });
    this.#child.on("message", (message) => this.#onMessage(message as FromBroker));
    this.#child.on("error", (error) => this.#lose(thrownText(error)));
    // Not "exit": that can come before the last messages have been read.
    this.#child.on("disconnect", () => this.#lose("it ended"));
    const late = setTimeout(() => this.#isReady || this.#lose("it did not start"), START_MS);
    late.unref();
    void this.#readied.then(() => clearTimeout(late));
  }

  get isReady(): boolean {
    return this.#isReady && !this.#isOver && this.#child.connected;
  }

  get pid(): number | undefined {
    return this.#child.pid;
  }

  /** Resolves when programs can be given to it, with `false` if that will never be. */
  async readied(): Promise<boolean> {
    hold(this.#child, true);
    const isReady = await this.#readied;
    if (this.#jobs.size === 0) hold(this.#child, false);
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
      if (this.#jobs.size === 1) hold(this.#child, true);
      this.#expectWithin(job, program.timeoutMs);
      job.forgetSignal = onAbort(program.signal, () => this.#abort(id));
    });
  }

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
    if (this.#jobs.size === 0) hold(this.#child, false);
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
}

function plain({ onStart: _, signal: __, onFirstLine, ...program }: Program): PlainProgram {
  return { ...program, tellsFirstLine: onFirstLine !== undefined };
}

// Takes programs like `runProgram`, and gives the same ends; in a large host it lets a small process start them.
// Why: spawn is a fork() that copies the host's page tables and blocks its loop: 1 ms at 40 MB, 67 ms at 1.5 GB.
// Refuses nothing: in any doubt the program is started directly.

/** A host of this size gains more than the broker's own 45 MB cost. */
const LARGE_BYTES = 200 * 1024 * 1024;
/** Larger inputs cost more to pass on than the broker saves. */
const LARGEST_INPUT_BYTES = 1024 * 1024;
/** What takes long to ask for (size of the host, umask) is believed for this time. */
const HOLDS_MS = 500;

export interface Broker {
  /** Runs a program in its own process group, through the broker if that helps and it can. */
  readonly run: (program: Program) => Promise<ProgramEnd>;
  /** Starts it now instead of at the first program that needs it; `false` if it cannot be used here. */
  start(): Promise<boolean>;
  readonly pid: number | undefined;
  close(): Promise<void>;
}

export interface BrokerOptions {
  /** From which size of this process on it is used. */
  readonly fromHostBytes?: number | undefined;
  readonly largestInputBytes?: number | undefined;
  readonly script?: string | undefined;
  /** Told once if the broker was lost; from then on programs are started directly. */
  readonly onProblem?: ((text: string) => void) | undefined;
}

export function createBroker(options: BrokerOptions = {}): Broker {
  return new LazyBroker(options);
}

class LazyBroker implements Broker {
  readonly run: (program: Program) => Promise<ProgramEnd>;
  readonly #options: BrokerOptions;
  readonly #isLarge: () => boolean;
  readonly #credentialsNow: () => string | undefined;
  #connection: BrokerConnection | undefined;
  #credentials: string | undefined;
  #isUnusable = false;

  constructor(options: BrokerOptions) {
    this.#options = options;
    const fromBytes = options.fromHostBytes ?? LARGE_BYTES;
    this.#isLarge = remembered(() => process.memoryUsage.rss() >= fromBytes);
    this.#credentialsNow = remembered(readCredentials, readIds);
    this.run = (program) => {
      if (!this.#isLarge() || !this.#canTake(program)) return runProgram(program);
      const connection = this.#connect();
      // While it starts, and when it is lost, hooks run all the same.
      if (!connection?.isReady || this.#credentialsNow() !== this.#credentials) return runProgram(program);
      return connection.run(program);
    };
  }

  get pid(): number | undefined {
    return this.#connection?.isReady ? this.#connection.pid : undefined;
  }

  async start(): Promise<boolean> {
    return (await this.#connect()?.readied()) ?? false;
  }

  async close(): Promise<void> {
    this.#isUnusable = true;
    await this.#connection?.close();
  }

  #canTake({ cwd, fallbackCwd, stdin, opensStdin, signal }: Program): boolean {
    if (opensStdin) return false;
    // The broker's own folder is not the host's: relative paths would mean something else there.
    if (!path.isAbsolute(cwd) || !path.isAbsolute(fallbackCwd)) return false;
    return !this.#isUnusable && !signal?.aborted && stdin.length <= (this.#options.largestInputBytes ?? LARGEST_INPUT_BYTES);
  }

  #connect(): BrokerConnection | undefined {
    if (this.#connection || this.#isUnusable) return this.#connection;
    const script = this.#options.script ?? ownProgram("./broker-process.js", import.meta.url);
    // SECURITY: what a hook may do is what this process may do now; a broker started before setuid() or umask() must not be used after.
    this.#credentials = readCredentials();
    if (!isPlainNode() || this.#credentials === undefined || script === undefined || !existsSync(script)) {
      this.#isUnusable = true;
      return undefined;
    }
    this.#connection = startConnection({ script, onLost: (why) => this.#onLost(why) });
    if (!this.#connection) this.#isUnusable = true;
    return this.#connection;
  }

  #onLost(why: string): void {
    this.#isUnusable = true;
    this.#options.onProblem?.(`the process that starts hooks for this large program was lost (${why}); hooks are now started directly`);
  }
}

function startConnection(options: ConstructorParameters<typeof BrokerConnection>[0]): BrokerConnection | undefined {
  try {
    return new BrokerConnection(options);
  } catch (thrown) {
    // No memory, no process left: direct starts may fail as well, but they say so hook by hook.
    options.onLost(String(thrown));
    return undefined;
  }
}

/** Other programs that embed Node cannot be started with a script as their argument. Only Linux forks. */
function isPlainNode(): boolean {
  const { versions, release, platform } = process;
  return (
    platform === "linux" &&
    release.name === "node" &&
    !versions["electron"] &&
    !versions["bun"] &&
    /^node(js)?[\d.-]*$/.test(path.basename(process.execPath))
  );
}

/** Asks again after a while, or when `key` has changed. */
function remembered<T>(ask: () => T, key: () => string = () => ""): () => T {
  let known: { readonly value: T; readonly key: string; readonly until: number } | undefined;
  return () => {
    const now = performance.now();
    const keyNow = key();
    if (!known || now >= known.until || keyNow !== known.key) known = { value: ask(), key: keyNow, until: now + HOLDS_MS };
    return known.value;
  };
}

/** A program as it travels to the broker: everything but the functions. */
interface PlainProgram extends Omit<Program, "onStart" | "onFirstLine" | "onOutput" | "signal"> {
  /** The first line is waited for. */
  readonly tellsFirstLine: boolean;
}

export type ToBroker =
  | { readonly kind: "run"; readonly id: number; readonly program: PlainProgram }
  | { readonly kind: "abort"; readonly id: number }
  /** It continues in the background: this is the time it has left. */
  | { readonly kind: "allow"; readonly id: number; readonly ms: number };

export type FromBroker =
  | { readonly kind: "ready" }
  | { readonly kind: "started"; readonly id: number; readonly pid: number }
  | { readonly kind: "line"; readonly id: number; readonly line: string }
  | { readonly kind: "ended"; readonly id: number; readonly end: ProgramEnd };
