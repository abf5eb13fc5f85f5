/**
 * The fast path: every hook of the plan is a function and there are no listeners. No promise unless a function returns one, no trace, no outcome
 * objects unless something is out of the ordinary; then the functions' results, which are not asked for twice, take the long way.
 */

import { interpretOutcome, type Verdict } from "../judge/index.ts";
import { callFunction, NO_OUTPUT, noteWaits, onAbort, type RunFailure, startWaiting, threwText } from "../run/index.ts";
import type { Plan, Slot } from "../select/index.ts";
import type { AdmittedHook } from "../trust/index.ts";
import { conclude } from "./conclude.ts";
import type { KnownEvent } from "./known-events.ts";
import type { EventInput, FireOptions, Session } from "./session.ts";
import { reportAll } from "./step.ts";
import { cannotJudge } from "./unfit-input.ts";

type Call = (input: unknown, run: unknown) => unknown;

// Positional arguments: an object per firing would be a tenth of what the engine adds to a bare loop.
export function fireFunctions(session: Session, known: KnownEvent, plan: Plan, input: EventInput): Verdict | Promise<Verdict> {
  const { slots } = plan;
  let results: unknown[] | undefined;
  let isAsync = false;
  for (let index = 0; index < slots.length; index++) {
    let result: unknown;
    try {
      // SECURITY: a copy for each: what one function writes into it, no guard behind it must judge, and no tool must get.
      result = callFunction((slots[index] as Slot).handler as Call, known.copyPayload(input), session.run);
    } catch (thrown) {
      result = threw(thrown);
    }
    if (result === undefined || result === null) continue;
    results ??= new Array(slots.length);
    results[index] = result;
    isAsync ||= isThenable(result);
  }
  if (results === undefined) return known.silence;
  return isAsync ? judgeLater(session, known, plan, input, results) : judge(session, known, plan, input, results);
}

/** A function of its own, so that only firings that wait pay for what its closure holds. */
function judgeLater(session: Session, known: KnownEvent, plan: Plan, input: EventInput, results: unknown[]): Promise<Verdict> {
  const endWaiting = startWaiting(results);
  const judgeNow = (): Verdict | Promise<Verdict> => {
    try {
      return judge(session, known, plan, input, endWaiting(results));
    } catch (thrown) {
      return cannotJudge(session, known.name, thrown);
    }
  };
  return settleResults(plan.hooks, results, judgeNow, session.closing);
}

function judge(
  session: Session,
  known: KnownEvent,
  plan: Plan,
  input: EventInput,
  results: readonly unknown[],
): Verdict | Promise<Verdict> {
  return known.fold(plan.slots, results) ?? judgeFully(session, known, plan, input, results);
}

const NO_OPTIONS: FireOptions = Object.freeze({});
/** The long way: every result interpreted, everything wrong reported, rewrites judged again, long texts saved. */
function judgeFully(
  session: Session,
  { name: event, row, plans }: KnownEvent,
  { hooks }: Plan,
  input: EventInput,
  results: readonly unknown[],
): Verdict | Promise<Verdict> {
  const outcomes = hooks.map((hook, index) => {
    const result = results[index];
    const failure = result instanceof Failed ? result.failure : undefined;
    const raw = { ...NO_OUTPUT, hook, failure, returned: failure ? undefined : result };
    return interpretOutcome({ event, row, raw, dialect: session.dialects.of(hook.source.dialect) });
  });
  const firing = { event, plans, input: { ...session.commonInput, ...input, hook_event_name: event }, options: NO_OPTIONS };
  const diagnostics = outcomes.flatMap((outcome) => outcome.diagnostics);
  reportAll(session, firing, diagnostics);
  return conclude(session, firing, outcomes);
}

/**
 * Takes results of functions, some of them promises; gives them all settled, a failure in the place of what threw or took too long.
 * Most promises are settled before the event loop gets its turn: those are awaited one by one, which is all it costs.
 * The others are watched: a handler on each, so that no rejection goes unheard, and a timer for their limits.
 */

/** Stands in the place of a result when the function failed. */
export class Failed {
  readonly failure: RunFailure;
  constructor(kind: RunFailure["kind"], text: string) {
    this.failure = { kind, text };
  }
}

function threw(thrown: unknown): Failed {
  return new Failed("threw", threwText(thrown));
}

/** Asks for a `then`, not for a Promise: functions may come from another realm. */
export function isThenable(value: unknown): value is PromiseLike<unknown> {
  if ((typeof value !== "object" || value === null) && typeof value !== "function") return false;
  try {
    return typeof (value as { then?: unknown }).then === "function";
  } catch {
    // Safe: what throws when looked at is no promise, and reading it as a result says what is wrong with it.
    return false;
  }
}

/** Longer delays overflow Node's timers. */
const LONGEST_DELAY_MS = 2 ** 31 - 1;
/** Of all engines of the process; a wait is here only until it is over or the event loop gets its turn. */
const waits: Wait[] = [];
let isLookingSoon = false;

