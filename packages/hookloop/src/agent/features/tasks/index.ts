export { nextTaskFor } from "./dependencies.ts";
export { releaseOf } from "./release.ts";
export { openTaskList, type TaskList } from "./task-list.ts";
export { openTasks } from "./tasks.ts";
export type { Task, Worker } from "./types.ts";
export { wantsTasks } from "./wants-tasks.ts";
