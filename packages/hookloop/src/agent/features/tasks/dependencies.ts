import type { Task } from "./types.ts";

/** Tasks that this one still waits for. */
export function openBlockers(task: Pick<Task, "blockedBy">, tasks: readonly Task[]): readonly string[] {
  return task.blockedBy.filter((id) => tasks.some((other) => other.id === id && other.status !== "completed"));
}

/** The way from a task back to itself, if its dependencies make one: nobody could ever begin. */
export function findCycle(tasks: readonly Task[], from: string): readonly string[] | undefined {
  const byId = new Map(tasks.map((task) => [task.id, task]));
  const seen = new Set<string>();
  const walk = (id: string, way: readonly string[]): readonly string[] | undefined => {
    for (const next of byId.get(id)?.blockedBy ?? []) {
      if (next === from) return [...way, next];
      if (seen.has(next)) continue;
      seen.add(next);
      const found = walk(next, [...way, next]);
      if (found) return found;
    }
    return undefined;
  };
  return walk(from, [from]);
}

/** The first task that somebody of this name may begin: assigned to them, or to nobody. */
export function nextTaskFor(name: string, tasks: readonly Task[]): Task | undefined {
  const isFree = (task: Task): boolean => task.status === "pending" && openBlockers(task, tasks).length === 0;
  const free = tasks.filter(isFree);
  return free.find(({ owner }) => owner === name) ?? free.find(({ owner }) => owner === undefined);
}
