import { realpathSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { problem } from "../problem.ts";
import { type ProcessWatch, watchProcess } from "../run/watch-process.ts";
import { declarations } from "./declarations.ts";

/** Sees to it that what was declared is run once, if this process is a script that an agent started. */
export function scheduleRun(): void {
  const declared = declarations();
  const { state } = declared;
  if (declared.isHosted || state === "scheduled") return;
  // The answer may be on its way without this hook: a guard that was not asked must not look like one that agreed.
  if (state === "answering") throw new Error(problem("HOOK_LATE", "declare hooks before the first await").message);
  if (isMainModule()) {
    declared.state = "scheduled";
    setImmediate(start, watchProcess(), false);
  } else if (!state) {
    declared.state = "waiting";
    // Imported by another file: if that is a script too, it was started with an event; if it is a test or a tool, it was not.
    process.once("beforeExit", () => declared.isHosted || declared.state !== "waiting" || start(watchProcess(), true));
  }
}

async function start(watch: ProcessWatch, isImported: boolean): Promise<void> {
  const declared = declarations();
  declared.state = "answering";
  // A file of its own: a test or a warm worker that imports a hook never loads it.
  const { runDeclared } = await import("../run/index.ts");
  await runDeclared(declared, watch, isImported);
}

/** Whether the code that declared the hook belongs to the file Node was started with. */
function isMainModule(): boolean {
  const stack = String(new Error().stack);
  try {
    const file = realpathSync(process.argv[1] ?? "");
    return stack.includes(file) || stack.includes(pathToFileURL(file).href);
  } catch {
    // Not started with a file, or without its ending: then the event on stdin tells.
    return false;
  }
}
