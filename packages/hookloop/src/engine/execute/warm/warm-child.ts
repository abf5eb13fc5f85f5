// One warm process, as the engine sees it: one run at a time, and always an end.
import { type ChildProcess, spawn } from "node:child_process";
import { readFileSync, statSync } from "node:fs";
import { onAbort } from "../abort-listeners.ts";
import { durationText, failure, NO_OUTPUT, thrownText } from "../failures.ts";
import { timerDelay } from "../limits.ts";
import {
  atExit,
  FirstLine,
  OutputBuffer,
  PROCESS_LIMITS,
  type ProcessLimits,
  type Program,
  type ProgramEnd,
  RunProcesses,
} from "../process/index.ts";
import type { RunFailure } from "../types.ts";
import type { FromWarm, ToWarm } from "./messages.ts";
import type { NodeLine } from "./node-line.ts";

/** How often a run that takes its time is looked at. */
const LOOK_MS = 25;
/** A process that has not put things back after this long is stuck in what its script left behind. */
const CLEAN_MS = 1000;

/** `lost`: the process ended under the run, and nobody here ended it. */
export type WarmEnd = ProgramEnd | { readonly lost: RunFailure };

export interface WarmChildOptions {
  readonly script: string;
  readonly folder: string;
  readonly cacheFolder: string | undefined;
  readonly env: Readonly<Record<string, string>>;
  /** It can take the next run. */
  readonly onClean: () => void;
  readonly onGone: () => void;
}

interface Running {
  readonly program: Program;
  readonly limits: ProcessLimits;
  readonly startedAt: number;
  resolve: (end: WarmEnd) => void;
  limitMs: number;
  stopping?: RunFailure;
  /** What is being ended. */
  processes?: RunProcesses;
  timers: NodeJS.Timeout[];
  forgetSignal: () => void;
}

export class WarmChild {
  readonly #child: ChildProcess;
  readonly #options: WarmChildOptions;
  readonly #gone: Promise<void>;
  readonly #forgetExit: () => void;
  #running: Running | undefined;
  #isGone = false;
  #cleaned: (() => void) | undefined;
  /** Settles when what the last run left behind is gone, or the process is. */
  cleaning: Promise<void> | undefined;
  isClean = false;
  runs = 0;

