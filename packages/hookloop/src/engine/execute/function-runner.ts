// Takes a selected function hook and the event; gives what the function returned.
// Contains whatever it does: throws, rejects, never settles, changes its input, answers with a thenable of another realm.
import { onAbort } from "./abort-listeners.ts";
import { dataCopy, frozenCopy } from "./data-copy.ts";
import { durationText, failure, NO_OUTPUT, notRun, threwText } from "./failures.ts";
import { timerDelay } from "./limits.ts";
import { callFunction, startWaiting } from "./made-results.ts";
import type { RawOutcome, RunFailure, RunInput, Runner } from "./types.ts";

export interface FunctionRunnerOptions {
  /** The function's copy of the payload is frozen, so that changing it is a failure. */
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
  return { failure: failure("threw", threwText(thrown)) };
}

function isThenable(value: unknown): value is PromiseLike<unknown> {
  return (
    ((typeof value === "object" && value !== null) || typeof value === "function") &&
    typeof (value as { then?: unknown }).then === "function"
  );
}

function inputFor({ input }: RunInput, isolate: boolean): unknown {
  return isolate ? frozenCopy(input) : dataCopy(input);
}
