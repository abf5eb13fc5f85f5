import type { LoopEnd } from "../loop-types.ts";

/** A subagent that works while its caller goes on; an item of `background_tasks`. */
export interface AgentTask {
  readonly id: string;
  readonly description: string;
  readonly agent_type: string;
}

export interface FinishedAgent extends AgentTask {
  readonly end: LoopEnd;
}

export interface BackgroundAgents {
  start(task: AgentTask, run: (signal: AbortSignal) => Promise<LoopEnd>): void;
  readonly running: readonly AgentTask[];
  /** Those that have finished since the last time; waits for one if none has. Nothing if none runs. */
  next(): Promise<readonly FinishedAgent[]>;
  /** Ends what still runs. */
  close(): Promise<void>;
}

export function createBackgroundAgents(): BackgroundAgents {
  const running = new Map<AgentTask, Promise<void>>();
  const ending = new AbortController();
  let finished: FinishedAgent[] = [];
  return {
    get running() {
      return [...running.keys()];
    },
    start(task, run) {
      const failed = (thrown: unknown): LoopEnd => ({ reason: "model_error", text: "", detail: String(thrown), turns: 0 });
      const done = run(ending.signal)
        .catch(failed)
        .then((end) => {
          running.delete(task);
          finished.push({ ...task, end });
        });
      running.set(task, done);
    },
    async next() {
      if (finished.length === 0 && running.size > 0) await Promise.race(running.values());
      const taken = finished;
      finished = [];
      return taken;
    },
    async close() {
      ending.abort();
      await Promise.allSettled(running.values());
    },
  };
}
