import { writeSync } from "node:fs";
import { declarations } from "../hook/definition.ts";
import { scheduleRun } from "../hook/hook.ts";
import type { Part } from "../hook/results.ts";
import { type LogLevel, writeLog } from "../log.ts";
import { thrownMessage } from "../problem.ts";
import { ExitSignal } from "../run/script.ts";
import { emit } from "./invocation.ts";

/** Something that may be left out. */
const optional = (can: Part["can"], value: unknown): Part[] => (value === undefined ? [] : [{ can, value }]);

/** Gives the model this text. */
export function emitContext(text: string): void {
  emit("emitContext", { can: "context", value: text });
}

/** Blocks in the way of the current event; events that cannot block warn and do nothing. */
export function emitBlock(reason: string, context?: string): void {
  emit("emitBlock", { can: "block", value: reason }, ...optional("context", context));
}

/** Denies a tool call, context first. */
export function emitContextAndBlock(context: string, reason: string): void {
  emit("emitContextAndBlock", { can: "block", value: reason }, { can: "context", value: context });
}

/** Rejects the prompt. */
export function emitBlockPrompt(reason: string, context?: string): void {
  emit("emitBlockPrompt", { can: "block", value: reason }, ...optional("context", context));
}

/** Ends the hook at once with exit code 2, the context and then the reason on stderr. */
export function emitBlockViaExit(reason: string, context?: string): never {
  declarations().refusal ??= "emitBlockViaExit";
  throw new ExitSignal(context === undefined ? reason : `${context}\n${reason}`);
}

/** Blocks with the top-level decision. */
export function emitBlockTopLevel(reason: string): void {
  emit("emitBlockTopLevel", { can: "block", value: reason });
}

/** Answers a permission question, or decides a tool call. */
export function emitPermissionDecision(
  behavior: "allow" | "deny",
  options: { message?: string; updatedInput?: Record<string, unknown> } = {},
): void {
  emit("emitPermissionDecision", { can: behavior, value: options.message }, ...optional("rewrite", options.updatedInput));
}

type Log = (hookName: string, message: string, data?: unknown) => void;

const logAt =
  (level: LogLevel): Log =>
  (hook, message, data) => {
    declarations().isUsed = true;
    const failure = writeLog({ level, hook, message, data });
    if (failure) eprint(failure.message);
  };

/** To the log file only. */
export const logDebug: Log = logAt("debug");
/** To the log file only. */
export const logInfo: Log = logAt("info");
/** To the log file only. */
export const logWarn: Log = logAt("warn");
/** To the log file only. */
export const logError: Log = logAt("error");

/** To the log file, at a level given as text. */
export function hookLog(hookName: string, level: LogLevel, message: string, data?: unknown): void {
  logAt(level)(hookName, message, data);
}

/** To the log file and to stderr. */
export const logBlocking: Log = (hookName, message, data) => {
  logError(hookName, message, data);
  eprint(message);
};

/** The tier of crashes: to the log file with the stack, and to stderr. */
export function logHookError(hookName: string, error: unknown, data?: unknown): void {
  logBlocking(hookName, `UNHANDLED ${thrownMessage(error)}`, { data, stack: (error as Error | undefined)?.stack });
}

/** To the log file: something the hook noticed about itself. */
export const logDiagnostic: Log = (hookName, message, data) => logDebug(hookName, `DIAGNOSTIC ${message}`, data);

/** Raw text to stderr. */
export function eprint(text: string): void {
  declarations().isUsed = true;
  try {
    writeSync(2, `${text}\n`);
  } catch {
    // stderr is closed: there is nowhere left to report it.
  }
}

/** Whether this process was started by a hook: then hooks must not start agents again. */
export function isInternalCall(): boolean {
  declarations().isUsed = true;
  return process.env["_CC_INTERNAL"] === "1";
}

export interface RunHookOptions {
  /** If the hook fails, block instead of letting the call continue. */
  readonly guard?: boolean;
}

/** Runs `main` on the event that stdin brings, then ends the process with the answer. */
export function runHook(main: () => unknown, name: string, options: RunHookOptions = {}): void {
  const mistake = findMistake(main, name, options);
  declarations().mains.push({
    main,
    name: typeof name === "string" ? name : "runHook",
    guard: mistake ? true : (options.guard ?? false),
    mistake,
  });
  scheduleRun();
}

/** JavaScript has no compiler that says so, and a guard that is none does nothing, without a word. */
function findMistake(main: unknown, name: unknown, options: unknown): string | undefined {
  const form = "Write runHook(main, name) or runHook(main, name, { guard: true })";
  if (typeof main !== "function" || typeof name !== "string") return `runHook() takes a function and a name. ${form}`;
  if (typeof options !== "object" || options === null) return `the options of runHook() are ${String(options)}. ${form}`;
  for (const [option, value] of Object.entries(options)) {
    if (option !== "guard") return `runHook() has no option "${option}", only "guard". ${form}`;
    if (value !== undefined && typeof value !== "boolean") return `guard is ${JSON.stringify(value)}, not true or false. ${form}`;
  }
  return undefined;
}

/** As runHook, for an asynchronous `main`. Nothing is left to do when the promise settles, and it never rejects. */
export async function runHookAsync(main: () => Promise<unknown>, name: string, options: RunHookOptions = {}): Promise<void> {
  runHook(main, name, options);
}
