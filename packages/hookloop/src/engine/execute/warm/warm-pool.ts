// Takes programs like `runProgram`, and gives the same ends; scripts of warm hooks run in processes that are kept.
// Refuses nothing: what cannot be run warm is started as always, and the hook's author is told once.
import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { NO_OUTPUT } from "../failures.ts";
import type { Program, ProgramEnd } from "../process/index.ts";
import type { RawOutcome } from "../types.ts";
import { type NodeLine, readNodeLine } from "./node-line.ts";
import { createNotWarm } from "./not-warm.ts";
import { ownProgram } from "./own-program.ts";
import { WarmChild } from "./warm-child.ts";

type Hook = RawOutcome["hook"];
type RunProgram = (program: Program, hook: Hook) => Promise<ProgramEnd>;

/** Runs after which a process is replaced, however well it behaves. */
const MOST_RUNS = 500;
/** Idle processes that are kept per script. */
const MOST_IDLE = 2;

/** Three files per run: no disk needs to hear of them. */
const MEMORY_FOLDER = "/dev/shm";

export interface WarmOptions {
  /** How everything else is started. */
  readonly run: (program: Program) => Promise<ProgramEnd>;
  readonly cacheFolder?: string | undefined;
  /** The program of a warm process; beside this file if left out. */
  readonly script?: string | undefined;
  readonly mostRuns?: number | undefined;
  /** Makes a private folder below another one; one that is noted goes even if this program is killed. */
  readonly makeFolder?: ((parent: string) => string) | undefined;
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
  readonly #notWarm = createNotWarm();
  #folder: string | undefined;
  #isClosed = false;

  constructor(options: WarmOptions) {
    this.#options = options;
    this.#script = options.script ?? ownProgram("./warm-process.js", import.meta.url);
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
    const first = await (await this.#child(line, program)).run(program, line, folder);
    if (!("lost" in first)) return { ...first, ...missing };
    // Ended from outside: once more, in a fresh one. The script may have begun twice.
    const second = this.#isClosed ? first : await (await this.#child(line, program)).run(program, line, folder);
    return "lost" in second ? { ...NO_OUTPUT, ...missing, failure: second.lost } : { ...second, ...missing };
  }

  #lineOf(program: Program, folder: string | undefined): NodeLine | { readonly why: string } {
    if (process.platform !== "linux") return { why: `warm scripts need Linux, and this is ${process.platform}` };
    if (this.#script === undefined || this.#isClosed) return { why: "the program of warm processes is not there" };
    return readNodeLine(folder === undefined ? program : { ...program, cwd: folder });
  }

  async #runCold(program: Program, hook: Hook, why: string): Promise<ProgramEnd> {
    return this.#notWarm(await this.#options.run(program), hook, why);
  }

  /** One that waits, one that is about to, or a new one: a script never waits for another run of itself. */
  async #child(line: NodeLine, program: Program): Promise<WarmChild> {
    const known = this.#children.get(line.realpath) ?? new Set();
    this.#children.set(line.realpath, known);
    for (;;) {
      const waiting = [...known].find((child) => child.isClean && child.isUsable);
      if (waiting) {
        waiting.isClean = false;
        return waiting;
      }
      const cleaning = [...known].find((child) => child.cleaning)?.cleaning;
      if (!cleaning) return this.#start(known, program);
      await cleaning;
    }
  }

  #start(known: Set<WarmChild>, { env }: Program): WarmChild {
    // SECURITY: both make a new folder with 0700; nothing can have been planted in it.
    const make = this.#options.makeFolder ?? ((parent: string) => mkdtempSync(path.join(parent, "hookloop-warm-")));
    this.#folder ??= make(isFolder(MEMORY_FOLDER) ? MEMORY_FOLDER : tmpdir());
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

function isFolder(folder: string): boolean {
  return statSync(folder, { throwIfNoEntry: false })?.isDirectory() ?? false;
}
