import { statSync } from "node:fs";
import { Worker } from "node:worker_threads";
import { onAbort, timerDelay } from "../limits.ts";
import { atExit } from "../process/orphans.ts";
import { CHANNEL, hold, ownProgram, startNode } from "../process/program.ts";
import { type RunIdentity, RunProcesses } from "../process/run-processes.ts";
import { ABORTED, durationText, failure, type RunFailure, thrownText } from "../types.ts";
import {
  createOutbox,
  type FromHost,
  type HostAnswer,
  type HostStart,
  isBatch,
  type Matched,
  type ScriptStart,
  type ToHost,
} from "./messages.ts";
import { stampOf } from "./module-graph.ts";

/** Memory of one module; what needs more is no hook, or leaks. */
export const MEMORY_MB = 512;

export type Isolation = "worker" | "process";

interface StartedHost {
  send(message: ToHost): void;
  /** Whether this program waits for it. */
  hold(isHeld: boolean): void;
  /** Ends it at once, whatever it does; settles when it is gone. */
  end(): Promise<void>;
}

interface HostListener {
  /** Whatever came over the channel: the module can use it, too. */
  readonly onMessage: (message: unknown) => void;
  readonly onEnd: (why: string) => void;
}

interface HostOptions extends HostListener {
  readonly isolation: Isolation;
  readonly start: HostStart;
  readonly env: Readonly<Record<string, string>>;
  /** `HOOKLOOP_RUN` in `env`: what carries it is ended with the host. */
  readonly mark?: string | undefined;
  readonly cwd: string;
  readonly script: string;
  readonly memoryMb?: number | undefined;
  /** Called with the process of a host that is one; the result when it is gone. */
  readonly onStart?: ((pid: number) => () => void) | undefined;
}

export function hostScript(): string | undefined {
  return ownProgram("./module-host.js", import.meta.url);
}

/** Starts a host; throws if the system has no thread or process left. */
function startHost(options: HostOptions): StartedHost {
  return options.isolation === "process" ? startChild(options) : startWorker(options);
}

function startWorker({ script, start, env, mark, memoryMb = MEMORY_MB, onMessage, onEnd }: HostOptions): StartedHost {
  const worker = new Worker(script, {
    workerData: start,
    env: { ...env },
    argv: [],
    // SECURITY: nothing of the host's own start, such as --require or --inspect, reaches a hook.
    execArgv: [],
    stdin: false,
    stdout: true,
    stderr: true,
    resourceLimits: { maxOldGenerationSizeMb: memoryMb },
    name: "hookloop-module",
  });
  let why = "it ended";
  worker.on("message", onMessage);
  worker.on("error", (thrown) => {
    why = (thrown as NodeJS.ErrnoException).code === "ERR_WORKER_OUT_OF_MEMORY" ? `it used more than ${memoryMb} MB` : thrownText(thrown);
  });
  // What a thread starts is a child of this program, and known by its mark alone.
  const { over, gone } = watchEnd(mark === undefined ? undefined : { leader: 0, mark }, onEnd);
  worker.on("exit", () => over(why));
  // What gets past the worker's own catch is dropped. Reading it would keep this program alive until the worker ends, whatever `unref` says.
  for (const stream of [worker.stdout, worker.stderr]) stream.push = () => true;
  worker.unref();
  return {
    send: createOutbox<ToHost>((batch) => worker.postMessage(batch)).add,
    hold: (isHeld) => (isHeld ? worker.ref() : worker.unref()),
    end: async () => {
      await worker.terminate();
      await gone;
    },
  };
}

function startChild({ script, start, env, mark, cwd, memoryMb = MEMORY_MB, onStart, onMessage, onEnd }: HostOptions): StartedHost {
  const child = startNode({ args: [`--max-old-space-size=${memoryMb}`, script, JSON.stringify(start)], cwd, env, ...CHANNEL });
  const { pid } = child;
  const ended = pid === undefined ? undefined : onStart?.(pid);
  const { over, gone, kill } = watchEnd({ leader: pid ?? 0, mark }, (why) => {
    ended?.();
    onEnd(why);
  });
  child.on("error", (error) => over(thrownText(error)));
  child.on("exit", (code, signal) => over(signal === null ? `it ended with exit code ${code}` : `it was ended by ${signal}`));
  child.on("message", onMessage);
  return {
    send: createOutbox<ToHost>(
      (batch) =>
        void child.send([...batch], () => {
          // It is gone; "exit" says so.
        }),
    ).add,
    hold: (isHeld) => hold(child, isHeld),
    end: () => {
      kill();
      child.ref();
      return gone;
    },
  };
}

