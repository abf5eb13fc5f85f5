import type { ChildProcess } from "node:child_process";
import type { RawOutcome } from "../types.ts";
import type { LeftBehind } from "./run-processes.ts";

export interface ProcessLimits {
  /** Between SIGTERM and SIGKILL. */
  readonly graceMs: number;
  /** How long output may still arrive after the program itself has ended. */
  readonly drainMs: number;
  readonly stdoutBytes: number;
  readonly stderrBytes: number;
  /** A program that has printed this many times what is kept, and then as much again within `floodMs`, prints without end: it is ended. */
  readonly floodFactor: number;
  readonly floodMs: number;
}

export const PROCESS_LIMITS: ProcessLimits = Object.freeze({
  graceMs: 250,
  drainMs: 150,
  stdoutBytes: 1024 * 1024,
  stderrBytes: 256 * 1024,
  floodFactor: 8,
  floodMs: 1000,
});

/** What to start, with what, and how long it may take. */
export interface Program {
  readonly file: string;
  readonly args: readonly string[];
  /** A shell reads the line: exit codes 126 and 127 mean that it could not start it. */
  readonly isShell: boolean;
  readonly env: Readonly<Record<string, string>>;
  /** `HOOKLOOP_RUN` in `env`, if that was set for this start and is not inherited: what carries it is ended with the program. */
  readonly mark?: string | undefined;
  readonly cwd: string;
  /** Used if `cwd` is not a folder (any more). */
  readonly fallbackCwd: string;
  readonly stdin: Buffer;
  readonly timeoutMs: number;
  readonly limits?: Partial<ProcessLimits> | undefined;
  /** Gives a process that has been started already and becomes the program in `cwd`; started here if left out. Its stdio are pipes. */
  readonly adopt?: ((cwd: string) => ChildProcess) | undefined;
  /** An open file that it prints to, instead of to us; it has no stdin then. */
  readonly outputFd?: number | undefined;
  /** Called once the process exists. */
  readonly onStart?: ((pid: number) => void) | undefined;
  /** Called once with the beginning of stdout, if that begins like an object. A number sends the program to the background: it may then take that many milliseconds more. */
  readonly onFirstLine?: ((line: string) => number | undefined) | undefined;
  /** Its stdin stays open, and what it prints goes here, nothing of it is kept: a program that is talked to. */
  readonly onOutput?: ((chunk: Buffer) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** How a program ended. */
export interface ProgramEnd extends Omit<RawOutcome, "hook" | "returned" | "continues">, LeftBehind {
  /** Set if the program went to the background: this is not its end yet, that will be. */
  readonly continues?: Promise<ProgramEnd> | undefined;
}
