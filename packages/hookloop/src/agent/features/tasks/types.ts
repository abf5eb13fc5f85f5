import type { Processes } from "../../../trust/index.ts";

export const STATUSES = ["pending", "in_progress", "completed"] as const;
export type TaskStatus = (typeof STATUSES)[number];

/** A process, so that what it held can be told from what somebody still works on: a pid alone is reused. */
export type Holder = ReturnType<Processes["self"]>;

export interface Task {
  readonly id: string;
  readonly subject: string;
  readonly description: string;
  readonly activeForm?: string | undefined;
  readonly status: TaskStatus;
  /** Name of the agent that works on it, or is to. */
  readonly owner?: string | undefined;
  /** The process that agent lives in. */
  readonly holder?: Holder | undefined;
  /** Tasks that must be completed first. */
  readonly blockedBy: readonly string[];
}

/** The whole list. Ids are never used again. */
export interface TaskState {
  readonly nextId: number;
  readonly tasks: readonly Task[];
}

/** Who wants something of the list. */
export interface Worker {
  readonly name: string;
  readonly holder: Holder;
  /** The main agent of its process: it may change what its own teammates work on. */
  readonly isLead: boolean;
}
