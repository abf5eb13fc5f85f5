// Takes a selected function hook and the event; gives what the function returned.
// Contains whatever it does: throws, rejects, never settles, changes its input, answers with a thenable of another realm.

import { AsyncLocalStorage } from "node:async_hooks";
import { type HookResult, misreadField, type ResultListener, resultListeners, type WatchedInput, watchInput } from "@hookloop/sdk/host";
import { abilitiesOf, EVENTS, TOOLS } from "../catalogue/index.ts";
import { isThenable } from "../check-options.ts";
import type { HookFunction } from "../config/index.ts";
import { nearestName } from "../diagnostic.ts";
import type { AdmittedHook } from "../trust/index.ts";
import type { Environment } from "./environment.ts";
import { adopted, type EndSignals, type OpenRun, RunHandle, threw } from "./limits.ts";
import { ABORTED, failure, type RunFailure, resultText } from "./types.ts";

/** Stands in the place of what a function returned that failed. */
export class FailedCall {
  readonly failure: RunFailure;
  constructor(why: RunFailure) {
    this.failure = why;
  }
}

/** Calls the function of a hook. Gives what it returned, or how it failed, or the run that is to be waited for. */
export function startFunction(hook: AdmittedHook, payload: unknown, signals: EndSignals): unknown {
  const { target } = hook;
  if (target.kind !== "function") return new FailedCall(failure("could-not-start", `it is a ${target.kind} hook, not a function`));
  if (signals.caller?.aborted) return new FailedCall(ABORTED);
  const handle = new RunHandle(signals);
  try {
    const returned = callFunction(target.handler as Parameters<typeof callFunction>[0], payload, handle);
    if (returned !== undefined && returned !== null && isThenable(returned)) return new FunctionRun(hook, adopted(returned), handle);
    if (handle.controller) handle.release();
    return returned;
  } catch (thrown) {
    handle.release();
    return new FailedCall(threw(thrown));
  }
}

const NOBODY = (): void => {};

/** A function that is waited for. */
export class FunctionRun implements OpenRun {
  readonly hook: AdmittedHook;
  readonly promise: PromiseLike<unknown>;
  readonly handle: RunHandle;
  limitMs: number;
  /** Told when it is known what it gave: a value, or a `FailedCall`. */
  onEnd: (returned: unknown, run: FunctionRun) => void = NOBODY;
  /** For whoever is told. */
  index = 0;
  /** Those of the firing that cannot be told apart by what they make. */
  group: FunctionGroup | undefined = undefined;
  returned: unknown = undefined;
  /** Where a listener wants to know how long it takes. */
  startedAt = 0;

  constructor(hook: AdmittedHook, promise: PromiseLike<unknown>, handle: RunHandle) {
    this.hook = hook;
    this.promise = promise;
    this.handle = handle;
    this.limitMs = hook.timeoutMs;
  }

  onSlow(): void {
    const { target } = this.hook;
    if (target.kind === "function") noteWaits(target.handler);
  }

  abort(): void {
    this.handle.abort();
  }

  onAnswer(value: unknown): void {
    this.returned = value;
    if (this.handle.controller) this.handle.release();
    if (this.group) this.group.noteEnd();
    else this.onEnd(value, this);
  }

  onFailure(why: RunFailure): void {
    this.onAnswer(new FailedCall(why));
  }
}

/** What functions make after an `await` is told apart by their async context; those of a firing that have none are judged together. */
class FunctionGroup {
  readonly runs: readonly FunctionRun[];
  open: number;

  constructor(runs: readonly FunctionRun[]) {
    this.runs = runs;
    this.open = runs.length;
    if (tally.waiting++ === 0) tally.late = [];
  }

  noteEnd(): void {
    if (--this.open > 0) return;
    tally.waiting--;
    for (const { returned, promise } of this.runs) if (returned instanceof FailedCall) abandon(promise);
    if (tally.late.length > 0) {
      const judged = blamed(this.runs.map(({ returned }) => returned));
      this.runs.forEach((run, index) => {
        run.returned = judged[index];
      });
    }
    for (const run of this.runs) run.onEnd(run.returned, run);
  }
}

