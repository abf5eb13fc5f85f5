/** The tasks of a context: what the task tools of an agent say about them, kept in its state for the sessions that follow. */

import { visibleLine } from "../diagnostic.ts";
import { readState } from "./context-files.ts";
import { nowIso, STATUS_ICONS, type Task, type TaskStatus } from "./state.ts";
import { saveState } from "./store.ts";

export interface NewTask {
  /** The id that the agent gave it; the next free number if left out. */
  readonly id?: string | undefined;
  readonly subject: string;
  readonly description?: string | undefined;
  readonly status?: TaskStatus | undefined;
}

/** `deleted` takes the task out of the list. */
export interface TaskChange {
  readonly subject?: string | undefined;
  readonly description?: string | undefined;
  readonly status?: TaskStatus | "deleted" | undefined;
}

/** The tasks of a context, in the order in which they were added; none if there is no such context. */
export function getTasks(contextId: string, projectRoot: string): readonly Task[] {
  return readState(contextId, projectRoot)?.tasks ?? [];
}

/** Adds a task. One with an id that is there already replaces it: agents report some calls twice. */
export async function addTask(contextId: string, task: NewTask, projectRoot: string): Promise<Task> {
  let added: Task | undefined;
  await saveState(
    contextId,
    (state) => {
      const id = task.id ?? nextId(state.tasks);
      const old = state.tasks.find((one) => one.id === id);
      const now = nowIso();
      const { subject, description, status = old?.status ?? "pending" } = task;
      added = {
        id,
        subject: visibleLine(subject),
        description,
        status: checkedStatus(status),
        createdAt: old?.createdAt ?? now,
        updatedAt: now,
      };
      const next = added;
      return { ...state, tasks: old ? state.tasks.map((one) => (one === old ? next : one)) : [...state.tasks, next] };
    },
    projectRoot,
  );
  if (added === undefined) throw new Error(`The task was not added to "${contextId}".`);
  return added;
}

/** Changes a task. Gives it as it is then; nothing if it is not in the list (any more). */
export async function updateTask(contextId: string, taskId: string, change: TaskChange, projectRoot: string): Promise<Task | undefined> {
  const state = await saveState(
    contextId,
    (now) => {
      const old = now.tasks.find(({ id }) => id === taskId);
      if (old === undefined) return now;
      if (change.status === "deleted") return { ...now, tasks: now.tasks.filter((one) => one !== old) };
      const next: Task = {
        ...old,
        subject: change.subject === undefined ? old.subject : visibleLine(change.subject),
        description: change.description ?? old.description,
        status: checkedStatus(change.status ?? old.status),
        updatedAt: nowIso(),
      };
      return { ...now, tasks: now.tasks.map((one) => (one === old ? next : one)) };
    },
    projectRoot,
  );
  return state.tasks.find(({ id }) => id === taskId);
}

/** `◐ #2 Write the parser` */
export function taskLine({ id, subject, status }: Task): string {
  return `${STATUS_ICONS[status]} #${id} ${subject}`;
}

function nextId(tasks: readonly Task[]): string {
  return String(Math.max(0, ...tasks.map(({ id }) => Number.parseInt(id, 10) || 0)) + 1);
}

function checkedStatus(status: TaskStatus): TaskStatus {
  if (Object.hasOwn(STATUS_ICONS, status)) return status;
  throw new Error(`${JSON.stringify(status)} is not the status of a task: ${Object.keys(STATUS_ICONS).join(", ")}, deleted.`);
}
