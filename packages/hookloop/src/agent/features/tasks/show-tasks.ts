import { openBlockers } from "./dependencies.ts";
import type { Task, TaskStatus } from "./types.ts";

const MARKS: Readonly<Record<TaskStatus, string>> = { pending: " ", in_progress: "~", completed: "x" };

/** A line for each task, and what it is about while it is still to be done. */
export function showTasks(tasks: readonly Task[]): string {
  return tasks.map((task) => showTask(task, tasks)).join("\n") || "There are no tasks.";
}

function showTask(task: Task, tasks: readonly Task[]): string {
  const blockers = openBlockers(task, tasks);
  const notes = [task.owner, blockers.length > 0 && `waits for ${blockers.map((id) => `#${id}`).join(", ")}`].filter(Boolean);
  const line = `[${MARKS[task.status]}] #${task.id} ${task.subject}${notes.length > 0 ? ` (${notes.join("; ")})` : ""}`;
  const isTold = task.status !== "completed" && task.description !== "" && task.description !== task.subject;
  return isTold ? `${line}\n    ${task.description.replaceAll("\n", "\n    ")}` : line;
}
