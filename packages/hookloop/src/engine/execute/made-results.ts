/**
 * Notices results that a function made and did not return: `(input) => { deny("no"); }` would otherwise be no opinion.
 * A count is enough while the function runs, because nothing else runs then; it costs a firing some nanoseconds. What is made after an
 * `await` is told apart by the firing it was made in, where only one waits, and for guards always, by Node's own async context.
 */
import { AsyncLocalStorage } from "node:async_hooks";
import { type HookResult, type ResultListener, resultListeners } from "@hookloop/sdk/host";
import type { HookFunction } from "../registry/types.ts";
import { resultText } from "./failures.ts";

/** Stands in the place of what a function returned. */
export class Unreturned {
  readonly text: string;
  constructor(result: HookResult) {
    const made = resultText(result);
    this.text = `made ${made} and did not return it. Write: return ${made}`;
  }
}

interface Made {
  readonly result: HookResult;
  /** What `.with()` was called on to make it. */
  readonly base: HookResult | undefined;
}

type Call = (input: unknown, run: unknown) => unknown;

const tally = {
  /** Since the function was called that runs now. */
  made: 0,
  /** How many functions are on the stack. */
  depth: 0,
  last: undefined as Made | undefined,
  /** How many firings wait for a promise. */
  waiting: 0,
  /** Made meanwhile, after an `await` of somebody. */
  late: [] as Made[],
  /** How many guards are in an async context of their own. */
  apart: 0,
};
const contexts = new AsyncLocalStorage<Made[]>();

const note: ResultListener = (result, [base]) => {
  const made = { result, base };
  tally.made++;
  tally.last = made;
  const own = tally.apart > 0 ? contexts.getStore() : undefined;
  if (own) own.push(made);
  else if (tally.waiting > 0 && tally.depth === 0) tally.late.push(made);
};

/** Must be called before functions are; more than once does no harm. */
export function watchResults(): void {
  resultListeners().add(note);
}

/** Calls a function. Gives what it returned, or `Unreturned` if it made something and that is nothing. */
export function callFunction(handler: Call, input: unknown, run: unknown): unknown {
  const before = tally.made;
  tally.depth++;
  try {
    const returned = handler(input, run);
    return tally.made === before ? returned : checked(returned);
  } finally {
    tally.depth--;
    // What one function made while another waits for it, on the stack, is its own.
    tally.made = before;
  }
}

function checked(returned: unknown): unknown {
  const { last } = tally;
  if (returned instanceof Promise) return returned.then((value) => unreturned(value, last ? [last] : []) ?? value);
  return unreturned(returned, last ? [last] : []) ?? returned;
}

function unreturned(returned: unknown, made: readonly Made[]): Unreturned | undefined {
  const isNothing = returned === undefined || returned === null;
  const lost = isNothing ? made.at(-1) : made.find(({ base }) => base === returned);
  return lost && new Unreturned(lost.result);
}

/** A firing begins to wait for promises; call what it gives when they have settled, with what they gave. */
export function startWaiting(): (settled: readonly unknown[]) => readonly unknown[] {
  if (tally.waiting++ === 0) tally.late = [];
  let hasEnded = false;
  return (settled) => {
    if (!hasEnded) tally.waiting--;
    hasEnded = true;
    return tally.late.length === 0 ? settled : blamed(settled);
  };
}

/** Puts `Unreturned` in the place of nothing. Where somebody else may have made it, nobody is blamed. */
function blamed(settled: readonly unknown[]): readonly unknown[] {
  const { late } = tally;
  tally.late = [];
  if (tally.waiting > 0) return settled;
  const isReturned = ({ result }: Made): boolean => settled.includes(result) || late.some(({ base }) => base === result);
  const lost = late.filter((made) => !isReturned(made));
  const hasSpoken = settled.some((value) => late.some(({ result }) => result === value));
  return settled.map((value) => ((value ?? undefined) === undefined && hasSpoken ? value : (unreturned(value, lost) ?? value)));
}

const AsyncFunction = (async () => undefined).constructor;

/** A guard that awaits, so that what it makes later is known to be its own, whatever runs beside it. */
export function watchedGuard(handler: HookFunction): HookFunction {
  if (!(handler instanceof AsyncFunction)) return handler;
  return async (input, run) => {
    const made: Made[] = [];
    tally.apart++;
    try {
      const value: unknown = await contexts.run(made, handler, input, run);
      return unreturned(value, made) ?? value;
    } finally {
      // While it is on, every promise of the process costs three times as much (Node 20).
      if (--tally.apart === 0) contexts.disable();
    }
  };
}
