import { writeSync } from "node:fs";
import { declarations } from "../hook/declarations.ts";
import { type LogLevel, writeLog } from "../log/write-log.ts";
import { thrownMessage } from "../problem.ts";

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
    // Nobody reads stderr: there is nowhere left to say so.
  }
}

/** Whether this process was started by a hook: then hooks must not start agents again. */
export function isInternalCall(): boolean {
  declarations().isUsed = true;
  return process.env["_CC_INTERNAL"] === "1";
}
