/**
 * Takes results of functions, some of them promises; gives them all settled, a failure in the place of what threw or took too long.
 * Most promises are settled before the event loop gets its turn: those are awaited one by one, which is all it costs.
 * The others are watched: a handler on each, so that no rejection goes unheard, and a timer for their limits.
 */
import { onAbort, type RunFailure, thrownText } from "./execute/index.ts";
import type { AdmittedHook } from "./trust/index.ts";

/** Stands in the place of a result when the function failed. */
export class Failed {
  readonly failure: RunFailure;
  constructor(kind: RunFailure["kind"], text: string) {
    this.failure = { kind, text };
  }
}

/** What a function threw, as its result. */
export function threw(thrown: unknown): Failed {
  return new Failed("threw", `it threw: ${thrownText(thrown)}`);
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

/** Settles the results in place, then gives what `judge` makes of them. */
export function settleResults<T>(
  hooks: readonly AdmittedHook[],
  results: unknown[],
  judge: () => T | Promise<T>,
  closing?: AbortSignal,
): Promise<T> {
  return new Promise((resolve, reject) => {
    const end = (): void => {
      try {
        resolve(judge());
      } catch (thrown) {
        reject(thrown);
      }
    };
    const wait = new Wait(hooks, results, end, closing);
    waits.push(wait);
    // A tick runs when no microtasks are left, and before Node looks for rejections that nobody handled.
    if (!isLookingSoon) process.nextTick(watchAll);
    isLookingSoon = true;
    wait.next();
  });
}

function watchAll(): void {
  isLookingSoon = false;
  for (const wait of waits.splice(0)) watch(wait);
}

/** One firing whose results are not all there. One handler at a time: two functions per wait, not per promise (0.9 × four bare awaits). */
class Wait {
  readonly hooks: readonly AdmittedHook[];
  readonly results: unknown[];
  readonly closing: AbortSignal | undefined;
  readonly end: () => void;
  isWatched = false;
  #at = 0;
  #place: number = waits.length;

  constructor(hooks: readonly AdmittedHook[], results: unknown[], end: () => void, closing: AbortSignal | undefined) {
    this.hooks = hooks;
    this.results = results;
    this.closing = closing;
    this.end = end;
  }

  /** Goes on to the next promise, or ends. */
  next(): void {
    const { results } = this;
    for (; this.#at < results.length; this.#at++) {
      const result = results[this.#at];
      if (!isThenable(result)) continue;
      if (whenSettled(result, this.#onValue, this.#onThrown)) return;
      results[this.#at] = UNREADABLE;
    }
    this.#leave();
    this.end();
  }

  readonly #onValue = (value: unknown): void => this.#settle(value);
  readonly #onThrown = (thrown: unknown): void => this.#settle(threw(thrown));

  #settle(result: unknown): void {
    if (this.isWatched) return;
    this.results[this.#at++] = result;
    this.next();
  }

  #leave(): void {
    const last = waits.pop();
    if (!last || last === this) return;
    waits[this.#place] = last;
    last.#place = this.#place;
  }
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
    wait.end();
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
    wait.end();
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
