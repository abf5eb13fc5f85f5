import {
  answerWith,
  declaredHooks,
  declaredScript,
  definitionScript,
  encode,
  isDefinition,
  readFilter,
  type Script,
  thrownPlace,
  watchedCall,
} from "@hookloop/sdk/host";
import { failure, thrownText } from "../../failures.ts";
import { callFunction, inOwnContext, Unreturned, watchResults } from "../../made-results.ts";
import type { RunNote } from "../../types.ts";
import type { HostAnswer, Matched } from "../messages.ts";
import type { Call } from "./printed.ts";

type Exports = Readonly<Record<string, unknown>>;
type Handler = (input: unknown, run: { readonly signal: AbortSignal }) => unknown;
type Target = { readonly script: Script; readonly notes?: HostAnswer["notes"] } | { readonly handler: Handler };
type Said = Pick<HostAnswer, "stdout" | "stderr" | "exitCode" | "failure" | "notes">;

export interface Loaded {
  readonly name: string;
  readonly exports: Exports;
}

/** What a module has to say about one event, at once if it does so. Throws if it has nothing that could be asked. */
export function answerCall(loaded: Loaded, { payload, exportName, matched, isGuard = false }: Asked, call: Call): Said | Promise<Said> {
  if (matched) checkTools(loaded, exportName, matched);
  const target = targetOf(loaded, exportName, isGuard);
  if ("script" in target) {
    const notes = target.notes && { notes: target.notes };
    return answerWith(target.script, payload).then(({ stdout, stderr, exitCode }) => ({ stdout, stderr, exitCode, ...notes }));
  }
  const { buffer, byteOffset, byteLength } = payload;
  const input = JSON.parse(Buffer.from(buffer, byteOffset, byteLength).toString()) as { readonly hook_event_name?: unknown };
  const watch = isGuard ? watchedCall(input, loaded.name) : undefined;
  const say = (returned: unknown): Said => ({ stderr: "", exitCode: 0, ...written(String(input.hook_event_name ?? ""), returned) });
  const ask = (): unknown => callFunction(target.handler as Parameters<typeof callFunction>[0], watch?.input ?? input, runOf(call));
  if (watch) {
    const asked = watch.run(async () => ask());
    return asked
      .then(say)
      .catch(threw)
      .then((said) => judged(said, watch));
  }
  try {
    const returned = ask();
    return isThenable(returned) ? Promise.resolve(returned).then(say).catch(threw) : say(returned);
  } catch (thrown) {
    return threw(thrown);
  }
}

/** SECURITY: a guard that looked where nothing is, changed its input in place of saying so, or says no when it has returned, has not agreed. */
async function judged(said: Said, watch: ReturnType<typeof watchedCall>): Promise<Said> {
  const misread = await watch.misread(said.stdout === "" && said.exitCode === 0 && said.failure === undefined);
  return misread === undefined ? said : { ...said, exitCode: null, failure: failure("threw", misread) };
}

function runOf(call: Call): { readonly signal: AbortSignal } {
  return {
    get signal() {
      return call.controller.signal;
    },
  };
}

function isThenable(value: unknown): boolean {
  return typeof (value as { then?: unknown } | null | undefined)?.then === "function";
}

function threw(thrown: unknown): Said {
  return { stdout: "", stderr: "", exitCode: null, failure: failure("threw", `it threw: ${thrownText(thrown)}${thrownPlace(thrown)}`) };
}

export interface Asked {
  readonly payload: Uint8Array;
  readonly exportName: string | undefined;
  readonly matched?: Matched | undefined;
  readonly isGuard?: boolean | undefined;
}

/** Nothing, a result of the SDK's helpers, the answer as an object, or plain text. */
function written(event: string, returned: unknown): Pick<HostAnswer, "stdout"> & Partial<Said> {
  if (returned === undefined || returned === null) return { stdout: "" };
  if (returned instanceof Unreturned) return { stdout: "", exitCode: null, failure: failure("threw", `it ${returned.text}`) };
  if (typeof returned === "string") return { stdout: returned };
  const { parts } = returned as { parts?: unknown };
  if (Array.isArray(parts)) {
    const { stdout, stderr, exitCode, problems } = encode(event, parts);
    // As in a script of the SDK: who said something, and nothing of it could be written, has failed.
    const isLost = problems.length > 0 && stdout === "" && exitCode === 0;
    return { stdout, exitCode: isLost ? 1 : exitCode, stderr: stderr + problems.map(({ message }) => `${message}\n`).join("") };
  }
  const json = typeof returned === "object" ? JSON.stringify(returned) : undefined;
  // SECURITY: a Map or an Error is written as {}, and that would pass for an answer.
  if (json !== undefined && (json !== "{}" || isPlain(returned))) return { stdout: json };
  return {
    stdout: "",
    exitCode: null,
    failure: failure(
      "threw",
      `it returned ${typeof returned === "object" ? "an object that is no answer" : `a ${typeof returned}`}. Return deny(…), an answer object, or nothing`,
    ),
  };
}

function isPlain(value: unknown): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
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
    return { handler: inOwnContext(value as Handler) as Handler };
  }
  const callable = Object.keys(exports).filter((key) => typeof exports[key] === "function" || isDefinition(exports[key]));
  const there = callable.length > 0 ? ` It exports ${callable.join(", ")}: name one with "export"` : "";
  const what =
    exportName === undefined ? "it declares no hook and has no default export to call." : `it has no export "${exportName}" to call.`;
  throw new Error(`${what}${there || " Declare one with hook(…), or export a function"}`);
}
