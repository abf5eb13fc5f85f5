import type { EventName } from "@hookloop/sdk";
import { dataCopy, inputCopy } from "../run/index.ts";
import type { EventInput } from "./session.ts";

/** Gives a function the event's whole payload in a copy of its own: what it does to it changes nothing elsewhere. */
export type PayloadCopier = (input: EventInput) => Record<string, unknown>;

/** The fields of the events that fire most. */
interface Payload extends Record<string, unknown> {
  tool_name?: unknown;
  tool_input?: unknown;
  tool_use_id?: unknown;
  tool_response?: unknown;
  hook_event_name?: EventName;
  session_id?: unknown;
  transcript_path?: unknown;
  cwd?: unknown;
}

interface Template {
  /** Every field, without the values of the caller's. */
  readonly payload: Payload;
  /** The fields that the caller's input fills, in its order. */
  readonly filled: readonly string[];
}

/** Told about an input whose field names were not met before, or are not met often. */
type OnNewFields = (input: EventInput) => void;

/** The fastest way that fits what every payload of the session has in common. */
export function createPayloadCopier(common: EventInput, event: EventName, onNewFields: OnNewFields = () => {}): PayloadCopier {
  if (Object.values(common).some(isNested)) {
    return (input) => {
      onNewFields(input);
      return wholeCopy(common, event, input);
    };
  }
  const copyAny = templateCopier(common, event, onNewFields);
  return Object.keys(common).join() === USUAL_COMMON ? toolCallCopier(common, event, copyAny, onNewFields) : copyAny;
}

const USUAL_COMMON = "session_id,transcript_path,cwd";

/** Tool calls fire most. An object whose every field is written in the code takes two thirds of the time of a template. */
function toolCallCopier(
  { session_id, transcript_path, cwd }: Payload,
  event: EventName,
  copyAny: PayloadCopier,
  onNewFields: OnNewFields,
): PayloadCopier {
  let isNew = true;
  return (input: Payload) => {
    if (!isToolCall(input)) return copyAny(input);
    if (isNew) onNewFields(input);
    isNew = false;
    const { tool_name, tool_input, tool_use_id } = input;
    return {
      session_id,
      transcript_path,
      cwd,
      tool_name: dataCopy(tool_name),
      tool_input: inputCopy(tool_input),
      tool_use_id: dataCopy(tool_use_id),
      hook_event_name: event,
    };
  };
}

/** It has these three fields, in the order of the wire, and no others. */
function isToolCall(input: EventInput): boolean {
  const names = Object.keys(input);
  return names.length === 3 && names[0] === "tool_name" && names[1] === "tool_input" && names[2] === "tool_use_id";
}

/**
 * Spreading two objects into one costs 2.4 µs on Node 20, cloning one that already has every field and filling it in 0.05 µs.
 * Callers fire an event with the same fields every time, so the first input shapes the template.
 */
function templateCopier(common: EventInput, event: EventName, onNewFields: OnNewFields): PayloadCopier {
  let template: Template | undefined;
  return (input) => {
    if (template === undefined) {
      onNewFields(input);
      template = createTemplate(wholeCopy(common, event, input), Object.keys(input));
    }
    const copy = filledCopy(template, event, input);
    if (copy === undefined) onNewFields(input);
    return copy ?? wholeCopy(common, event, input);
  };
}

function createTemplate(payload: Payload, filled: readonly string[]): Template {
  for (const name of filled) payload[name] = undefined;
  return { payload, filled };
}

/** Nothing if the input has other fields than the template was made for, or has them in another order. */
function filledCopy({ payload, filled }: Template, event: EventName, input: Payload): Payload | undefined {
  const names = Object.keys(input);
  if (names.length !== filled.length) return undefined;
  const copy: Payload = { ...payload };
  for (let index = 0; index < names.length; index++) {
    const name = names[index] as string;
    if (name !== filled[index]) return undefined;
    // Reading and storing under a name that is written here takes 3 ns, under one that is not 25 ns.
    if (name === "tool_input") copy.tool_input = inputCopy(input.tool_input);
    else if (name === "tool_name") copy.tool_name = dataCopy(input.tool_name);
    else if (name === "tool_use_id") copy.tool_use_id = dataCopy(input.tool_use_id);
    else if (name === "tool_response") copy.tool_response = dataCopy(input.tool_response);
    else copy[name] = dataCopy(input[name]);
  }
  copy.hook_event_name = event;
  return copy;
}

/** The whole payload; what stands under a symbol is handed on. */
export function wholeCopy(common: EventInput, event: EventName, input: EventInput): Payload {
  const copy: Payload = { ...common, ...input, hook_event_name: event };
  // SECURITY: it would be called when the payload is written for a program, which would then judge something else.
  if (typeof copy["toJSON"] === "function") delete copy["toJSON"];
  for (const name of Object.keys(copy)) copy[name] = (name === "tool_input" ? inputCopy : dataCopy)(copy[name]);
  return copy;
}

function isNested(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}
