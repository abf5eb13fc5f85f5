import type { EventName } from "../generated/events.ts";
import { declarations } from "./declarations.ts";
import type { HookDefinition, HookHandler, HookOptions, OptionLimits } from "./definition.ts";
import { scheduleRun, watchForHooks } from "./schedule.ts";

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
