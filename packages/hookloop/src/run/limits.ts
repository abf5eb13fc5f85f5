// How many hooks run at once, and how deep hooks that start agents that fire hooks may go.

import type { Environment } from "./environment.ts";
import {
  ABORTED,
  durationText,
  failure,
  limitOf,
  NO_OUTPUT,
  notRun,
  type RawOutcome,
  type RunFailure,
  type Runner,
  thrownText,
} from "./types.ts";

/** Processes of one engine that run at the same time. */
const PROCESS_SLOTS = 8;

/** From this depth on no hook runs. */
const DEPTH_LIMIT = 3;

/** Longer delays overflow Node's timers and would fire at once. */
const LONGEST_DELAY_MS = 2 ** 31 - 1;

/** A time limit as a delay that Node's timers can hold. */
export function timerDelay(ms: number): number {
  return Math.min(Math.max(ms, 0), LONGEST_DELAY_MS);
}

export interface Slots {
  /** Resolves when there is room, with the function that gives it back; `undefined` if the signal came first. */
  take(signal?: AbortSignal): Promise<(() => void) | undefined>;
}

/** First come, first served. A hook's own time starts when it has its place. */
export function createSlots(count: number = PROCESS_SLOTS): Slots {
  let free = count;
  const waiting = new Set<() => void>();
  const give = (): (() => void) => {
    let isHeld = true;
    return () => {
      if (!isHeld) return;
      isHeld = false;
      free++;
      const [next] = waiting;
      next?.();
    };
  };
  return {
    take(signal) {
      if (signal?.aborted) return Promise.resolve(undefined);
      if (free > 0) {
        free--;
        return Promise.resolve(give());
      }
      return new Promise((resolve) => {
        const settle = (release: (() => void) | undefined): void => {
          waiting.delete(enter);
          forgetSignal();
          resolve(release);
        };
        const enter = (): void => {
          free--;
          settle(give());
        };
        waiting.add(enter);
        const forgetSignal = onAbort(signal, () => settle(undefined));
      });
    },
  };
}

/** The hook runs this program was started from, outermost first. */
export interface Ancestry {
  readonly depth: number;
  /** Ids of hooks. */
  readonly hooks: readonly string[];
}

export const NO_ANCESTRY: Ancestry = Object.freeze({ depth: 0, hooks: Object.freeze([]) });

/** What the environment says about where this program was started from. */
export function ancestryFromEnvironment(env: Environment): Ancestry {
  const depth = Number(env["HOOKLOOP_DEPTH"]);
  const hooks = (env["HOOKLOOP_CHAIN"] ?? "").split(",").filter(Boolean).map(decodeEntry);
  return { depth: Math.max(Number.isSafeInteger(depth) ? depth : 0, hooks.length > 0 ? 1 : 0), hooks };
}

/** Both together: a hook can strip variables, but not its parent processes. */
export function joinAncestry(one: Ancestry, other: Ancestry): Ancestry {
  return { depth: Math.max(one.depth, other.depth), hooks: [...new Set([...one.hooks, ...other.hooks])] };
}

/** The variables by which a program started from a hook knows that it was. */
export function ancestryVariables(ancestry: Ancestry, hookId: string): Environment {
  const hooks = [...new Set([...ancestry.hooks, hookId])];
  return { HOOKLOOP_DEPTH: String(ancestry.depth + 1), HOOKLOOP_CHAIN: hooks.map(encodeURIComponent).join(",") };
}

/** Why a hook may not run here. Ordinary load never gives a reason: only what this program was started from counts. */
export function recursionRefusal(ancestry: Ancestry, hookId: string): RunFailure | undefined {
  if (ancestry.depth >= DEPTH_LIMIT) {
    return failure("could-not-start", `hooks are ${ancestry.depth} deep: a hook started an agent whose hook started an agent, and so on`);
  }
  if (ancestry.hooks.includes(hookId)) {
    return failure("could-not-start", "it is already running: this session was started from a run of the same hook");
  }
  return undefined;
}

function decodeEntry(entry: string): string {
  try {
    return decodeURIComponent(entry);
  } catch {
    // Not written by us; kept as it is, it matches no hook.
    return entry;
  }
}

/** How a bounded wait ended: with what was waited for, or with why the wait is over. */
type Ended<Value> = { readonly value: Value } | { readonly failure: RunFailure };

/** Tells what is waited for that the wait is over. */
export interface RunHandle {
  /** Aborted at the limit, and with the caller's signal. Made when it is asked for: it costs as much as calling a function. */
  readonly signal: AbortSignal;
}

/** No class: what watches a guard's arguments hands on a copy, which has none of the private fields of its original. */
function createHandle(): RunHandle & { abort(): void } {
  let controller: AbortController | undefined;
  let isAborted = false;
  return {
    get signal() {
      controller ??= new AbortController();
      if (isAborted) controller.abort();
      return controller.signal;
    },
    abort() {
      isAborted = true;
      controller?.abort();
    },
  };
}

