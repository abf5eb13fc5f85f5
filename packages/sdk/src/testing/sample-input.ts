import type { EventInputs, EventName } from "../generated/events.ts";
import { SAMPLES } from "../generated/samples.ts";

/** A true payload of the event, with the fields you name replaced. */
export function sampleInput<Event extends EventName>(event: Event, overrides: Partial<EventInputs[Event]> = {}): EventInputs[Event] {
  if (!Object.hasOwn(SAMPLES, event)) throw new Error(`"${event}" is not an event. Known events: ${Object.keys(SAMPLES).join(", ")}`);
  return { ...structuredClone(SAMPLES[event]), ...overrides };
}
