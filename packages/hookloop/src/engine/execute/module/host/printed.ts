// Whatever a module prints: kept with the call that printed it, up to a limit, and kept away from the host's own streams.
import { AsyncLocalStorage } from "node:async_hooks";
import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";

const KEEP_CHARACTERS = 256 * 1024;

/** What belongs to one call. */
export class Printed {
  #text = "";
  isTruncated = false;

  add(text: string): void {
    const room = KEEP_CHARACTERS - this.#text.length;
    if (text.length > room) this.isTruncated = true;
    if (room > 0) this.#text += text.slice(0, room);
  }

  get text(): string {
    return this.#text;
  }
}

export class Call {
  readonly id: number;
  readonly printed: Printed = new Printed();
  #controller: AbortController | undefined;

  constructor(id: number) {
    this.id = id;
  }

  /** Made when it is asked for: it costs as much as the rest of a call. */
  get controller(): AbortController {
    this.#controller ??= new AbortController();
    return this.#controller;
  }
}

/** The call that the running code belongs to. */
export const currentCall: AsyncLocalStorage<Call> = new AsyncLocalStorage();

/** What is printed while the file is loaded, or by something no call has started. */
let between = new Printed();

/** Hands over what was printed beside the calls, once. */
export function takeBetween(): Printed {
  const taken = between;
  between = new Printed();
  return taken;
}

function print(chunk: unknown): void {
  const text = typeof chunk === "string" ? chunk : Buffer.from(chunk as Uint8Array).toString();
  (currentCall.getStore()?.printed ?? between).add(text);
}

/** From now on nothing that JavaScript prints leaves this thread by itself. */
export function keepPrinted(): void {
  for (const stream of [process.stdout, process.stderr]) {
    const write = (chunk: unknown, ...rest: readonly unknown[]): boolean => {
      print(chunk);
      const done = rest.find((argument) => typeof argument === "function") as (() => void) | undefined;
      if (done) process.nextTick(done);
      return true;
    };
    Object.assign(stream, { write });
  }
  keepWrites();
}

/** A worker shares its descriptors with the host: `writeSync(1, …)` would reach the host's stdout. */
function keepWrites(): void {
  const { writeSync, write } = fs;
  const isPrinting = (fd: unknown): boolean => fd === 1 || fd === 2;
  const size = (data: unknown): number => (typeof data === "string" ? Buffer.byteLength(data) : (data as Uint8Array).byteLength);
  Object.assign(fs, {
    writeSync: (fd: number, data: never, ...rest: never[]): number => {
      if (!isPrinting(fd)) return writeSync(fd, data, ...rest);
      print(data);
      return size(data);
    },
    write: (fd: number, data: never, ...rest: never[]): void => {
      if (!isPrinting(fd)) return void write(fd, data, ...(rest as unknown as [never]));
      print(data);
      const done = rest.at(-1) as unknown;
      if (typeof done === "function") process.nextTick(done as () => void, null, size(data), data);
    },
  });
  syncBuiltinESMExports();
}
