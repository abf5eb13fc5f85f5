/** A list of tasks with dependencies, shared by every agent that was given it. `/tasks` shows it. */
import type { AgentTool } from "../../tools/types.ts";
import type { Feature } from "../types.ts";
import { showTasks } from "./show-tasks.ts";
import { createTaskCreate, createTaskList, createTaskUpdate, type TaskToolOptions } from "./task-tools.ts";

export function openTasks(options: TaskToolOptions): Feature {
  const tools = [createTaskCreate(options), createTaskUpdate(options), createTaskList(options)];
  return {
    // Each tool knows its own input; the toolbox has checked it before the tool sees it.
    tools: tools as readonly unknown[] as readonly AgentTool[],
    replaces: ["TodoWrite"],
    commands: { tasks: { description: "show the tasks", run: async () => shownOr(options) } },
  };
}

function shownOr({ list }: TaskToolOptions): string {
  try {
    return showTasks(list.read());
  } catch (thrown) {
    return (thrown as Error).message;
  }
}
