import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import type { Readable } from "node:stream";
import { fileURLToPath } from "node:url";
import { afterThisFile } from "../cleanup.ts";

export interface RunOptions {
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  /** What is written to stdin; nothing if left out. */
  readonly stdin?: string | Uint8Array;
  /** After that, stdin is closed, stays open, or the last piece is sent again without end. */
  readonly afterwards?: "close" | "stay open" | "repeat";
  /** A line for `sh` in which `"$@"` is the script's own command. */
  readonly shell?: string;
  /** Reads stdout in its own way, before anything else does. */
  readonly onStdout?: (stdout: Readable) => void;
  readonly onStderr?: (stderr: Readable) => void;
  /** After this long the process group is killed, and the exit code is `"killed"`. */
  readonly limitMs?: number;
}

export interface Ended {
  readonly stdout: string;
  readonly stderr: string;
  readonly exitCode: number | "killed" | null;
  readonly durationMs: number;
}

/** A script beside this file. */
export function fixture(name: string): string {
  return fileURLToPath(new URL(`fixtures/${name}`, import.meta.url));
}

/** A new folder, gone when the test file is done. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(path.join(tmpdir(), "hookloop-test-"));
  afterThisFile(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** A true PreToolUse payload. */
export function toolCall(command: string, overrides: object = {}): string {
  return JSON.stringify({
    session_id: "session-1",
    transcript_path: "/tmp/transcript.jsonl",
    cwd: "/tmp",
    permission_mode: "default",
    hook_event_name: "PreToolUse",
    tool_name: "Bash",
    tool_input: { command },
    tool_use_id: "toolu_1",
    ...overrides,
  });
}

/** Runs a hook script as a real process in a group of its own; a hang ends as a killed group, never as a leftover. */
export function runScript(file: string, options: RunOptions = {}): Promise<Ended> {
  const { args = [], env = {}, cwd = tmpdir(), stdin = "", shell, onStdout, onStderr, limitMs = 8000 } = options;
  const command = [process.execPath, file, ...args];
  const [program = "", ...rest] = shell ? ["sh", "-c", shell, "sh", ...command] : command;
  return new Promise((resolve, reject) => {
    const started = Date.now();
    const child = spawn(program, rest, { cwd, env: { ...process.env, HOOK_LOG_DISABLE: "1", ...env }, detached: true });
    const output = { stdout: [] as Buffer[], stderr: [] as Buffer[] };
    let isKilled = false;
    const timer = setTimeout(() => {
      isKilled = true;
      process.kill(-(child.pid as number), "SIGKILL");
    }, limitMs);
    child.stdout.on("data", (chunk: Buffer) => output.stdout.push(chunk));
    child.stderr.on("data", (chunk: Buffer) => output.stderr.push(chunk));
    onStdout?.(child.stdout);
    onStderr?.(child.stderr);
    child.on("error", reject);
    child.on("close", (exitCode) => {
      clearTimeout(timer);
      const text = { stdout: String(Buffer.concat(output.stdout)), stderr: String(Buffer.concat(output.stderr)) };
      resolve({ ...text, exitCode: isKilled ? "killed" : exitCode, durationMs: Date.now() - started });
    });
    // A hook that ends without reading everything is fine.
    child.stdin.on("error", () => {});
    if (options.afterwards === "repeat") {
      const more = (): void => void (child.stdin.writable && child.stdin.write(stdin, () => setImmediate(more)));
      more();
    } else if (options.afterwards === "stay open") child.stdin.write(stdin);
    else child.stdin.end(stdin);
  });
}

/** The one JSON document on stdout; a test fails on anything else there. */
export function answerOf({ stdout }: Ended): unknown {
  const lines = stdout.split("\n");
  if (lines.length !== 2 || lines[1] !== "") throw new Error(`stdout is not one line: ${JSON.stringify(stdout.slice(0, 500))}`);
  return JSON.parse(lines[0] as string);
}

/** The PreToolUse answer that blocks. */
export function denial(reason: unknown): object {
  return { hookSpecificOutput: { hookEventName: "PreToolUse", permissionDecision: "deny", permissionDecisionReason: reason } };
}
