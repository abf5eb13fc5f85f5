import { createReadStream, type ReadStream, writeSync } from "node:fs";
import { Writable } from "node:stream";

/** What a script sees as `process.stdout`: written at once, as to every file. What comes after its run is dropped. */
class RunStream extends Writable {
  readonly fd: 1 | 2;
  isOver = false;

  constructor(fd: 1 | 2) {
    super({ decodeStrings: true });
    this.fd = fd;
  }

  override _write(chunk: Buffer, _encoding: string, done: (error?: Error | null) => void): void {
    try {
      for (let written = 0; !this.isOver && written < chunk.length; ) written += writeSync(this.fd, chunk, written);
      done();
    } catch (thrown) {
      done(thrown as Error);
    }
  }
}

let streams: { stdin?: ReadStream; stdout?: RunStream; stderr?: RunStream } = {};

/** `process.stdin` and its neighbours are those of the run, made when they are asked for. */
export function useRunStreams(): void {
  define("stdin", () => (streams.stdin ??= createReadStream("", { fd: 0, autoClose: false })));
  define("stdout", () => (streams.stdout ??= new RunStream(1)));
  define("stderr", () => (streams.stderr ??= new RunStream(2)));
  // Node's console keeps the streams it has seen first.
  const { console } = globalThis;
  Object.defineProperty(console, "_stdout", { configurable: true, get: () => process.stdout });
  Object.defineProperty(console, "_stderr", { configurable: true, get: () => process.stderr });
}

/** Ends those of the run before. */
export function dropStreams(): void {
  for (const stream of [streams.stdout, streams.stderr]) if (stream) stream.isOver = true;
  streams.stdin?.removeAllListeners().pause();
  streams = {};
}

function define(name: "stdin" | "stdout" | "stderr", get: () => unknown): void {
  Object.defineProperty(process, name, { configurable: true, enumerable: true, get });
}
