// One warm process, as the engine sees it: one run at a time, and always an end.

import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { onAbort, timerDelay } from "../limits.ts";
import { atExit } from "../process/orphans.ts";
import { FirstLine, OutputBuffer, PROCESS_LIMITS, type ProcessLimits, type Program, type ProgramEnd } from "../process/program.ts";
import { RunProcesses } from "../process/run-processes.ts";
import { durationText, failure, NO_OUTPUT, type RawOutcome, type RunFailure, thrownText } from "../types.ts";
import { createNotWarm, type NodeLine, ownProgram, readNodeLine } from "./node-line.ts";

/** How often a run that takes its time is looked at. */
const LOOK_MS = 25;
/** A process that has not put things back after this long is stuck in what its script left behind. */
const CLEAN_MS = 1000;

/** `lost`: the process ended under the run, and nobody here ended it. */
type WarmEnd = ProgramEnd | { readonly lost: RunFailure };

interface WarmChildOptions {
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

class WarmChild {
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

// Takes programs like `runProgram`, and gives the same ends; scripts of warm hooks run in processes that are kept.
// Refuses nothing: what cannot be run warm is started as always, and the hook's author is told once.

type Hook = RawOutcome["hook"];
type RunProgram = (program: Program, hook: Hook) => Promise<ProgramEnd>;

/** Runs after which a process is replaced, however well it behaves. */
const MOST_RUNS = 500;
/** Idle processes that are kept per script. */
const MOST_IDLE = 2;

/** Three files per run: no disk needs to hear of them. */
const MEMORY_FOLDER = "/dev/shm";

export interface WarmOptions {
  /** How everything else is started. */
  readonly run: (program: Program) => Promise<ProgramEnd>;
  readonly cacheFolder?: string | undefined;
  /** The program of a warm process; beside this file if left out. */
  readonly script?: string | undefined;
  readonly mostRuns?: number | undefined;
  /** Makes a private folder below another one; one that is noted goes even if this program is killed. */
  readonly makeFolder?: ((parent: string) => string) | undefined;
}

export interface WarmPool {
  readonly run: RunProgram;
  /** Warm processes, busy or not. */
  readonly size: number;
  close(): Promise<void>;
}

export function createWarmPool(options: WarmOptions): WarmPool {
  return new Pool(options);
}

class Pool implements WarmPool {
  readonly run: RunProgram;
  readonly #options: WarmOptions;
  readonly #script: string | undefined;
  readonly #children = new Map<string, Set<WarmChild>>();
  readonly #notWarm = createNotWarm();
  #folder: string | undefined;
  #isClosed = false;

  constructor(options: WarmOptions) {
    this.#options = options;
    this.#script = options.script ?? ownProgram("./warm-process.js", import.meta.url);
    this.run = (program, hook) => (hook.fields?.["warm"] === true ? this.#runWarm(program, hook) : options.run(program));
  }

  get size(): number {
    return [...this.#children.values()].reduce((sum, { size }) => sum + size, 0);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.all([...this.#children.values()].flatMap((children) => [...children].map((child) => child.end())));
    if (this.#folder !== undefined) rmSync(this.#folder, { recursive: true, force: true });
  }

  async #runWarm(program: Program, hook: Hook): Promise<ProgramEnd> {
    const folder = [program.cwd, program.fallbackCwd].find(isFolder);
    const line = this.#lineOf(program, folder);
    if ("why" in line || folder === undefined)
      return this.#runCold(program, hook, "why" in line ? line.why : "there is no folder to run it in");
    if (program.signal?.aborted) return this.#options.run(program);
    const missing = folder === program.cwd ? {} : { missingCwd: program.cwd };
    const first = await (await this.#child(line, program)).run(program, line, folder);
    if (!("lost" in first)) return { ...first, ...missing };
    // Ended from outside: once more, in a fresh one. The script may have begun twice.
    const second = this.#isClosed ? first : await (await this.#child(line, program)).run(program, line, folder);
    return "lost" in second ? { ...NO_OUTPUT, ...missing, failure: second.lost } : { ...second, ...missing };
  }

  #lineOf(program: Program, folder: string | undefined): NodeLine | { readonly why: string } {
    if (process.platform !== "linux") return { why: `warm scripts need Linux, and this is ${process.platform}` };
    if (this.#script === undefined || this.#isClosed) return { why: "the program of warm processes is not there" };
    return readNodeLine(folder === undefined ? program : { ...program, cwd: folder });
  }

  async #runCold(program: Program, hook: Hook, why: string): Promise<ProgramEnd> {
    return this.#notWarm(await this.#options.run(program), hook, why);
  }

  /** One that waits, one that is about to, or a new one: a script never waits for another run of itself. */
  async #child(line: NodeLine, program: Program): Promise<WarmChild> {
    const known = this.#children.get(line.realpath) ?? new Set();
    this.#children.set(line.realpath, known);
    for (;;) {
      const waiting = [...known].find((child) => child.isClean && child.isUsable);
      if (waiting) {
        waiting.isClean = false;
        return waiting;
      }
      const cleaning = [...known].find((child) => child.cleaning)?.cleaning;
      if (!cleaning) return this.#start(known, program);
      await cleaning;
    }
  }

  #start(known: Set<WarmChild>, { env }: Program): WarmChild {
    // SECURITY: both make a new folder with 0700; nothing can have been planted in it.
    const make = this.#options.makeFolder ?? ((parent: string) => mkdtempSync(path.join(parent, "hookloop-warm-")));
    this.#folder ??= make(isFolder(MEMORY_FOLDER) ? MEMORY_FOLDER : tmpdir());
    const child: WarmChild = new WarmChild({
      script: this.#script ?? "",
      folder: this.#folder,
      cacheFolder: this.#options.cacheFolder,
      env,
      onClean: () => this.#onClean(child, known),
      onGone: () => known.delete(child),
    });
    known.add(child);
    return child;
  }

  #onClean(child: WarmChild, children: ReadonlySet<WarmChild>): void {
    const idle = [...children].filter(({ isClean }) => isClean).length;
    if (child.runs >= (this.#options.mostRuns ?? MOST_RUNS) || idle > MOST_IDLE) void child.end();
  }
}

function isFolder(folder: string): boolean {
  return statSync(folder, { throwIfNoEntry: false })?.isDirectory() ?? false;
}

/** One run of a script. */
export interface ToWarm {
  readonly file: string;
  readonly realpath: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
  readonly stdin: Uint8Array;
  /** How much of each stream is sent back; one byte more says that there was more. */
  readonly stdoutBytes: number;
  readonly stderrBytes: number;
}

export type FromWarm =
  | { readonly kind: "ready" }
  | { readonly kind: "ended"; readonly exitCode: number; readonly stdout: Uint8Array; readonly stderr: Uint8Array }
  /** Nothing of the run is left: the next may come. */
  | { readonly kind: "clean" }
  /** Something is left that cannot be undone; the process must not be used again. */
  | { readonly kind: "spoilt"; readonly why: string };
