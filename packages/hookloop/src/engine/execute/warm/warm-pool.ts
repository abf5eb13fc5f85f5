// Takes programs like `runProgram`, and gives the same ends; scripts of warm hooks run in processes that are kept.
// Refuses nothing: what cannot be run warm is started as always, and the hook's author is told once.
import { existsSync, mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { NO_OUTPUT } from "../failures.ts";
import type { Program, ProgramEnd } from "../process/index.ts";
import type { RawOutcome, RunNote } from "../types.ts";
import { type NodeLine, readNodeLine } from "./node-line.ts";
import { WarmChild } from "./warm-child.ts";

type Hook = RawOutcome["hook"];
type RunProgram = (program: Program, hook: Hook) => Promise<ProgramEnd>;

/** Runs after which a process is replaced, however well it behaves. */
const MOST_RUNS = 500;
/** Idle processes that are kept per script. */
const MOST_IDLE = 2;

export interface WarmOptions {
  /** How everything else is started. */
  readonly run: (program: Program) => Promise<ProgramEnd>;
  readonly cacheFolder?: string | undefined;
  /** The program of a warm process; beside this file if left out. */
  readonly script?: string | undefined;
  readonly mostRuns?: number | undefined;
}

export interface WarmPool {
  readonly run: RunProgram;
  /** Warm processes, busy or not. */
  readonly size: number;
  close(): Promise<void>;
}

export function createWarmPool(options: WarmOptions): WarmPool {
  return new Pool(options);
}

class Pool implements WarmPool {
  readonly run: RunProgram;
  readonly #options: WarmOptions;
  readonly #script: string | undefined;
  readonly #children = new Map<string, Set<WarmChild>>();
  readonly #told = new WeakSet<Hook>();
  #folder: string | undefined;
  #isClosed = false;

  constructor(options: WarmOptions) {
    this.#options = options;
    this.#script = options.script ?? ownScript();
    this.run = (program, hook) => (hook.fields?.["warm"] === true ? this.#runWarm(program, hook) : options.run(program));
  }

  get size(): number {
    return [...this.#children.values()].reduce((sum, { size }) => sum + size, 0);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.all([...this.#children.values()].flatMap((children) => [...children].map((child) => child.end())));
    if (this.#folder !== undefined) rmSync(this.#folder, { recursive: true, force: true });
  }

  async #runWarm(program: Program, hook: Hook): Promise<ProgramEnd> {
    const folder = [program.cwd, program.fallbackCwd].find(isFolder);
    const line = this.#lineOf(program, folder);
    if ("why" in line || folder === undefined)
      return this.#runCold(program, hook, "why" in line ? line.why : "there is no folder to run it in");
    if (program.signal?.aborted) return this.#options.run(program);
    const missing = folder === program.cwd ? {} : { missingCwd: program.cwd };
    const first = await this.#child(line, program).run(program, line, folder);
    if (!("lost" in first)) return { ...first, ...missing };
    // Ended from outside: once more, in a fresh one. The script may have begun twice.
    const second = this.#isClosed ? first : await this.#child(line, program).run(program, line, folder);
    return "lost" in second ? { ...NO_OUTPUT, ...missing, failure: second.lost } : { ...second, ...missing };
  }

  #lineOf(program: Program, folder: string | undefined): NodeLine | { readonly why: string } {
    if (process.platform !== "linux") return { why: `warm scripts need Linux, and this is ${process.platform}` };
    if (this.#script === undefined || this.#isClosed) return { why: "the program of warm processes is not there" };
    return readNodeLine(folder === undefined ? program : { ...program, cwd: folder });
  }

  async #runCold(program: Program, hook: Hook, why: string): Promise<ProgramEnd> {
    const end = await this.#options.run(program);
    if (this.#told.has(hook)) return end;
    this.#told.add(hook);
    const note: RunNote = {
      code: "HL_EXECUTE_NOT_WARM",
      level: "warning",
      text: `"warm" has no effect: ${why}. It takes: node SCRIPT ARGUMENTS…`,
    };
    return { ...end, notes: [...(end.notes ?? []), note] };
  }

  /** One that waits, or a new one: a script never waits for another run of itself. */
  #child(line: NodeLine, { env }: Program): WarmChild {
    const known = this.#children.get(line.realpath) ?? new Set();
    this.#children.set(line.realpath, known);
    const waiting = [...known].find((child) => child.isClean && child.isUsable);
    if (waiting) {
      waiting.isClean = false;
      return waiting;
    }
    // SECURITY: mkdtemp makes a new folder with 0700; nothing can have been planted in it.
    this.#folder ??= mkdtempSync(path.join(tmpdir(), "hookloop-warm-"));
    const child: WarmChild = new WarmChild({
      script: this.#script ?? "",
      folder: this.#folder,
      cacheFolder: this.#options.cacheFolder,
      env,
      onClean: () => this.#onClean(child, known),
      onGone: () => known.delete(child),
    });
    known.add(child);
    return child;
  }

  #onClean(child: WarmChild, children: ReadonlySet<WarmChild>): void {
    const idle = [...children].filter(({ isClean }) => isClean).length;
    if (child.runs >= (this.#options.mostRuns ?? MOST_RUNS) || idle > MOST_IDLE) void child.end();
  }
}

/** The warm process's program; `undefined` where this file was bundled into something else. */
function ownScript(): string | undefined {
  try {
    const script = fileURLToPath(new URL("./warm-process.js", import.meta.url));
    return existsSync(script) ? script : undefined;
  } catch {
    // A bundle without a file of its own.
    return undefined;
  }
}

function isFolder(folder: string): boolean {
  return statSync(folder, { throwIfNoEntry: false })?.isDirectory() ?? false;
}
