import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { Worker } from "node:worker_threads";
import { thrownText } from "../failures.ts";
import { atExit, RunProcesses } from "../process/index.ts";
import type { HostStart, ToHost } from "./messages.ts";
import { createOutbox } from "./outbox.ts";

/** Memory of one module; what needs more is no hook, or leaks. */
export const MEMORY_MB = 512;

export type Isolation = "worker" | "process";

/** A host that was started. */
export interface StartedHost {
  send(message: ToHost): void;
  /** Whether this program waits for it. */
  hold(isHeld: boolean): void;
  /** Ends it at once, whatever it does; settles when it is gone. */
  end(): Promise<void>;
}

export interface HostListener {
  /** Whatever came over the channel: the module can use it, too. */
  readonly onMessage: (message: unknown) => void;
  /** It is gone; called once. */
  readonly onEnd: (why: string) => void;
}

export interface HostOptions extends HostListener {
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

/** The host's program; `undefined` where this file was bundled into something else. */
export function hostScript(): string | undefined {
  try {
    const script = fileURLToPath(new URL("./module-host.js", import.meta.url));
    return existsSync(script) ? script : undefined;
  } catch {
    // A bundle without a file of its own.
    return undefined;
  }
}

/** Starts a host; throws if the system has no thread or process left. */
export function startHost(options: HostOptions): StartedHost {
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
  const gone = new Promise<void>((resolve) => worker.once("exit", () => resolve()));
  // What a thread starts is a child of this program, and known by its mark alone.
  const processes = mark === undefined ? undefined : new RunProcesses({ leader: 0, mark }, { isSessionOurs: true });
  const kill = (): void => processes?.kill();
  const forgetExit = atExit(kill);
  worker.on("exit", () => {
    forgetExit();
    kill();
    onEnd(why);
  });
  // What gets past the worker's own catch is read and dropped.
  worker.stdout.resume();
  worker.stderr.resume();
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
  const child = spawn(process.execPath, [`--max-old-space-size=${memoryMb}`, script, JSON.stringify(start)], {
    cwd,
    env: { ...env },
    // SECURITY: a session of its own, so that what it starts can be ended with it.
    detached: true,
    stdio: ["ignore", "ignore", "ignore", "ipc"],
    serialization: "advanced",
  });
  const { pid } = child;
  const processes = new RunProcesses({ leader: pid ?? 0, mark }, { isSessionOurs: true });
  const kill = (): void => processes.kill();
  const forgetExit = atExit(kill);
  const ended = pid === undefined ? undefined : onStart?.(pid);
  let isGone = false;
  const gone = new Promise<void>((resolve) => {
    const over = (why: string): void => {
      if (isGone) return;
      isGone = true;
      forgetExit();
      // Also what it has left, if it ended by itself.
      kill();
      ended?.();
      resolve();
      onEnd(why);
    };
    child.on("error", (error) => over(thrownText(error)));
    child.on("exit", (code, signal) => over(signal === null ? `it ended with exit code ${code}` : `it was ended by ${signal}`));
  });
  child.on("message", onMessage);
  const hold = (isHeld: boolean): void => {
    const change = isHeld ? "ref" : "unref";
    child[change]();
    child.channel?.[change]();
  };
  hold(false);
  return {
    send: createOutbox<ToHost>(
      (batch) =>
        void child.send([...batch], () => {
          // It is gone; "exit" says so.
        }),
    ).add,
    hold,
    end: () => {
      if (!isGone) kill();
      child.ref();
      return gone;
    },
  };
}
