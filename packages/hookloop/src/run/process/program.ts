import { isUtf8 } from "node:buffer";
import { type ChildProcess, type SpawnOptions, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
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
  /** It opens its stdin by a name, such as /dev/stdin, which Linux refuses for sockets: it gets a file. Whether it reads that is not known. */
  readonly opensStdin?: boolean | undefined;
  readonly timeoutMs: number;
  readonly limits?: Partial<ProcessLimits> | undefined;
  /** Gives a process that has been started already and becomes the program in `cwd`; started here if left out. Its stdio are pipes. */
  readonly adopt?: ((cwd: string) => ChildProcess) | undefined;
  /** An open file that it prints to, instead of to us; it has no stdin then. */
  readonly outputFd?: number | undefined;
  readonly onStart?: ((pid: number) => void) | undefined;
  /** Called once with the beginning of stdout, if that begins like an object. A number sends the program to the background: it may then take that many milliseconds more. */
  readonly onFirstLine?: ((line: string) => number | undefined) | undefined;
  /** Its stdin stays open, and what it prints goes here, nothing of it is kept: a program that is talked to. */
  readonly onOutput?: ((chunk: Buffer) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface ProgramEnd extends Omit<RawOutcome, "hook" | "returned" | "continues">, LeftBehind {
  /** Set if the program went to the background: this is not its end yet, that will be. */
  readonly continues?: Promise<ProgramEnd> | undefined;
}

/** Many one-byte writes would keep one Buffer object each; from this many on they are joined. */
const JOIN_AT = 1024;

/** Keeps the first `keepBytes` of a stream and counts the rest. */
export class OutputBuffer {
  readonly #keepBytes: number;
  #chunks: Buffer[] = [];
  #kept = 0;
  #total = 0;

  constructor(keepBytes: number) {
    this.#keepBytes = keepBytes;
  }

  get totalBytes(): number {
    return this.#total;
  }

  get isTruncated(): boolean {
    return this.#total > this.#keepBytes;
  }

  add(chunk: Buffer): void {
    this.#total += chunk.length;
    const room = this.#keepBytes - this.#kept;
    if (room <= 0) return;
    const part = chunk.length > room ? chunk.subarray(0, room) : chunk;
    this.#kept += part.length;
    if (this.#chunks.push(part) >= JOIN_AT) this.#chunks = [Buffer.concat(this.#chunks)];
  }

  /** Decoded once, as a whole: piecewise decoding breaks characters that span two chunks. */
  text(): { readonly text: string; readonly isBinary: boolean } {
    const bytes = this.#chunks.length === 1 && this.#chunks[0] ? this.#chunks[0] : Buffer.concat(this.#chunks);
    const whole = this.isTruncated ? bytes.subarray(0, lastCharacterEnd(bytes)) : bytes;
    return { text: whole.toString("utf8"), isBinary: !isUtf8(whole) };
  }
}

/** Where the last whole character ends: what is cut off at the limit is not the hook's mistake. */
function lastCharacterEnd(bytes: Buffer): number {
  for (let back = 1; back <= Math.min(4, bytes.length); back++) {
    const byte = bytes[bytes.length - back] ?? 0;
    if (byte < 0x80) return bytes.length;
    if (byte >= 0xc0) return back === characterLength(byte) ? bytes.length : bytes.length - back;
  }
  return bytes.length;
}

function characterLength(lead: number): number {
  if (lead >= 0xf0) return 4;
  return lead >= 0xe0 ? 3 : 2;
}

/** Longer first lines are answers, not the word that sends a hook to the background. */
const LONGEST_LINE = 1024;

/**
 * Looks at stdout while it comes, until its first line is known. A text without an end of line is looked at when it ends
 * with `}`: programs that print one object and continue often leave the line open.
 */
export class FirstLine {
  readonly #isAwaited: (line: string) => boolean;
  #seen = "";
  #isOver = false;

  constructor(isAwaited: (line: string) => boolean) {
    this.#isAwaited = isAwaited;
  }

  add(chunk: Buffer): void {
    if (this.#isOver) return;
    // latin1: the line that is looked for has nothing but ASCII, and a character may span two chunks.
    this.#seen = withoutByteOrderMark((this.#seen + chunk.toString("latin1", 0, LONGEST_LINE)).trimStart());
    if (this.#seen === "") return;
    const end = this.#seen.indexOf("\n");
    const line = (end < 0 ? this.#seen : this.#seen.slice(0, end)).trimEnd();
    this.#isOver = end >= 0 || !line.startsWith("{") || line.length >= LONGEST_LINE;
    if (line.startsWith("{") && line.endsWith("}") && this.#isAwaited(line)) this.#isOver = true;
  }
}

function withoutByteOrderMark(text: string): string {
  return text.startsWith("\xef\xbb\xbf") ? text.slice(3) : text;
}

/** Tells output without end from output that is only long. Nothing of either is kept beyond the limit, so long output may be read to its end. */
export class FloodWatch {
  readonly #bytes: number;
  readonly #windowMs: number;
  /** When the window began that is being counted, and how much had come by then. */
  #window: { readonly startedAt: number; readonly bytes: number } | undefined;

  constructor({ bytes, windowMs }: { readonly bytes: number; readonly windowMs: number }) {
    this.#bytes = bytes;
    this.#windowMs = windowMs;
  }

  /** `total`: how much has come since the start. */
  isFlood(total: number, now: number = performance.now()): boolean {
    if (total <= this.#bytes) return false;
    this.#window ??= { startedAt: now, bytes: total };
    if (now - this.#window.startedAt < this.#windowMs) return false;
    if (total - this.#window.bytes > this.#bytes) return true;
    this.#window = { startedAt: now, bytes: total };
    return false;
  }
}

interface OutputListener {
  /** It prints without end; `totalBytes` have come. */
  readonly onFlood: (totalBytes: number) => void;
  /** Whether this first line is the one that is waited for. Left out: none is. */
  readonly onFirstLine?: ((line: string) => boolean) | undefined;
  /** Takes stdout instead; nothing of it is kept, or counted. */
  readonly onOutput?: ((chunk: Buffer) => void) | undefined;
}

/** What a program prints: read to its end, the beginning of it kept. */
export class ProgramOutput {
  readonly #limits: ProcessLimits;
  readonly #stdout: OutputBuffer;
  readonly #stderr: OutputBuffer;

  constructor(limits: ProcessLimits) {
    this.#limits = limits;
    this.#stdout = new OutputBuffer(limits.stdoutBytes);
    this.#stderr = new OutputBuffer(limits.stderrBytes);
  }

  listen({ stdout, stderr }: ChildProcess, { onFlood, onFirstLine, onOutput }: OutputListener): void {
    if (onOutput) {
      stdout?.on("data", onOutput);
      stdout?.on("error", () => {});
    } else this.#keep(stdout, this.#stdout, { bytes: this.#limits.stdoutBytes, onFlood });
    this.#keep(stderr, this.#stderr, { bytes: this.#limits.stderrBytes, onFlood });
    if (!onFirstLine) return;
    const first = new FirstLine(onFirstLine);
    stdout?.on("data", (chunk: Buffer) => first.add(chunk));
  }

  get kept(): Pick<ProgramEnd, "stdout" | "stderr" | "isTruncated" | "isAnswerCut" | "isBinary"> {
    const { text, isBinary } = this.#stdout.text();
    const isAnswerCut = this.#stdout.isTruncated;
    return { stdout: text, stderr: this.stderr, isTruncated: isAnswerCut || this.#stderr.isTruncated, isAnswerCut, isBinary };
  }

  get stderr(): string {
    return this.#stderr.text().text;
  }

  /** Reads on whatever is kept: a hook that prints much and then exits with 2 has blocked. */
  #keep(
    stream: ChildProcess["stdout"],
    buffer: OutputBuffer,
    { bytes, onFlood }: { bytes: number; onFlood: OutputListener["onFlood"] },
  ): void {
    const flood = new FloodWatch({ bytes: bytes * this.#limits.floodFactor, windowMs: this.#limits.floodMs });
    stream?.on("data", (chunk: Buffer) => {
      buffer.add(chunk);
      if (buffer.isTruncated && flood.isFlood(buffer.totalBytes)) onFlood(buffer.totalBytes);
    });
    stream?.on("error", () => {
      // A read error ends this stream only; exit and close still come.
    });
  }
}

interface NodeStart extends Pick<SpawnOptions, "cwd" | "stdio" | "serialization"> {
  readonly args: readonly string[];
  readonly env: Program["env"];
}

/** Starts a program of ours. SECURITY: in a session of its own, so that what it starts is ended with it, and Ctrl-C does not reach it. */
export function startNode({ args, env, ...options }: NodeStart): ChildProcess {
  const child = spawn(process.execPath, args, { ...options, env: { ...env }, detached: true, windowsHide: true });
  hold(child, false);
  return child;
}

/** A child that is talked to over a channel. */
export const CHANNEL: Pick<NodeStart, "stdio" | "serialization"> = {
  stdio: ["ignore", "ignore", "ignore", "ipc"],
  serialization: "advanced",
};

/** Whether this program waits for a child that it started. */
export function hold(child: ChildProcess, isHeld: boolean): void {
  const change = isHeld ? "ref" : "unref";
  child[change]();
  child.channel?.[change]();
  for (const stream of child.stdio ?? []) (stream as unknown as { ref(): void; unref(): void } | null)?.[change]();
}

/** A program of ours that lies beside the file at `url`; `undefined` where that was bundled into something else. */
export function ownProgram(name: string, url: string): string | undefined {
  try {
    const script = fileURLToPath(new URL(name, url));
    return existsSync(script) ? script : undefined;
  } catch {
    // A bundle without a file of its own.
    return undefined;
  }
}
