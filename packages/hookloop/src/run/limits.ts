// Keeps every run within its bounds: one time limit, and one way to follow signals.

import { isThenable } from "../check-options.ts";
import type { ModelMessage } from "./model/model-port.ts";
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
  threwText,
  thrownText,
} from "./types.ts";

/** Longer delays overflow Node's timers and would fire at once. */
const LONGEST_DELAY_MS = 2 ** 31 - 1;

export function timerDelay(ms: number): number {
  return Math.min(Math.max(ms, 0), LONGEST_DELAY_MS);
}

/** The signals that end a run: that of the caller, and that of the session, which closes. */
export interface EndSignals {
  readonly caller?: AbortSignal | undefined;
  readonly closing?: AbortSignal | undefined;
  /** Beside them, what else a function may ask its run for: the conversation so far. */
  readonly messages?: (() => readonly ModelMessage[]) | undefined;
}

/** What a run is given: its signal says that its answer is no longer waited for. */
export class RunHandle {
  readonly signals: EndSignals;
  controller: AbortController | undefined = undefined;

  constructor(signals: EndSignals) {
    this.signals = signals;
  }

  /** Aborted at the limit, by the caller and when the session closes. Made when it is asked for: it costs as much as calling ten functions. */
  get signal(): AbortSignal {
    this.controller ??= follow(this.signals);
    return this.controller.signal;
  }

  /** The conversation so far; empty where there is none. Looked up when it is asked for. */
  get messages(): readonly ModelMessage[] {
    return this.signals.messages?.() ?? NO_MESSAGES;
  }

  abort(): void {
    this.controller ??= new AbortController();
    this.controller.abort();
  }

  /** It is over: long-lived signals hold nothing of it. */
  release(): void {
    if (this.controller) followed.get(this.controller)?.();
  }
}

const NO_MESSAGES: readonly ModelMessage[] = Object.freeze([]);

/** How to leave what a controller follows. */
const followed = new WeakMap<AbortController, () => void>();

/** `AbortSignal.any` keeps 1.5 kB per call on Node 20 for as long as the longest-lived signal lives. */
function follow({ caller, closing }: EndSignals): AbortController {
  const controller = new AbortController();
  if (caller?.aborted || closing?.aborted) controller.abort();
  const leaves = [caller, closing].map((signal) => onAbort(signal, () => controller.abort()));
  followed.set(controller, () => {
    for (const leave of leaves) leave();
  });
  return controller;
}

/** A run that has not ended yet. One of the last two is called, once. */
export interface OpenRun {
  readonly promise: PromiseLike<unknown>;
  /** Nothing where whoever runs it ends it, at a limit of its own and by the signals. */
  readonly limitMs: number | undefined;
  /** How long an answer still counts that comes after the limit or a signal; not at all if left out. */
  readonly graceMs?: number | undefined;
  /** While this holds, the limit does not run out. */
  readonly isPaused?: (() => boolean) | undefined;
  /** It needs more than promises that are settled already. */
  onSlow?(): void;
  /** Its answer is no longer waited for, or soon will not be: what runs should end. */
  abort(): void;
  onAnswer(value: unknown): void;
  /** `thrown`: what it threw, if that is why. */
  onFailure(why: RunFailure, thrown?: unknown): void;
}

const CLOSED: RunFailure = failure("aborted", "the session was closed");

const NOTHING_THROWN = Symbol("nothing thrown");

/** Of all engines of the process; a wait is here only until it is over or the event loop gets its turn. */
const waits: Wait[] = [];
let isLookingSoon = false;

/**
 * Takes runs that have not ended; resolves with what `conclude`, which must not throw, gives when all of them have.
 * Most promises of functions are settled before the event loop gets its turn: those are awaited one by one, which is all it costs.
 * What is left then is watched: a handler on each, so that no rejection goes unheard, and one timer for their limits.
 * What does not react to its signal is not waited for, and what comes later is dropped.
 */
export function untilEnded<T>(
  runs: readonly OpenRun[],
  signals: EndSignals,
  conclude: () => T | PromiseLike<T>,
  Kind: PromiseConstructor = Promise,
): Promise<T> {
  const wait = new Wait(runs, signals, conclude);
  const over = new Kind<T>((resolve) => {
    wait.resolve = resolve as Wait["resolve"];
  });
  waits.push(wait);
  // A tick runs when no microtasks are left, and before Node looks for unhandled rejections.
  if (!isLookingSoon) process.nextTick(watchAll);
  isLookingSoon = true;
  void wait.collect();
  return over;
}

function watchAll(): void {
  isLookingSoon = false;
  for (const wait of waits.splice(0)) wait.watch();
}

/** Everything in one object: closures that share each other's variables cost a tenth more. */
class Wait {
  readonly runs: readonly OpenRun[];
  readonly signals: EndSignals;
  readonly conclude: () => unknown;
  resolve: (value: unknown) => void = () => {};
  /** The run it waits for, while none is watched. */
  at = 0;
  /** Its own among `waits`. */
  place: number = waits.length;
  /** Those that are open, once they are watched, and when each is given up. */
  deadlines: Map<OpenRun, Deadline> | undefined = undefined;
  timer: NodeJS.Timeout | undefined = undefined;
  forget: readonly (() => void)[] = [];

  constructor(runs: readonly OpenRun[], signals: EndSignals, conclude: () => unknown) {
    this.runs = runs;
    this.signals = signals;
    this.conclude = conclude;
  }

