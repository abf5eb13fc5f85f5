// Takes programs like `runProgram`, and gives the same ends; `node SCRIPT` gets a process that has booted already, used once.
// Refuses nothing: what cannot be run so is started as always, and the hook's author is told once.

import type { ChildProcess } from "node:child_process";
import type { Duplex } from "node:stream";
import type { RawOutcome } from "../types.ts";
import { createNotWarm, type NodeLine, readNodeLine } from "./node-line.ts";
import { runProgram } from "./process-group.ts";
import { RUN_VARIABLE } from "./process-identity.ts";
import type { Program, ProgramEnd } from "./program.ts";
import { hold, ownProgram, startNode } from "./start-node.ts";

export type RunProgram = (program: Program, hook: RawOutcome["hook"]) => Promise<ProgramEnd>;

export interface PrebootOptions {
  readonly run: (program: Program) => Promise<ProgramEnd>;
  readonly script?: string | undefined;
}

export interface PrebootPool {
  readonly run: RunProgram;
  readonly size: number;
  close(): Promise<void>;
}

/** What Node and the system's libraries read when they start: a process that waits has done so. */
const READ_AT_START = /^(?:NODE_|UV_|LD_|DYLD_|GLIBC_|MALLOC_|SSL_|OPENSSL_|ICU_|LC_|LANG|TZ$|FORCE_COLOR$|NO_COLOR$)/;

export function createPrebootPool(options: PrebootOptions): PrebootPool {
  return new Pool(options);
}

class Pool implements PrebootPool {
  readonly #options: Pick<PrebootOptions, "run">;
  readonly #script: string | undefined;
  /** One per script and start variables; each is used once. */
  readonly #waiting = new Map<string, ChildProcess>();
  readonly #ending = new Set<Promise<void>>();
  readonly #notWarm = createNotWarm();
  #isClosed = false;

  constructor({ script, ...options }: PrebootOptions) {
    this.#options = options;
    this.#script = script ?? ownProgram("./preboot-process.js", import.meta.url);
  }

  get size(): number {
    return this.#waiting.size;
  }

  readonly run: RunProgram = async (program, hook) => {
    const script = this.#script;
    const line = script === undefined || this.#isClosed ? NOT_THERE : readNodeLine(program);
    if ("why" in line || script === undefined)
      return this.#notWarm(await this.#options.run(program), hook, "why" in line ? line.why : NOT_THERE.why);
    const key = JSON.stringify([line.realpath, startVariables(program.env)]);
    const child = this.#take(key);
    try {
      return await (child
        ? runProgram({ ...program, adopt: (cwd) => hand(child, { ...line, env: program.env, cwd }) })
        : this.#options.run(program));
    } finally {
      this.#boot(key, script, program.env);
    }
  };

  async close(): Promise<void> {
    this.#isClosed = true;
    for (const child of this.#waiting.values()) {
      child.kill("SIGKILL");
      // Whoever closes waits for its end, and maybe for nothing else: a program must not end in between.
      child.ref();
    }
    this.#waiting.clear();
    await Promise.all(this.#ending);
  }

  #take(key: string): ChildProcess | undefined {
    const child = this.#waiting.get(key);
    this.#waiting.delete(key);
    return child;
  }

  /** After the answer is there: booting takes the processor that the run before needs. */
  #boot(key: string, script: string, env: Program["env"]): void {
    if (this.#isClosed || this.#waiting.has(key)) return;
    // Whose run it will be is not known yet.
    const { [RUN_VARIABLE]: _, ...unmarked } = env;
    const child = startNode({ args: [script], cwd: "/", env: unmarked, stdio: ["pipe", "pipe", "pipe", "pipe"] });
    const forget = (): void => {
      if (this.#waiting.get(key) === child) this.#waiting.delete(key);
    };
    child.once("error", forget);
    const gone = new Promise<void>((resolve) => {
      child.once("error", () => resolve());
      child.once("exit", () => resolve());
    });
    void gone.then(() => {
      forget();
      this.#ending.delete(gone);
    });
    if (child.pid === undefined) return;
    // It is gone: "exit" says so.
    jobPipe(child).on("error", () => {});
    this.#ending.add(gone);
    this.#waiting.set(key, child);
  }
}

const NOT_THERE = { why: "the program of waiting processes is not there" };

export function startVariables(env: Program["env"]): readonly (readonly [string, string])[] {
  return Object.entries(env).filter(([name]) => READ_AT_START.test(name));
}

function hand(child: ChildProcess, { file, args, env, cwd }: NodeLine & PrebootJob): ChildProcess {
  hold(child, true);
  const pipe = jobPipe(child);
  pipe.end(JSON.stringify({ file, args, env, cwd } satisfies PrebootJob), () => pipe.destroy());
  return child;
}

function jobPipe(child: ChildProcess): Duplex {
  return child.stdio[3] as Duplex;
}

export interface PrebootJob {
  readonly file: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
}
