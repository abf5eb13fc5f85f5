// Real descriptors 0, 1 and 2 for each run: files of their own, without a name. `open` takes the lowest free number,
// so what is closed first is what the new file gets.

import { AsyncLocalStorage } from "node:async_hooks";
import childProcess from "node:child_process";
import { randomUUID } from "node:crypto";
import fs, {
  closeSync,
  constants,
  createReadStream,
  fstatSync,
  ftruncateSync,
  openSync,
  type ReadStream,
  readFileSync,
  readSync,
  unlinkSync,
  writeSync,
} from "node:fs";
import Module, { createRequire } from "node:module";
import path from "node:path";
import { Writable } from "node:stream";
import vm from "node:vm";
import { createCompiler, hushLoader, isOwnModule, ModuleGraph, ModuleSources, stampOf, useSourcePlaces } from "../module/module-graph.ts";
import type { ToWarm } from "./warm-pool.ts";

const { O_APPEND, O_CREAT, O_EXCL, O_RDWR } = constants;

/** Opens fresh ones in `folder`. Done ahead of the run that needs them; what comes in between is dropped when it begins. */
export function openDescriptors(folder: string): void {
  for (const fd of [0, 1, 2]) replace(fd, () => openNameless(folder, fd === 0 ? 0 : O_APPEND));
}

/** A run begins: stdin holds `input`. */
function fillDescriptors(input: Uint8Array): void {
  for (const fd of [0, 1, 2]) ftruncateSync(fd);
  for (let written = 0; written < input.length; ) written += writeSync(0, input, written, input.length - written, written);
}

/** What was printed there, up to a byte more than `keep`. */
function readDescriptor(fd: 1 | 2, keep: number): Buffer {
  try {
    const bytes = Buffer.alloc(Math.min(fstatSync(fd).size, keep + 1));
    return bytes.subarray(0, readSync(fd, bytes, 0, bytes.length, 0));
  } catch {
    // The script closed it, or put something else in its place: nothing was printed for us.
    return Buffer.alloc(0);
  }
}

function openNameless(folder: string, flags: number): number {
  const file = path.join(folder, randomUUID());
  const fd = openSync(file, O_RDWR | O_CREAT | O_EXCL | flags, 0o600);
  unlinkSync(file);
  return fd;
}

function replace(fd: number, open: () => number): void {
  try {
    closeSync(fd);
  } catch {
    // The script has closed it already.
  }
  const opened = open();
  if (opened !== fd) throw new Error(`descriptor ${fd} is taken`);
}

// As they were before any script could change them.
const { setTimeout, setInterval, setImmediate, clearTimeout, clearImmediate } = globalThis;
const timers = new Set<NodeJS.Timeout>();
const immediates = new Set<NodeJS.Immediate>();

/** The loop's next turn, whatever a script made of the global. */
export function nextTurn(act: () => void): void {
  setImmediate(act);
}

/** From now on timers of scripts are known: one that a script leaves behind must not ring in the next. */
export function watchTimers(): void {
  const kept =
    <Made, Rest extends unknown[]>(make: (...given: Rest) => Made, made: Set<Made>) =>
    (...given: Rest): Made => {
      const one = make(...given);
      made.add(one);
      return one;
    };
  Object.assign(globalThis, {
    setTimeout: Object.assign(kept(setTimeout as never, timers as Set<never>), setTimeout),
    setInterval: Object.assign(kept(setInterval as never, timers as Set<never>), setInterval),
    setImmediate: Object.assign(kept(setImmediate as never, immediates as Set<never>), setImmediate),
  });
}

export function clearTimers(): void {
  for (const timer of timers) clearTimeout(timer);
  for (const immediate of immediates) clearImmediate(immediate);
  timers.clear();
  immediates.clear();
}

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
function dropStreams(): void {
  for (const stream of [streams.stdout, streams.stderr]) if (stream) stream.isOver = true;
  streams.stdin?.removeAllListeners().pause();
  streams = {};
}

function define(name: "stdin" | "stdout" | "stderr", get: () => unknown): void {
  Object.defineProperty(process, name, { configurable: true, enumerable: true, get });
}

// One run of a script in a process that outlives it. It ends when the loop has nothing left to do, when the script says
// `process.exit`, or when something is thrown that nobody catches: as it would in a process of its own.

/** Thrown by `process.exit`, so that the code behind it does not run. */
class Ended extends Error {}

interface Run {
  readonly job: ToWarm;
  isExiting: boolean;
  isSealed: boolean;
  /** The top-level code of the script waits for something. */
  isLoading: boolean;
  isCrashed: boolean;
}

interface RunEnd {
  readonly exitCode: number;
  readonly stdout: Buffer;
  readonly stderr: Buffer;
  readonly isCrashed: boolean;
}

interface ScriptRunsOptions {
  readonly load: LoadScript;
  readonly onEnd: (end: RunEnd) => void;
}

/** Exit code of a script whose top-level await never settles. */
const UNSETTLED = 13;

