/**
 * TaskCreate, TaskUpdate, TaskList. Hooks have their word before anything is so:
 *   an id is taken → TaskCreated → the task is in the list          (a no: there is no such task)
 *   TaskCompleted → the task is completed                            (a no: it stays as it was)
 */
import type { EventName } from "@hookloop/sdk";
import { blockTexts } from "../../../judge/index.ts";
import { type CatalogueTool, type ToolContext, ToolFailure } from "../../tools/types.ts";
import type { AgentCore } from "../types.ts";
import { openBlockers } from "./dependencies.ts";
import { showTasks } from "./show-tasks.ts";
import type { TaskList } from "./task-list.ts";
import type { Task, Worker } from "./types.ts";
import { type TaskUpdate, updateTask } from "./update-task.ts";

export interface TaskToolOptions {
  readonly core: Pick<AgentCore, "fire" | "hooks">;
  readonly list: TaskList;
  /** Who runs a tool. */
  readonly workerOf: (context: ToolContext) => Worker;
  /** Fields that payloads of a teammate have: `teammate_name`, `team_name`. */
  readonly teamFields: (context: ToolContext) => Readonly<Record<string, string>>;
}

export function createTaskCreate(options: TaskToolOptions): CatalogueTool<"TaskCreate"> {
  return {
    name: "TaskCreate",
    description: "Adds a task to the list that you and your teammates share. Say what it waits for with TaskUpdate (addBlockedBy).",
    async run({ subject, description, activeForm }, context) {
      if (subject.trim() === "") throw new ToolFailure("The task has no subject.");
      const id = await options.list.change(({ nextId, tasks }) => ({ state: { nextId: nextId + 1, tasks }, result: String(nextId) }));
      const task: Task = { id, subject, description, ...(activeForm !== undefined && { activeForm }), status: "pending", blockedBy: [] };
      await askHooks(options, "TaskCreated", task, context);
      await options.list.change(({ nextId, tasks }) => ({ state: { nextId, tasks: inOrder([...tasks, task]) }, result: undefined }));
      return { response: { task: { id, subject } }, text: `Task #${id} was created: ${subject}` };
    },
  };
}

export function createTaskUpdate(options: TaskToolOptions): CatalogueTool<"TaskUpdate"> {
  return {
    name: "TaskUpdate",
    description:
      "Changes a task. status: pending, in_progress (it is yours then), completed, or deleted. addBlockedBy: tasks it waits for; addBlocks: tasks that wait for it; owner: who is to do it.",
    async run(update, context) {
      const worker = options.workerOf(context);
      const planned = updateTask(options.list.read(), update, worker);
      // Before it is so: the update may not be possible at all, and then there is nothing to ask about.
      if (isCompletion(planned)) await askHooks(options, "TaskCompleted", { ...planned.before, ...planned.after }, context);
      const { before, after } = await options.list.change(({ nextId, tasks }) => {
        const updated = updateTask(tasks, update, worker);
        // Hooks were not asked about this one.
        if (isCompletion(updated) && !isCompletion(planned))
          throw new ToolFailure("Somebody changed the task at the same time. Look again.");
        return { state: { nextId, tasks: updated.tasks }, result: updated };
      });
      const from = before.status;
      const to = after?.status ?? "deleted";
      const updatedFields = Object.keys(update).filter((name) => name !== "taskId");
      const response = { success: true, taskId: before.id, updatedFields, ...(from !== to && { statusChange: { from, to } }) };
      return { response, text: `Task #${before.id} was updated: ${updateText(update, to)}` };
    },
  };
}

export function createTaskList({ list }: Pick<TaskToolOptions, "list">): CatalogueTool<"TaskList"> {
  return {
    name: "TaskList",
    description: "Shows all tasks: who works on which, and which waits for which.",
    async run() {
      const tasks = list.read();
      const shown = tasks.map((task) => ({
        id: task.id,
        subject: task.subject,
        status: task.status,
        ...(task.owner !== undefined && { owner: task.owner }),
        blockedBy: openBlockers(task, tasks),
      }));
      return { response: { tasks: shown }, text: showTasks(tasks) };
    },
  };
}

function isCompletion({ before, after }: { readonly before: Task; readonly after: Task | undefined }): boolean {
  return after?.status === "completed" && before.status !== "completed";
}

/** Throws a `ToolFailure` with the hooks' words if they block. */
async function askHooks(options: TaskToolOptions, event: EventName, task: Task, context: ToolContext): Promise<void> {
  const { core, teamFields } = options;
  const { agentId, agentType, cwd, signal } = context;
  const input = {
    cwd,
    ...(agentId !== undefined && { agent_id: agentId }),
    ...(agentType !== undefined && { agent_type: agentType }),
    task_id: task.id,
    task_subject: task.subject,
    task_description: task.description,
    ...teamFields(context),
  };
  const verdict = await core.fire(event, input, signal);
  if (verdict.halt) throw new ToolFailure(verdict.halt.text, verdict.halt.text, verdict.halt.text);
  // A guard that failed asks; here nobody can say yes.
  if (verdict.decision === "deny" || verdict.decision === "ask") {
    throw new ToolFailure(blockTexts({ verdict: { ...verdict, decision: "deny" }, input }).join("\n"));
  }
  if (signal.aborted || core.hooks.isClosing) throw new ToolFailure("It was interrupted; the task is as it was.");
}

/** Another agent may have put in a later one while hooks were asked. */
function inOrder(tasks: readonly Task[]): readonly Task[] {
  return tasks.toSorted((left, right) => Number(left.id) - Number(right.id));
}

function updateText({ status: _status, taskId: _id, ...fields }: TaskUpdate, status: string): string {
  return [status, ...Object.keys(fields)].join(", ");
}
