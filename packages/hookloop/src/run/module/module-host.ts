import { setImmediate } from "node:timers";
import { parentPort, workerData } from "node:worker_threads";
import { forgetHooks, hostHooks, type ProcessWatch, runHosted, type ScriptProcess, strayOutput, thrownPlace } from "@hookloop/sdk/host";
import { OutputBuffer } from "../process/program.ts";
import { endOwnSession } from "../process/run-processes.ts";
import { failure, thrownText } from "../types.ts";
import { answerCall, Call, currentCall, keepPrinted, type Loaded, takeBetween } from "./answer-call.ts";
import { type Batch, createOutbox, type FromHost, type HostAnswer, type HostCall, type HostStart, type ToHost } from "./messages.ts";
import { createCompiler, hushLoader, ModuleGraph, ModuleSources, useSourcePlaces } from "./module-graph.ts";

// A script of the SDK, run again and again in one host process. Takes a call with arguments, environment and folder; gives what the
// script's own process would have printed and exited with. Its top-level code runs every time.
// Refuses, so that the engine starts a process instead: a file that fails, exits or prints while it is loaded, one that declares no hook,
// and every call after a run that left something open.

/** More than the engine keeps, so that it notices that something is missing. */
const KEPT_BYTES = 2 * 1024 * 1024;

interface ScriptsOptions {
  readonly file: string;
  readonly sources: ModuleSources;
  readonly send: (message: FromHost) => void;
  readonly tellStamps: () => void;
}

