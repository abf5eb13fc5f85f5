import type { Outcome } from "./interpret/index.ts";

/** Hooks that take their time. They decide nothing; what they say to the model waits for the next event that can carry it. */
export interface Background {
  readonly hasNews: boolean;
  /** Waits for nothing: the outcome is kept when it comes. */
  start(run: Promise<Outcome>): void;
  /** Everything that came in since the last time. */
  take(): readonly Outcome[];
  /** Resolves when nothing runs any more. */
  idle(): Promise<void>;
}

export interface BackgroundOptions {
  /** An `asyncRewake` hook said no: the agent should look at it now. */
  readonly onWake?: ((outcome: Outcome) => void) | undefined;
}

export function createBackground({ onWake }: BackgroundOptions = {}): Background {
  const running = new Set<Promise<void>>();
  let news: Outcome[] = [];
  return {
    get hasNews() {
      return news.length > 0;
    },
    start(run) {
      const done = run.then((outcome) => {
        running.delete(done);
        news.push(outcome);
        if (outcome.hook.wakesAgent && outcome.effects.some(({ type }) => type === "deny" || type === "feedback")) onWake?.(outcome);
      });
      running.add(done);
    },
    take() {
      const taken = news;
      news = [];
      return taken;
    },
    async idle() {
      while (running.size > 0) await Promise.all(running);
    },
  };
}
