import { type ChildProcess, type StdioOptions, spawn } from "node:child_process";
import { closeSync, constants, mkdtempSync, openSync, readSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import type { Writable } from "node:stream";
import { isFolder, readStart } from "../../state-files.ts";
import { onAbort, timerDelay } from "../limits.ts";
import { ABORTED, durationText, failure, NO_OUTPUT, type RunFailure, thrownText } from "../types.ts";
import { atExit } from "./orphans.ts";
import { PROCESS_LIMITS, type ProcessLimits, type Program, type ProgramEnd, ProgramOutput } from "./program.ts";
import { type LeftBehind, leftBehind, RunProcesses } from "./run-processes.ts";

function couldNotStart(thrown: unknown): RunFailure {
  return failure("could-not-start", `it could not be started: ${startErrorText(thrown)}`);
}

/** What a shell says by its exit code when it could not start the command it was given. */
export function shellFailure(code: number | null | undefined, stderr: string): RunFailure | undefined {
  if (code !== 126 && code !== 127) return undefined;
  const said = stderr.trim().split("\n")[0] ?? "";
  const [, speaker] = /^([^:]{1,300}): (?:line )?\d+: ./.exec(said) ?? [];
  // The line of a script that was found: it ran, and what it needs is not there.
  if (speaker !== undefined && !/^(?:.*\/)?(?:ba|da|k|z)?sh$/.test(speaker)) return undefined;
  return failure("could-not-start", `the shell could not ${code === 127 ? "find" : "execute"} it${said && `: ${said.slice(0, 300)}`}`);
}

function startErrorText(thrown: unknown): string {
  const { code } = thrown as { readonly code?: unknown };
  if (code === "E2BIG") return "its arguments and variables are longer than the system allows (E2BIG); pass large values in a file";
  if (code === "ERR_INVALID_ARG_VALUE") return "its command line or environment has a NUL byte";
  const cure = LIMITS[String(code)];
  return cure === undefined ? thrownText(thrown) : `${cure} (${code})`;
}

/** Not the program's fault, and nothing to look for in its path or mode. */
const LIMITS: Readonly<Record<string, string>> = {
  EMFILE: "too many files are open in this process; raise the limit (ulimit -n)",
  ENFILE: "too many files are open on this machine; end other programs",
  EAGAIN: "the system starts no more processes; raise the limit (ulimit -u), or end other programs",
  ENOMEM: "there is no memory left; raise the limit (ulimit -v), or end other programs",
};

/**
 * A timer that lets waiting input and exits be seen before it acts. After the host was busy for long, Node runs timers first:
 * a hook that answered in time would be called late, and its answer, already in the pipe, thrown away.
 */
function afterPoll(act: () => void, ms: number): NodeJS.Timeout {
  return setTimeout(() => setImmediate(act), timerDelay(ms));
}

// Takes a program, its stdin and its limits; gives how it ended, with what it printed.
// It never throws and always settles: at exit plus a bounded drain, or at the limit plus grace plus drain.
// Refuses to wait for end-of-file, to trust `child.killed` (true as soon as TERM was sent) and to judge exit codes.

export interface StartedProgram {
  readonly end: Promise<ProgramEnd>;
  allow(ms: number): void;
  /** Where a program with `onOutput` is talked to; absent if it was not started. */
  readonly input: Writable | undefined;
}

export function runProgram(program: Program): Promise<ProgramEnd> {
  return startProgram(program).end;
}

/** The same, for whoever changes its limit while it runs. */
export function startProgram(program: Program): StartedProgram {
  let run: ProgramRun | undefined;
  const end = new Promise<ProgramEnd>((resolve) => {
    run = new ProgramRun(program, resolve);
    run.start();
  });
  return { end, allow: (ms) => run?.allow(ms), input: run?.input };
}

class ProgramRun {
  readonly #program: Program;
  readonly #limits: ProcessLimits;
  #resolve: (end: ProgramEnd) => void;
  readonly #output: ProgramOutput;
  #startedAt = 0;
  #limitMs: number;
  #child: ChildProcess | undefined;
  /** All that was started here, once there is a process. */
  #processes: RunProcesses | undefined;
  #missingCwd: string | undefined;
  #exit: { readonly code: number | null; readonly signal: string | null } | undefined;
  /** Why the run is being ended. The first reason stands. */
  #stopping: RunFailure | undefined;
  #isKilled = false;
  #isClosed = false;
  #isDrained = false;
  #isInputUnread = false;
  #closeInput: (() => void) | undefined;
  #isSettled = false;
  #forgetSignal: (() => void) | undefined;
  #forgetExit: (() => void) | undefined;
  #limitTimer: NodeJS.Timeout | undefined;
  #graceTimer: NodeJS.Timeout | undefined;
  #deathTimer: NodeJS.Timeout | undefined;
  #drainTimer: NodeJS.Timeout | undefined;

  constructor(program: Program, resolve: (end: ProgramEnd) => void) {
    this.#program = program;
    this.#resolve = resolve;
    this.#limitMs = program.timeoutMs;
    this.#limits = { ...PROCESS_LIMITS, ...program.limits };
    this.#output = new ProgramOutput(this.#limits);
  }

  start(): void {
    if (this.#program.signal?.aborted) {
      this.#settle(ABORTED);
      return;
    }
    this.#startedAt = performance.now();
    try {
      this.#spawn();
    } catch (thrown) {
      // NUL bytes, too long arguments or variables (E2BIG): Node throws instead of emitting `error`.
      if (this.#child?.pid === undefined) this.#settle(couldNotStart(thrown));
      else this.#stop(couldNotStart(thrown));
    }
  }

  #spawn(): void {
    const { file, args, env, stdin, opensStdin, signal, adopt, outputFd, onStart } = this.#program;
    const cwd = this.#folder();
    const inputFd = opensStdin && outputFd === undefined && !adopt ? inputFile(stdin) : undefined;
    const stdio: StdioOptions = outputFd === undefined ? [inputFd ?? "pipe", "pipe", "pipe"] : ["ignore", outputFd, outputFd];
    let child: ChildProcess;
    try {
      child = adopt?.(cwd) ?? spawn(file, args, { cwd, env, detached: true, windowsHide: true, stdio });
    } finally {
      if (inputFd !== undefined) closeSync(inputFd);
    }
    this.#child = child;
    child.on("error", (error) => child.pid === undefined && this.#settle(couldNotStart(error)));
    child.on("exit", (code, exitSignal) => this.#onExit(code, exitSignal));
    child.on("close", () => this.#onClose());
    if (child.pid === undefined) return;
    const processes = new RunProcesses({ leader: child.pid, mark: this.#program.mark }, { isSessionOurs: true });
    this.#processes = processes;
    // SECURITY: whatever ends this program before the run is over, `process.exit` for example, ends the run.
    this.#forgetExit = atExit(() => processes.kill());
    this.#limitTimer = afterPoll(() => this.#onLimit(), this.#program.timeoutMs);
    this.#forgetSignal = onAbort(signal, () => this.#stop(ABORTED));
    this.#listen(child);
    // SECURITY: without a listener, the EPIPE of a hook that does not read its stdin ends the host.
    child.stdin?.on("error", () => {
      this.#isInputUnread = true;
    });
    if (!this.#program.onOutput) this.#give(child, stdin);
    onStart?.(child.pid);
  }

  /** Our end of its stdin stays open until it has ended: only then it can be told whether it has read it. */
  #give({ stdin }: ChildProcess, payload: Buffer): void {
    if (!stdin) return;
    const destroy = stdin._destroy.bind(stdin);
    stdin._destroy = (error, done) => {
      this.#closeInput = () => destroy(error, done);
      if (this.#exit !== undefined || this.#isSettled) this.#closeInput();
    };
    stdin.end(payload);
  }

  get input(): Writable | undefined {
    return this.#child?.stdin ?? undefined;
  }

  #folder(): string {
    const { cwd, fallbackCwd } = this.#program;
    // A missing folder is reported by spawn as `ENOENT` of the program itself, so it is looked at first.
    if (isFolder(cwd)) return cwd;
    this.#missingCwd = cwd;
    if (isFolder(fallbackCwd)) return fallbackCwd;
    throw new Error(`there is no folder to run it in: neither ${cwd} nor ${fallbackCwd} is one`);
  }

  #listen(child: ChildProcess): void {
    const { onFirstLine, onOutput } = this.#program;
    this.#output.listen(child, {
      onFlood: (bytes) => this.#stop(failure("flood", `it printed ${Math.floor(bytes / 1024)} KiB without an end in sight, and was ended`)),
      onFirstLine: onFirstLine && ((line) => this.#goOnInBackground(onFirstLine(line))),
      onOutput,
    });
  }

  /** Whoever waits gets what there is so far, and the end as a promise. */
  #goOnInBackground(ms: number | undefined): boolean {
    if (ms === undefined || this.#stopping !== undefined || this.#isSettled) return false;
    const foreground = this.#resolve;
    const continues = new Promise<ProgramEnd>((resolve) => {
      this.#resolve = resolve;
    });
    this.allow(ms);
    foreground({ ...NO_OUTPUT, ...this.#output.kept, durationMs: this.#elapsedMs(), missingCwd: this.#missingCwd, continues });
    return true;
  }

  allow(ms: number): void {
    if (this.#exit !== undefined || this.#stopping !== undefined || this.#isSettled) return;
    clearTimeout(this.#limitTimer);
    this.#limitMs = this.#elapsedMs() + ms;
    this.#limitTimer = afterPoll(() => this.#onLimit(), ms);
  }

  #onLimit(): void {
    if (this.#exit !== undefined) return;
    this.#stop(failure("timeout", `it did not end within ${durationText(Math.round(this.#limitMs))}`));
  }

  #onExit(code: number | null, signal: string | null): void {
    this.#exit = { code, signal };
    if (hasUnread(this.#child)) this.#isInputUnread = true;
    this.#closeInput?.();
    clearTimeout(this.#limitTimer);
    if (signal !== null) this.#stop(failure("signal", `it was ended by ${signal}`));
    this.#advance();
  }

  #onClose(): void {
    this.#isClosed = true;
    this.#advance();
  }

  /** TERM to all that belongs to the run, KILL after the grace; whatever the leader does meanwhile. */
  #stop(why: RunFailure): void {
    if (this.#isSettled || this.#stopping !== undefined) return;
    this.#stopping = why;
    clearTimeout(this.#limitTimer);
    this.#processes?.signal("SIGTERM");
    this.#graceTimer = setTimeout(() => this.#kill(), this.#limits.graceMs);
  }

  #kill(): void {
    this.#isKilled = true;
    this.#processes?.kill();
    this.#startDrain();
    this.#advance();
  }

  #startDrain(): void {
    this.#drainTimer ??= afterPoll(() => {
      this.#isDrained = true;
      this.#advance();
    }, this.#limits.drainMs);
  }

  #advance(): void {
    if (this.#exit === undefined && !this.#isDrained) return;
    if (this.#stopping && !(this.#isKilled && this.#isDrained) && this.#isDying()) return;
    if (this.#isDrained || this.#isClosed) this.#settle(this.#stopping ?? this.#failureOfShell());
    else this.#startDrain();
  }

  /** The outcome of a run that is ended waits until all of it is gone: for the grace, and after the KILL as long as for output. */
  #isDying(): boolean {
    if (!this.#processes?.isAlive()) return false;
    clearTimeout(this.#deathTimer);
    this.#deathTimer = setTimeout(() => {
      // What was started in the moment of the KILL.
      if (this.#isKilled) this.#processes?.kill();
      this.#advance();
    }, 5);
    return true;
  }

  #failureOfShell(): RunFailure | undefined {
    return this.#program.isShell ? shellFailure(this.#exit?.code, this.#output.stderr) : undefined;
  }

  #settle(why: RunFailure | undefined): void {
    if (this.#isSettled) return;
    this.#isSettled = true;
    this.#letGo();
    this.#resolve(this.#end(why));
  }

  #letGo(): void {
    for (const timer of [this.#limitTimer, this.#graceTimer, this.#deathTimer, this.#drainTimer]) clearTimeout(timer);
    this.#forgetSignal?.();
    this.#forgetExit?.();
    const child = this.#child;
    if (child === undefined) return;
    if (child.stdin && !child.stdin.writableFinished) this.#isInputUnread = true;
    if (this.#exit === undefined) this.#closeInput?.();
    // Something that escaped the group may hold the other ends; ours are closed, so nothing of the run stays in this process.
    if (!this.#isClosed) for (const stream of [child.stdin, child.stdout, child.stderr]) stream?.destroy();
    if (this.#exit === undefined) child.unref();
  }

  #end(why: RunFailure | undefined): ProgramEnd {
    return {
      ...NO_OUTPUT,
      ...this.#output.kept,
      durationMs: this.#elapsedMs(),
      failure: why,
      exitCode: this.#exit?.code ?? null,
      signal: this.#exit?.signal ?? undefined,
      pipesHeld: this.#child?.pid !== undefined && !this.#isClosed,
      ...(this.#isAnswerOpen() && { isAnswerOpen: true }),
      missingCwd: this.#missingCwd,
      isInputUnread: this.#isInputUnread,
      ...this.#leftBehind(),
    };
  }

  #isAnswerOpen(): boolean {
    const stdout = this.#child?.stdout;
    return this.#exit !== undefined && this.#stopping === undefined && stdout !== null && stdout !== undefined && !stdout.readableEnded;
  }

  #leftBehind(): LeftBehind {
    const leader = this.#child?.pid;
    if (leader === undefined || this.#exit === undefined || this.#stopping !== undefined) return {};
    return leftBehind({ leader, mark: this.#program.mark }, this.#elapsedMs());
  }

  #elapsedMs(): number {
    return this.#startedAt === 0 ? 0 : performance.now() - this.#startedAt;
  }
}

/**
 * Whether the last who held the other end of a program's stdin closed it with something in it: a Unix socket says so to who reads ours. What
 * still holds it may yet read it.
 */
function hasUnread(child: ChildProcess | undefined): boolean {
  const { fd = -1 } = (child?.stdin as { readonly _handle?: { readonly fd?: number } | null } | null | undefined)?._handle ?? {};
  try {
    if (fd >= 0) readSync(fd, Buffer.alloc(1));
    return false;
  } catch (thrown) {
    return (thrown as NodeJS.ErrnoException).code === "ECONNRESET";
  }
}

// Some hooks open their stdin by its name. Node makes a socket of it, and Linux opens no socket by a name: ENXIO, "No such device or address".

/** Takes what a program gets on stdin; gives an open file with it that has no name any more, or nothing if none can be made. */
export function inputFile(payload: Buffer): number | undefined {
  let folder: string | undefined;
  try {
    folder = mkdtempSync(path.join(tmpdir(), "hookloop-stdin-"));
    const file = path.join(folder, "event");
    // SECURITY: the folder is the user's alone, and the file is gone before the program runs.
    writeFileSync(file, payload, { mode: 0o600, flag: "wx" });
    return openSync(file, constants.O_RDONLY);
  } catch {
    // No space, no folder: a socket does for most.
    return undefined;
  } finally {
    if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
  }
}

const NAMES = /\/dev\/(?:stdin|fd\/0)\b|\/proc\/(?:self|\$\$)\/fd\/0\b/;
const MOST_WORDS = 12;
const TEXT_BYTES = 64 * 1024;

interface Line {
  readonly words: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
}

/** Whether a command line, or a script that it names, opens stdin by a name. */
export function opensStdin({ words, env, cwd }: Line): boolean {
  if (process.platform !== "linux") return false;
  if (words.some((word) => NAMES.test(word))) return true;
  const parts = words.flatMap((word) => word.replace(/["']/g, "").split(/[\s;|&()<>]+/));
  const expanded = parts.map((part) =>
    part.replace(/\$(?:\{(\w+)\}|(\w+))/g, (whole, a?: string, b?: string) => env[a ?? b ?? ""] ?? whole),
  );
  const files = expanded.filter((part) => /^[^-].*(?:\/|\.\w+$)/.test(part) && !/^\/(?:usr\/(?:local\/)?)?s?bin\//.test(part));
  return files.slice(0, MOST_WORDS).some((file) => NAMES.test(readStart(path.resolve(cwd, file), TEXT_BYTES)?.toString("latin1") ?? ""));
}
