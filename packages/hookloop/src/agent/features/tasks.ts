/**
 * The list that agents share: those of one session, and those of other processes that were given the same file.
 * A change happens under a lock and replaces the whole file: a process that is killed leaves the list as it was before or after the change.
 */

import { lstatSync, readFileSync } from "node:fs";
import path from "node:path";
import type { EventName, ToolInputs } from "@hookloop/sdk";
import * as z from "zod";
import { makeFolders, replaceFile } from "../../state-files.ts";
import { type Processes, withLock } from "../../trust/index.ts";
import { agentFields, type CatalogueTool, type ToolContext, ToolFailure, toolList } from "../tools/types.ts";
import { type AgentCore, type Feature, throwIfRefused } from "./types.ts";

interface TaskListOptions {
  readonly file: string | undefined;
  readonly processes: Processes;
}

export interface TaskList {
  /** As it is now; what dead processes held is free. Throws if the file is no list. */
  read(): readonly Task[];
  /** Changes it under the lock; a change that throws changes nothing. */
  change<Result>(work: (state: TaskState) => Changed<Result>): Promise<Result>;
  /** Calls after each change of this process; the function it gives takes the listener away. */
  onChange(listener: () => void): () => void;
}

interface Changed<Result> {
  readonly state: TaskState;
  readonly result: Result;
}

