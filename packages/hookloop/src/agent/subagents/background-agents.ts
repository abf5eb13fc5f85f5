import type { BackgroundWork } from "../background-work.ts";
import type { LoopEnd } from "../loop-types.ts";

/** A subagent that works while its caller goes on; an item of `background_tasks`. */
export interface AgentTask {
  readonly id: string;
  readonly description: string;
  readonly agent_type: string;
}

interface FinishedAgent extends AgentTask {
  readonly end: LoopEnd;
}

export interface BackgroundAgents extends BackgroundWork {
  start(task: AgentTask, run: (signal: AbortSignal) => Promise<LoopEnd>): void;
  readonly running: readonly AgentTask[];
  /** Ends what still runs. */
  close(): Promise<void>;
}

/** `onFinished` is told of each that ended by itself, before its caller is. */
export function createBackgroundAgents(onFinished?: (task: AgentTask) => Promise<void>): BackgroundAgents {
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
        .then(async (end) => {
          if (!ending.signal.aborted) await onFinished?.(task);
          running.delete(task);
          finished.push({ ...task, end });
        });
      running.set(task, done);
    },
    isPending: () => running.size > 0 || finished.length > 0,
    async news() {
      if (finished.length === 0 && running.size > 0) await Promise.race(running.values());
    },
    take() {
      const taken = finished;
      finished = [];
      return taken.map(finishedText);
    },
    async close() {
      ending.abort();
      await Promise.allSettled(running.values());
    },
  };
}

function finishedText({ id, description, end: { text, detail } }: FinishedAgent): string {
  return `The agent ${id} (${description}) has finished: ${text || detail || ""}`;
}