/** Call it before these runs of one firing are waited for. */
export function joinRuns(runs: readonly FunctionRun[]): void {
  // While no function is in a context of its own, none of the promises can be of one.
  const untraced = tally.apart === 0 ? runs : runs.filter(({ promise }) => !TRACED.has(promise));
  if (untraced.length === 0) return;
  const group = new FunctionGroup(untraced);
  for (const run of untraced) run.group = group;
}

/** Stands in the place of what a function returned. */
export class Unreturned {
  readonly text: string;
  /** What was returned in its place; nothing if nothing was. */
  readonly instead: unknown;
  constructor(result: HookResult, instead?: unknown) {
    const made = resultText(result);
    this.instead = instead ?? undefined;
    this.text =
      this.instead === undefined
        ? `made ${made} and did not return it. Write: return ${made} in the handler itself, not in a callback`
        : `made ${made} and returned something else in its place. Write: return ${made}, or ${made}.with(…) to say both`;
  }
}

/** The same for a guard that read a field which was not sent, and not the one that was meant, or changed its input. */
export class Misread {
  readonly text: string;
  readonly code: "HL_EXECUTE_FIELD_MISSPELT" | "HL_OUTPUT_INPUT_CHANGED";
  constructor(text: string, code: Misread["code"] = "HL_EXECUTE_FIELD_MISSPELT") {
    this.text = text;
    this.code = code;
  }
}

interface Made {
  readonly result: HookResult;
  /** What `.with()` was called on to make it. */
  readonly base: HookResult | undefined;
  /** Whether it refused or asked when it was made: `Object.assign(deny("no"), context("…"))` changes what it says. */
  readonly isRefusal: boolean;
}

const tally = {
  /** Since the function was called that runs now. */
  made: 0,
  /** How many functions are on the stack. */
  depth: 0,
  last: undefined as Made | undefined,
  /** The last of these that refuses or asks. */
  refusal: undefined as Made | undefined,
  /** How many firings wait for a promise. */
  waiting: 0,
  /** How many functions are no longer waited for, because they were cancelled or took too long. */
  abandoned: 0,
  /** Made meanwhile, after an `await`. */
  late: [] as Made[],
  /** How many functions are in an async context of their own. */
  apart: 0,
  /** The last guard that had no opinion. */
  silent: undefined as { readonly tell: TellGuard; readonly at: number } | undefined,
};

interface Context {
  readonly made: Made[];
  hasAnswered: boolean;
  readonly tell: TellGuard;
}
const contexts = new AsyncLocalStorage<Context>();

/** Longer ago, it is less likely that a result is a guard's. */
const LATE_MS = 5000;

const note: ResultListener = (result, [base]) => {
  const made = { result, base, isRefusal: refuses(result) };
  tally.made++;
  tally.last = made;
  if (made.isRefusal) tally.refusal = made;
  const own = tally.apart > 0 ? contexts.getStore() : undefined;
  if (own) {
    own.made.push(made);
    if (own.hasAnswered) tellLate(own.tell, result);
  } else if (tally.depth === 0) noteLate(made);
};

function isRefusing({ isRefusal }: Made): boolean {
  return isRefusal;
}

function refuses({ parts }: Pick<HookResult, "parts">): boolean {
  return parts.some(({ can }) => can === "deny" || can === "block" || can === "ask" || can === "defer" || can === "stop");
}

/** Made where no function is on the stack: after an `await` of one that is waited for, or by other code. */
function noteLate(made: Made): void {
  const { silent } = tally;
  if (tally.waiting > 0) tally.late.push(made);
  else if (tally.apart + tally.abandoned === 0 && silent && performance.now() - silent.at < LATE_MS) {
    // Whose it is is not known: the program makes results, too.
    const text = `may have made ${resultText(made.result)} after it had answered without an opinion: it was made where no hook was running, and counts for nothing. If the guard made it, await what makes it, and return it`;
    silent.tell("HL_OUTPUT_NOT_RETURNED", text, "warning");
  }
}

/** SECURITY: too late to block; that it was no consent must not stay unsaid. */
function tellLate(tell: TellGuard, result: HookResult): void {
  const made = resultText(result);
  const text = `had answered without an opinion when ${made} was made where no hook was running: it counts for nothing. If the guard made it, await what makes it, and return it`;
  tell("HL_OUTPUT_NOT_RETURNED", text);
}

