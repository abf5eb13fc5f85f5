import type { Effect, Outcome } from "./interpret/index.ts";

/** Hooks that take their time. They decide nothing; what they say to the model waits for the next event that can carry it. */
export interface Background {
  readonly hasNews: boolean;
  /** Waits for nothing: the outcome is kept when it comes. */
  start(run: Promise<Outcome>): void;
  /** Everything that came in since the last time. */
  take(): readonly Outcome[];
  /** Counts a run that somebody else waits for as running. */
  watch(run: Promise<unknown>): void;
  /** Resolves when nothing runs any more. */
  idle(): Promise<void>;
  /** Waits for background hooks only, and not longer than this. */
  drain(limitMs: number): Promise<void>;
}

export interface BackgroundOptions {
  /** An `asyncRewake` hook said no: the agent should look at it now. */
  readonly onWake?: ((outcome: Outcome) => void) | undefined;
  /** Hears what `onWake` threw. */
  readonly onProblem?: ((thrown: unknown) => void) | undefined;
}

export function createBackground({ onWake, onProblem }: BackgroundOptions = {}): Background {
  const running = new Set<Promise<unknown>>();
  const inBackground = new Set<Promise<unknown>>();
  let news: Outcome[] = [];
  const wake = (outcome: Outcome): void => {
    try {
      onWake?.(outcome);
    } catch (thrown) {
      onProblem?.(thrown);
    }
  };
  const keepIn = (set: Set<Promise<unknown>>, run: Promise<unknown>): void => {
    const end = (): void => void set.delete(run);
    set.add(run);
    run.then(end, end);
  };
  const watch = (run: Promise<unknown>): void => keepIn(running, run);
  // A field, not a getter: every firing reads it, and a getter on every engine's own object cost 10 ns.
  const background: { -readonly [Part in keyof Background]: Background[Part] } = {
    hasNews: false,
    start(run) {
      const keep = (outcome: Outcome): void => {
        const wakes = outcome.hook.wakesAgent && outcome.effects.some((effect) => noOf(effect) !== undefined);
        news.push(wakes && !onWake ? asContext(outcome) : withoutSay(outcome));
        background.hasNews = true;
        if (wakes) wake(outcome);
      };
      const kept = run.then(keep, onProblem);
      watch(kept);
      keepIn(inBackground, kept);
    },
    take() {
      const taken = news;
      news = [];
      background.hasNews = false;
      return taken;
    },
    watch,
    async idle() {
      while (running.size > 0) await Promise.allSettled(running);
    },
    async drain(limitMs) {
      if (inBackground.size === 0) return;
      let timer: NodeJS.Timeout | undefined;
      const limit = new Promise<void>((resolve) => {
        timer = setTimeout(resolve, limitMs);
      });
      await Promise.race([Promise.allSettled(inBackground), limit]);
      clearTimeout(timer);
    },
  };
  return background;
}

/** What an effect gives as the reason of a no, whatever a no means to its event. */
function noOf(effect: Effect): string | undefined {
  if (effect.type === "feedback") return effect.text;
  const isNo = effect.type === "deny" || effect.type === "continueTurn" || effect.type === "halt";
  return isNo ? (effect.reason ?? "") : undefined;
}

/** The event it answered is over: what it says to the model and the user counts, its decisions and failures no longer do. */
function withoutSay(outcome: Outcome): Outcome {
  const effects = outcome.effects.filter(({ type }) => type === "context" || type === "tell");
  return { ...outcome, effects, failure: undefined };
}

/** Nobody listens to be woken: the model hears of it with the next event instead. */
function asContext(outcome: Outcome): Outcome {
  const texts = outcome.effects.flatMap((effect) => noOf(effect) || []);
  const kept = withoutSay(outcome);
  return { ...kept, effects: [...kept.effects, ...texts.map((text) => ({ type: "context" as const, text }))] };
}
