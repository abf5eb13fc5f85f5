// Takes programs like `runProgram`, and gives the same ends; in a large host it lets a small process start them.
// Why: spawn is a fork() that copies the host's page tables and blocks its loop: 1 ms at 40 MB, 67 ms at 1.5 GB.
// Refuses nothing: in any doubt the program is started directly.
import { existsSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { type Program, type ProgramEnd, runProgram } from "../process/index.ts";
import { BrokerConnection } from "./connection.ts";
import { readCredentials, readIds } from "./credentials.ts";

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
  /** The broker's process, while there is one that can be used. */
  readonly pid: number | undefined;
  /** Ends what it runs, and itself. */
  close(): Promise<void>;
}

export interface BrokerOptions {
  /** From which size of this process on it is used. */
  readonly fromHostBytes?: number | undefined;
  readonly largestInputBytes?: number | undefined;
  /** The program of the broker; beside this file if left out. */
  readonly script?: string | undefined;
  /** Told once if the broker was lost; from then on programs are started directly. */
  readonly onProblem?: ((text: string) => void) | undefined;
}

/** Makes a broker; no process is started before one is needed. */
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

  #canTake({ cwd, fallbackCwd, stdin, signal }: Program): boolean {
    // The broker's own folder is not the host's: relative paths would mean something else there.
    if (!path.isAbsolute(cwd) || !path.isAbsolute(fallbackCwd)) return false;
    return !this.#isUnusable && !signal?.aborted && stdin.length <= (this.#options.largestInputBytes ?? LARGEST_INPUT_BYTES);
  }

  #connect(): BrokerConnection | undefined {
    if (this.#connection || this.#isUnusable) return this.#connection;
    const script = this.#options.script ?? ownScript();
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

/** The broker's program; `undefined` where this file was bundled into something else. */
function ownScript(): string | undefined {
  try {
    return fileURLToPath(new URL("./broker-process.js", import.meta.url));
  } catch {
    // A bundle without a file of its own.
    return undefined;
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
