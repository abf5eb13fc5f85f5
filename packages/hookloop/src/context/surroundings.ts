/** What a context asks of the world around it: where git stands, and a short text from a model. Both end in time, and neither throws. */

import { homedir } from "node:os";
import { hookLog, isInternalCall } from "@hookloop/sdk";
import { visibleLine } from "../diagnostic.ts";
import type { Model, Programs } from "../run/index.ts";

export interface GitState {
  /** Nothing if a commit is checked out. */
  readonly branch: string | undefined;
  /** Nothing before the first one. */
  readonly commit: string | undefined;
  /** Files that differ from that commit, and new ones. */
  readonly changed: readonly string[];
}

interface AroundOptions {
  readonly timeoutMs?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface GitStateOptions extends AroundOptions {
  /** Filters of the repository may run. */
  readonly isTrusted?: boolean | undefined;
}

const GIT_LIMIT_MS = 5000;
const MOST_CHANGED = 200;

/** Where the work tree stands; nothing where there is no git, or it does not answer in time. */
export async function captureGitState(projectRoot: string, options: GitStateOptions = {}): Promise<GitState | undefined> {
  const { isTrusted = false, timeoutMs = GIT_LIMIT_MS } = options;
  const { git, openPrograms } = await import("../run/index.ts");
  const programs = openPrograms();
  const signal = endSignal({ timeoutMs, signal: options.signal });
  try {
    const place = { root: projectRoot, home: homedir(), env: process.env, isTrusted, signal, programs, timeoutMs };
    // SECURITY: before trust git looks into no submodule: it would read a configuration that nobody has looked at.
    const submodules = `--ignore-submodules=${isTrusted ? "dirty" : "all"}`;
    return readStatus(await git(["status", "--porcelain=v2", "--branch", "-z", "--untracked-files=normal", submodules], place));
  } catch (thrown) {
    hookLog("context", "debug", `The state of git is not known: ${(thrown as Error).message}`);
    return undefined;
  } finally {
    await programs.close();
  }
}

function readStatus(output: string): GitState {
  const entries = output.split("\0").filter(Boolean);
  const head = (name: string): string | undefined =>
    entries.find((one) => one.startsWith(`# branch.${name} `))?.slice(`# branch.${name} `.length);
  const [commit, branch] = [head("oid"), head("head")];
  const changed: string[] = [];
  for (let at = 0; at < entries.length && changed.length < MOST_CHANGED; at++) {
    const [kind = "", ...words] = (entries[at] ?? "").split(" ");
    const before = { "1": 7, "2": 8, u: 9, "?": 0 }[kind];
    if (before !== undefined) changed.push(visibleLine(words.slice(before).join(" ")));
    // A renamed file is followed by its old name.
    if (kind === "2") at++;
  }
  return {
    branch: branch === undefined || branch === "(detached)" ? undefined : visibleLine(branch),
    commit: commit === undefined || commit === "(initial)" ? undefined : commit,
    changed,
  };
}

export interface InferOptions extends AroundOptions {
  /** Asked if there is one; otherwise the command line. */
  readonly model?: Pick<Model, "ask"> | undefined;
  /** A program outside of the project and its arguments; the prompt comes on stdin. `claude -p` if left out. */
  readonly command?: readonly [program: string, ...args: string[]] | undefined;
  readonly system?: string | undefined;
  readonly maxTokens?: number | undefined;
  readonly cwd?: string | undefined;
}

const INFER_LIMIT_MS = 15_000;
const LONGEST_ANSWER = 20_000;

/**
 * Asks a model for a short text; nothing if there is none, or it does not answer in time. Hooks of an agent that it starts see `_CC_INTERNAL=1`:
 * where that is set, it asks nobody.
 */
export async function inferText(prompt: string, options: InferOptions = {}): Promise<string | undefined> {
  if (isInternalCall()) return undefined;
  const timeoutMs = options.timeoutMs ?? INFER_LIMIT_MS;
  const signal = endSignal({ timeoutMs, signal: options.signal });
  try {
    const answer = await (options.model
      ? askModel(options.model, prompt, options, signal)
      : askCommand(prompt, options, timeoutMs, signal));
    const text = answer.slice(0, LONGEST_ANSWER).trim();
    return text === "" ? undefined : text;
  } catch (thrown) {
    hookLog("context", "warn", `No model has answered: ${thrown instanceof Error ? thrown.message : String(thrown)}`);
    return undefined;
  }
}

async function askModel(
  model: Pick<Model, "ask">,
  prompt: string,
  { system, maxTokens = 1024 }: InferOptions,
  signal: AbortSignal,
): Promise<string> {
  signal.throwIfAborted();
  const asked = model.ask({ system, maxTokens, messages: [{ role: "user", content: prompt }], signal });
  // A model that does not heed the signal is not waited for either.
  const ended = new Promise<never>((_, reject) => signal.addEventListener("abort", () => reject(signal.reason), { once: true }));
  const { content } = await Promise.race([asked, ended]);
  return content.flatMap((block) => (block.type === "text" ? [block.text] : [])).join("");
}

const CLAUDE = ["claude", "-p"] as const;

async function askCommand(prompt: string, options: InferOptions, timeoutMs: number, signal: AbortSignal): Promise<string> {
  const [program, ...args] = options.command ?? CLAUDE;
  const { openPrograms, systemProgram } = await import("../run/index.ts");
  const root = options.cwd ?? process.cwd();
  // SECURITY: a project must not choose who is asked.
  const file = systemProgram(program, { env: process.env, root });
  if (file === undefined) throw new Error(`${program} was not found in PATH outside of the project.`);
  const programs = openPrograms();
  try {
    const stdin = Buffer.from(options.system === undefined ? prompt : `${options.system}\n\n${prompt}`);
    const env = { ...definedOnly(process.env), _CC_INTERNAL: "1" };
    return await outputOf(programs, { file, args, isShell: false, env, cwd: root, fallbackCwd: root, stdin, timeoutMs, signal });
  } finally {
    await programs.close();
  }
}

async function outputOf(programs: Programs, program: Parameters<Programs["run"]>[0]): Promise<string> {
  const { stdout, stderr, exitCode, failure } = await programs.run(program, { text: "a command that asks a model", endsWhole: true });
  if (failure || exitCode !== 0) throw new Error(failure?.text ?? (stderr.trim() || `exit code ${exitCode}`));
  return stdout;
}

function definedOnly(env: NodeJS.ProcessEnv): Record<string, string> {
  return Object.fromEntries(Object.entries(env).filter((entry): entry is [string, string] => entry[1] !== undefined));
}

function endSignal({ timeoutMs, signal }: { readonly timeoutMs: number; readonly signal: AbortSignal | undefined }): AbortSignal {
  const end = AbortSignal.timeout(timeoutMs);
  return signal === undefined ? end : AbortSignal.any([end, signal]);
}