export class ScriptRuns {
  readonly #options: ScriptRunsOptions;
  readonly #store = new AsyncLocalStorage<Run>();
  #run: Run | undefined;

  constructor(options: ScriptRunsOptions) {
    this.#options = options;
  }

  /** Takes over how this process ends. */
  install(): void {
    process.exit = ((code?: number | string | null): never => this.#exit(code)) as typeof process.exit;
    process.on("beforeExit", () => this.#onBeforeExit());
    process.setUncaughtExceptionCaptureCallback((thrown) => this.#onUncaught(thrown));
  }

  start(job: ToWarm): void {
    const run: Run = { job, isExiting: false, isSealed: false, isLoading: true, isCrashed: false };
    this.#run = run;
    process.argv = [process.execPath, job.file, ...job.args];
    setVariables(job.env);
    process.chdir(job.cwd);
    fillDescriptors(job.stdin);
    void this.#store.run(run, () => this.#load(run));
  }

  async #load(run: Run): Promise<void> {
    try {
      await this.#options.load(run.job.realpath);
      run.isLoading = false;
    } catch (thrown) {
      run.isLoading = false;
      this.#onUncaught(thrown as Error);
    }
  }

  #onBeforeExit(): void {
    const run = this.#run;
    if (!run || run.isSealed) return;
    if (process.listenerCount("beforeExit") === 1) {
      this.#finish(run);
      return;
    }
    // The script's own listeners come after this one, and may give the loop something to do.
    nextTurn(() => {
      if (process.getActiveResourcesInfo().every((name) => name === "Immediate")) this.#finish(run);
    });
  }

  #finish(run: Run): void {
    if (run.isSealed) return;
    if (run.isLoading) process.exitCode ??= UNSETTLED;
    try {
      this.#exit(undefined);
    } catch {
      // Always thrown, for scripts; here nothing stands behind it.
    }
  }

  #exit(code: number | string | null | undefined): never {
    const run = this.#run;
    // A callback of a run that is over must not end the one that runs now.
    const caller = this.#store.getStore() ?? run;
    if (!run || run.isSealed || caller !== run) throw new Ended();
    if (code !== undefined && code !== null) process.exitCode = Number(code);
    if (!run.isExiting) {
      run.isExiting = true;
      this.#tellExit(run);
    }
    this.#seal(run, Number(process.exitCode ?? 0));
    throw new Ended();
  }

  #tellExit(run: Run): void {
    try {
      process.emit("exit", Number(process.exitCode ?? 0));
    } catch (thrown) {
      if (thrown instanceof Ended) return;
      this.#printCrash(run, thrown);
    }
  }

  #seal(run: Run, exitCode: number): void {
    if (run.isSealed) return;
    run.isSealed = true;
    const { stdoutBytes, stderrBytes } = run.job;
    const end = { exitCode, stdout: readDescriptor(1, stdoutBytes), stderr: readDescriptor(2, stderrBytes), isCrashed: run.isCrashed };
    // The answer first: nobody waits for the rest.
    this.#options.onEnd(end);
    dropStreams();
    clearTimers();
  }

  #onUncaught(thrown: Error): void {
    const run = this.#run;
    if (thrown instanceof Ended || !run || run.isSealed) return;
    if (process.listenerCount("uncaughtException") > 0) {
      (process as NodeJS.EventEmitter).emit("uncaughtException", thrown, "uncaughtException");
      return;
    }
    this.#printCrash(run, thrown);
    this.#finish(run);
  }

  #printCrash(run: Run, thrown: unknown): void {
    run.isCrashed = true;
    run.isLoading = false;
    process.exitCode = 1;
    const text = thrown instanceof Error ? (thrown.stack ?? String(thrown)) : `Uncaught ${String(thrown)}`;
    writeSync(2, `${text}\n\nNode.js ${process.version}\n`);
  }
}

function setVariables(env: Readonly<Record<string, string>>): void {
  for (const name of Object.keys(process.env)) if (env[name] === undefined) delete process.env[name];
  for (const [name, value] of Object.entries(env)) if (process.env[name] !== value) process.env[name] = value;
}

// What a script leaves behind in its process: undone where that is possible, named where it is not.

const { cache } = createRequire(import.meta.url);
const MEMORY_BYTES = 300 * 1024 * 1024;

/** Objects that every script shares with the next. */
const SHARED: Readonly<Record<string, object>> = {
  Object,
  "Object.prototype": Object.prototype,
  Array,
  "Array.prototype": Array.prototype,
  "String.prototype": String.prototype,
  "Number.prototype": Number.prototype,
  "Function.prototype": Function.prototype,
  "RegExp.prototype": RegExp.prototype,
  "Date.prototype": Date.prototype,
  "Error.prototype": Error.prototype,
  "Map.prototype": Map.prototype,
  "Set.prototype": Set.prototype,
  Promise,
  "Promise.prototype": Promise.prototype,
  JSON,
  Math,
  console,
  process,
  "node:fs": fs,
  "node:child_process": childProcess,
};