/**
 * Notices results that a function made and did not return: `(input) => { deny("no"); }` would otherwise be no opinion.
 * A count is enough while the function runs, because nothing else runs then; it costs a firing some nanoseconds. What is made after an
 * `await` is told apart by Node's own async context; where a function has none yet, by the firing it was made in, if only one waits.
 * Must be called before functions are; more than once does no harm.
 */
export function watchResults(): void {
  resultListeners().add(note);
}

/** Calls a function. Gives what it returned, or `Unreturned` if it made something and that is nothing. */
export function callFunction(handler: (input: unknown, run: unknown) => unknown, input: unknown, run: unknown): unknown {
  const { made: before, refusal } = tally;
  tally.refusal = undefined;
  tally.depth++;
  try {
    // What a function makes that one of another event called, by firing this one, is its own.
    const isNested = tally.apart > 0 && contexts.getStore() !== undefined;
    const returned = isNested ? contexts.run(undefined as never, handler, input, run) : handler(input, run);
    return tally.made === before ? returned : checked(returned);
  } finally {
    tally.depth--;
    // What one function made while another waits for it, on the stack, is its own.
    tally.made = before;
    tally.refusal = refusal;
  }
}

function checked(returned: unknown): unknown {
  const { last, refusal } = tally;
  const check = (value: unknown): unknown => unreturned(value, last ? [last] : []) ?? replaced(value, refusal) ?? value;
  return returned instanceof Promise ? then(returned, check) : check(returned);
}

function then(promise: Promise<unknown>, read: (value: unknown) => unknown): Promise<unknown> {
  const next = promise.then(read);
  return TRACED.has(promise) ? traced(next) : next;
}

/** SECURITY: `({ ...deny("no"), ...context("…") })` and `deny("no") && context("…")` say only what comes last. */
function replaced(returned: unknown, refusal: Made | undefined): Unreturned | undefined {
  const { parts } = (returned ?? {}) as Partial<HookResult>;
  return refusal && Array.isArray(parts) && !refuses({ parts }) ? new Unreturned(refusal.result, returned) : undefined;
}

function unreturned(returned: unknown, made: readonly Made[]): Unreturned | undefined {
  const isNothing = returned === undefined || returned === null;
  const lost = isNothing ? made.at(-1) : made.find(({ base }) => base === returned);
  return lost && new Unreturned(lost.result);
}

/** Until it settles, what it makes belongs to no hook. */
function abandon(result: unknown): void {
  if (!(result instanceof Promise) || TRACED.has(result)) return;
  tally.abandoned++;
  const end = (): number => tally.abandoned--;
  // It may only pose as a promise.
  Promise.resolve(result).then(end, end);
}

/** Puts `Unreturned` in the place of nothing. Where other code may have made it, no hook is blamed. */
function blamed(settled: readonly unknown[]): readonly unknown[] {
  const { late } = tally;
  tally.late = [];
  if (tally.waiting > 0 || tally.abandoned > 0) return settled;
  const isReturned = ({ result }: Made): boolean => settled.includes(result) || late.some(({ base }) => base === result);
  const lost = late.filter((made) => !isReturned(made));
  const hasSpoken = settled.some((value) => late.some(({ result }) => result === value));
  if (settled.length === 1) return [unreturned(settled[0], lost) ?? replaced(settled[0], late.find(isRefusing)) ?? settled[0]];
  return settled.map((value) => ((value ?? undefined) === undefined && hasSpoken ? value : (unreturned(value, lost) ?? value)));
}

/** Says something about a guard, where the engine says what is wrong. */
export type TellGuard = (code: "HL_OUTPUT_NOT_RETURNED", text: string, level?: "warning" | "error") => void;

/**
 * A guard whose slips are noticed as those of a guard in a script: a field that it reads and that is never sent, an input that it changes, a result
 * that comes when it has answered already. Costs some microseconds, which other functions do not pay.
 */
export function watchedGuard(handler: HookFunction, tell: TellGuard, tools: readonly string[] = []): HookFunction {
  const tellOnce = onceEach(tell);
  const call = inOwnContext(handler, tellOnce);
  return (input, run) => {
    noteSent(input);
    const watch = watchInput(input as Parameters<typeof watchInput>[0]);
    // As a field of its own: what watches it makes a copy of its fields.
    const second = handler.length > 1 ? watchedRun(watch, run as RunHandle) : run;
    const read = (returned: unknown): unknown => readSlips({ watch, input, returned, tools, tell: tellOnce });
    const returned: unknown = call(watch.input as never, second as never);
    return (returned instanceof Promise ? then(returned, read) : read(returned)) as ReturnType<HookFunction>;
  };
}

