// Takes a selected function hook and the event; gives what the function returned.
// Contains whatever it does: throws, rejects, never settles, changes its input, answers with a thenable of another realm.
import { onAbort } from "./abort-listeners.ts";
import { durationText, failure, NO_OUTPUT, notRun, thrownText } from "./failures.ts";
import { timerDelay } from "./limits.ts";
import { callFunction, startWaiting } from "./made-results.ts";
import type { RawOutcome, RunFailure, RunInput, Runner } from "./types.ts";

export interface FunctionRunnerOptions {
  /** The function gets a frozen deep copy, instead of a copy of the first two levels. */
  readonly isolate?: boolean | undefined;
}

/** The runner for hooks of kind `function`. */
export function createFunctionRunner({ isolate = false }: FunctionRunnerOptions = {}): Runner {
  return async ({ hook }, input) => {
    if (hook.target.kind !== "function")
      return notRun(hook, failure("could-not-start", `it is a ${hook.target.kind} hook, not a function`));
    if (input.signal?.aborted) return notRun(hook, ABORTED);
    const { handler } = hook.target;
    const startedAt = performance.now();
    const run = { signal: input.signal ?? NEVER_ABORTED };
    const result = await settle(() => callFunction(handler as Handler, inputFor(input, isolate), run), {
      timeoutMs: Math.min(hook.timeoutMs, input.timeoutMs ?? hook.timeoutMs),
      signal: input.signal,
    });
    return { ...NO_OUTPUT, ...result, hook, durationMs: performance.now() - startedAt };
  };
}

type Handler = (input: unknown, run: unknown) => unknown;

const NEVER_ABORTED = new AbortController().signal;
const ABORTED = failure("aborted", "the run was cancelled");

/** What failed has made nothing that counts. */
const NO_OPINION = Symbol("failed");

type Settled = Pick<RawOutcome, "returned"> | { readonly failure: RunFailure };

interface SettleOptions {
  readonly timeoutMs: number;
  readonly signal?: AbortSignal | undefined;
}

function settle(call: () => unknown, options: SettleOptions): Settled | Promise<Settled> {
  try {
    const returned = call();
    return isThenable(returned) ? settleLater(returned, options) : { returned };
  } catch (thrown) {
    return threw(thrown);
  }
}

/** The first of: an answer, the limit, the signal. What comes later is dropped, a rejection too. */
function settleLater(thenable: PromiseLike<unknown>, { timeoutMs, signal }: SettleOptions): Promise<Settled> {
  const endWaiting = startWaiting();
  return new Promise((resolve) => {
    const end = (settled: Settled): void => {
      clearTimeout(timer);
      forgetSignal();
      const [returned] = endWaiting(["returned" in settled ? settled.returned : NO_OPINION]);
      resolve("returned" in settled ? { returned } : settled);
    };
    const onLimit = (): void => end({ failure: failure("timeout", `it did not answer within ${durationText(timeoutMs)}`) });
    const timer = setTimeout(onLimit, timerDelay(timeoutMs));
    const forgetSignal = onAbort(signal, () => end({ failure: ABORTED }));
    // A thenable of another realm is no `instanceof Promise`, and its `then` may throw: resolving a promise with it handles both.
    Promise.resolve(thenable).then(
      (returned) => end({ returned }),
      (thrown) => end(threw(thrown)),
    );
  });
}

function threw(thrown: unknown): { readonly failure: RunFailure } {
  return { failure: failure("threw", `it threw: ${thrownText(thrown)}`) };
}

function isThenable(value: unknown): value is PromiseLike<unknown> {
  return (
    ((typeof value === "object" && value !== null) || typeof value === "function") &&
    typeof (value as { then?: unknown }).then === "function"
  );
}

function inputFor({ input }: RunInput, isolate: boolean): unknown {
  return isolate ? frozenCopy(input, new Map()) : copyOf(input, 2);
}

/** A copy of that many levels; what lies deeper is shared. */
export function copyOf(value: unknown, levels: number): unknown {
  if (levels === 0) return value;
  if (Array.isArray(value)) return value.map((item) => copyOf(item, levels - 1));
  if (!isPlainObject(value)) return value;
  const copy: Record<string, unknown> = { ...value };
  if (levels > 1) for (const name of Object.keys(copy)) copy[name] = copyOf(copy[name], levels - 1);
  return copy;
}

/** A copy of all levels, frozen; the caller's own objects stay as they are. Cycles are kept. */
export function frozenCopy(value: unknown, seen: Map<unknown, unknown>): unknown {
  if (!Array.isArray(value) && !isPlainObject(value)) return value;
  const known = seen.get(value);
  if (known !== undefined) return known;
  const copy: Record<string, unknown> = Array.isArray(value) ? ([] as unknown as Record<string, unknown>) : {};
  seen.set(value, copy);
  for (const name of Object.keys(value)) define(copy, name, frozenCopy((value as Record<string, unknown>)[name], seen));
  return Object.freeze(copy);
}

/** Assignment to a `__proto__` that is not there yet would set the prototype. */
function define(target: object, name: string, value: unknown): void {
  Object.defineProperty(target, name, { value, writable: true, enumerable: true, configurable: true });
}

function isPlainObject(value: unknown): value is Record<string, unknown> {
  if (typeof value !== "object" || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}