type Properties = ReadonlyMap<string | symbol, PropertyDescriptor>;

/** Taken before the first script runs. */
export interface Baseline {
  readonly globals: Properties;
  readonly shared: readonly SharedObject[];
  readonly listeners: ReadonlyMap<string | symbol, readonly unknown[]>;
  readonly modules: ReadonlySet<string>;
  readonly umask: number;
}

export function takeBaseline(): Baseline {
  return {
    globals: propertiesOf(globalThis),
    shared: Object.entries(SHARED).map(([name, object]) => sharedObject(name, object)),
    listeners: new Map(process.eventNames().map((name) => [name, process.rawListeners(name as "exit")])),
    modules: new Set(Object.keys(cache)),
    umask: process.umask(),
  };
}

/** Undoes what can be undone; gives the first thing that cannot. */
export function clearTraces({ globals, shared, listeners, modules, umask }: Baseline): string | undefined {
  clearGlobals(globals);
  clearListeners(listeners);
  for (const file of Object.keys(cache)) {
    if (!modules.has(file) && !file.includes(`${path.sep}node_modules${path.sep}`)) delete cache[file];
  }
  process.umask(umask);
  process.exitCode = undefined;
  if (process.memoryUsage.rss() > MEMORY_BYTES) return "it uses too much memory";
  const changed = shared.find(isChanged);
  return changed && `the script changed ${changed.name}`;
}

function propertiesOf(object: object): Properties {
  return new Map(Reflect.ownKeys(object).map((key) => [key, Object.getOwnPropertyDescriptor(object, key) ?? {}]));
}

function clearGlobals(before: Properties): void {
  for (const key of Reflect.ownKeys(globalThis)) if (!before.has(key)) Reflect.deleteProperty(globalThis, key);
  for (const [key, descriptor] of before) {
    // Some of Node's own globals become plain values when they are first asked for.
    if (descriptor.get !== undefined) continue;
    if (Object.getOwnPropertyDescriptor(globalThis, key)?.value !== descriptor.value) Reflect.defineProperty(globalThis, key, descriptor);
  }
}

function clearListeners(before: Baseline["listeners"]): void {
  for (const name of process.eventNames()) {
    for (const listener of process.rawListeners(name as "exit")) {
      if (!before.get(name)?.includes(listener)) process.removeListener(name, listener as () => void);
    }
  }
}

interface SharedObject {
  readonly name: string;
  readonly object: Readonly<Record<string | symbol, unknown>>;
  readonly size: number;
  readonly methods: readonly (readonly [key: string | symbol, method: unknown])[];
}

function sharedObject(name: string, object: object): SharedObject {
  const properties = [...propertiesOf(object)];
  const methods = properties.flatMap(([key, { value }]) => (typeof value === "function" ? [[key, value] as const] : []));
  return { name, object: object as SharedObject["object"], size: properties.length, methods };
}

/** Methods count, values that Node itself counts up do not. To `process` Node adds things by itself. */
function isChanged({ object, size, methods }: SharedObject): boolean {
  if (object !== (process as object) && Reflect.ownKeys(object).length !== size) return true;
  return methods.some(([key, method]) => object[key] !== method);
}

type LoadScript = (file: string) => Promise<unknown> | undefined;

/** Runs the top-level code of a script again and again, compiled once. */
export function createScriptLoader(cacheFolder: string | undefined): LoadScript {
  const sources = new ModuleSources(createCompiler(cacheFolder));
  const wrappers = new Map<string, { readonly stamp: string; readonly wrapper: Wrapper }>();
  useSourcePlaces();
  hushLoader();
  return (file) => {
    if (isOwnModule(file)) return new ModuleGraph(sources).import(file);
    const stamp = stampOf(file);
    const known = wrappers.get(file);
    const wrapper = known?.stamp === stamp ? known.wrapper : compileCommonJs(file);
    wrappers.set(file, { stamp, wrapper });
    runCommonJs(file, wrapper);
    return undefined;
  };
}

type Wrapper = (exports: unknown, require: NodeJS.Require, module: unknown, filename: string, dirname: string) => void;

function compileCommonJs(file: string): Wrapper {
  const source = readFileSync(file, "utf8").replace(/^#!.*/, "");
  const script = new vm.Script(Module.wrap(source), {
    filename: file,
    columnOffset: -Module.wrap("").indexOf("\n"),
    importModuleDynamically: vm.constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
  });
  return script.runInThisContext() as Wrapper;
}

/** `require.main === module` holds for it, as in a process of its own. */
function runCommonJs(file: string, wrapper: Wrapper): void {
  const module = Object.assign(new Module(file), { filename: file, paths: [] });
  const require = createRequire(file);
  Object.defineProperty(require, "main", { value: module });
  wrapper.call(module.exports, module.exports, require, module, file, path.dirname(file));
  module.loaded = true;
}
