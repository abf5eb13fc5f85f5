import { realpathSync } from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";
import type { EventName } from "../generated/events.ts";
import { problem } from "../problem.ts";
import { type ProcessWatch, watchProcess } from "../run/watch-process.ts";
import { declarations } from "./declarations.ts";
import type { HookDefinition, HookHandler, HookOptions, OptionLimits } from "./definition.ts";

/** Declares a hook and, in a script that an agent starts, runs it. */
export function hook<Event extends EventName>(event: Event, handler: HookHandler<Event>): HookDefinition<Event>;
export function hook<Event extends EventName, const Tool extends string = string>(
  event: Event,
  options: HookOptions<Tool> & OptionLimits<Event>,
  handler: HookHandler<Event, Tool>,
): HookDefinition<Event>;
export function hook(event: EventName, ...rest: unknown[]): HookDefinition {
  const handler = rest.pop() as HookDefinition["handler"];
  const definition: HookDefinition = { event, options: (rest[0] ?? {}) as HookOptions, handler };
  const declared = declarations();
  declared.definitions.push(definition);
  if (declared.state === undefined) schedule();
  // The answer may be on its way without this hook: a guard that was not asked must not look like one that agreed.
  else if (declared.state === "answering" && !declared.isHosted)
    throw new Error(problem("HOOK_LATE", `declare the ${event} hook before the first await`).message);
  return definition;
}

function schedule(): void {
  const declared = declarations();
  declared.state = "scheduled";
  const start = async (watch: ProcessWatch, isCalled?: (bytes: Uint8Array) => boolean): Promise<void> => {
    declared.state = "answering";
    // A file of its own: a test or a warm worker that imports a hook never loads it.
    const { hooksScript, runScript } = await import("../run/index.ts");
    await runScript(hooksScript(declared.definitions, scriptName()), watch, isCalled);
  };
  if (declared.isHosted) return;
  if (isMainModule()) setImmediate(start, watchProcess());
  // Imported by another file: if that is a script too, it is started with an event; if it is a test or a tool, it is not.
  else process.once("beforeExit", () => declared.isHosted || start(watchProcess(), (bytes) => bytes.length > 0));
}

/** Whether the code that called `hook()` belongs to the file Node was started with. */
function isMainModule(): boolean {
  const stack = String(new Error().stack);
  try {
    const file = realpathSync(process.argv[1] ?? "");
    return stack.includes(file) || stack.includes(pathToFileURL(file).href);
  } catch {
    // Not started with a file, or without its extension: the slower way below finds out by the event on stdin.
    return false;
  }
}

/** The script's file name without its ending. */
export function scriptName(): string {
  return path.parse(process.argv[1] ?? "hook").name;
}
