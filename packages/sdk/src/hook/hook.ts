import type { EventName } from "../generated/events.ts";
import { declarations } from "./declarations.ts";
import type { HookDefinition, HookHandler, HookOptions, OptionLimits } from "./definition.ts";
import { scheduleRun } from "./schedule.ts";

/** Declares a hook and, in a script that an agent starts, runs it. */
export function hook<Event extends EventName>(event: Event, handler: HookHandler<Event>): HookDefinition<Event>;
export function hook<Event extends EventName, const Tool extends string = string>(
  event: Event,
  options: HookOptions<Tool> & OptionLimits<Event>,
  handler: HookHandler<Event, Tool>,
): HookDefinition<Event>;
export function hook(event: EventName, ...rest: unknown[]): HookDefinition {
  const options = (typeof rest[0] === "object" ? rest[0] : {}) as HookOptions;
  const definition: HookDefinition = { event, options, handler: rest.at(-1) as HookDefinition["handler"] };
  declarations().definitions.push(definition);
  scheduleRun();
  return definition;
}
