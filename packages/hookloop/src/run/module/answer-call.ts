import { AsyncLocalStorage } from "node:async_hooks";
import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import {
  answerWith,
  besideResult,
  declaredHooks,
  declaredScript,
  definitionScript,
  encode,
  type HookResult,
  isDefinition,
  readFilter,
  type Script,
  thrownPlace,
  watchedCall,
} from "@hookloop/sdk/host";
import { isThenable } from "../../check-options.ts";
import { isPlainObject } from "../data-copy.ts";
import { callFunction, inOwnContext, Unreturned, watchResults } from "../function-runner.ts";
import { OutputBuffer } from "../process/program.ts";
import { failure, type RunNote, threwText } from "../types.ts";
import type { HostAnswer, Matched } from "./messages.ts";

type Handler = (input: unknown, run: { readonly signal: AbortSignal }) => unknown;
type Target = { readonly script: Script; readonly notes?: HostAnswer["notes"] } | { readonly handler: Handler; readonly takesRun: boolean };
type Said = Pick<HostAnswer, "stdout" | "stderr" | "exitCode" | "failure" | "notes">;

export interface Loaded {
  readonly name: string;
  readonly exports: Readonly<Record<string, unknown>>;
}

/** What a module has to say about one event, at once if it does so. Throws if it has nothing that could be asked. */
export function answerCall(
  loaded: Loaded,
  { payload, exportName, matched, isGuard = false, deadline }: Asked,
  call: Call,
): Said | Promise<Said> {
  if (matched) checkTools(loaded, exportName, matched);
  const target = targetOf(loaded, exportName, isGuard);
  if ("script" in target) {
    const notes = target.notes && { notes: target.notes };
    return answerWith(target.script, { payload, deadline }).then(({ stdout, stderr, exitCode }) => ({
      stdout,
      stderr,
      exitCode,
      ...notes,
    }));
  }
  const { buffer, byteOffset, byteLength } = payload;
  const input = JSON.parse(Buffer.from(buffer, byteOffset, byteLength).toString()) as { readonly hook_event_name?: unknown };
  const watch = watchedCall(input, { name: loaded.name, isGuard, tools: matched?.tools, deadline });
  const say = (returned: unknown): Said => ({
    stderr: "",
    exitCode: 0,
    ...written(String(input.hook_event_name ?? ""), returned, isGuard),
  });
  const run = target.takesRun ? watch.second(runOf(call)) : runOf(call);
  const judge = (said: Said): Said | Promise<Said> => judged(said, watch);
  try {
    const returned = watch.run(() => callFunction(target.handler as Parameters<typeof callFunction>[0], watch.input, run));
    return isThenable(returned) ? Promise.resolve(returned).then(say).catch(threw).then(judge) : judge(say(returned));
  } catch (thrown) {
    return judge(threw(thrown));
  }
}

/** SECURITY: a handler that read a field which does not exist, changed its input instead of returning a result, or denied after it had returned, has not agreed. */
function judged(said: Said, watch: ReturnType<typeof watchedCall>): Said | Promise<Said> {
  const isSilent = said.stdout === "" && said.exitCode === 0 && said.failure === undefined;
  const ended = watch.misread(isSilent);
  if (!isSilent) return said;
  return ended.then((misread) => (misread === undefined ? said : { ...said, exitCode: null, failure: failure("threw", misread) }));
}

function runOf(call: Call): { readonly signal: AbortSignal } {
  return {
    get signal() {
      return call.controller.signal;
    },
  };
}

function threw(thrown: unknown): Said {
  return { stdout: "", stderr: "", exitCode: null, failure: failure("threw", `${threwText(thrown)}${thrownPlace(thrown)}`) };
}

interface Asked {
  readonly payload: Uint8Array;
  readonly exportName: string | undefined;
  readonly matched?: Matched | undefined;
  readonly isGuard?: boolean | undefined;
  readonly deadline?: number | undefined;
}

