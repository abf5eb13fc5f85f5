import type { EventInputs, EventName } from "../generated/events.ts";
import { SAMPLES, TOOL_SAMPLES } from "../generated/samples.ts";

/** A true payload of the event, with the fields you name replaced. Another `tool_name` brings that tool's own input with it. */
export function sampleInput<Event extends EventName>(event: Event, overrides: Partial<EventInputs[Event]> = {}): EventInputs[Event] {
  if (!Object.hasOwn(SAMPLES, event)) throw new Error(`"${event}" is not an event. Known events: ${Object.keys(SAMPLES).join(", ")}`);
  const sample = structuredClone(SAMPLES[event]);
  return { ...sample, ...toolFields(sample, (overrides as { tool_name?: string }).tool_name), ...overrides };
}

/** The fields of the sample that depend on the tool, for another one than the sample's. */
function toolFields(sample: object, tool: string | undefined): object {
  if (tool === undefined || !Object.hasOwn(TOOL_SAMPLES, tool)) return {};
  return Object.fromEntries(Object.entries(structuredClone(TOOL_SAMPLES[tool] ?? {})).filter(([field]) => field in sample));
}
