// What is watched while a hook runs. A file of its own: it is loaded while the event is read.

import { createHook } from "node:async_hooks";
import { readFileSync } from "node:fs";
import { eventFacts, type Facts } from "../event-facts.ts";
import { declarations } from "../hook/definition.ts";
import { besideResult, type HookResult, type Part } from "../hook/results.ts";
import type { Invocation } from "../hook-utils/invocation.ts";
import { type Problem, partsText, problem } from "../problem.ts";
import { atMost, failed, isSilent, type ParsedPayload, type Payload, type Said, type Script } from "./script.ts";

export interface Reads {
  /** Where it stands in the input; empty for the input itself, `run` for the second argument. */
  readonly path: string;
  readonly fields: readonly string[];
  readonly read: Set<string>;
  readonly missed: Set<string>;
  readonly changed: Set<string>;
  /** It was made a text, which is "[object Object]". */
  isText: boolean;
}

export interface WatchedInput {
  readonly payload: Payload;
  readonly input: Payload;
  readonly levels: readonly Reads[];
  /** The second argument, watched as well: a handler may take it for the input. */
  run<Run extends object>(run: Run): Run;
}

const INSPECT = Symbol.for("nodejs.util.inspect.custom");
const STATE = Symbol("watched");

interface State {
  readonly values: Record<string, unknown>;
  readonly level: Reads;
}

/** The payload as an object that notes which fields are asked for. In all other ways it is the payload: it can be spread, cloned, changed, printed and written as JSON. */
export function watchInput(payload: Payload): WatchedInput {
  const levels: Reads[] = [];
  return { payload, input: watched(payload, "", levels) as Payload, levels, run: (run) => watched(run, "run", levels) as typeof run };
}

interface WatchedCall extends WatchedInput {
  isChanged(): boolean;
}

export function watchCall(payload: Payload): WatchedCall {
  const watch = watchInput(payload);
  const before = changeable(payload);
  return { ...watch, isChanged: () => changeable(watch.input) !== before };
}

/** What a handler may have changed in place of returning it. */
function changeable({ tool_input, tool_response, prompt }: Payload): string {
  return JSON.stringify([tool_input, tool_response, prompt]);
}

/** Behind each object, not around it: nothing can clone a proxy. One for all of them: making one takes longer than most guards. */
export const WATCHED: object = new Proxy(Object.create(Object.prototype, { constructor: { value: Object } }), {
  get: (target, name, receiver) => {
    const state = name === STATE ? undefined : (receiver as { readonly [STATE]?: State })[STATE];
    if (state && name === INSPECT)
      return (_depth: number, options: object, inspect: (value: unknown, options: object) => string) => inspect(state.values, options);
    if (state && (name === Symbol.toPrimitive || name === "toString")) state.level.isText = true;
    if (state && typeof name === "string" && !(name in target)) state.level.missed.add(name);
    return Reflect.get(target, name, receiver);
  },
});

function watched(object: object, path: string, levels: Reads[]): object {
  const level: Reads = { path, fields: Object.keys(object), read: new Set(), missed: new Set(), changed: new Set(), isText: false };
  levels.push(level);
  const values: Record<string, unknown> = { ...object };
  const copy: object = Object.create(WATCHED);
  Object.defineProperty(copy, STATE, { value: { values, level } satisfies State });
  for (const name of level.fields) {
    if (path === "" && isPlain(values[name])) values[name] = watched(values[name], name, levels);
    Object.defineProperty(copy, name, propertyOf(name));
  }
  for (const symbol of Object.getOwnPropertySymbols(object))
    Object.defineProperty(copy, symbol, { value: Reflect.get(object, symbol), enumerable: true });
  // Where changing the payload is a failure, it stays one.
  if (Object.isFrozen(object)) Object.preventExtensions(Object.freeze(values) && copy);
  return copy;
}

/** Field names are few; a program may have more. */
const MAX_PROPERTIES = 1000;
const properties = new Map<string, PropertyDescriptor>();

function propertyOf(name: string): PropertyDescriptor {
  const known = properties.get(name);
  if (known) return known;
  const property: PropertyDescriptor & ThisType<{ readonly [STATE]: State }> = {
    enumerable: true,
    configurable: true,
    get() {
      this[STATE].level.read.add(name);
      return this[STATE].values[name];
    },
    set(changed) {
      this[STATE].values[name] = changed;
      this[STATE].level.changed.add(name);
    },
  };
  if (properties.size < MAX_PROPERTIES) properties.set(name, property);
  return property;
}