interface HostEnd {
  /** Ends what it has started, and itself if it is a process; nothing once it is gone. */
  readonly kill: () => void;
  /** Called when it has ended, with why. */
  readonly over: (why: string) => void;
  readonly gone: Promise<void>;
}

/** Whatever ends first, the host or this program: nothing of the host's stays. */
function watchEnd(run: RunIdentity | undefined, onEnd: (why: string) => void): HostEnd {
  const processes = run && new RunProcesses(run, { isSessionOurs: true });
  let isGone = false;
  let resolveGone = (): void => {};
  const gone = new Promise<void>((resolve) => {
    resolveGone = resolve;
  });
  const kill = (): void => {
    if (!isGone) processes?.kill();
  };
  const forgetExit = atExit(kill);
  const over = (why: string): void => {
    if (isGone) return;
    forgetExit();
    // Also what it has left, if it ended by itself.
    kill();
    isGone = true;
    resolveGone();
    onEnd(why);
  };
  return { kill, over, gone };
}

/** A host that was told to end a call and says nothing for this long is stuck in a loop. */
const STUCK_MS = 100;

export interface CallRequest {
  readonly payload: Buffer;
  readonly export?: string | undefined;
  readonly matched?: Matched | undefined;
  readonly isGuard?: boolean | undefined;
  readonly script?: ScriptStart | undefined;
  readonly env: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  readonly signal: AbortSignal | undefined;
}

/** `lost`: the host ended under the call, and not because of it. `unserved`: the script needs a process of its own. */
export type CallEnd = HostAnswer | { readonly lost: string };
type ScriptCallEnd = CallEnd | { readonly unserved: true };

interface Pending {
  readonly resolve: (end: ScriptCallEnd) => void;
  readonly timer: NodeJS.Timeout;
  readonly forgetSignal: () => void;
}

interface ConnectionOptions extends Omit<HostOptions, "onMessage" | "onEnd"> {
  readonly onGone: () => void;
}

const SILENT: HostAnswer = Object.freeze({ stdout: "", stderr: "", exitCode: null, isTruncated: false });

/** One life of a host: calls in, answers out. Whatever happens to the host, every call gets an end. */
export class HostConnection {
  readonly #host: StartedHost;
  readonly #onGone: () => void;
  readonly #pending = new Map<number, Pending>();
  readonly #stuck = new Map<number, NodeJS.Timeout>();
  #stamps: readonly (readonly [file: string, stamp: string])[] = [];
  #env: Readonly<Record<string, string>> | undefined;
  #lastId = 0;
  #isLoaded = false;
  #isFresh = false;
  #isOver = false;
  #isRetired = false;

  constructor({ onGone, ...options }: ConnectionOptions) {
    this.#onGone = onGone;
    this.#host = startHost({ ...options, onMessage: (batch) => this.#onBatch(batch), onEnd: (why) => this.#onEnd(why) });
  }

  /** Whether new calls may come: it lives, and its files are what it has read. */
  get isUsable(): boolean {
    return !this.#isOver && !this.#isRetired && (this.#isFresh || this.#look());
  }

  /** Looked at once for all calls of one moment. */
  #look(): boolean {
    this.#isFresh = this.#stamps.every(([file, stamp]) => isUnchanged(file, stamp));
    if (this.#isFresh)
      process.nextTick(() => {
        this.#isFresh = false;
      });
    return this.#isFresh;
  }

