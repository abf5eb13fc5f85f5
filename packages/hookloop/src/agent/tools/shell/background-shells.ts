import { closeSync, openSync } from "node:fs";
import path from "node:path";
import type { Programs } from "../../../run/index.ts";
import { ToolFailure, type ToolOutput } from "../types.ts";

/** A command that runs on while the agent works; an item of `background_tasks`. */
export interface BackgroundTask {
  readonly id: string;
  readonly type: "shell";
  readonly status: "running" | "completed" | "failed";
  readonly description: string;
  readonly command: string;
}

export interface BackgroundShells {
  start(
    command: string,
    where: { readonly file?: string; readonly env: Readonly<Record<string, string>>; readonly cwd: string },
  ): ToolOutput;
  readonly tasks: readonly BackgroundTask[];
  /** Ends what still runs; settles when it is gone. */
  close(): Promise<void>;
}

const LONGEST_DESCRIPTION = 1000;

/** What a background command prints goes to a file that the model can read. */
export function createBackgroundShells(programs: Programs): BackgroundShells {
  const tasks = new Map<string, { task: BackgroundTask; end: Promise<unknown> }>();
  const closing = new AbortController();
  let folder: string | undefined;
  return {
    get tasks() {
      return [...tasks.values()].map(({ task }) => task);
    },
    start(command, { file: shell = "bash", env, cwd }) {
      folder ??= programs.makeFolder("background");
      const id = `shell_${tasks.size + 1}`;
      const file = path.join(folder, `${id}.txt`);
      const outputFd = openSync(file, "wx", 0o600);
      let isStarted = false;
      const onStart = (): void => {
        isStarted = true;
      };
      const place = { env, cwd, fallbackCwd: cwd, stdin: Buffer.alloc(0), outputFd };
      const program = { file: shell, args: ["-c", command], isShell: false, ...place, timeoutMs: Number.POSITIVE_INFINITY };
      const { end } = programs.start({ ...program, onStart, signal: closing.signal }, { text: "a Bash command in the background" });
      closeSync(outputFd);
      if (!isStarted) throw new ToolFailure("The command could not be started: bash was not found, or the folder is gone.");
      const task: BackgroundTask = { id, type: "shell", status: "running", description: shortened(command), command };
      const known = { task, end };
      tasks.set(id, known);
      void end.then(({ exitCode }) => {
        known.task = { ...task, status: exitCode === 0 ? "completed" : "failed" };
      });
      const response = { stdout: "", stderr: "", interrupted: false, backgroundTaskId: id };
      return { response, text: `It runs in the background as ${id}. What it prints is in ${file}.` };
    },
    async close() {
      closing.abort();
      await Promise.all([...tasks.values()].map(({ end }) => end));
      tasks.clear();
    },
  };
}

function shortened(text: string): string {
  return text.length <= LONGEST_DESCRIPTION ? text : `${text.slice(0, LONGEST_DESCRIPTION)}… [+${text.length - LONGEST_DESCRIPTION} chars]`;
}
