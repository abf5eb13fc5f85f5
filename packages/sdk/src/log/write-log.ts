import { closeSync, constants, fstatSync, lstatSync, mkdirSync, openSync, renameSync, writeFileSync, writeSync } from "node:fs";
import path from "node:path";
import { declarations } from "../hook/declarations.ts";
import { type Problem, problem, thrownMessage } from "../problem.ts";
import { redacting } from "./redact.ts";

export type LogLevel = "debug" | "info" | "warn" | "error";

export interface LogRecord {
  readonly level: LogLevel;
  /** Name of the hook. */
  readonly hook: string;
  readonly message: string;
  readonly data?: unknown;
}

const LEVELS = ["debug", "info", "warn", "error"];
/** A full log is set aside once, so that it never takes more than twice this. */
const MAX_BYTES = 10 * 1024 * 1024;
const { O_APPEND, O_CREAT, O_NOFOLLOW, O_NONBLOCK, O_WRONLY } = constants;

/** Appends one record with one write; what prevents it is given back, never thrown. */
export function writeLog({ level, hook, message, data }: LogRecord): Problem | undefined {
  const { env } = process;
  if (env["HOOK_LOG_DISABLE"] || env["HOOK_ERROR_LOG_DISABLE"] || (declarations().isLogOff && !env["HOOKLOOP_LOG_FILE"])) return undefined;
  if (LEVELS.indexOf(level) < LEVELS.indexOf(env["HOOK_LOG_LEVEL"]?.toLowerCase() ?? "")) return undefined;
  const folder = path.join(env["CLAUDE_PROJECT_DIR"] || process.cwd(), ".hookloop");
  try {
    const file = env["HOOKLOOP_LOG_FILE"] || path.join(ownFolder(folder), "hook-log.jsonl");
    const line = JSON.stringify({ time: new Date().toISOString(), level, hook, message, data }, redacting(env));
    append(file, `${line}\n`);
    return undefined;
  } catch (thrown) {
    return problem("LOG_FAILED", `the hook log was not written (${thrownMessage(thrown)}). Set HOOKLOOP_LOG_FILE or HOOK_LOG_DISABLE=1`);
  }
}

/** The project's folder for our files, made if it is not there. */
function ownFolder(folder: string): string {
  // The folder is ours if it is new: keep the log out of the project's history.
  if (mkdirSync(folder, { recursive: true })) writeFileSync(path.join(folder, ".gitignore"), "hook-log.jsonl*\n.gitignore\n");
  // SECURITY: a repository may carry a link of this name that leads elsewhere.
  if (lstatSync(folder).isSymbolicLink()) throw new Error(`${folder} is a link`);
  return folder;
}

function append(file: string, line: string): void {
  mkdirSync(path.dirname(file), { recursive: true });
  // SECURITY: a repository may carry a link or a pipe of this name; neither is followed, neither blocks.
  const log = openSync(file, O_APPEND | O_CREAT | O_WRONLY | O_NOFOLLOW | O_NONBLOCK, 0o600);
  try {
    const { size, ino } = fstatSync(log);
    // Another hook may have set the same file aside already; the new one is not full.
    if (size > MAX_BYTES && lstatSync(file).ino === ino) renameSync(file, `${file}.1`);
    writeSync(log, line);
  } finally {
    closeSync(log);
  }
}