  constructor(options: WarmChildOptions) {
    this.#options = options;
    // SECURITY: in a session of its own, so that what its scripts start is ended with it.
    this.#child = spawn(process.execPath, [options.script, options.folder, options.cacheFolder ?? ""], {
      cwd: "/",
      env: { ...options.env },
      detached: true,
      stdio: ["ignore", "ignore", "ignore", "ipc"],
      serialization: "advanced",
    });
    this.#forgetExit = atExit(() => this.#processes().kill());
    this.#child.on("message", (message) => this.#onMessage(message as FromWarm));
    this.#gone = new Promise((resolve) => {
      this.#child.once("exit", () => resolve());
      this.#child.once("error", () => resolve());
    });
    this.#child.on("error", (error) => this.#onGone(failure("could-not-start", `it could not be started: ${thrownText(error)}`)));
    this.#child.on("exit", (code, signal) =>
      this.#onGone(failure("signal", signal === null ? `its process ended with exit code ${code}` : `it was ended by ${signal}`)),
    );
    this.#hold(false);
  }

  get isUsable(): boolean {
    return !this.#isGone && !this.#running && this.#child.connected;
  }

  /** May be called before it is ready: the run waits in its channel. */
  run(program: Program, line: NodeLine, cwd: string): Promise<WarmEnd> {
    this.isClean = false;
    this.runs++;
    const limits = { ...PROCESS_LIMITS, ...program.limits };
    return new Promise((resolve) => {
      const running: Running = {
        program,
        limits,
        startedAt: performance.now(),
        resolve,
        limitMs: program.timeoutMs,
        timers: [],
        forgetSignal: onAbort(program.signal, () => this.#stop(failure("aborted", "the run was cancelled"))),
      };
      this.#running = running;
      this.#hold(true);
      this.#watch(running);
      const { stdoutBytes, stderrBytes } = limits;
      const job: ToWarm = { ...line, env: program.env, cwd, stdin: program.stdin, stdoutBytes, stderrBytes };
      this.#child.send(job, (error) => error && this.#settle({ lost: failure("could-not-start", thrownText(error)) }));
      if (this.#child.pid !== undefined) program.onStart?.(this.#child.pid);
    });
  }

  async end(): Promise<void> {
    this.isClean = false;
    if (!this.#isGone) this.#processes().kill();
    this.#child.ref();
    await this.#gone;
  }

  #watch(running: Running): void {
    const { program } = running;
    running.timers = [
      setTimeout(() => this.#onLimit(), timerDelay(program.timeoutMs)),
      setInterval(() => this.#look(running, first), LOOK_MS),
    ];
    const first = program.onFirstLine && new FirstLine((line) => this.#goOn(running, line));
  }

  #onLimit(): void {
    if (this.#running) this.#stop(failure("timeout", `it did not end within ${durationText(Math.round(this.#running.limitMs))}`));
  }

  /** Its stdout is a file without a name, which the system shows us. */
  #look({ limits: { stdoutBytes, floodFactor } }: Running, first: FirstLine | undefined): void {
    try {
      const file = `/proc/${this.#child.pid}/fd/1`;
      const { size } = statSync(file);
      if (size > stdoutBytes * floodFactor) {
        this.#stop(failure("flood", `it printed ${Math.floor(size / 1024)} KiB without an end in sight, and was ended`));
      } else if (first && size > 0 && size < stdoutBytes) first.add(readFileSync(file));
    } catch {
      // It has just ended, or has not begun.
    }
  }

  /** Whoever waits gets the line, and the end as a promise. */
  #goOn(running: Running, line: string): boolean {
    const ms = running.program.onFirstLine?.(line);
    if (ms === undefined || running.stopping !== undefined || this.#running !== running) return false;
    const foreground = running.resolve;
    const durationMs = performance.now() - running.startedAt;
    const continues = new Promise<ProgramEnd>((resolve) => {
      running.resolve = (end) => resolve("lost" in end ? { ...NO_OUTPUT, durationMs, failure: end.lost } : end);
    });
    running.limitMs = durationMs + ms;
    for (const timer of running.timers) clearTimeout(timer);
    running.timers = [setTimeout(() => this.#onLimit(), timerDelay(ms))];
    foreground({ ...NO_OUTPUT, durationMs, stdout: line, continues });
    return true;
  }

  /** TERM to all that the process and the run have started, KILL after the grace, or when the process itself is gone. */
  #stop(why: RunFailure): void {
    const running = this.#running;
    if (!running || running.stopping) return;
    running.stopping = why;
    for (const timer of running.timers) clearTimeout(timer);
    running.processes = this.#processes();
    running.processes.signal("SIGTERM");
    running.timers = [setTimeout(() => running.processes?.kill(), running.limits.graceMs)];
  }

  #onMessage(message: FromWarm): void {
    if (message.kind === "ended") this.#onEnded(message);
    else if (message.kind === "spoilt") void this.end();
    else if (message.kind === "clean") {
      this.isClean = true;
      this.#options.onClean();
      this.#endCleaning();
    }
  }

  #onEnded({ exitCode, stdout, stderr }: Extract<FromWarm, { kind: "ended" }>): void {
    const running = this.#running;
    if (!running || running.stopping) return;
    const [out, err] = [new OutputBuffer(running.limits.stdoutBytes), new OutputBuffer(running.limits.stderrBytes)];
    out.add(Buffer.from(stdout));
    err.add(Buffer.from(stderr));
    const { text, isBinary } = out.text();
    this.#startCleaning();
    this.#settle({
      ...NO_OUTPUT,
      durationMs: performance.now() - running.startedAt,
      stdout: text,
      stderr: err.text().text,
      exitCode,
      isTruncated: out.isTruncated || err.isTruncated,
      isAnswerCut: out.isTruncated,
      isBinary,
    });
  }

  #settle(end: WarmEnd): void {
    const running = this.#running;
    if (!running) return;
    this.#running = undefined;
    for (const timer of running.timers) clearTimeout(timer);
    running.forgetSignal();
    if (!this.#isGone) this.#hold(false);
    running.resolve(end);
  }

  #onGone(why: RunFailure): void {
    this.#isGone = true;
    this.#forgetExit();
    this.isClean = false;
    const running = this.#running;
    // SECURITY: what ignores SIGTERM, and what a script left that has ended this process, goes with it.
    (running?.processes ?? this.#processes()).kill();
    const stopped = running?.stopping;
    if (running && stopped) this.#settle({ ...NO_OUTPUT, durationMs: performance.now() - running.startedAt, failure: stopped });
    else this.#settle({ lost: why });
    this.#options.onGone();
    this.#endCleaning();
  }

  #startCleaning(): void {
    // It also keeps this program alive: the next run may wait for that, and for nothing else.
    const stuck = setTimeout(() => void this.end(), CLEAN_MS);
    this.cleaning = new Promise((resolve) => {
      this.#cleaned = () => {
        clearTimeout(stuck);
        resolve();
      };
    });
  }

  #endCleaning(): void {
    this.cleaning = undefined;
    this.#cleaned?.();
  }

  #processes(): RunProcesses {
    return new RunProcesses({ leader: this.#child.pid ?? 0, mark: this.#running?.program.mark }, { isSessionOurs: true });
  }

  #hold(isHeld: boolean): void {
    const change = isHeld ? "ref" : "unref";
    this.#child[change]();
    this.#child.channel?.[change]();
  }
}
