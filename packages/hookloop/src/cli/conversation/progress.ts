/** Says what is going on once it takes longer than a person waits without wondering: a hook's own words while it runs, else that the agent works. */

import type { RegisteredHook } from "../../config/index.ts";
import type { TraceRecord } from "../../engine/index.ts";
import type { AskScreen, Screen } from "../screen/text-width.ts";

export interface Progress {
  /** Something begins; the function it returns ends it. */
  start(text: string): () => void;
  /** Hooks as they start and end. */
  trace(record: TraceRecord): void;
  /** The time a person takes for an answer is not the time of what waits for it. */
  notCounted<Answer>(answer: Promise<Answer>): Promise<Answer>;
}

interface ProgressOptions {
  readonly screen: Pick<Screen, "setProgress">;
  readonly hookOf: (id: string) => RegisteredHook | undefined;
  readonly shorten: (text: string) => string;
}

const QUIET_MS = 300;
const TICK_MS = 1000;

interface Task {
  readonly text: string;
  startedAt: number;
  isLong: boolean;
}

export function createProgress({ screen, hookOf, shorten }: ProgressOptions): Progress {
  const tasks = new Set<Task>();
  /** Several runs of one hook end in any order: which is which does not matter to who watches. */
  const ofHooks = new Map<string, (() => void)[]>();
  let ticking: NodeJS.Timeout | undefined;
  const show = (): void => {
    const task = [...tasks].findLast(({ isLong }) => isLong);
    const seconds = task ? Math.floor((performance.now() - task.startedAt) / 1000) : 0;
    screen.setProgress(task && `… ${task.text}${seconds > 0 ? ` ${seconds} s` : ""}`);
    if (task) ticking ??= setInterval(show, TICK_MS).unref();
    else {
      clearInterval(ticking);
      ticking = undefined;
    }
  };
  const start = (text: string): (() => void) => {
    const task: Task = { text, startedAt: performance.now(), isLong: false };
    tasks.add(task);
    const timer = setTimeout(() => {
      task.isLong = true;
      show();
    }, QUIET_MS);
    return () => {
      clearTimeout(timer);
      if (tasks.delete(task) && task.isLong) show();
    };
  };
  return {
    start,
    async notCounted(answer) {
      const since = performance.now();
      try {
        return await answer;
      } finally {
        const now = performance.now();
        for (const task of tasks) task.startedAt += now - Math.max(since, task.startedAt);
        if (ticking) show();
      }
    },
    trace(record) {
      if (record.type === "outcome") ofHooks.get(record.hook)?.pop()?.();
      if (record.type !== "started") return;
      const { hook: id, name, event } = record;
      const hook = hookOf(id);
      const text = hook?.statusMessage ?? `${event} hook ${hook?.name ?? name}`;
      const ends = ofHooks.get(id) ?? [];
      ofHooks.set(id, [...ends, start(shorten(text).replaceAll("\n", " "))]);
    },
  };
}

/** The screen for questions: while one is open, no time is counted. */
export function askingScreen(screen: Screen, { notCounted }: Progress): AskScreen {
  return {
    columns: () => screen.columns(),
    print: (text, indent) => screen.print(text, indent),
    ask: (question, signal) => notCounted(screen.ask(question, signal)),
    inTurn: screen.inTurn,
  };
}