/** Nothing, a result of the SDK's helpers, the answer as an object, or plain text. */
function written(event: string, returned: unknown, isGuard: boolean): Pick<HostAnswer, "stdout"> & Partial<Said> {
  if (returned === undefined || returned === null) return { stdout: "" };
  if (returned instanceof Unreturned) {
    const failed = { stdout: "", exitCode: null, failure: failure("threw", `it ${returned.text}`) };
    return returned.instead === undefined || isGuard
      ? failed
      : { ...written(event, returned.instead, isGuard), stderr: `It ${returned.text}.\n` };
  }
  if (typeof returned === "string") return { stdout: returned };
  const { parts } = returned as { parts?: unknown };
  if (Array.isArray(parts)) return writtenResult(event, returned as HookResult, isGuard);
  const json = typeof returned === "object" && !Array.isArray(returned) ? JSON.stringify(returned) : undefined;
  // SECURITY: a Map or an Error is written as {}, and that would pass for an answer.
  if (json !== undefined && (json !== "{}" || isPlainObject(returned))) return { stdout: json };
  return {
    stdout: "",
    exitCode: null,
    failure: failure(
      "threw",
      `it returned ${Array.isArray(returned) ? "a list" : typeof returned === "object" ? "an object that is no answer" : `a ${typeof returned}`}. Return deny(…), an answer object, or nothing`,
    ),
  };
}

function writtenResult(event: string, result: HookResult, isGuard: boolean): Pick<HostAnswer, "stdout"> & Partial<Said> {
  const beside = besideResult(result);
  if (beside && isGuard) return { stdout: "", exitCode: null, failure: failure("threw", `it ${beside}`) };
  const { stdout, stderr, exitCode, problems } = encode(event, result.parts);
  // As in a script of the SDK: a handler that said something of which nothing could be written has failed.
  const isLost = problems.length > 0 && stdout === "" && exitCode === 0;
  return {
    stdout,
    exitCode: isLost ? 1 : exitCode,
    stderr: stderr + (beside ? `It ${beside}.\n` : "") + problems.map(({ message }) => `${message}\n`).join(""),
  };
}

const fitting = new Set<string>();

/** SECURITY: a guard whose own file keeps it from ever being asked must not look like one that agrees. */
function checkTools({ exports }: Loaded, exportName: string | undefined, { event, tools }: Matched): void {
  const key = JSON.stringify([exportName, event, tools]);
  if (fitting.has(key)) return;
  const value = exports[exportName ?? "default"];
  const own = isDefinition(value) ? [value] : [];
  const hooks = (exportName === undefined ? declaredHooks() : own).filter((one) => one.event === event);
  const filters = hooks.map(({ options }) => options.tool);
  const names = filters.flatMap((filter) => (isFilter(filter) ? [String(filter)] : []));
  const isAny = names.length < filters.length || filters.length === 0;
  const fits = (filter: string | readonly string[] | RegExp): boolean => {
    const { matches, names: own } = readFilter(filter, true, false);
    const isSpelt = (tool: string): boolean => own.some((name) => name.toLowerCase() === tool.toLowerCase());
    return tools.some((tool) => matches(tool) || isSpelt(tool));
  };
  if (!isAny && !filters.some((filter) => isFilter(filter) && fits(filter)))
    throw new Error(
      `it is never called: its file is for ${names.join(" and ")}, and its matcher is for ${tools.join(", ")}. Name the same tools in both`,
    );
  fitting.add(key);
}

function isFilter(value: unknown): value is string | readonly string[] | RegExp {
  return typeof value === "string" || Array.isArray(value) || value instanceof RegExp;
}

const DEFAULT_IGNORED: RunNote = {
  code: "HL_CONFIG_OPTION_IGNORED",
  level: "warning",
  text: 'its file declares hooks, so the function that is its default export is not called. Move it into hook(…), or name it: "export": "default". This is said once in a session',
};

const remembered = new Map<string, Target>();

function targetOf(loaded: Loaded, exportName: string | undefined, isGuard: boolean): Target {
  const key = JSON.stringify([exportName, isGuard]);
  const known = remembered.get(key) ?? findTarget(loaded, exportName, isGuard);
  remembered.set(key, known);
  return known;
}

