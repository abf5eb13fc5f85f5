// Takes a program, its stdin and its limits; gives how it ended, with what it printed.
// It never throws and always settles: at exit plus a bounded drain, or at the limit plus grace plus drain.
// Refuses to wait for end-of-file, to trust `child.killed` (true as soon as TERM was sent) and to judge exit codes.
import { type ChildProcess, spawn } from "node:child_process";
import { statSync } from "node:fs";
import { onAbort } from "./abort-listeners.ts";
import { durationText, failure, NO_OUTPUT, thrownText } from "./failures.ts";
import { timerDelay } from "./limits.ts";
import { OutputBuffer } from "./output-buffer.ts";
import { groupMembers, isGroupAlive, signalGroup } from "./process-identity.ts";
import type { RawOutcome, RunFailure } from "./types.ts";

export interface ProcessLimits {
  /** Between SIGTERM and SIGKILL. */
  readonly graceMs: number;
  /** How long output may still arrive after the program itself has ended. */
  readonly drainMs: number;
  readonly stdoutBytes: number;
  readonly stderrBytes: number;
  /** A program that prints this many times what is kept is ended. */
  readonly floodFactor: number;
}

export const PROCESS_LIMITS: ProcessLimits = Object.freeze({
  graceMs: 250,
  drainMs: 150,
  stdoutBytes: 1024 * 1024,
  stderrBytes: 256 * 1024,
  floodFactor: 8,
});

export interface Program {
  readonly file: string;
  readonly args: readonly string[];
  /** A shell reads the line: exit codes 126 and 127 mean that it could not start it. */
  readonly isShell: boolean;
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
  /** Used if `cwd` is not a folder (any more). */
  readonly fallbackCwd: string;
  readonly stdin: Buffer;
  readonly timeoutMs: number;
  readonly limits?: Partial<ProcessLimits> | undefined;
  /** Called once the process exists. */
  readonly onStart?: ((pid: number) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
}

export type ProgramEnd = Omit<RawOutcome, "hook" | "returned">;

/** Runs one program in its own process group. */
export function runProgram(program: Program): Promise<ProgramEnd> {
  return new Promise((resolve) => new ProgramRun(program, resolve).start());
}

class ProgramRun {
  readonly #program: Program;
  readonly #limits: ProcessLimits;
  readonly #resolve: (end: ProgramEnd) => void;
  readonly #stdout: OutputBuffer;
  readonly #stderr: OutputBuffer;
  #startedAt = 0;
  #child: ChildProcess | undefined;
  #missingCwd: string | undefined;
  #exit: { readonly code: number | null; readonly signal: string | null } | undefined;
  /** Why the group is being ended. The first reason stands. */
  #stopping: RunFailure | undefined;
  #isKilled = false;
  #isClosed = false;
  #isDrained = false;
  #isInputUnread = false;
  #isSettled = false;
  #forgetSignal: (() => void) | undefined;
  #limitTimer: NodeJS.Timeout | undefined;
  #graceTimer: NodeJS.Timeout | undefined;
  #deathTimer: NodeJS.Timeout | undefined;
  #drainTimer: NodeJS.Timeout | undefined;

  constructor(program: Program, resolve: (end: ProgramEnd) => void) {
    this.#program = program;
    this.#resolve = resolve;
    this.#limits = { ...PROCESS_LIMITS, ...program.limits };
    this.#stdout = new OutputBuffer(this.#limits.stdoutBytes);
    this.#stderr = new OutputBuffer(this.#limits.stderrBytes);
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
      if (this.#child?.pid === undefined) this.#settle(this.#couldNotStart(thrown));
      else this.#stop(this.#couldNotStart(thrown));
    }
  }

