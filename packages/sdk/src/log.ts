import { closeSync, constants, fstatSync, lstatSync, mkdirSync, openSync, renameSync, writeFileSync, writeSync } from "node:fs";
import path from "node:path";
import { declarations } from "./hook/definition.ts";
import { type Problem, problem, thrownMessage } from "./problem.ts";
import type { Written } from "./run/encode.ts";
import type { Payload } from "./run/script.ts";

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
    const line = JSON.stringify({ time: new Date().toISOString(), level, hook, msg: message, data }, redacting(env));
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

// Every expression here takes linear time: a hook's answer may be megabytes of anything, and a guard must not be late for its log.

/** Tokens that are recognisable on their own: model keys, code hosts, chat, cloud, JWT, private keys. */
const TOKENS =
  /\b(?:sk-[\w-]{16,200}|gh[a-z]_\w{20,200}|github_pat_\w{20,200}|glpat-[\w-]{16,200}|xox[a-z]-[\w-]{10,200}|AKIA[A-Z0-9]{16}|npm_\w{30,60}|eyJ[\w-]{4,400}\.eyJ[\w-]{4,2000}\.[\w-]{1,800})|(?<=Bearer )\S{8,2000}|-----BEGIN [A-Z ]{0,30}PRIVATE KEY-----[\s\S]*?(?:-----END|$)/g;
/** What follows a name like `password` in a text: quoted to the next quote, else to the next space. */
const NAMED =
  /((?:passw\w{0,9}|secret|token|api_?key)\\?["']?[:=] ?\\?["'])[^"'\\]{1,500}|((?:passw\w{0,9}|secret|token|api_?key)[:=] ?)[^\s"'\\,;[]{6,500}/gi;
const SECRET_NAME = /passw|secret|token$|api_?key|credential|private_?key/i;
const HIDDEN = "[redacted]";

/** For `JSON.stringify`: what looks like a secret, or is the value of a variable or field named like one, is hidden. */
export function redacting(environment: NodeJS.ProcessEnv): (key: string, value: unknown) => unknown {
  const values = Object.entries(environment).flatMap(([name, value]) =>
    SECRET_NAME.test(name) && value && value.length > 7 ? [value, JSON.stringify(value).slice(1, -1)] : [],
  );
  // Longest first: a value that begins with another one must go whole.
  values.sort((one, other) => other.length - one.length);
  return (key, value) => {
    if (SECRET_NAME.test(key) && value !== undefined) return HIDDEN;
    if (typeof value !== "string") return value;
    return values.reduce((text, secret) => text.replaceAll(secret, HIDDEN), value.replace(TOKENS, HIDDEN).replace(NAMED, `$1$2${HIDDEN}`));
  };
}

interface LoggedAnswer {
  readonly hook: string;
  readonly payload: Payload | undefined;
  readonly answer: Written;
  readonly durationMs: number;
}

/** Records what a hook answered, whole, and everything that went wrong on the way. Gives back why a record could not be written. */
export function logAnswer({ hook, payload, answer, durationMs }: LoggedAnswer): Problem[] {
  const { stdout, stderr, output, exitCode, refusal, context, problems } = answer;
  const run = { event: payload?.hook_event_name, tool: payload?.["tool_name"], session: payload?.["session_id"], exitCode, durationMs };
  const failures = problems.map(({ message }) => writeLog({ level: "warn", hook, message, data: run }));
  const text = refusal ?? context ?? (stdout || stderr);
  const said = refusal
    ? `[block] ${text.length} chars, reason=${JSON.stringify(refusal.slice(0, 200))}`
    : `[${context ? "context" : "output"}] ${text.length} chars`;
  const record = text
    ? writeLog({
        level: "info",
        hook,
        message: `HOOK_OUTPUT ${said}`,
        data: { ...run, output: stdout && output, stderr, additionalContext: context, blockReason: refusal },
      })
    : writeLog({ level: "debug", hook, message: "no opinion", data: run });
  return [record, ...failures].flatMap((failure) => failure ?? []).slice(0, 1);
}
