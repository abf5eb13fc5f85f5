import { declarations } from "../hook/declarations.ts";
import { scheduleRun } from "../hook/schedule.ts";

export interface RunHookOptions {
  /** If the hook fails, say no instead of letting go. */
  readonly guard?: boolean;
}

/** Runs `main` on the event that stdin brings, then ends the process with the answer. */
export function runHook(main: () => unknown, name: string, { guard = false }: RunHookOptions = {}): void {
  declarations().mains.push({ main, name, guard });
  scheduleRun();
}

/** As runHook, for an asynchronous `main`. Nothing is left to do when the promise settles, and it never rejects. */
export async function runHookAsync(main: () => Promise<unknown>, name: string, options: RunHookOptions = {}): Promise<void> {
  runHook(main, name, options);
}