/** One firing whose results are not all there. Everything in one object: closures that share each other's variables cost a tenth more. */
interface Wait {
  readonly hooks: readonly AdmittedHook[];
  readonly results: unknown[];
  readonly closing: AbortSignal | undefined;
  readonly judge: () => unknown;
  resolve: (verdict: unknown) => void;
  /** One promise at a time: two functions per wait, not per promise. */
  onValue: (value: unknown) => void;
  onThrown: (thrown: unknown) => void;
  /** The promise it waits for, while it is not watched. */
  at: number;
  /** Its own among `waits`. */
  place: number;
  isWatched: boolean;
}

/** Settles the results in place, then gives what `judge`, which must not throw, makes of them. */
export function settleResults<T>(
  hooks: readonly AdmittedHook[],
  results: unknown[],
  judge: () => T | Promise<T>,
  closing?: AbortSignal,
): Promise<T> {
  const wait = newWait(hooks, results, judge, closing);
  const settled = new Promise<T>((resolve) => {
    wait.resolve = resolve as Wait["resolve"];
  });
  waits.push(wait);
  // A tick runs when no microtasks are left, and before Node looks for unhandled rejections.
  if (!isLookingSoon) process.nextTick(watchAll);
  isLookingSoon = true;
  goOn(wait);
  return settled;
}

function newWait(hooks: readonly AdmittedHook[], results: unknown[], judge: () => unknown, closing: AbortSignal | undefined): Wait {
  const place = waits.length;
  const wait: Wait = { hooks, results, closing, judge, resolve: NO_ONE, onValue: NO_ONE, onThrown: NO_ONE, at: 0, place, isWatched: false };
  wait.onValue = (value) => take(wait, value);
  wait.onThrown = (thrown) => take(wait, threw(thrown));
  return wait;
}

const NO_ONE = (): void => {};

function take(wait: Wait, result: unknown): void {
  if (wait.isWatched) return;
  wait.results[wait.at++] = result;
  goOn(wait);
}

/** Waits for the next promise, or ends. */
function goOn(wait: Wait): void {
  const { results } = wait;
  for (; wait.at < results.length; wait.at++) {
    const result = results[wait.at];
    if (!isThenable(result)) continue;
    if (whenSettled(result, wait.onValue, wait.onThrown)) return;
    results[wait.at] = UNREADABLE;
  }
  leave(wait);
  end(wait);
}

function end(wait: Wait): void {
  wait.resolve(wait.judge());
}

/** The last one takes its place. */
function leave(wait: Wait): void {
  const last = waits.pop();
  if (!last || last === wait) return;
  waits[wait.place] = last;
  last.place = wait.place;
}

function watchAll(): void {
  isLookingSoon = false;
  for (const wait of waits.splice(0)) watch(wait);
}

// SECURITY: never the promise's own `then`, which could answer twice and so speak for the next function. False: it is no real promise.
function whenSettled(result: PromiseLike<unknown>, onValue: (value: unknown) => void, onThrown: (thrown: unknown) => void): boolean {
  try {
    Promise.prototype.then.call(result instanceof Promise ? result : Promise.resolve(result), onValue, onThrown);
    return true;
  } catch {
    // Safe: the caller counts it as a failed run.
    return false;
  }
}

const CLOSED = new Failed("aborted", "the session was closed");
const UNREADABLE = new Failed("threw", "it returned a promise that cannot be awaited");

/** A handler on every promise that is left, and one timer, set to the shortest of their limits. */
function watch(wait: Wait): void {
  wait.isWatched = true;
  const startedAt = performance.now();
  const left = new Set<number>();
  let timer: NodeJS.Timeout | undefined;
  const settle = (index: number, result: unknown): void => {
    if (!left.delete(index)) return;
    wait.results[index] = result;
    if (left.size > 0) return;
    clearTimeout(timer);
    forgetClosing();
    end(wait);
  };
  let forgetClosing = (): void => {};
  const setTimer = (): void => {
    const limit = Math.min(...[...left].map((index) => limitOf(wait, index)));
    timer = setTimeout(onLimit, Math.max(0, limit - (performance.now() - startedAt)));
  };
  const onLimit = (): void => {
    const passed = Math.ceil(performance.now() - startedAt);
    for (const index of [...left]) {
      const limit = limitOf(wait, index);
      if (limit <= passed) settle(index, new Failed("timeout", `it did not answer within ${limit} ms`));
    }
    if (left.size > 0) setTimer();
  };
  for (let index = 0; index < wait.results.length; index++) {
    const result = wait.results[index];
    if (!isThenable(result)) continue;
    left.add(index);
    const { target } = wait.hooks[index] as AdmittedHook;
    if (target.kind === "function") noteWaits(target.handler);
    const isReal = whenSettled(
      result,
      (value) => settle(index, value),
      (thrown) => settle(index, threw(thrown)),
    );
    if (isReal) continue;
    left.delete(index);
    wait.results[index] = UNREADABLE;
  }
  if (left.size === 0) {
    end(wait);
    return;
  }
  setTimer();
  forgetClosing = onAbort(wait.closing, () => {
    for (const index of [...left]) settle(index, CLOSED);
  });
}

function limitOf({ hooks }: Wait, index: number): number {
  return Math.min((hooks[index] as AdmittedHook).timeoutMs, LONGEST_DELAY_MS);
}