interface WaitOptions<Value> {
  readonly limitMs: number;
  readonly signal?: AbortSignal | undefined;
  readonly run: (handle: RunHandle) => Value | PromiseLike<Value>;
  /** What a throw of `run` means. */
  readonly onThrow: (thrown: unknown) => RunFailure;
  /** How long an answer still counts that comes after the limit or the signal; not at all if left out. */
  readonly graceMs?: number | undefined;
}

/** The one time limit of whatever is not a process. What does not react to its signal is not waited for, and what comes later is dropped. */
export async function withinLimit<Value>({ limitMs, signal, run, onThrow, graceMs }: WaitOptions<Value>): Promise<Ended<Value>> {
  const handle = createHandle();
  try {
    const given = run(handle);
    if (!isThenable(given)) return { value: given };
    return await new Promise((resolve) => {
      const end = (ended: Ended<Value>): void => {
        clearTimeout(timer);
        forget();
        resolve(ended);
      };
      const giveUp = (why: RunFailure): void => {
        clearTimeout(timer);
        if (graceMs === undefined) end({ failure: why });
        else timer = setTimeout(() => end({ failure: why }), graceMs);
        handle.abort();
      };
      const atLimit = (): void => giveUp(failure("timeout", `it did not answer within ${durationText(limitMs)}`));
      let timer = Number.isFinite(limitMs) ? setTimeout(atLimit, timerDelay(limitMs)) : undefined;
      const forget = onAbort(signal, () => giveUp(ABORTED));
      // A thenable of another realm is no `instanceof Promise`, and its `then` may throw: resolving a promise with it handles both.
      Promise.resolve(given).then(
        (value) => end({ value }),
        (thrown) => end({ failure: onThrow(thrown) }),
      );
    });
  } catch (thrown) {
    return { failure: onThrow(thrown) };
  }
}

export function isThenable(value: unknown): value is PromiseLike<unknown> {
  return (
    ((typeof value === "object" && value !== null) || typeof value === "function") &&
    typeof (value as { then?: unknown }).then === "function"
  );
}

// Takes a runner of the embedding program; gives one that keeps a runner's promises: it never throws, and always settles.

/** A runner that keeps the limit by itself may need this long to say so. */
const LATE_MS = 500;

/** The same runner, held to the hook's time limit and to the signal. */
export function boundRunner(runner: Runner): Runner {
  return async (selected, input) => {
    const { hook } = selected;
    const startedAt = performance.now();
    const bounded = async (limitMs: number, run: (handle: RunHandle) => Promise<RawOutcome>): Promise<RawOutcome> => {
      const onThrow = (thrown: unknown): RunFailure => failure("threw", `its runner threw: ${thrownText(thrown)}`);
      const ended = await withinLimit({ limitMs, signal: input.signal, run, onThrow, graceMs: LATE_MS });
      return "failure" in ended ? notRun(hook, ended.failure) : wholeOutcome(hook, ended.value);
    };
    const first = await bounded(limitOf(hook, input), ({ signal }) => runner(selected, { ...input, signal }));
    const outcome = { ...first, durationMs: first.failure && first.durationMs === 0 ? performance.now() - startedAt : first.durationMs };
    const { continues } = outcome;
    return continues ? { ...outcome, continues: bounded(Number.POSITIVE_INFINITY, () => continues) } : outcome;
  };
}

function wholeOutcome(hook: RawOutcome["hook"], outcome: unknown): RawOutcome {
  if (typeof outcome === "object" && outcome !== null) return { ...NO_OUTPUT, ...outcome, hook };
  return notRun(hook, failure("threw", `its runner gave ${outcome === null ? "null" : typeof outcome} instead of an outcome`));
}

const listeners = new WeakMap<AbortSignal, Set<() => void>>();

/**
 * Calls `act` when the signal comes; gives the function that takes it back. One real listener per signal, however many hooks wait:
 * a signal of the caller with more than ten of them makes Node print a warning.
 */
export function onAbort(signal: AbortSignal | undefined, act: () => void): () => void {
  if (signal === undefined) return () => {};
  if (signal.aborted) {
    // It came before anyone listened, for example from the hook's own call: no event will follow.
    queueMicrotask(act);
    return () => {};
  }
  const known = listeners.get(signal) ?? listenTo(signal);
  known.add(act);
  return () => {
    known.delete(act);
  };
}

function listenTo(signal: AbortSignal): Set<() => void> {
  const waiting = new Set<() => void>();
  listeners.set(signal, waiting);
  const callAll = (): void => {
    for (const act of waiting) act();
  };
  signal.addEventListener("abort", callAll, { once: true });
  return waiting;
}
