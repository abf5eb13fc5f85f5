import { declarations } from "../hook/declarations.ts";
import { scheduleRun } from "../hook/schedule.ts";

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
