/** Takes the list and what somebody wants of one task; gives the list after it. Refuses what would make no sense, with the cure. Changes nothing itself. */
import type { ToolInputs } from "@hookloop/sdk";
import { ToolFailure } from "../../tools/types.ts";
import { findCycle, openBlockers } from "./dependencies.ts";
import { freed } from "./release.ts";
import { STATUSES, type Task, type TaskStatus, type Worker } from "./types.ts";

export type TaskUpdate = ToolInputs["TaskUpdate"];

export interface UpdatedTasks {
  readonly tasks: readonly Task[];
  readonly before: Task;
  /** Absent if it was deleted. */
  readonly after: Task | undefined;
}

const DELETED = "deleted";

/** The task of that id; throws a `ToolFailure` if there is none. */
export function taskOf(tasks: readonly Task[], id: string): Task {
  const task = tasks.find((one) => one.id === id);
  if (task) return task;
  throw new ToolFailure(`There is no task ${id}. The tasks are: ${tasks.map((one) => one.id).join(", ") || "none"}.`);
}

export function updateTask(tasks: readonly Task[], update: TaskUpdate, worker: Worker): UpdatedTasks {
  const before = taskOf(tasks, update.taskId);
  const status = statusOf(update.status);
  checkHolder(before, update, worker);
  if (status === DELETED) return { tasks: withoutTask(tasks, before.id), before, after: undefined };
  const after = claimed({ ...before, ...changedFields(update), ...(status && { status }) }, update, worker, before);
  const linked = linkTasks(
    tasks.map((task) => (task.id === after.id ? after : task)),
    update,
  );
  checkLinks(linked, update);
  checkOrder(taskOf(linked, after.id), before, linked);
  return { tasks: linked, before, after: taskOf(linked, after.id) };
}

function statusOf(given: string | undefined): TaskStatus | typeof DELETED | undefined {
  if (given === undefined || given === DELETED) return given;
  const known = STATUSES.find((status) => status === given);
  if (known) return known;
  throw new ToolFailure(`"${given}" is no status. A task is ${STATUSES.join(", ")} or ${DELETED}.`);
}

function changedFields({ subject, description, activeForm }: TaskUpdate): Partial<Task> {
  return {
    ...(subject !== undefined && { subject }),
    ...(description !== undefined && { description }),
    ...(activeForm !== undefined && { activeForm }),
  };
}

/** What somebody works on is theirs, until they give it back or their process is gone. */
function checkHolder({ id, status, owner, holder }: Task, update: TaskUpdate, worker: Worker): void {
  if (status !== "in_progress" || owner === undefined || (update.status === undefined && update.owner === undefined)) return;
  const isHere = holder?.pid === worker.holder.pid && holder.startTime === worker.holder.startTime;
  if (isHere && (worker.isLead || owner === worker.name)) return;
  throw new ToolFailure(`${owner} works on task ${id}. Take another one, or ask ${owner}.`);
}

/** Whoever begins a task owns it, unless it was given to somebody; what is put back is nobody's. */
function claimed(task: Task, { owner, status }: TaskUpdate, { name, holder }: Worker, before: Task): Task {
  if (owner !== undefined) return owner === "" ? freed(task) : { ...task, owner, holder };
  if (status === "pending" && before.status === "in_progress") return freed(task);
  if (status !== "in_progress") return task;
  return { ...task, owner: task.owner ?? name, holder };
}

function linkTasks(tasks: readonly Task[], { taskId, addBlockedBy = [], addBlocks = [] }: TaskUpdate): readonly Task[] {
  return tasks.map((task) => {
    const more = [...(task.id === taskId ? addBlockedBy : []), ...(addBlocks.includes(task.id) ? [taskId] : [])];
    return more.length === 0 ? task : { ...task, blockedBy: [...new Set([...task.blockedBy, ...more])] };
  });
}

function checkLinks(tasks: readonly Task[], { taskId, addBlockedBy = [], addBlocks = [] }: TaskUpdate): void {
  for (const id of [...addBlockedBy, ...addBlocks]) taskOf(tasks, id);
  const cycle = findCycle(tasks, taskId);
  if (cycle) throw new ToolFailure(`Then none of them could begin: task ${cycle.join(" waits for ")}.`);
}

function checkOrder(after: Task, before: Task, tasks: readonly Task[]): void {
  const blockers = openBlockers(after, tasks);
  if (after.status === "pending" || after.status === before.status || blockers.length === 0) return;
  throw new ToolFailure(`Task ${after.id} waits for ${blockers.join(", ")}. Complete that first.`);
}

function withoutTask(tasks: readonly Task[], id: string): readonly Task[] {
  return tasks.filter((task) => task.id !== id).map((task) => ({ ...task, blockedBy: task.blockedBy.filter((other) => other !== id) }));
}
