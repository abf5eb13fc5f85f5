/**
 * The list that agents share: those of one session, and those of other processes that were given the same file.
 * A change happens under a lock, and the file is replaced as a whole: whoever is killed at any point leaves the list before or after it.
 */
import { lstatSync, readFileSync } from "node:fs";
import path from "node:path";
import { makeFolders, replaceFile } from "../../../state-files.ts";
import { type Processes, withLock } from "../../../trust/index.ts";
import { releaseDead } from "./release.ts";
import { NO_TASKS, readStateText, stateText } from "./state-text.ts";
import type { Task, TaskState } from "./types.ts";

export interface TaskListOptions {
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

export interface Changed<Result> {
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