export function openTaskList({ file, processes }: TaskListOptions): TaskList {
  const listeners = new Set<() => void>();
  let inMemory = NO_TASKS;
  const load = (): TaskState => {
    const state = file === undefined ? inMemory : readFile(file);
    return { ...state, tasks: releaseDead(state.tasks, processes) };
  };
  const save = (state: TaskState): void => {
    if (file === undefined) inMemory = state;
    else replaceFile(file, stateText(state));
  };
  return {
    read: () => load().tasks,
    async change(work) {
      const step = () => {
        const { state, result } = work(load());
        save(state);
        return result;
      };
      if (file !== undefined) makeFolders(path.dirname(file), 0o700);
      const result = file === undefined ? step() : await withLock({ file: `${file}.lock`, processes }, step);
      for (const listener of listeners) listener();
      return result;
    },
    onChange(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

function readFile(file: string): TaskState {
  try {
    // SECURITY: what is no plain file is neither followed nor waited for.
    if (!lstatSync(file).isFile()) throw new Error("it is not a file");
    return readStateText(readFileSync(file, "utf8"));
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code === "ENOENT") return NO_TASKS;
    throw new Error(`The task list ${file} is not used: ${(thrown as Error).message}. It is left as it is; fix it, or move it away.`);
  }
}

export function openBlockers(task: Pick<Task, "blockedBy">, tasks: readonly Task[]): readonly string[] {
  return task.blockedBy.filter((id) => tasks.some((other) => other.id === id && other.status !== "completed"));
}

/** The path from a task back to itself, if its dependencies are circular: none of them could begin. */
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

/** The first task that an agent of this name may begin: its own, or one without an owner. */
export function nextTaskFor(name: string, tasks: readonly Task[]): Task | undefined {
  const isFree = (task: Task): boolean => task.status === "pending" && openBlockers(task, tasks).length === 0;
  const free = tasks.filter(isFree);
  return free.find(({ owner }) => owner === name) ?? free.find(({ owner }) => owner === undefined);
}

/** Tasks that a dead process held are free; those it completed stay completed. */
function releaseDead(tasks: readonly Task[], { isRunning }: Pick<Processes, "isRunning">): readonly Task[] {
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

export function freed({ owner: _owner, holder: _holder, ...task }: Task): Task {
  return { ...task, status: "pending" };
}

export function releaseOf(
  tasks: readonly Task[],
  { name, holder }: { readonly name: string; readonly holder: Task["holder"] },
): readonly Task[] {
  const isOwn = (task: Task): boolean => task.owner === name && task.holder?.pid === holder?.pid && task.status === "in_progress";
  return tasks.map((task) => (isOwn(task) ? freed(task) : task));
}

export const STATUSES = ["pending", "in_progress", "completed"] as const;
export type TaskStatus = (typeof STATUSES)[number];

/** A process. The start time is part of it, since a pid is reused. */
type Holder = ReturnType<Processes["self"]>;

export interface Task {
  readonly id: string;
  readonly subject: string;
  readonly description: string;
  readonly activeForm?: string | undefined;
  readonly status: TaskStatus;
  readonly owner?: string | undefined;
  readonly holder?: Holder | undefined;
  readonly blockedBy: readonly string[];
}

/** The whole list. Ids are never used again. */
interface TaskState {
  readonly nextId: number;
  readonly tasks: readonly Task[];
}

export interface Worker {
  readonly name: string;
  readonly holder: Holder;
  /** The main agent of its process: it may change what its own teammates work on. */
  readonly isLead: boolean;
}

const VERSION = 1;

const TASK = z.object({
  id: z.string(),
  subject: z.string(),
  description: z.string(),
  activeForm: z.string().optional(),
  status: z.enum(STATUSES),
  owner: z.string().optional(),
  holder: z.object({ pid: z.number(), startTime: z.string() }).optional(),
  blockedBy: z.array(z.string()),
});
const STATE = z.object({ version: z.literal(VERSION), nextId: z.number().int().positive(), tasks: z.array(TASK) });

const NO_TASKS: TaskState = { nextId: 1, tasks: [] };

function stateText({ nextId, tasks }: TaskState): string {
  return `${JSON.stringify({ version: VERSION, nextId, tasks }, null, 1)}\n`;
}

/** Refuses what is not a whole list: half of one would be taken for the truth. */
function readStateText(text: string): TaskState {
  const { data, error } = STATE.safeParse(JSON.parse(text));
  if (data) return data;
  throw new Error(error.issues.map(({ path, message }) => `${path.join(".")}: ${message}`).join("; "));
}

interface TaskToolOptions {
  readonly core: Pick<AgentCore, "fire" | "hooks">;
  readonly list: TaskList;
  readonly workerOf: (context: ToolContext) => Worker;
  /** Fields that payloads of a teammate have: `teammate_name`, `team_name`. */
  readonly teamFields: (context: ToolContext) => Readonly<Record<string, string>>;
}

function createTaskCreate(options: TaskToolOptions): CatalogueTool<"TaskCreate"> {
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

function createTaskUpdate(options: TaskToolOptions): CatalogueTool<"TaskUpdate"> {
  return {
    name: "TaskUpdate",
    description:
      "Changes a task. status: pending, in_progress (it is yours then), completed, or deleted. addBlockedBy: tasks it waits for; addBlocks: tasks that wait for it; owner: who is to do it.",
    async run(update, context) {
      const worker = options.workerOf(context);
      const planned = updateTask(options.list.read(), update, worker);
      // Planned first: an impossible update is refused before hooks are asked.
      if (isCompletion(planned)) await askHooks(options, "TaskCompleted", { ...planned.before, ...planned.after }, context);
      const { before, after } = await options.list.change(({ nextId, tasks }) => {
        const updated = updateTask(tasks, update, worker);
        // Hooks were not asked about this one.
        if (isCompletion(updated) && !isCompletion(planned))
          throw new ToolFailure("Another agent changed the task at the same time. Look again.");
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

function createTaskList({ list }: Pick<TaskToolOptions, "list">): CatalogueTool<"TaskList"> {
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

/**
 * TaskCreated is fired when an id is taken and before the task is in the list, TaskCompleted before a task is completed. If a hook denies it,
 * there is no such task, or it stays as it was.
 */
async function askHooks(options: TaskToolOptions, event: EventName, task: Task, context: ToolContext): Promise<void> {
  const { core, teamFields } = options;
  const { cwd, signal } = context;
  const input = {
    cwd,
    ...agentFields(context),
    task_id: task.id,
    task_subject: task.subject,
    task_description: task.description,
    ...teamFields(context),
  };
  const verdict = await core.fire(event, input, signal);
  if (verdict.halt) throw new ToolFailure(verdict.halt.text, verdict.halt.text, verdict.halt.text);
  throwIfRefused(verdict, input);
  if (signal.aborted || core.hooks.isClosing) throw new ToolFailure("It was interrupted; the task is as it was.");
}

/** Another agent may have put in a later one while hooks were asked. */
function inOrder(tasks: readonly Task[]): readonly Task[] {
  return tasks.toSorted((left, right) => Number(left.id) - Number(right.id));
}

function updateText({ status: _status, taskId: _id, ...fields }: TaskUpdate, status: string): string {
  return [status, ...Object.keys(fields)].join(", ");
}

type TaskUpdate = ToolInputs["TaskUpdate"];

interface UpdatedTasks {
  readonly tasks: readonly Task[];
  readonly before: Task;
  readonly after: Task | undefined;
}

const DELETED = "deleted";

function taskOf(tasks: readonly Task[], id: string): Task {
  const task = tasks.find((one) => one.id === id);
  if (task) return task;
  throw new ToolFailure(`There is no task ${id}. The tasks are: ${tasks.map((one) => one.id).join(", ") || "none"}.`);
}

/** The list after an update of one task. Throws if the update makes no sense, and says what would. */
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

/** A task in progress belongs to its owner until they give it back or their process is gone. */
function checkHolder({ id, status, owner, holder }: Task, update: TaskUpdate, worker: Worker): void {
  if (status !== "in_progress" || owner === undefined || (update.status === undefined && update.owner === undefined)) return;
  const isHere = holder?.pid === worker.holder.pid && holder.startTime === worker.holder.startTime;
  if (isHere && (worker.isLead || owner === worker.name)) return;
  throw new ToolFailure(`${owner} works on task ${id}. Take another one, or ask ${owner}.`);
}

/** An agent that begins a task owns it, unless it has an owner; a task that is put back has none. */
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

const MARKS: Readonly<Record<TaskStatus, string>> = { pending: " ", in_progress: "~", completed: "x" };

function showTasks(tasks: readonly Task[]): string {
  return tasks.map((task) => showTask(task, tasks)).join("\n") || "There are no tasks.";
}

function showTask(task: Task, tasks: readonly Task[]): string {
  const blockers = openBlockers(task, tasks);
  const notes = [task.owner, blockers.length > 0 && `waits for ${blockers.map((id) => `#${id}`).join(", ")}`].filter(Boolean);
  const line = `[${MARKS[task.status]}] #${task.id} ${task.subject}${notes.length > 0 ? ` (${notes.join("; ")})` : ""}`;
  const isTold = task.status !== "completed" && task.description !== "" && task.description !== task.subject;
  return isTold ? `${line}\n    ${task.description.replaceAll("\n", "\n    ")}` : line;
}

/** A list of tasks with dependencies, shared by every agent that was given it. `/tasks` shows it. */
export function openTasks(options: TaskToolOptions): Feature {
  return {
    tools: toolList(createTaskCreate(options), createTaskUpdate(options), createTaskList(options)),
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

/** Conversations get tasks, headless runs the simpler todos, unless `CLAUDE_CODE_ENABLE_TASKS` says otherwise. */
export function wantsTasks(env: Readonly<Record<string, string | undefined>>, isInteractive: boolean): boolean {
  const given = env["CLAUDE_CODE_ENABLE_TASKS"]?.trim().toLowerCase();
  if (given === undefined || given === "") return isInteractive;
  return !["0", "false", "no", "off"].includes(given);
}
