import { declarations } from "../hook/declarations.ts";
import { watchProcess } from "../run/watch-process.ts";

export interface RunHookOptions {
  /** If the hook fails, say no instead of letting go. */
  readonly guard?: boolean;
}

/** Runs `main` on the event that stdin brings, then ends the process with the answer. */
export function runHook(main: () => unknown, name: string, options: RunHookOptions = {}): void {
  void start(main, name, options);
}

/** As runHook, for an asynchronous `main`. */
export async function runHookAsync(main: () => Promise<unknown>, name: string, options: RunHookOptions = {}): Promise<void> {
  await start(main, name, options);
}

async function start(main: () => unknown, name: string, { guard = false }: RunHookOptions): Promise<void> {
  const declared = declarations();
  declared.mains.push({ main, name, guard });
  if (declared.isHosted) return;
  const watch = watchProcess();
  const { mainScript, runScript } = await import("../run/index.ts");
  await runScript(mainScript(main, name, guard), watch);
}
