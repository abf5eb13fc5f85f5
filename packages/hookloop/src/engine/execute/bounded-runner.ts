// Takes a runner of the embedding program; gives one that keeps a runner's promises: it never throws, and always settles.
import { onAbort } from "./abort-listeners.ts";
import { durationText, failure, NO_OUTPUT, notRun, thrownText } from "./failures.ts";
import { timerDelay } from "./limits.ts";
import type { RawOutcome, RunFailure, RunInput, Runner } from "./types.ts";

/** A runner that keeps the limit by itself may need this long to say so. */
const LATE_MS = 500;

/** The same runner, held to the hook's time limit and to the signal. */
export function boundRunner(runner: Runner): Runner {
  return async (selected, input) => {
    const { hook } = selected;
    const limitMs = Math.min(hook.timeoutMs, input.timeoutMs ?? hook.timeoutMs);
    const startedAt = performance.now();
    const own = new AbortController();
    const signal = input.signal ? AbortSignal.any([input.signal, own.signal]) : own.signal;
    const run = callRunner(runner, selected, { ...input, signal });
    const first = await settled(run, { hook, signal: input.signal, limitMs, onLimit: () => own.abort() });
    const outcome = { ...first, durationMs: first.failure && first.durationMs === 0 ? performance.now() - startedAt : first.durationMs };
    if (!outcome.continues) return outcome;
    const continues = settled(readOutcome(hook, outcome.continues), { hook, signal: input.signal, limitMs: Number.POSITIVE_INFINITY });
    return { ...outcome, continues };
  };
}

type Hook = RawOutcome["hook"];

async function callRunner(runner: Runner, selected: Parameters<Runner>[0], input: RunInput): Promise<RawOutcome> {
  return readOutcome(selected.hook, (async () => runner(selected, input))());
}

async function readOutcome(hook: Hook, run: Promise<RawOutcome>): Promise<RawOutcome> {
  try {
    const outcome: unknown = await run;
    if (typeof outcome === "object" && outcome !== null) return { ...NO_OUTPUT, ...outcome, hook };
    return notRun(hook, failure("threw", `its runner gave ${outcome === null ? "null" : typeof outcome} instead of an outcome`));
  } catch (thrown) {
    return notRun(hook, failure("threw", `its runner threw: ${thrownText(thrown)}`));
  }
}

interface Bounds {
  readonly hook: Hook;
  readonly signal: AbortSignal | undefined;
  readonly limitMs: number;
  /** Called at the limit, before the wait for a late answer. */
  readonly onLimit?: (() => void) | undefined;
}

/** What the runner gives, or a failure in its place when it is over the limit, or does not react to the signal. */
function settled(run: Promise<RawOutcome>, { hook, signal, limitMs, onLimit }: Bounds): Promise<RawOutcome> {
  return new Promise((resolve) => {
    let timer: NodeJS.Timeout | undefined;
    const giveUp = (why: RunFailure): void => {
      clearTimeout(timer);
      timer = setTimeout(() => end(notRun(hook, why)), LATE_MS);
    };
    const end = (outcome: RawOutcome): void => {
      clearTimeout(timer);
      forgetSignal();
      resolve(outcome);
    };
    const atLimit = (): void => {
      onLimit?.();
      giveUp(failure("timeout", `it did not answer within ${durationText(limitMs)}`));
    };
    if (Number.isFinite(limitMs)) timer = setTimeout(atLimit, timerDelay(limitMs));
    const forgetSignal = onAbort(signal, () => giveUp(failure("aborted", "the run was cancelled, and its runner did not end")));
    void run.then(end);
  });
}