  #spawn(): void {
    const { file, args, env, stdin, signal, onStart } = this.#program;
    const child = spawn(file, args, { cwd: this.#folder(), env, detached: true, windowsHide: true, stdio: "pipe" });
    this.#child = child;
    child.on("error", (error) => child.pid === undefined && this.#settle(this.#couldNotStart(error)));
    child.on("exit", (code, exitSignal) => this.#onExit(code, exitSignal));
    child.on("close", () => this.#onClose());
    if (child.pid === undefined) return;
    this.#limitTimer = afterPoll(() => this.#onLimit(), this.#program.timeoutMs);
    this.#forgetSignal = onAbort(signal, () => this.#stop(ABORTED));
    this.#keep(child.stdout, this.#stdout, this.#limits.stdoutBytes);
    this.#keep(child.stderr, this.#stderr, this.#limits.stderrBytes);
    // SECURITY: without a listener, the EPIPE of a hook that does not read its stdin ends the host.
    child.stdin?.on("error", () => {
      this.#isInputUnread = true;
    });
    child.stdin?.end(stdin);
    onStart?.(child.pid);
  }

  #folder(): string {
    const { cwd, fallbackCwd } = this.#program;
    // A missing folder is reported by spawn as `ENOENT` of the program itself, so it is looked at first.
    if (isFolder(cwd)) return cwd;
    this.#missingCwd = cwd;
    if (isFolder(fallbackCwd)) return fallbackCwd;
    throw new Error(`there is no folder to run it in: neither ${cwd} nor ${fallbackCwd} is one`);
  }

  #keep(stream: ChildProcess["stdout"], buffer: OutputBuffer, keepBytes: number): void {
    const tooMuch = keepBytes * this.#limits.floodFactor;
    stream?.on("data", (chunk: Buffer) => {
      buffer.add(chunk);
      if (buffer.totalBytes > tooMuch) this.#stop(failure("flood", `it printed more than ${Math.floor(tooMuch / 1024)} KiB and was ended`));
    });
    stream?.on("error", () => {
      // A read error ends this stream only; exit and close still come.
    });
  }

  #onLimit(): void {
    if (this.#exit !== undefined) return;
    this.#stop(failure("timeout", `it did not end within ${durationText(this.#program.timeoutMs)}`));
  }

  #onExit(code: number | null, signal: string | null): void {
    this.#exit = { code, signal };
    clearTimeout(this.#limitTimer);
    if (signal !== null) this.#stop(failure("signal", `it was ended by ${signal}`));
    this.#advance();
  }

  #onClose(): void {
    this.#isClosed = true;
    this.#advance();
  }

  /** TERM to the whole group, KILL after the grace; whatever the leader does meanwhile. */
  #stop(why: RunFailure): void {
    if (this.#isSettled || this.#stopping !== undefined) return;
    this.#stopping = why;
    clearTimeout(this.#limitTimer);
    this.#signal("SIGTERM");
    this.#graceTimer = setTimeout(() => this.#kill(), this.#limits.graceMs);
  }

  #kill(): void {
    this.#isKilled = true;
    this.#signal("SIGKILL");
    this.#startDrain();
    this.#advance();
  }

  #signal(name: "SIGTERM" | "SIGKILL"): void {
    if (this.#child?.pid !== undefined) signalGroup(this.#child.pid, name);
  }

  #startDrain(): void {
    this.#drainTimer ??= afterPoll(() => {
      this.#isDrained = true;
      this.#advance();
    }, this.#limits.drainMs);
  }

  #advance(): void {
    if (this.#exit === undefined && !this.#isDrained) return;
    if (this.#stopping && !this.#isKilled && this.#isGroupAlive()) return;
    if (this.#isDrained || (this.#isClosed && !this.#isDying())) this.#settle(this.#stopping ?? this.#shellFailure());
    else this.#startDrain();
  }

  /** A killed process closes its pipes before it is gone: the outcome waits for the rest of its death, as long as for output. */
  #isDying(): boolean {
    const pid = this.#child?.pid;
    if (!this.#isKilled || pid === undefined || groupMembers(pid).length === 0) return false;
    this.#deathTimer = setTimeout(() => this.#advance(), 5);
    return true;
  }

  #isGroupAlive(): boolean {
    return this.#child?.pid !== undefined && isGroupAlive(this.#child.pid);
  }

  #shellFailure(): RunFailure | undefined {
    const code = this.#exit?.code;
    if (!this.#program.isShell || (code !== 126 && code !== 127)) return undefined;
    const said = this.#stderr.text().text.trim().split("\n")[0] ?? "";
    return failure("could-not-start", `the shell could not ${code === 127 ? "find" : "execute"} it${said && `: ${said.slice(0, 300)}`}`);
  }

  #couldNotStart(thrown: unknown): RunFailure {
    return failure("could-not-start", `it could not be started: ${startErrorText(thrown)}`);
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
    const child = this.#child;
    if (child === undefined) return;
    if (child.stdin && !child.stdin.writableFinished) this.#isInputUnread = true;
    // Something that escaped the group may hold the other ends; ours are closed, so nothing of the run stays in this process.
    if (!this.#isClosed) for (const stream of [child.stdin, child.stdout, child.stderr]) stream?.destroy();
    if (this.#exit === undefined) child.unref();
  }

  #end(why: RunFailure | undefined): ProgramEnd {
    const stdout = this.#stdout.text();
    return {
      ...NO_OUTPUT,
      durationMs: this.#startedAt === 0 ? 0 : performance.now() - this.#startedAt,
      failure: why,
      stdout: stdout.text,
      stderr: this.#stderr.text().text,
      exitCode: this.#exit?.code ?? null,
      signal: this.#exit?.signal ?? undefined,
      isTruncated: this.#stdout.isTruncated || this.#stderr.isTruncated,
      pipesHeld: this.#child?.pid !== undefined && !this.#isClosed,
      isBinary: stdout.isBinary,
      missingCwd: this.#missingCwd,
      isInputUnread: this.#isInputUnread,
    };
  }
}

const ABORTED = failure("aborted", "the run was cancelled");

/**
 * A timer that lets waiting input and exits be seen before it acts. After the host was busy for long, Node runs timers first:
 * a hook that answered in time would be called late, and its answer, already in the pipe, thrown away.
 */
function afterPoll(act: () => void, ms: number): NodeJS.Timeout {
  return setTimeout(() => setImmediate(act), timerDelay(ms));
}

function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    // Gone, not readable, or not a path at all: not a folder to run in.
    return false;
  }
}

function startErrorText(thrown: unknown): string {
  const { code } = thrown as { readonly code?: unknown };
  if (code === "E2BIG") return "its arguments and variables are longer than the system allows (E2BIG); pass large values in a file";
  if (code === "ERR_INVALID_ARG_VALUE") return "its command line or environment has a NUL byte";
  return thrownText(thrown);
}
