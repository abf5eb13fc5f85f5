import { runProgram } from "../../../engine/execute/index.ts";
import { ToolFailure } from "../../tools/types.ts";

export interface GitOptions {
  /** The project. */
  readonly root: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly signal: AbortSignal;
}

const LIMIT_MS = 120_000;
/** SECURITY: a repository must not be able to make git start programs of its choice. */
const SAFE = ["-c", "core.hooksPath=/dev/null", "-c", "core.fsmonitor=false", "-c", "submodule.recurse=false"];

/** What git printed. Throws a `ToolFailure` with git's own words. */
export async function git(
  args: readonly string[],
  { root, env, signal }: GitOptions,
  more: Readonly<Record<string, string>> = {},
): Promise<string> {
  const { stdout, stderr, exitCode, failure } = await runProgram({
    file: "git",
    args: [...SAFE, ...args],
    isShell: false,
    // Nothing of what the caller's own git was told: `GIT_DIR` would lead to another repository.
    env: { PATH: env["PATH"] ?? "", HOME: env["HOME"] ?? "", LC_ALL: "C", GIT_TERMINAL_PROMPT: "0", ...more },
    cwd: root,
    fallbackCwd: root,
    stdin: Buffer.alloc(0),
    timeoutMs: LIMIT_MS,
    signal,
  });
  if (failure && failure.kind !== "exit") throw new ToolFailure(`git ${args[0]} ${failure.text}`);
  if (exitCode !== 0) throw new ToolFailure(stderr.trim() || `git ${args[0]} ended with exit code ${exitCode}.`);
  return stdout;
}