function isPlain(value: unknown): value is object {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** What speaks against an answer that is about to be given, besides what was said. */
export function atEnd(script: Pick<Script, "isGuard" | "name">, said: readonly Said[]): Said[] {
  return [...byExitCode(script, said), ...unreached(script)];
}

/** Hooks that stand in the script behind an `await` and are not declared yet: the answer is given without them. */
function unreached(script: Pick<Script, "isGuard" | "name">): Said[] {
  const { definitions, mains, isHosted } = declarations();
  // Who has something left to do may have hooks to declare.
  const isBusy = /out|Req|Proc|TCP/.test(String(process.getActiveResourcesInfo()));
  const source = isHosted || !isBusy ? "" : sourceText();
  // Only what begins a line is surely outside of every function.
  const calls = [...source.matchAll(/^(?![\s/*]|import\b).*\b(?:hook|runHook(?:Async)?)\(/gm)];
  const wait = source.search(/^(?![\s/*]).*\bawait\b/m);
  if (wait < 0 || calls.length <= definitions.length + mains.length || Number(calls.at(-1)?.index) < wait) return [];
  const isGuard = script.isGuard || /\bguard: *true/.test(source);
  const text = `${script.name} answered before all of its hooks were declared. Declare hooks before the first await`;
  return [failed({ ...script, isGuard }, problem("HOOK_LATE", text))];
}

function sourceText(file = process.argv[1] as string): string {
  try {
    return readFileSync(file, "utf8");
  } catch {
    // Not started from a file.
    return "";
  }
}

/**
 * What `process.exitCode` says that the hook's code has set, unless it has blocked in words.
 * SECURITY: it means what `process.exit()` does. The answer brings an exit code of its own, which must not turn a denial into consent.
 */
export function byExitCode(script: Pick<Script, "isGuard" | "name">, said: readonly Said[]): Said[] {
  const code = Number(process.exitCode ?? 0);
  const isRefused = said.some(({ parts, failure, exitReason }) => failure || exitReason !== undefined || parts.some(isNo));
  if (code === 0 || isRefused) return [];
  if (code === 2) return [{ parts: [], problems: [], exitReason: "" }];
  return [failed(script, problem("HANDLER_EXITED", `${script.name} set process.exitCode to ${code}. Return a result`))];
}

function isNo({ can }: Part): boolean {
  return can === "deny" || can === "block";
}

/** Watches for results that are not awaited: also those made since the handler returned, for some steps of promises pass until it is looked again. */
export function watchLate(invocation: Invocation, said: Said, name: string, fail: (failure: Problem) => unknown): void {
  const onLate = (result: HookResult): void => void fail(lateResult(name, result));
  invocation.onLate = onLate;
  if (isSilent([said]) && !said.problems[0]) for (const [result] of invocation.made) onLate(result);
}

/** A missing `await`: the answer was given without it. */
export function lateResult(name: string, { parts }: HookResult): Problem {
  return problem("RESULT_NOT_RETURNED", `${name} made ${partsText(parts)} after it had returned. Write: return await … where it is made`);
}

/** How long one who said nothing is waited for, if it left something to do; a guard, if that is nothing but timers. */
export const LATE_MS = 200;
/** A test waits longer for timers: it is there to find the result that one makes too late. */
const LATE_TESTED_MS = 1000;

export function lateMs(): number {
  return declarations().isTested ? LATE_TESTED_MS : LATE_MS;
}

/** A guard is waited for as long as it may take, but not as long as the slowest agent waits. */
const LATE_GUARD_MS = 25_000;

/** What the process keeps open when no hook is running, and how many are. */
const busy = { kept: [] as string[], running: 0 };

/** Makes a result, as it is written. */
const MAKER = /\b(?:deny|block|ask|defer|stop|feedback|emitBlock\w*)\)?\(/;
const SETTLED_BY_HAND = /\b(?:r|res|resolve|ok|done|reject)\(\s*(?:\(0,\s*)?(?:\w+\.)?(?:deny|block|ask|stop)\b/;
/** Gives a promise its value, and does nothing else. */
const SETTLES = /\[native code\]|=>\s*\{?\s*(?:r|res|resolve|ok|done)\((?:undefined|null)?\);?\s*\}?$/;

interface Timer {
  readonly _onTimeout?: unknown;
  readonly _repeat?: unknown;
  readonly _destroyed?: boolean;
  hasRef(): boolean;
}

/** The timers that were started while hooks run; which of them are left tells more than their number. */
const timers = new Set<Timer>();
const timerWatch = createHook({
  init: (_id, type, _trigger, resource) => void (type === "Timeout" && timers.add(resource as Timer)),
});

/**
 * Whether a timer that is left may be about a result, and not the loser of a race. What a callback does is in its own text. Behind one that settles a
 * promise anything may be waiting, under any name: it counts if the file waits for promises and makes a result somewhere.
 */
function decidesLate(source: string): boolean {
  if (/\b(?:race|any|setInterval)\(|\bclearTimeout\(/.test(source) || SETTLED_BY_HAND.test(source)) return false;
  const left = [...timers].filter((timer) => !timer._destroyed && timer.hasRef() && (timer._repeat ?? null) === null);
  const calls = left.map(({ _onTimeout }) => String(_onTimeout));
  const mayBeAwaited = (): boolean => MAKER.test(source) && /\bawait\b|\bthen\(/.test(source);
  return calls.some((text) => (SETTLES.test(text) ? mayBeAwaited() : MAKER.test(text)));
}

/** Of everything that is declared: its file, else its functions. */
function declaredSource(): string {
  const { definitions, mains, isHosted, file } = declarations();
  if (isHosted && file === undefined) return [...definitions.map(({ handler }) => handler), ...mains.map(({ main }) => main)].join("\n");
  return sourceText(file);
}

type AwaitLate = (said: readonly Said[], parsed: ParsedPayload) => Promise<readonly Said[]>;

/**
 * SECURITY: silence may be a missing await, so a hook that left something to do, such as a process or a request, is waited for: a guard until its
 * limit, and then it has failed. A bare timer is no check: `Promise.race([check, timer])` leaves one behind, so it is waited for only a moment, unless a result may be made behind it. Whose that is is not known where calls overlap: then all are waited for. What was open before is not waited for.
 * Call it before the hook is, and what it gives afterwards; that gives why a guard has failed.
 */
export function awaitLate(script: Pick<Script, "isGuard" | "name">): AwaitLate {
  if (busy.running++ === 0) timerWatch.enable();
  // A request is never kept open: one that is there has been made by the loading of the file.
  if (busy.running === 1) busy.kept = process.getActiveResourcesInfo().filter((name) => !/Req|Immediate/.test(name));
  const started = performance.now();
  return async (said, parsed) => {
    const isWaiting = (): boolean => isSilent(said) && !said.some(({ problems }) => problems[0]);
    // A promise that was forgotten and needs nothing else is settled before the next turn of the loop.
    if (isWaiting()) await new Promise(setImmediate);
    const limit = lateLimit(script, parsed);
    const passed = (): number => performance.now() - started;
    const asked = passed();
    const end = script.isGuard ? Math.max(limit, asked) : asked + limit;
    let worked = asked;
    let mayDecide = false;
    let text: string | undefined;
    const source = (): string => {
      text ??= declaredSource();
      return text;
    };
    /** What may be a check: a process, a socket, a request. */
    const work = (): readonly string[] => {
      const all = left();
      if (all.includes("Timeout") && isWaiting()) mayDecide ||= decidesLate(source());
      return mayDecide ? all : all.filter((name) => name !== "Timeout");
    };
    const isOpen = (): boolean => {
      if (work()[0]) worked = passed();
      return left().length > 0 && passed() < Math.min(end, worked + lateMs());
    };
    while (isWaiting() && isOpen()) await new Promise((resolve) => setTimeout(resolve, Math.min(2 + (passed() - asked) / 20, 50)).unref());
    const open = isWaiting() ? [...new Set(work())].join(", ") : "";
    if (--busy.running === 0) forgetTimers();
    if (open && mayDecide && !script.isGuard) return [failed(script, problem("RESULT_NOT_RETURNED", `${script.name} ${LATE_TEXT}`))];
    if (!open || !script.isGuard) return [];
    const why = `${script.name} returned nothing, and what it started (${open}) had not ended after ${Math.round(passed())} ms. It may be its check: write await before it, or end it`;
    return [failed(script, problem("HANDLER_TIMEOUT", why))];
  };
}

function forgetTimers(): void {
  timerWatch.disable();
  timers.clear();
}

/** How long after its start. */
export function lateLimit({ isGuard }: Pick<Script, "isGuard">, { payload, deadline }: ParsedPayload): number {
  if (!isGuard) return lateMs();
  const event = payload?.hook_event_name;
  const own = declarations().definitions.flatMap(({ event: name, options }) => (name === event && Number(options?.timeoutMs)) || []);
  const most = own[0] ? Math.max(...own) : Math.min((eventFacts(event)?.timeoutMs ?? LATE_GUARD_MS) * 0.9, LATE_GUARD_MS);
  return atMost(most, deadline);
}

function left(): readonly string[] {
  const rest = process.getActiveResourcesInfo();
  for (const name of busy.kept) if (rest.includes(name)) rest.splice(rest.indexOf(name), 1);
  return rest;
}

const LATE_TEXT = "makes a result behind a timer, after it has returned. Write: return await … where it is made";

interface Reading {
  readonly watch: WatchedInput;
  readonly script: Pick<Script, "isGuard" | "name">;
  readonly parts: readonly unknown[];
  readonly names: readonly string[];
}

interface SpokenReading extends Reading {
  readonly watch: WatchedCall;
  readonly parts: readonly Part[];
  readonly invocation: Invocation;
  readonly facts: Facts | undefined;
  /** What `parts` stand in. */
  readonly result?: HookResult | undefined;
}

/** What a hook that has answered did wrong all the same: a guard has lost its denial, it looked where nothing is, or it changed its input instead of returning a result. */
export async function spokenSlip({ invocation, facts, result, ...reading }: SpokenReading): Promise<Problem | undefined> {
  const { watch, script, parts } = reading;
  const beside = result ? besideResult(result) : undefined;
  if (beside) return problem("RESULT_INVALID", `${script.name} ${beside}`);
  const mayLose = parts.length > 0 && script.isGuard && !parts.some(refuses);
  const lost = mayLose ? invocation.made.find(([result]) => result.parts.some(refuses)) : undefined;
  if (lost) {
    const text = partsText(lost[0].parts);
    const cure = `Write: return ${text}, or ${text}.with(…) to say both`;
    return problem("RESULT_NOT_RETURNED", `${script.name} made ${text} and returned something else in its place. ${cure}`);
  }
  const cut = parts.length === 0 && script.isGuard ? cutReturn(ownText()) : undefined;
  if (cut !== undefined) return problem("RESULT_NOT_RETURNED", `${script.name} ${cut}`);
  const misread = parts.length === 0 || declarations().isTested ? await misspeltField(reading) : undefined;
  const mayChange = !parts.some(({ can }) => !/allow|context|tellUser|output/.test(can));
  if (misread || !facts || !mayChange || !watch.isChanged()) return misread;
  return (await import("./mistakes.ts")).changedInput(script.name, facts);
}

/** JavaScript ends a statement that is only `return`, so what stands on the next line is never reached. */
export function cutReturn(text: string): string | undefined {
  const [, name] =
    /\breturn[ \t]*\n\s*(deny|block|ask|defer|stop|feedback)\(/.exec(text) ??
    /^\s*return;[ \t]*\n\s*(deny|block|ask|defer|stop)\(/m.exec(text) ??
    [];
  return name && `has "return" on one line and ${name}(…) on the next, which is never reached. Write return ${name}(…) on one line.`;
}

/** What a script's file holds; of a program that calls hooks itself, the handlers, which need no reading. */
function ownText(): string {
  const { definitions, isHosted } = declarations();
  return isHosted ? definitions.map(({ handler }) => handler).join("\n") : sourceText();
}

function refuses({ can }: Part): boolean {
  return /^(?:deny|block|ask|defer|stop)$/.test(can);
}

/** A field that is asked for and not sent is undefined, and a test of that finds nothing, without a word. */
export async function misspeltField({ watch, script, parts, names }: Reading): Promise<Problem | undefined> {
  if (!watch.levels.some(({ missed, isText }) => missed.size > 0 || isText)) return undefined;
  const { isTested = false } = declarations();
  const isMute = parts.length === 0;
  return (await import("./mistakes.ts")).misreadField(script.name, watch.levels, {
    payload: watch.payload,
    isTested,
    isMute,
    tools: names,
  });
}
