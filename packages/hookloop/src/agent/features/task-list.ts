/**
 * The list that agents share: those of one session, and those of other processes that were given the same file.
 * A change happens under a lock, and the file is replaced as a whole: whoever is killed at any point leaves the list before or after it.
 */

import { lstatSync, readFileSync } from "node:fs";
import path from "node:path";
import * as z from "zod";
import { makeFolders, replaceFile } from "../../state-files.ts";
import { type Processes, withLock } from "../../trust/index.ts";

interface TaskListOptions {
  /** Kept in memory if left out. */
  readonly file: string | undefined;
  readonly processes: Processes;
}

export interface TaskList {
  /** As it is now; what dead processes held is free. Throws if the file is no list. */
  read(): readonly Task[];
  /** Changes it while nobody else does; a change that throws changes nothing. */
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

/** What a process held that is gone can be taken by others; what it completed stays completed. */
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

export const STATUSES = ["pending", "in_progress", "completed"] as const;
export type TaskStatus = (typeof STATUSES)[number];

/** A process, so that what it held can be told from what somebody still works on: a pid alone is reused. */
type Holder = ReturnType<Processes["self"]>;

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
interface TaskState {
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

/** The list as text, and back. Refuses what is not a whole list: half of one would be taken for the truth. */

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

/** Throws if it is no list. */
function readStateText(text: string): TaskState {
  const { data, error } = STATE.safeParse(JSON.parse(text));
  if (data) return data;
  throw new Error(error.issues.map(({ path, message }) => `${path.join(".")}: ${message}`).join("; "));
}