class ScriptRuns {
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
      forgetHooks(file);
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

/** The way between a host and the engine: a worker's port, or a child's channel. */
interface HostChannel {
  readonly start: HostStart;
  send(message: FromHost): void;
  listen(onMessage: (message: ToHost) => void): void;
  sendAndExit(message: FromHost, code: number): void;
}

function openChannel(): HostChannel {
  return parentPort ? workerChannel(parentPort) : childChannel();
}

function workerChannel(port: NonNullable<typeof parentPort>): HostChannel {
  const exit = process.exit.bind(process);
  const outbox = createOutbox<FromHost>((batch) => port.postMessage(batch));
  return {
    start: workerData as HostStart,
    send: outbox.add,
    listen: (onMessage) => void port.on("message", (batch: Batch<ToHost>) => batch.forEach(onMessage)),
    sendAndExit: (message, code) => {
      outbox.add(message);
      outbox.flush();
      exit(code);
    },
  };
}

function childChannel(): HostChannel {
  const exit = process.exit.bind(process);
  const send = process.send?.bind(process);
  const sendThen = (batch: Batch<FromHost>, then: () => void): void => void send?.(batch, undefined, undefined, then);
  const outbox = createOutbox<FromHost>((batch) => sendThen(batch, () => {}));
  // SECURITY: an engine that is closed or killed leaves no hook behind, and nothing that the hook has started.
  process.on("disconnect", () => {
    endOwnSession();
    exit();
  });
  return {
    start: JSON.parse(process.argv[2] ?? "{}") as HostStart,
    send: outbox.add,
    listen: (onMessage) => void process.on("message", (batch) => (batch as Batch<ToHost>).forEach(onMessage)),
    sendAndExit: (message, code) => {
      outbox.flush();
      sendThen([message], () => exit(code));
    },
  };
}

// A host: a worker or a process that keeps one module loaded and answers calls with it.
// Takes calls over its channel; gives answers, in any order. Everything else that the module does ends here.

const channel = openChannel();
const { file, name, cacheFolder, isScript } = channel.start;
const calls = new Map<number, Call>();
const sources = new ModuleSources(createCompiler(cacheFolder));

function tellStamps(): void {
  channel.send({ kind: "loaded", stamps: sources.stamps });
}

async function load(): Promise<Loaded | undefined> {
  try {
    return { name, exports: await new ModuleGraph(sources).import(file) };
  } catch (thrown) {
    const text = `it could not be loaded: ${thrownText(thrown)}${thrownPlace(thrown)}`;
    channel.send({ kind: "load-failed", text, stderr: takeBetween().text().text });
    return undefined;
  } finally {
    tellStamps();
  }
}

/** Known as soon as it is there: a promise per call would be waited for. */
let ready: Loaded | undefined;

function answer(call: Call, message: HostCall): void {
  if (ready) ask(ready, call, message);
  else
    void loading.then((loaded) => {
      ready = loaded;
      if (loaded) ask(loaded, call, message);
    });
}

/** A module that answers at once is answered for at once. */
function ask(loaded: Loaded, call: Call, { id, payload, export: exportName, matched, isGuard, deadline }: HostCall): void {
  const fail = (thrown: unknown): void => reply(id, { ...SILENT, failure: failure("could-not-start", thrownText(thrown)) });
  try {
    const said = currentCall.run(call, () => answerCall(loaded, { payload, exportName, matched, isGuard, deadline }, call));
    if (said instanceof Promise) said.then((later) => reply(id, later)).catch(fail);
    else reply(id, said);
  } catch (thrown) {
    fail(thrown);
  }
}

type Said = Omit<HostAnswer, "isTruncated">;
const SILENT = { stdout: "", stderr: "", exitCode: null };

/** An empty answer is sent a moment later: a promise that is not awaited is rejected by then, and that is a failure. */
function reply(id: number, said: Said): void {
  if (said.stdout === "" && said.exitCode === 0 && said.failure === undefined) setImmediate(() => send(id, said, unsaid()));
  else send(id, said);
}

/** What an earlier call threw when it had been answered. */
let strayed: string | undefined;

/** SECURITY: what stands against a call that said nothing; in doubt of another one, which then blocks where it should have. */
function unsaid(): (Pick<Said, "exitCode" | "failure"> & { readonly isSpoilt?: true }) | undefined {
  const [code, text] = [Number(process.exitCode ?? 0), strayed];
  process.exitCode = undefined;
  strayed = undefined;
  if (text !== undefined)
    return { exitCode: null, failure: failure("threw", `an earlier call of it failed late: ${text}`), isSpoilt: true };
  if (code === 0) return undefined;
  const exit = failure("exit", `it set process.exitCode to ${code}. A module answers with what it returns`);
  return code === 2 ? { exitCode: 2 } : { exitCode: null, failure: exit };
}

function send(id: number, given: Said, more: (Partial<Said> & { readonly isSpoilt?: true }) | undefined = {}): void {
  const call = calls.get(id);
  if (!call) return;
  const { isSpoilt, ...changed } = more;
  const said = { ...given, ...changed };
  calls.delete(id);
  const [before, { printed }] = [takeBetween(), call];
  const stderr = before.text().text + printed.text().text + said.stderr;
  const answer = { ...said, stderr, isTruncated: printed.isTruncated || before.isTruncated };
  channel.send({ kind: "answer", id, answer, ...(isSpoilt && { isSpoilt }) });
}

/** Where the file is a script, calls are runs of it. */
const scripts = isScript ? new ScriptRuns({ file, sources, send: channel.send, tellStamps }) : undefined;

/** An uncaught exception, or the rejection of a promise that is not awaited. The module may be in any state now. */
function onStray(thrown: unknown): void {
  if (scripts) {
    scripts.crash(thrown);
    return;
  }
  const text = `it threw, and the error was not caught: ${thrownText(thrown)}${thrownPlace(thrown)}`;
  const call = currentCall.getStore();
  if (call && calls.has(call.id)) send(call.id, SILENT, { failure: failure("threw", text), isSpoilt: true });
  else strayed = text;
}

// What a module declares is called from here; it must not start by itself.
hostHooks(file);
useSourcePlaces();
hushLoader();
keepPrinted();
process.on("uncaughtException", onStray);
process.exit = ((code?: number): never => {
  const number = Number(code ?? process.exitCode ?? 0);
  scripts?.exit(number);
  const call = currentCall.getStore();
  const stderr = takeBetween().text().text + (call?.printed.text().text ?? "");
  channel.sendAndExit({ kind: "exited", id: call?.id, code: number, stderr }, number);
  // A child needs a moment to say so; the code that called must not continue.
  throw new Error("process.exit() was called");
}) as typeof process.exit;

channel.listen((message) => {
  if (message.kind === "cancel") {
    calls.get(message.id)?.controller.abort();
    calls.delete(message.id);
    channel.send({ kind: "cancelled", id: message.id });
    return;
  }
  if (scripts) {
    scripts.start(message);
    return;
  }
  if (message.env) Object.assign(process.env, message.env);
  const call = new Call(message.id);
  calls.set(message.id, call);
  answer(call, message);
});

const loading: Promise<Loaded | undefined> = scripts ? Promise.resolve(undefined) : load();
