import type { ChildProcess } from "node:child_process";
import { OutputBuffer } from "./output-buffer.ts";
import { FirstLine, FloodWatch } from "./output-watch.ts";
import type { ProcessLimits, ProgramEnd } from "./program.ts";

export interface OutputListener {
  /** It prints without end; `totalBytes` have come. */
  readonly onFlood: (totalBytes: number) => void;
  /** Whether this first line is what somebody waits for. Left out: nobody waits. */
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

  /** What there is so far. */
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