function findTarget({ name, exports }: Loaded, exportName: string | undefined, isGuard: boolean): Target {
  const declared = exportName === undefined ? declaredScript(name, isGuard) : undefined;
  if (declared) return typeof exports["default"] === "function" ? { script: declared, notes: [DEFAULT_IGNORED] } : { script: declared };
  const wanted = exportName ?? "default";
  const value = exports[wanted];
  if (isDefinition(value)) return { script: definitionScript(value, value.options.name ?? name, isGuard) };
  if (typeof value === "function") {
    watchResults();
    return { handler: inOwnContext(value as Handler, () => {}) as Handler, takesRun: value.length > 1 };
  }
  const callable = Object.keys(exports).filter((key) => typeof exports[key] === "function" || isDefinition(exports[key]));
  const there = callable.length > 0 ? ` It exports ${callable.join(", ")}: name one with "export"` : "";
  const what =
    exportName === undefined ? "it declares no hook and has no default export to call." : `it has no export "${exportName}" to call.`;
  throw new Error(`${what}${there || " Declare one with hook(…), or export a function"}`);
}

/** Whatever a module prints is kept with the call that printed it, up to this, and kept away from the host's own streams. */
const KEPT_BYTES = 256 * 1024;

export class Call {
  readonly id: number;
  readonly printed: OutputBuffer = new OutputBuffer(KEPT_BYTES);
  #controller: AbortController | undefined;

  constructor(id: number) {
    this.id = id;
  }

  /** `isStream`: by `process.stdout` or `process.stderr`, not by its descriptor. */
  print(chunk: Buffer, _fd: number, _isStream: boolean): void {
    this.printed.add(chunk);
  }

  /** Made when it is asked for: it costs as much as the rest of a call. */
  get controller(): AbortController {
    this.#controller ??= new AbortController();
    return this.#controller;
  }
}

export const currentCall: AsyncLocalStorage<Call> = new AsyncLocalStorage();

/** What is printed while the file is loaded, or by something no call has started. */
let between = new OutputBuffer(KEPT_BYTES);

/** Hands over what was printed beside the calls, once. */
export function takeBetween(): OutputBuffer {
  const taken = between;
  between = new OutputBuffer(KEPT_BYTES);
  return taken;
}

function print(chunk: unknown, fd: number, isStream = false): void {
  const bytes = Buffer.from(chunk as string | Uint8Array<ArrayBuffer>);
  const call = currentCall.getStore();
  if (call) call.print(bytes, fd, isStream);
  else between.add(bytes);
}

/** From now on nothing that JavaScript prints leaves this thread by itself. */
export function keepPrinted(): void {
  for (const [stream, fd] of [
    [process.stdout, 1],
    [process.stderr, 2],
  ] as const) {
    const write = (chunk: unknown, ...rest: readonly unknown[]): boolean => {
      if (chunk && typeof chunk !== "function") print(chunk, fd, true);
      const done = [chunk, ...rest].find((argument) => typeof argument === "function") as (() => void) | undefined;
      if (done) process.nextTick(done);
      return true;
    };
    Object.assign(stream, { write, end: write });
  }
  keepWrites();
}

/** A worker shares its descriptors with the host: `writeSync(1, …)` would reach the host's stdout. */
function keepWrites(): void {
  const { writeSync, write } = fs;
  const isPrinting = (fd: unknown): boolean => fd === 1 || fd === 2;
  const size = (data: unknown): number => (typeof data === "string" ? Buffer.byteLength(data) : (data as Uint8Array).byteLength);
  Object.assign(fs, {
    writeSync: (fd: number, data: never, ...rest: never[]): number => {
      if (!isPrinting(fd)) return writeSync(fd, data, ...rest);
      print(data, fd);
      return size(data);
    },
    write: (fd: number, data: never, ...rest: never[]): void => {
      if (!isPrinting(fd)) return void write(fd, data, ...(rest as unknown as [never]));
      print(data, fd);
      const done = rest.at(-1) as unknown;
      if (typeof done === "function") process.nextTick(done as () => void, null, size(data), data);
    },
  });
  syncBuiltinESMExports();
}
