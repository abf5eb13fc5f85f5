import type { EventInputs, EventName } from "../generated/events.ts";
import { SAMPLES, TOOL_SAMPLES } from "../generated/samples.ts";
import { checkEvent, checkOptions, checkOverrides, type OwnNames } from "./check-call.ts";

/**
 * A true payload of the event, with the fields you name replaced. Another `tool_name` brings that tool's own input with it, and an empty one if
 * it is not known. Throws if no agent sends such a payload.
 */
export function sampleInput<Event extends EventName>(
  event: Event,
  overrides: Partial<EventInputs[Event]> = {},
  options: OwnNames = {},
): EventInputs[Event] {
  checkEvent(event);
  checkOptions("sampleInput", options, { ownNames: "list" });
  checkOverrides(event, overrides, options);
  const sample = structuredClone(SAMPLES[event]);
  return { ...sample, ...toolFields(sample, (overrides as { tool_name?: string }).tool_name), ...overrides };
}

/** The fields of the sample that depend on the tool, for another one than the sample's. */
function toolFields(sample: object, tool: string | undefined): object {
  if (tool === undefined) return {};
  const fields = Object.hasOwn(TOOL_SAMPLES, tool) ? TOOL_SAMPLES[tool] : { tool_input: {}, tool_response: {} };
  return Object.fromEntries(Object.entries(structuredClone(fields ?? {})).filter(([field]) => field in sample));
}