function watchedRun(watch: WatchedInput, run: RunHandle): object {
  // The conversation is only looked up by those that want it.
  return Object.defineProperty(watch.run({ signal: run.signal }), "messages", { get: () => run.messages, enumerable: true });
}

function onceEach(tell: TellGuard): TellGuard {
  const told = new Set<string>();
  return (code, text, level) => {
    const key = `${code} ${level}`;
    if (!told.has(key)) tell(code, text, level);
    told.add(key);
  };
}

interface Watching {
  readonly watch: WatchedInput;
  readonly input: unknown;
  readonly returned: unknown;
  /** Those that the guard is for, where it names them: it has no reason to read fields of others. */
  readonly tools: readonly string[];
  readonly tell: TellGuard;
}

function readSlips({ watch, input, returned, tools, tell }: Watching): unknown {
  if (watch.levels.some(({ changed }) => changed.size > 0) && !isRewrite(returned))
    return new Misread(`it changed its input, which changes nothing. Return ${changeOf(input)}`, "HL_OUTPUT_INPUT_CHANGED");
  if (returned !== undefined && returned !== null) return returned;
  const read = { payload: input as never, isTested: false, tools };
  const problem = watch.levels.some(({ missed, isText }) => missed.size > 0 || isText)
    ? (misreadField("it", watch.levels, { ...read, isMute: false }) ?? misreadField("it", unsent(watch), { ...read, isMute: true }))
    : undefined;
  if (problem) return new Misread(problem.message.replace(/^HL_\w+: /, ""));
  const lacking = lackingOutput(watch) ?? misspeltOwn(watch);
  if (lacking !== undefined) return new Misread(lacking);
  tally.silent = { tell, at: performance.now() };
  return returned;
}

/** A known tool's response without the field that the guard looked for: it found nothing at all in it. */
function lackingOutput({ payload, levels }: WatchedInput): string | undefined {
  const { tool_name: tool } = payload;
  const level = levels.find(({ path, missed, read }) => path === "tool_response" && missed.size > 0 && read.size === 0);
  const response = level && Object.hasOwn(TOOLS, String(tool)) ? TOOLS[tool as keyof typeof TOOLS].response : undefined;
  const name = response && [...(level?.missed ?? [])].find((one) => Object.hasOwn(response, one) && !response[one]?.optional);
  if (name === undefined) return undefined;
  return `it reads "${name}" in tool_response of ${String(tool)}, which has only: ${level?.fields.join(", ").slice(0, 120) || "nothing"}`;
}

/** A tool of the program's own: its fields are those that it was ever called with. */
function misspeltOwn({ payload, levels }: WatchedInput): string | undefined {
  const { tool_name: tool } = payload;
  const level = levels.find(({ path }) => path === "tool_input");
  if (!level || Object.hasOwn(TOOLS, String(tool))) return undefined;
  for (const field of level.fields) if (SENT.size < MOST_SENT) SENT.add(`${tool} ${field}`);
  if (level.missed.size === 0 || level.read.size > 0) return undefined;
  for (const name of level.missed) {
    const meant = name.length > 4 && !SENT.has(`${tool} ${name}`) ? nearestName(name, level.fields) : undefined;
    if (meant !== undefined) return `it reads "${name}" in tool_input of ${String(tool)}, which does not exist. Did you mean "${meant}"?`;
  }
  return undefined;
}

/** What changes that which the event is about. */
function changeOf(input: unknown): string {
  const { hook_event_name: event } = input as { readonly hook_event_name?: unknown };
  if (event === "PostToolUse") return "replaceOutput(…)";
  return event === "UserPromptSubmit" ? "rewritePrompt(…)" : "rewrite({ ...input.tool_input, … })";
}

/** Fields of the program's own that guards have been given: who reads one that is left out this time has not misspelt it. */
const SENT = new Set<string>();
const MOST_SENT = 1000;

