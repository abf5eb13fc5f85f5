import { spawn } from "node:child_process";
import { closeSync, mkdtempSync, openSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
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
  /** Ends what still runs. */
  close(): void;
}

const LONGEST_DESCRIPTION = 1000;

/** What a background command prints goes to a file that the model can read. */
export function createBackgroundShells(): BackgroundShells {
  const tasks = new Map<string, { task: BackgroundTask; pid: number }>();
  let folder: string | undefined;
  return {
    get tasks() {
      return [...tasks.values()].map(({ task }) => task);
    },
    start(command, { file: shell = "bash", env, cwd }) {
      folder ??= mkdtempSync(path.join(tmpdir(), "hookloop-background-"));
      const id = `shell_${tasks.size + 1}`;
      const file = path.join(folder, `${id}.txt`);
      const output = openSync(file, "wx", 0o600);
      const child = spawn(shell, ["-c", command], { cwd, env, detached: true, stdio: ["ignore", output, output] });
      closeSync(output);
      child.on("error", () => {});
      if (child.pid === undefined) throw new ToolFailure("The command could not be started: bash was not found, or the folder is gone.");
      const task: BackgroundTask = { id, type: "shell", status: "running", description: shortened(command), command };
      tasks.set(id, { task, pid: child.pid });
      child.on("exit", (code) => {
        const known = tasks.get(id);
        if (known) known.task = { ...known.task, status: code === 0 ? "completed" : "failed" };
      });
      child.unref();
      const response = { stdout: "", stderr: "", interrupted: false, backgroundTaskId: id };
      return { response, text: `It runs in the background as ${id}. What it prints is in ${file}.` };
    },
    close() {
      for (const { task, pid } of tasks.values()) if (task.status === "running") endGroup(pid);
      if (folder) rmSync(folder, { recursive: true, force: true });
      tasks.clear();
    },
  };
}

function endGroup(pid: number): void {
  try {
    process.kill(-pid, "SIGKILL");
  } catch {
    // It has ended by itself in the meantime.
  }
}

function shortened(text: string): string {
  return text.length <= LONGEST_DESCRIPTION ? text : `${text.slice(0, LONGEST_DESCRIPTION)}… [+${text.length - LONGEST_DESCRIPTION} chars]`;
}