  async collect(): Promise<void> {
    const { runs } = this;
    for (; this.at < runs.length; this.at++) {
      const run = runs[this.at] as OpenRun;
      let value: unknown;
      let thrown: unknown = NOTHING_THROWN;
      try {
        // SECURITY: `await` takes one answer, also of a thenable that gives two and so would speak for the next run.
        value = await run.promise;
      } catch (error) {
        thrown = error;
      }
      if (this.deadlines) return;
      if (thrown === NOTHING_THROWN) run.onAnswer(value);
      else run.onFailure(threw(thrown), thrown);
    }
    this.leave();
    this.resolve(this.conclude());
  }

  /** The last one takes its place. */
  leave(): void {
    const last = waits.pop();
    if (!last || last === this) return;
    waits[this.place] = last;
    last.place = this.place;
  }

  watch(): void {
    const deadlines = new Map<OpenRun, Deadline>();
    this.deadlines = deadlines;
    const now = performance.now();
    for (const run of this.runs.slice(this.at)) {
      deadlines.set(run, { at: now + (run.limitMs ?? Number.POSITIVE_INFINITY) });
      run.onSlow?.();
      Promise.resolve(run.promise).then(
        (value) => this.settle(run, () => run.onAnswer(value)),
        (thrown) => this.settle(run, () => run.onFailure(threw(thrown), thrown)),
      );
    }
    this.setTimer();
    const { caller, closing } = this.signals;
    const giveUpAll = (why: RunFailure) => (): void => {
      for (const run of [...deadlines.keys()]) if (run.limitMs !== undefined) this.giveUp(run, why);
    };
    this.forget = [onAbort(caller, giveUpAll(ABORTED)), onAbort(closing, giveUpAll(CLOSED))];
  }

  settle(run: OpenRun, tell: () => void): void {
    if (!this.deadlines?.delete(run)) return;
    tell();
    if (this.deadlines.size > 0) return;
    clearTimeout(this.timer);
    for (const leave of this.forget) leave();
    this.resolve(this.conclude());
  }

  /** Once told to end, it may still answer for a while. */
  giveUp(run: OpenRun, why: RunFailure): void {
    const deadline = this.deadlines?.get(run);
    if (!deadline) return;
    if (run.graceMs !== undefined && deadline.why === undefined) {
      deadline.why = why;
      deadline.at = performance.now() + run.graceMs;
      this.setTimer();
    } else this.settle(run, () => run.onFailure(deadline.why ?? why));
    run.abort();
  }

  /** To the first of the deadlines. */
  setTimer(): void {
    clearTimeout(this.timer);
    const first = Math.min(...[...(this.deadlines?.values() ?? [])].map(({ at }) => at));
    if (Number.isFinite(first)) this.timer = setTimeout(() => this.onTimer(), timerDelay(first - performance.now()));
  }

  onTimer(): void {
    const now = Math.ceil(performance.now());
    for (const [run, deadline] of [...(this.deadlines ?? [])]) {
      if (deadline.at > now) continue;
      if (run.isPaused?.()) deadline.at = now + (run.limitMs ?? 0);
      else this.giveUp(run, failure("timeout", `it did not answer within ${durationText(run.limitMs ?? 0)}`));
    }
    if (this.deadlines && this.deadlines.size > 0) this.setTimer();
  }
}

interface Deadline {
  at: number;
  /** Set while what was told to end may still answer. */
  why?: RunFailure;
}

export function threw(thrown: unknown): RunFailure {
  return failure("threw", threwText(thrown));
}

/** A thenable is asked once: one that is lazy starts its work each time, and one of another realm or a broken one is a promise from here on. */
export function adopted<Value>(given: PromiseLike<Value>): Promise<Value> {
  return given instanceof Promise ? given : Promise.resolve(given);
}

/** How a bounded wait ended: with what was waited for, or with why the wait is over. */
type Ended<Value> = { readonly value: Value } | { readonly failure: RunFailure; readonly thrown?: unknown };

interface WaitOptions<Value> extends Pick<OpenRun, "limitMs" | "graceMs" | "isPaused"> {
  readonly signal?: AbortSignal | undefined;
  readonly run: (handle: Pick<RunHandle, "signal">) => Value | PromiseLike<Value>;
  /** What a throw of `run` means; left out where `thrown` is looked at. */
  readonly onThrow?: ((thrown: unknown) => RunFailure) | undefined;
}

/** The same for one run. */
export async function withinLimit<Value>({ limitMs, signal, run, onThrow, isPaused, graceMs }: WaitOptions<Value>): Promise<Ended<Value>> {
  const failed = (thrown: unknown): Ended<Value> => ({ failure: onThrow?.(thrown) ?? threw(thrown), thrown });
  const signals: EndSignals = { caller: signal };
  const handle = new RunHandle(signals);
  let ended: Ended<Value> | undefined;
  const finish = (how: Ended<Value>): void => {
    handle.release();
    ended = how;
  };
  try {
    const given = run(handle);
    if (!isThenable(given)) return { value: given };
    const open: OpenRun = {
      promise: adopted(given),
      limitMs,
      graceMs,
      ...(isPaused && { isPaused }),
      abort: () => handle.abort(),
      onAnswer: (value) => finish({ value: value as Value }),
      onFailure: (why, thrown) => finish(why.kind === "threw" ? failed(thrown) : { failure: why }),
    };
    return await untilEnded([open], signals, () => ended as Ended<Value>);
  } catch (thrown) {
    return failed(thrown);
  }
}

/** A runner that keeps the limit by itself may need this long to say so. */
const LATE_MS = 500;

/** Takes a runner of the embedding program; gives one that keeps a runner's promises: it never throws, and always settles. */
export function boundRunner(runner: Runner): Runner {
  return async (selected, input) => {
    const { hook } = selected;
    const startedAt = performance.now();
    const bounded = async (limitMs: number, run: WaitOptions<RawOutcome>["run"]): Promise<RawOutcome> => {
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