function noteSent(input: object): void {
  if (SENT.size < MOST_SENT) for (const field of Object.keys(input)) SENT.add(field);
}

function unsent({ levels }: WatchedInput): WatchedInput["levels"] {
  return levels.map((level) =>
    level.path === "" ? { ...level, missed: new Set([...level.missed].filter((field) => !SENT.has(field))) } : level,
  );
}

function isRewrite(returned: unknown): boolean {
  const { parts } = (returned ?? {}) as Partial<HookResult>;
  return Array.isArray(parts) && parts.some(({ can }) => !/^(?:allow|context|tellUser|output)$/.test(String(can)));
}

/** Whether the next call of a function is told apart from what runs beside it. */
interface Way {
  isApart: boolean;
}
const WAYS = new WeakMap<object, Way>();

/**
 * What it makes later is known to be its own, and what others make meanwhile is known not to be, whatever runs beside it.
 * That costs ten microseconds. A guard always pays; another function at its first call, and as long as it waits for more than promises: while it
 * does not, nothing of the program runs beside it.
 */
export function inOwnContext(handler: HookFunction, tell?: TellGuard): HookFunction {
  const way: Way = { isApart: true };
  const called: HookFunction = (input, run) =>
    way.isApart ? callApart(handler, [input, run], { tell: tell ?? NO_ONE, way: tell ? undefined : way }) : handler(input, run);
  WAYS.set(called, way);
  return called;
}

/** It has waited for more than promises: it may do so again. */
function noteWaits(handler: object): void {
  const way = WAYS.get(handler);
  if (way) way.isApart = true;
}

const NO_ONE: TellGuard = () => {};

interface Apart {
  readonly tell: TellGuard;
  /** Of one that need not be told apart every time. */
  readonly way: Way | undefined;
}

function callApart(handler: HookFunction, given: Parameters<HookFunction>, { tell, way }: Apart): ReturnType<HookFunction> {
  const own: Context = { made: [], hasAnswered: false, tell };
  tally.apart++;
  let returned: unknown;
  try {
    // Called as a plain function: `run` itself would call it with null as its `this`.
    returned = contexts.run(own, () => handler(...given));
  } finally {
    if (!(returned instanceof Promise)) leave(own);
  }
  if (returned instanceof Promise) return traced(settleApart(returned, own, way)) as ReturnType<HookFunction>;
  if (way) way.isApart = false;
  return returned as ReturnType<HookFunction>;
}

async function settleApart(returned: Promise<unknown>, own: Context, way: Way | undefined): Promise<unknown> {
  let hasWaited = false;
  if (way)
    process.nextTick(() => {
      hasWaited = true;
    });
  try {
    const value = await returned;
    if (way) way.isApart = hasWaited;
    // A missing `await`: what needs nothing but promises is there when no microtask is left.
    else if (value === undefined || value === null) await new Promise<void>((resolve) => process.nextTick(resolve));
    return unreturned(value, own.made) ?? replaced(value, own.made.find(isRefusing)) ?? value;
  } finally {
    leave(own);
  }
}

function leave(own: Context): void {
  own.hasAnswered = true;
  // While it is on, every promise of the process costs three times as much (Node 20).
  if (--tally.apart === 0) contexts.disable();
}

/** Promises of functions in a context of their own: what is made elsewhere is not theirs. */
const TRACED = new WeakSet<object>();

function traced<T extends object>(promise: T): T {
  TRACED.add(promise);
  return promise;
}

type Declared = Pick<AdmittedHook, "event" | "isGuard" | "onFailure">;

/** Whether a hook's configuration calls it a guard. Where every failure blocks, as in Claude Code, nothing was said. */
export function isWatchedGuard({ event, isGuard, onFailure }: Declared): boolean {
  const row = EVENTS[event];
  return abilitiesOf(row).includes("block") && (isGuard || (onFailure === "block" && row.onFailure !== "block"));
}

/** Tells the SDK, which then watches the script as it does with `hook(…, { guard: true })`. That of a hook that runs this program does not count. */
export function guardVariable(hook: Declared, inherited: Environment): Environment {
  if (isWatchedGuard(hook)) return { HOOKLOOP_GUARD: "1" };
  return inherited["HOOKLOOP_GUARD"] === undefined ? {} : { HOOKLOOP_GUARD: "" };
}
