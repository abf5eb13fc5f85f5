import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import type { EventInputs, EventName } from "../generated/events.ts";
import type { HookAnswer } from "./answer.ts";
import { readAnswer } from "./read-answer.ts";
import { sampleInput } from "./sample-input.ts";

export interface RunHookFileOptions {
  /** The command to run instead of the one the file's ending suggests. */
  readonly command?: readonly string[];
  /** Working directory and project folder of the hook; this process's own if left out. */
  readonly cwd?: string;
  /** Variables added to the environment; `undefined` takes one away. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** What to write to stdin instead of the sample payload. */
  readonly stdin?: string | Uint8Array;
  /** After this long the hook and everything it started are killed; 10 seconds if left out. */
  readonly timeoutMs?: number;
}

const INTERPRETERS: Readonly<Record<string, readonly string[]>> = {
  ".js": [process.execPath],
  ".mjs": [process.execPath],
  ".cjs": [process.execPath],
  // Node 22.18 and later run TypeScript as it is; an older one says so on stderr.
  ".ts": [process.execPath],
  ".mts": [process.execPath],
  ".py": ["python3"],
  ".sh": ["sh"],
};

/** Runs a hook script in any language as an agent would: a real process, the payload on stdin. */
export async function runHookFile<Event extends EventName>(
  script: string | URL,
  event: Event,
  overrides: Partial<EventInputs[Event]> = {},
  options: RunHookFileOptions = {},
): Promise<HookAnswer> {
  const file = script instanceof URL ? fileURLToPath(script) : script;
  if (!existsSync(file)) throw new Error(`There is no hook file ${path.resolve(file)}`);
  const [program = path.resolve(file), ...args] = options.command ?? [...(INTERPRETERS[path.extname(file)] ?? []), path.resolve(file)];
  const cwd = options.cwd ?? process.cwd();
  const stdin = options.stdin ?? JSON.stringify(sampleInput(event, { cwd, ...overrides } as Partial<EventInputs[Event]>));
  const { timedOut, ...raw } = await runProcess(program, args, { ...options, cwd, stdin });
  const answer = readAnswer(event, raw);
  if (!timedOut) return answer;
  const message = `HL_TEST_TIMEOUT: the hook did not end within ${options.timeoutMs ?? DEFAULT_TIMEOUT_MS} ms and was killed`;
  return { ...answer, diagnostics: [...answer.diagnostics, { code: "HL_TEST_TIMEOUT", message }] };
}

const DEFAULT_TIMEOUT_MS = 10_000;

interface Ended {
  readonly stdout: string;
  readonly stderr: string;
  readonly exitCode: number | null;
  readonly timedOut: boolean;
}

function runProcess(
  program: string,
  args: readonly string[],
  options: RunHookFileOptions & { cwd: string; stdin: string | Uint8Array },
): Promise<Ended> {
  return new Promise((resolve, reject) => {
    // The log stays off unless the test asks for it: a test must not write into the project it tests.
    const env = { HOOK_LOG_DISABLE: "1", ...process.env, CLAUDE_PROJECT_DIR: options.cwd, ...options.env };
    const child = spawn(program, args, { cwd: options.cwd, env, detached: true });
    const stdout: Buffer[] = [];
    const stderr: Buffer[] = [];
    let timedOut = false;
    const timer = setTimeout(() => {
      timedOut = true;
      // The group, so that a grandchild that holds the pipes ends as well.
      killGroup(child.pid as number);
      child.stdout.destroy();
      child.stderr.destroy();
    }, options.timeoutMs ?? DEFAULT_TIMEOUT_MS);
    child.stdout.on("data", (chunk: Buffer) => stdout.push(chunk));
    child.stderr.on("data", (chunk: Buffer) => stderr.push(chunk));
    child.on("error", (error) => {
      clearTimeout(timer);
      reject(error);
    });
    child.on("close", (exitCode) => {
      clearTimeout(timer);
      resolve({ stdout: String(Buffer.concat(stdout)), stderr: String(Buffer.concat(stderr)), exitCode, timedOut });
    });
    // A hook that does not read its stdin is fine.
    child.stdin.on("error", () => {});
    child.stdin.end(options.stdin);
  });
}

function killGroup(pid: number): void {
  try {
    process.kill(-pid, "SIGKILL");
  } catch {
    // The group has ended, and only a process that left it still holds the pipes.
  }
}
