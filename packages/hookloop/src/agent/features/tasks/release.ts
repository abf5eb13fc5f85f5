import type { Processes } from "../../../trust/index.ts";
import type { Task } from "./types.ts";

/** What a process held that is gone can be taken by others; what it completed stays completed. */
export function releaseDead(tasks: readonly Task[], { isRunning }: Pick<Processes, "isRunning">): readonly Task[] {
  const known = new Map<string, boolean>();
  const isAlive = (task: Task): boolean => {
    if (!task.holder) return true;
    const key = `${task.holder.pid} ${task.holder.startTime}`;
    const answer = known.get(key) ?? isRunning(task.holder);
    known.set(key, answer);
    return answer;
  };
  return tasks.map((task) => (task.status === "completed" || isAlive(task) ? task : freed(task)));
}

/** Nobody's, and to be done. */
export function freed({ owner: _owner, holder: _holder, ...task }: Task): Task {
  return { ...task, status: "pending" };
}

/** The same list without the claims of one agent. */
export function releaseOf(
  tasks: readonly Task[],
  { name, holder }: { readonly name: string; readonly holder: Task["holder"] },
): readonly Task[] {
  const isOwn = (task: Task): boolean => task.owner === name && task.holder?.pid === holder?.pid && task.status === "in_progress";
  return tasks.map((task) => (isOwn(task) ? freed(task) : task));
}
