// Takes programs like `runProgram`, and gives the same ends; `node SCRIPT` gets a process that has booted already, used once.
// Refuses nothing: what cannot be run so is started as always, and the hook's author is told once.

import type { ChildProcess } from "node:child_process";
import { realpathSync } from "node:fs";
import path from "node:path";
import type { Duplex } from "node:stream";
import { wordsOfLine } from "../../config/index.ts";
import { isExecutable } from "../../state-files.ts";
import { type RawOutcome, thrownText } from "../types.ts";
import { runProgram } from "./process-group.ts";
import { RUN_VARIABLE } from "./process-identity.ts";
import type { Program, ProgramEnd } from "./program.ts";
import { hold, ownProgram, startNode } from "./program.ts";

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
  readonly #told = new WeakSet<RawOutcome["hook"]>();
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
    if ("why" in line || script === undefined) {
      const end = await this.#options.run(program);
      return this.#notWarm(end, hook, "why" in line ? line : NOT_THERE);
    }
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

  /** Adds why a hook was started as always to its end; once per hook. */
  #notWarm(end: ProgramEnd, hook: RawOutcome["hook"], { why }: { readonly why: string }): ProgramEnd {
    if (this.#told.has(hook)) return end;
    this.#told.add(hook);
    const text = `"warm" has no effect: ${why}. It takes: node SCRIPT ARGUMENTS…`;
    return { ...end, notes: [...(end.notes ?? []), { code: "HL_EXECUTE_NOT_WARM", level: "warning", text }] };
  }

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

export interface NodeLine {
  /** As the program was given it, made absolute: `process.argv[1]`. */
  readonly file: string;
  readonly realpath: string;
  readonly args: readonly string[];
}

const SCRIPT = /\.(?:[cm]?js|m?ts)$/;

/**
 * Takes what a command hook starts; gives the script if that is nothing but `node FILE ARGUMENTS…`, as the shell would read it. Refuses
 * everything that only a shell or another program can do, with the reason.
 */
export function readNodeLine({ file, args, isShell, env, cwd, opensStdin }: Program): NodeLine | { readonly why: string } {
  if (opensStdin) return { why: "it opens its stdin by a name; read it with readFileSync(0)" };
  const words = isShell ? wordsOfLine(args[1] ?? "", env) : [file, ...args];
  if (!words) return { why: "a shell must read the line" };
  const [program = "", script = "", ...rest] = words;
  if (path.basename(program) !== "node") return { why: `it starts ${program || "nothing"}, not node` };
  if (!SCRIPT.test(script)) return { why: "what follows node is not a script, but an option or a file of another kind" };
  try {
    if (findProgram(program, env["PATH"] ?? "", cwd) !== ownNode()) return { why: "its node is not the one that runs hookloop" };
    const absolute = path.resolve(cwd, script);
    return { file: absolute, realpath: realpathSync.native(absolute), args: rest };
  } catch (thrown) {
    return { why: thrownText(thrown) };
  }
}

let own: string | undefined;

function ownNode(): string {
  own ??= realpathSync.native(process.execPath);
  return own;
}

function findProgram(name: string, searchPath: string, cwd: string): string | undefined {
  const places = name.includes("/") ? [path.resolve(cwd, name)] : searchPath.split(":").map((folder) => path.resolve(cwd, folder, name));
  const found = places.find(isExecutable);
  return found === undefined ? undefined : realpathSync.native(found);
}
