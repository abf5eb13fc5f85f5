import { fstatSync, readFileSync, realpathSync, writeSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { isMainThread } from "node:worker_threads";
import type { EventName } from "../generated/events.ts";
import { problem } from "../problem.ts";
import { type ProcessWatch, watchProcess } from "../run/watch-process.ts";
import { declarations, type HookDefinition, type HookHandler, type HookOptions, type OptionLimits } from "./definition.ts";
import { resultListeners } from "./results.ts";

/** Sees to it that what was declared is run once, if this process is a script that an agent started. */
export function scheduleRun(): void {
  const declared = declarations();
  const { state } = declared;
  if (declared.isHosted && isMainModule()) declared.refusal = "hook";
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

/**
 * A script that an agent started and that declares no hook has answered nothing, which reads as a guard that agreed: it fails instead.
 * SECURITY: if it blocked where nothing was listening, as in `deny("no")` at top level, it ends in exit code 2.
 */
function watchForHooks(): void {
  const declared = declarations();
  if (declared.isWatched || !isMainThread) return;
  declared.isWatched = true;
  process.on("exit", (code) => {
    const { state, isHosted, isUsed, refusal } = declared;
    // Of what can be refused, only the emit functions begin with this letter, and only they throw.
    const isMeant = code ? refusal?.[0] === "e" : refusal || !isUsed;
    // A program that reads results itself listens for them; one that was forked works for another.
    if (
      state ||
      (isHosted && (isUsed || refusal !== "hook")) ||
      !isMeant ||
      resultListeners().size ||
      process.stdout.bytesWritten ||
      process.channel ||
      !isStartedAsHook()
    )
      return;
    const what = refusal ? `nothing listens to ${refusal}(), so it blocks` : "no hook is declared";
    writeSync(2, `${problem("HOOK_MISSING", `${what}. Call hook(event, handler) or runHook(main, name), without /testing`).message}\n`);
    process.exitCode = refusal ? 2 : 1;
    // It threw, and stderr is the reason now: Node would print a line of this file behind it.
    if (code) process.exit();
  });
}

/** An agent says where the project is; whoever tries a hook by hand sends it something. */
function isStartedAsHook(): boolean {
  try {
    if (process.env["CLAUDE_PROJECT_DIR"]) return true;
    return !fstatSync(0).isCharacterDevice() && readFileSync(process.argv[1] as string).includes("hookloop");
  } catch {
    // No stdin, or no file that could be a hook.
    return false;
  }
}

async function start(watch: ProcessWatch, isImported: boolean): Promise<void> {
  const declared = declarations();
  declared.state = "answering";
  // A file of its own: a test or a warm worker that imports a hook never loads it.
  const { runDeclared } = await import("../run/index.ts");
  await runDeclared(declared, watch, isImported);
}

/** Whether the code that declared the hook belongs to the file Node was started with. Who loaded that code, as with `import()`, is below the loader. */
function isMainModule(): boolean {
  const [stack] = String(new Error().stack).split("node:internal/m") as [string];
  try {
    const file = realpathSync(process.argv[1] as string);
    return stack.includes(file) || stack.includes(pathToFileURL(file).href);
  } catch {
    // Not started with a file, or without its ending: then the event on stdin tells.
    return false;
  }
}

watchForHooks();

/** Declares a hook and, in a script that an agent starts, runs it. */
export function hook<Event extends EventName>(event: Event, handler: HookHandler<Event>): HookDefinition<Event>;
export function hook<Event extends EventName, const Tool extends string = string>(
  event: Event,
  options: HookOptions<Tool> & OptionLimits<Event>,
  handler: HookHandler<Event, Tool>,
): HookDefinition<Event>;
export function hook(event: EventName, ...rest: unknown[]): HookDefinition {
  // Kept as they are, also if they make no sense: the runner says what is wrong with them, and blocks.
  const [options, handler] = typeof rest[0] === "function" && rest.length < 2 ? [{}, rest[0]] : rest;
  const definition = { event, options: options ?? {}, handler } as HookDefinition;
  declarations().definitions.push(definition);
  scheduleRun();
  return definition;
}
