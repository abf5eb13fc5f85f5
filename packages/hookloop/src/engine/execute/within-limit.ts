import { onAbort } from "./abort-listeners.ts";
import { durationText, failure } from "./failures.ts";
import { timerDelay } from "./limits.ts";
import type { RunFailure, RunInput, Runner } from "./types.ts";

/** How a bounded wait ended: with what was waited for, or with why nobody waits any longer. */
export type Ended<Value> = { readonly value: Value } | { readonly failure: RunFailure };

export interface WaitOptions<Value> {
  readonly limitMs: number;
  readonly signal?: AbortSignal | undefined;
  readonly run: (signal: AbortSignal) => Promise<Value>;
  /** What a throw of `run` means. */
  readonly onThrow: (thrown: unknown) => RunFailure;
}

/** Waits for one answer of somebody else, up to a limit. What does not listen to its signal is not waited for. */
export async function withinLimit<Value>({ limitMs, signal, run, onThrow }: WaitOptions<Value>): Promise<Ended<Value>> {
  const controller = new AbortController();
  return new Promise((resolve) => {
    const end = (ended: Ended<Value>): void => {
      clearTimeout(timer);
      forget();
      resolve(ended);
    };
    const giveUp = (why: RunFailure): void => {
      end({ failure: why });
      controller.abort();
    };
    const timer = setTimeout(() => giveUp(failure("timeout", `it did not answer within ${durationText(limitMs)}`)), timerDelay(limitMs));
    const forget = onAbort(signal, () => giveUp(failure("aborted", "it was cancelled")));
    void (async () => run(controller.signal))().then(
      (value) => end({ value }),
      (thrown) => end({ failure: onThrow(thrown) }),
    );
  });
}

/** The hook's own limit, or the caller's if that is shorter. */
export function limitOf({ timeoutMs }: Parameters<Runner>[0]["hook"], input: Pick<RunInput, "timeoutMs">): number {
  return Math.min(timeoutMs, input.timeoutMs ?? timeoutMs);
}
