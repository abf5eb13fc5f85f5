// A host: a worker or a process that keeps one module loaded and answers calls with it.
// Takes calls over its channel; gives answers, in any order. Everything else that the module does ends here.
import { setImmediate } from "node:timers";
import { hostHooks, thrownPlace } from "@hookloop/sdk/host";
import { failure, thrownText } from "../failures.ts";
import { answerCall, type Loaded } from "./host/answer-call.ts";
import { openChannel } from "./host/channel.ts";
import { Call, currentCall, keepPrinted, takeBetween } from "./host/printed.ts";
import { createCompiler, hushLoader, ModuleGraph, ModuleSources, useSourcePlaces } from "./load/index.ts";
import type { HostAnswer, HostCall } from "./messages.ts";

const channel = openChannel();
const { file, name, cacheFolder } = channel.start;
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
    channel.send({ kind: "load-failed", text, stderr: takeBetween().text });
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
function ask(loaded: Loaded, call: Call, { id, payload, export: exportName, matched, isGuard }: HostCall): void {
  const fail = (thrown: unknown): void => reply(id, { ...SILENT, failure: failure("could-not-start", thrownText(thrown)) });
  try {
    const said = currentCall.run(call, () => answerCall(loaded, { payload, exportName, matched, isGuard }, call));
    if (said instanceof Promise) said.then((later) => reply(id, later)).catch(fail);
    else reply(id, said);
  } catch (thrown) {
    fail(thrown);
  }
}

type Said = Omit<HostAnswer, "isTruncated">;
const SILENT = { stdout: "", stderr: "", exitCode: null };

/** Whoever says nothing is asked a moment later: a promise that nobody waits for is rejected by then, and that is no silence. */
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
  const [before, { text, isTruncated }] = [takeBetween(), call.printed];
  const answer = { ...said, stderr: before.text + text + said.stderr, isTruncated: isTruncated || before.isTruncated };
  channel.send({ kind: "answer", id, answer, ...(isSpoilt && { isSpoilt }) });
}

/** Thrown by nobody's handler, or by a promise nobody waits for. The module may be in any state now. */
function onStray(thrown: unknown): void {
  const text = `it threw, and the error was not caught: ${thrownText(thrown)}${thrownPlace(thrown)}`;
  const call = currentCall.getStore();
  if (call && calls.has(call.id)) send(call.id, SILENT, { failure: failure("threw", text), isSpoilt: true });
  else strayed = text;
}

// What a module declares is called from here; it must not start by itself.
hostHooks();
useSourcePlaces();
hushLoader();
keepPrinted();
process.on("uncaughtException", onStray);
process.exit = ((code?: number): never => {
  const number = Number(code ?? process.exitCode ?? 0);
  const call = currentCall.getStore();
  const stderr = takeBetween().text + (call?.printed.text ?? "");
  channel.sendAndExit({ kind: "exited", id: call?.id, code: number, stderr }, number);
  // A child needs a moment to say so; the code that called must not go on.
  throw new Error("process.exit() was called");
}) as typeof process.exit;

channel.listen((message) => {
  if (message.kind === "cancel") {
    calls.get(message.id)?.controller.abort();
    calls.delete(message.id);
    channel.send({ kind: "cancelled", id: message.id });
    return;
  }
  if (message.env) Object.assign(process.env, message.env);
  const call = new Call(message.id);
  calls.set(message.id, call);
  answer(call, message);
});

const loading: Promise<Loaded | undefined> = load();