  call(request: CallRequest & { readonly script: ScriptStart }): Promise<ScriptCallEnd>;
  call(request: CallRequest): Promise<CallEnd>;
  call({ payload, export: name, matched, isGuard, script, env, timeoutMs, signal }: CallRequest): Promise<ScriptCallEnd> {
    const id = ++this.#lastId;
    return new Promise((resolve) => {
      const timer = setTimeout(() => this.#cancel(id, timeoutFailure(timeoutMs, script ? "end" : "answer")), timerDelay(timeoutMs));
      const forgetSignal = onAbort(signal, () => this.#cancel(id, ABORTED));
      this.#pending.set(id, { resolve, timer, forgetSignal });
      if (this.#pending.size === 1) this.#host.hold(true);
      const changed = !script && sameVariables(this.#env, env) ? undefined : env;
      this.#env = env;
      this.#host.send({
        kind: "call",
        id,
        payload,
        ...(name !== undefined && { export: name }),
        ...(matched && { matched }),
        ...(isGuard && { isGuard }),
        ...(script ? { script } : { deadline: Date.now() + timeoutMs }),
        ...(changed && { env: changed }),
      });
    });
  }

  /** No new calls; those that run are answered, then it ends. */
  retire(): void {
    this.#isRetired = true;
    if (this.#pending.size === 0) void this.end();
  }

  async end(): Promise<void> {
    this.#isRetired = true;
    if (!this.#isOver) await this.#host.end();
  }

  /** SECURITY: a message of the module's own is no answer, and must not end this program. Which call sent it is not known. */
  #onBatch(batch: unknown): void {
    if (isBatch(batch)) for (const message of batch) this.#onMessage(message);
    else this.#endAll({ ...SILENT, failure: failure("threw", OWN_MESSAGE) });
  }

  #onMessage(message: FromHost): void {
    if (message.kind === "answer") {
      if (message.isSpoilt) this.#isRetired = true;
      this.#settle(message.id, message.answer);
    } else if (message.kind === "loaded") {
      this.#stamps = message.stamps;
      this.#isLoaded = true;
    } else if (message.kind === "load-failed") {
      this.#endAll({ ...SILENT, stderr: message.stderr, failure: failure("could-not-start", message.text) });
    } else if (message.kind === "unserved") {
      this.#settle(message.id, { unserved: true });
    } else if (message.kind === "exited") {
      this.#onExited(message);
    } else {
      clearTimeout(this.#stuck.get(message.id));
      this.#stuck.delete(message.id);
    }
  }

  #onExited({ id, code, stderr }: Extract<FromHost, { readonly kind: "exited" }>): void {
    this.#isRetired = true;
    const text = `it called process.exit(${code}). A module answers with what it returns`;
    const end = { ...SILENT, stderr, failure: failure("exit", text) };
    // Whoever exits with 2 means no, as everywhere.
    if (id !== undefined) this.#settle(id, code === 2 ? { ...SILENT, stderr, exitCode: code } : end);
    // While it was loaded: it would do so again. Between calls: those that wait are made once more.
    else if (!this.#isLoaded) this.#endAll(end);
  }

  #endAll(end: CallEnd): void {
    for (const id of [...this.#pending.keys()]) this.#settle(id, end);
    this.retire();
  }

  #cancel(id: number, why: RunFailure): void {
    this.#settle(id, { ...SILENT, failure: why });
    if (this.#isOver) return;
    const stuck = setTimeout(() => void this.end(), STUCK_MS);
    stuck.unref();
    this.#stuck.set(id, stuck);
    this.#host.send({ kind: "cancel", id });
  }

  #settle(id: number, end: ScriptCallEnd): void {
    const pending = this.#pending.get(id);
    if (!pending) return;
    this.#pending.delete(id);
    clearTimeout(pending.timer);
    pending.forgetSignal();
    if (this.#pending.size === 0) {
      this.#host.hold(false);
      if (this.#isRetired) void this.end();
    }
    pending.resolve(end);
  }

  #onEnd(why: string): void {
    this.#isOver = true;
    for (const timer of this.#stuck.values()) clearTimeout(timer);
    this.#endAll({ lost: why });
    this.#onGone();
  }
}

const OWN_MESSAGE =
  "it sent a message of its own over its host's channel (parentPort, process.send). A module answers with what it returns";

function timeoutFailure(timeoutMs: number, verb: "answer" | "end"): RunFailure {
  return failure("timeout", `it did not ${verb} within ${durationText(timeoutMs)}`);
}

function isUnchanged(file: string, stamp: string): boolean {
  return statSync(file, { throwIfNoEntry: false }) !== undefined && stampOf(file) === stamp;
}

function sameVariables(a: Readonly<Record<string, string>> | undefined, b: Readonly<Record<string, string>>): boolean {
  if (a === undefined) return false;
  const names = Object.keys(b);
  return names.length === Object.keys(a).length && names.every((name) => a[name] === b[name]);
}
