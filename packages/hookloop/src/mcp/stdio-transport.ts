/**
 * A server that is a program: started in its own process group, talked to over its stdin and stdout, and ended with everything it started.
 * The official client's own transport ends only the process it has started. Behind a wrapper (`sh -c`, npx) the server
 * itself stays, holds the pipes, and the agent never ends.
 */

import { readFileSync } from "node:fs";
import path from "node:path";
import type { Client } from "@modelcontextprotocol/client";
import { absoluteSearchPath, type ReadFile, readWithin } from "../permissions/index.ts";
import type { ProgramEnd, Programs, StartedProgram } from "../run/index.ts";

type Transport = Parameters<Client["connect"]>[0];
type Message = Parameters<NonNullable<Transport["onmessage"]>>[0];
interface StdioOptions {
  readonly server: string;
  readonly config: Extract<McpServerConfig, { readonly type: "stdio" }>;
  readonly cwd: string;
  readonly programs: Programs;
  readonly codec: Pick<typeof import("@modelcontextprotocol/client"), "deserializeMessage" | "serializeMessage">;
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
    const isDead = this.problem === CLOSED_INPUT && (!failure || exitCode !== null);
    if (isDead) this.problem = undefined;
    if (isDead || !this.#closing) this.problem ??= (isDead ? undefined : failure?.text) ?? `${how}. Start it by hand to see what it says`;
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

const LARGEST_FILE = 1024 * 1024;
/** What a shell makes of `--mcp-config <(…)`. */
const DESCRIPTOR = /^\/(?:dev|proc\/self)\/fd\/\d+$/;

export type McpServerConfig =
  | {
      readonly type: "stdio";
      readonly command: string;
      readonly args: readonly string[];
      readonly env: Readonly<Record<string, string>>;
      readonly cwd?: string | undefined;
    }
  | { readonly type: "http"; readonly url: string; readonly headers: Readonly<Record<string, string>> };

export interface McpConfig {
  readonly servers: Readonly<Record<string, McpServerConfig>>;
  /** Entries that cannot be used, for people; the others can. */
  readonly problems: readonly string[];
}

type Variables = Readonly<Record<string, string | undefined>>;

/** Reads `{"mcpServers": {name: {command, args, env} | {url, headers}}}`. `${NAME}` in it is a variable of the environment; `withheld` names those it is not given. */
export function readMcpConfig(file: string, env: Variables, withheld: readonly string[] = []): McpConfig {
  // The user named the file, so it may lie anywhere; a pipe in its place must not hold the agent.
  const found = DESCRIPTOR.test(file) ? readDescriptor(file) : readWithin(file, { limit: LARGEST_FILE });
  if (found.kind !== "read")
    return { servers: {}, problems: [`${file} cannot be read: ${found.kind === "unreadable" ? found.why : found.kind}`] };
  const text = found.bytes.toString();
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    return { servers: {}, problems: [`${file} cannot be read: ${(error as Error).message}`] };
  }
  const entries = (value as { readonly mcpServers?: unknown } | null)?.mcpServers;
  if (typeof entries !== "object" || entries === null) return { servers: {}, problems: [`${file} has no "mcpServers" object.`] };
  const servers: Record<string, McpServerConfig> = {};
  const problems = withheld
    .filter((name) => new RegExp(`\\$\\{${name}[:}]`).test(text))
    .map((name) => `${name} is left empty in ${file}: a file of the project is not given this variable.`);
  for (const [name, entry] of Object.entries(entries)) {
    const read = readEntry(entry, env);
    if (typeof read === "string") problems.push(`The MCP server "${name}" in ${file} cannot be used: ${read}`);
    else servers[name] = read;
  }
  return { servers, problems };
}

const CODE = /\.(?:[cm]?[jt]sx?|py|sh|bash|zsh|rb|pl|php|lua|jar|exe)$/i;

/**
 * SECURITY: the files that servers are made of, as far as their command lines name them: each is run at the next start, without a question.
 * An argument that is data, such as a folder or a database, is not one.
 */
export function serverFiles({ servers }: McpConfig, cwd: string): readonly string[] {
  return Object.values(servers).flatMap((server) => {
    if (server.type !== "stdio") return [];
    const folder = path.resolve(cwd, server.cwd ?? ".");
    const words = server.args.flatMap((text) => text.split(/[\s"'=;&|()]+/));
    const named = words.filter((word) => CODE.test(word) && !/^\w+:\/\//.test(word));
    return [...(server.command.includes("/") ? [server.command] : []), ...named].map((word) => path.resolve(folder, word));
  });
}

function readDescriptor(file: string): ReadFile {
  try {
    return { kind: "read", bytes: readFileSync(file), uid: 0, mode: 0 };
  } catch (error) {
    return { kind: "unreadable", why: (error as Error).message };
  }
}

function readEntry(entry: unknown, env: Variables): McpServerConfig | string {
  if (typeof entry !== "object" || entry === null) return "it is not an object.";
  const { command, args = [], env: own = {}, cwd, url, headers = {} } = entry as Record<string, unknown>;
  if (typeof url === "string") {
    if (!isTexts(headers)) return "its headers are not texts.";
    return { type: "http", url: filled(url, env), headers: filledAll(headers, env) };
  }
  if (typeof command !== "string" || command === "") return 'it has neither a "command" nor a "url".';
  if (!Array.isArray(args) || !args.every((one) => typeof one === "string")) return "its args are not a list of texts.";
  if (!isTexts(own)) return "its env is not a list of texts.";
  const folder = typeof cwd === "string" ? { cwd } : {};
  return { type: "stdio", command: filled(command, env), args: args.map((one) => filled(one, env)), env: filledAll(own, env), ...folder };
}

function isTexts(value: unknown): value is Record<string, string> {
  return typeof value === "object" && value !== null && Object.values(value).every((one) => typeof one === "string");
}

function filled(text: string, env: Variables): string {
  return text.replace(/\$\{(\w+)(?::-([^}]*))?\}/g, (_, name: string, fallback = "") => env[name] ?? fallback);
}

function filledAll(values: Readonly<Record<string, string>>, env: Variables): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, filled(value, env)]));
}
