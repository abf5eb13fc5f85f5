/**
 * A server that is a program: started in its own process group, talked to over its stdin and stdout, and ended with everything it started.
 * The official client's own transport ends only the process it has started. Behind a wrapper (`sh -c`, npx) the server
 * itself stays, holds the pipes, and the agent never ends.
 */

import type { Client } from "@modelcontextprotocol/client";
import { absoluteSearchPath } from "../permissions/index.ts";
import type { ProgramEnd, Programs, StartedProgram } from "../run/index.ts";
import type { McpServerConfig } from "./server-config.ts";

type Transport = Parameters<Client["connect"]>[0];
type Message = Parameters<NonNullable<Transport["onmessage"]>>[0];
type Codec = Pick<typeof import("@modelcontextprotocol/client"), "deserializeMessage" | "serializeMessage">;

interface StdioOptions {
  readonly server: string;
  readonly config: Extract<McpServerConfig, { readonly type: "stdio" }>;
  readonly cwd: string;
  readonly programs: Programs;
  readonly codec: Codec;
}

/** How long a server may take to end once its input is closed, and again after SIGTERM. */
const POLITE_MS = 1000;
/** A longer message ends the connection. */
const LONGEST_MESSAGE_BYTES = 10 * 1024 * 1024;
/** Some servers print what is no message; more than this in a row, and it is no server. */
const MOST_NOISE_BYTES = 1024 * 1024;
const CLOSED_INPUT = "it has closed its input";
/** What no program can do without. */
const INHERITED = ["HOME", "LOGNAME", "PATH", "SHELL", "TERM", "USER"];

export class StdioTransport implements Transport {
  onclose?: (() => void) | undefined;
  onerror?: ((error: Error) => void) | undefined;
  onmessage?: Transport["onmessage"];
  /** Why it cannot be used, if it cannot. */
  problem: string | undefined;
  readonly #options: StdioOptions;
  readonly #ending = new AbortController();
  #program: StartedProgram | undefined;
  #isOver = false;
  #closing: Promise<void> | undefined;
  /** The beginning of a message whose end has not come yet. */
  #pieces: Buffer[] = [];
  #pieceBytes = 0;
  #noiseBytes = 0;

  constructor(options: StdioOptions) {
    this.#options = options;
  }

  async start(): Promise<void> {
    const { server, config, cwd, programs } = this.#options;
    let isStarted = false;
    const folder = config.cwd ?? cwd;
    this.#program = programs.start(
      {
        file: config.command,
        args: config.args,
        isShell: false,
        // SECURITY: not our own environment: a server gets what its entry names, and what no program can do without.
        env: { ...inherited(), ...config.env },
        cwd: folder,
        fallbackCwd: folder,
        stdin: Buffer.alloc(0),
        timeoutMs: Number.POSITIVE_INFINITY,
        // What it logs is read and dropped, however much it is.
        limits: { graceMs: POLITE_MS, floodFactor: Number.POSITIVE_INFINITY, stderrBytes: 4096 },
        onStart: () => {
          isStarted = true;
        },
        onOutput: (chunk) => this.#read(chunk),
        signal: this.#ending.signal,
      },
      { text: `the MCP server "${server}"`, endsWhole: true },
    );
    this.#program.input?.on("error", () => this.#fail(CLOSED_INPUT));
    const ended = this.#program.end.then((end) => this.#onEnd(end));
    if (isStarted) return;
    await ended;
    throw new Error(this.problem ?? "it could not be started");
  }

  async send(message: Message): Promise<void> {
    const { input, end } = this.#program ?? {};
    if (!input || this.#isOver || input.destroyed) throw new Error(this.problem ?? "it is not connected");
    if (input.write(this.#options.codec.serializeMessage(message))) return;
    await Promise.race([new Promise((drained) => input.once("drain", drained)), end]);
  }

  /** Its input first: a server that works ends by itself then. */
  async close(): Promise<void> {
    this.#closing ??= this.#close();
    await this.#closing;
  }

  async #close(): Promise<void> {
    const program = this.#program;
    if (!program || this.#isOver) return;
    program.input?.end();
    const impatient = setTimeout(() => this.#ending.abort(), this.problem === undefined ? POLITE_MS : 0);
    await program.end;
    clearTimeout(impatient);
  }

  #onEnd({ failure, exitCode }: ProgramEnd): void {
    this.#isOver = true;
    this.#pieces = [];
    const how = exitCode === null ? "it ended" : `it ended with exit code ${exitCode}`;
    // A server that dies at once may be noticed by its input first.
    const isDead = this.problem === CLOSED_INPUT && !failure;
    if (isDead) this.problem = undefined;
    if (isDead || !this.#closing) this.problem ??= failure?.text ?? `${how}. Start it by hand to see what it says`;
    this.onclose?.();
  }

  #fail(problem: string): void {
    if (this.#isOver || this.#closing) return;
    this.problem = problem;
    this.onerror?.(new Error(problem));
    void this.close();
  }

  #read(chunk: Buffer): void {
    let from = 0;
    while (this.#closing === undefined) {
      const end = chunk.indexOf(0x0a, from);
      if (end === -1) break;
      this.#take(Buffer.concat([...this.#pieces, chunk.subarray(from, end)]).toString("utf8"));
      this.#pieces = [];
      this.#pieceBytes = 0;
      from = end + 1;
    }
    if (this.#closing !== undefined || from === chunk.length) return;
    this.#pieces.push(chunk.subarray(from));
    this.#pieceBytes += chunk.length - from;
    if (this.#pieceBytes > LONGEST_MESSAGE_BYTES) this.#fail(`a message of it is longer than ${LONGEST_MESSAGE_BYTES / 1024 / 1024} MiB`);
  }

  #take(line: string): void {
    if (line.trim() === "") return;
    let message: Message;
    try {
      message = this.#options.codec.deserializeMessage(line);
    } catch {
      this.#noiseBytes += line.length + 1;
      if (this.#noiseBytes > MOST_NOISE_BYTES) this.#fail(`it printed ${MOST_NOISE_BYTES / 1024} KiB that are no messages`);
      return;
    }
    this.#noiseBytes = 0;
    try {
      this.onmessage?.(message);
    } catch (thrown) {
      this.onerror?.(thrown as Error);
    }
  }
}

function inherited(): Readonly<Record<string, string>> {
  // Functions of a shell are passed on as variables of this form.
  const isPlain = (value: string | undefined): value is string => value !== undefined && !value.startsWith("()");
  const { PATH = "", ...others } = process.env;
  // SECURITY: a relative entry would find programs in the project.
  const all: NodeJS.ProcessEnv = { ...others, PATH: absoluteSearchPath(PATH) };
  return Object.fromEntries(INHERITED.flatMap((name) => (isPlain(all[name]) ? [[name, all[name]]] : [])));
}
