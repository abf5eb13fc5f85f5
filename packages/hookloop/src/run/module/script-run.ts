// A script of the SDK, run again and again in one host process. Takes a call with arguments, environment and folder; gives what the
// script's own process would have printed and exited with. Its top-level code runs every time.
// Refuses, so that the engine starts a process instead: a file that fails, exits or prints while it is loaded, one that declares no hook,
// and every call after a run that left something open.

import { forgetHooks, type ProcessWatch, runHosted, type ScriptProcess, strayOutput } from "@hookloop/sdk/host";
import { OutputBuffer } from "../process/program.ts";
import { Call, currentCall } from "./answer-call.ts";
import type { FromHost, HostCall } from "./messages.ts";
import { ModuleGraph, type ModuleSources } from "./module-graph.ts";

/** More than the engine keeps, so that it notices that something is missing. */
const KEPT_BYTES = 2 * 1024 * 1024;

interface ScriptsOptions {
  readonly file: string;
  readonly sources: ModuleSources;
  readonly send: (message: FromHost) => void;
  readonly tellStamps: () => void;
}

export class ScriptRuns {
  readonly #options: ScriptsOptions;
  #active: ScriptCall | undefined;
  #isSpoilt = false;

  constructor(options: ScriptsOptions) {
    this.#options = options;
    // While a script runs nothing but the script keeps the loop alive: when that ends, so has a process of its own.
    process.on("beforeExit", () => this.#active?.emit("beforeExit", 0));
  }

  start(message: HostCall): void {
    const call = new ScriptCall(message, (end) => this.#onEnd(call, end));
    if (this.#active || this.#isSpoilt || hasOpenResources()) {
      this.#options.send({ kind: "unserved", id: message.id });
      return;
    }
    this.#active = call;
    process.channel?.unref();
    void currentCall.run(call, () => this.#run(call, message));
  }

  exit(code: number): void {
    this.#running()?.emit("exit", code);
  }

  /** Something was thrown that was not caught; by a run that is over, or by this one. */
  crash(thrown: unknown): void {
    this.#isSpoilt = true;
    this.#running()?.crash(thrown);
  }

  /** The run that the code belongs to which is being executed. */
  #running(): ScriptCall | undefined {
    const call = currentCall.getStore() ?? this.#active;
    return call === this.#active ? this.#active : undefined;
  }

  async #run(call: ScriptCall, { payload, env = {}, script }: HostCall): Promise<void> {
    try {
      const { file, sources, tellStamps } = this.#options;
      setVariables(env);
      process.chdir(script?.cwd ?? "/");
      process.argv = [process.execPath, script?.file ?? file, ...(script?.args ?? [])];
      process.exitCode = undefined;
      forgetHooks();
      await new ModuleGraph(sources).import(file).finally(tellStamps);
      // In a process of its own, what the file has left undone comes before the answer.
      await new Promise((resolve) => (hasOpenResources() ? setTimeout(resolve, 1) : setImmediate(resolve)));
      await call.answer(payload);
    } catch {
      // It cannot be loaded, or the folder is gone: a process of its own says what is wrong.
      call.refuse();
    }
  }

  #onEnd({ id }: ScriptCall, end: ScriptEnd | undefined): void {
    this.#active = undefined;
    process.channel?.ref();
    this.#options.send(end ? { kind: "answer", id, answer: end } : { kind: "unserved", id });
  }
}

type ScriptEnd = Extract<FromHost, { readonly kind: "answer" }>["answer"];

/** One run. What it does after its end is dropped, as it would be in a process that has exited. */
class ScriptCall extends Call {
  readonly #onEnd: (end: ScriptEnd | undefined) => void;
  readonly #watch: ProcessWatch = { stray: { problems: [], isSpoilt: false } };
  readonly #stdout = new OutputBuffer(KEPT_BYTES);
  readonly #stderr = new OutputBuffer(KEPT_BYTES);
  readonly #listeners: (readonly [event: string, listener: (code: number) => void])[] = [];
  #isLoaded = false;
  #isOver = false;

  constructor({ id }: HostCall, onEnd: (end: ScriptEnd | undefined) => void) {
    super(id);
    this.#onEnd = onEnd;
  }

  async answer(payload: Uint8Array): Promise<void> {
    this.#isLoaded = true;
    const standIn: ScriptProcess = {
      get exitCode() {
        return process.exitCode;
      },
      stderr: { bytesWritten: 0 },
      on: (...listener) => this.#listeners.push(listener),
      exit: (exitCode) => this.#end(exitCode),
    };
    Object.defineProperty(standIn.stderr, "bytesWritten", { get: () => this.#stderr.totalBytes });
    const write = (fd: 1 | 2, text: string): undefined => void (fd === 1 ? this.#stdout : this.#stderr).add(Buffer.from(text));
    if (!(await runHosted(this.#watch, { process: standIn, read: async () => ({ bytes: payload }), write }))) this.refuse();
  }

  /** Tells the SDK's runner; one that has not begun to listen has nothing to answer. */
  emit(event: "beforeExit" | "exit", code: number): void {
    for (const [name, listener] of this.#listeners) if (name === event) listener(code);
    this.refuse();
  }

  crash(thrown: unknown): void {
    if (!this.#isLoaded) this.refuse();
    this.#watch.crash ??= { thrown };
    this.#watch.onCrash?.(thrown);
  }

  override print(chunk: Buffer, fd: number, isStream: boolean): void {
    if (fd === 2) this.#stderr.add(chunk);
    // An answer behind something else may not be found.
    else if (!this.#isLoaded) this.refuse();
    else if (isStream) this.#watch.stray.problems.push(strayOutput(chunk.toString()));
    else this.#stdout.add(chunk);
  }

  refuse(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#onEnd(undefined);
  }

  #end(exitCode: number): void {
    if (this.#isOver) return;
    this.#isOver = true;
    const [stdout, stderr] = [this.#stdout, this.#stderr];
    this.#onEnd({
      stdout: stdout.text().text,
      stderr: stderr.text().text,
      exitCode,
      isTruncated: stdout.isTruncated || stderr.isTruncated,
    });
  }
}

/** Whether something keeps the loop alive besides the channel; what is being closed does not count. */
function hasOpenResources(): boolean {
  return process.getActiveResourcesInfo().some((name) => !/^(?:Immediate|CloseReq|PipeWrap)$/.test(name));
}

function setVariables(env: Readonly<Record<string, string>>): void {
  for (const name of Object.keys(process.env)) if (env[name] === undefined) delete process.env[name];
  Object.assign(process.env, env);
}
