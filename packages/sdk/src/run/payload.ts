import { type Problem, problem } from "../problem.ts";
import { eventFacts } from "../wire/event-facts.ts";

/** An event as it came: an object with an event name, nothing more is sure. */
export interface Payload extends Record<string, unknown> {
  readonly hook_event_name: string;
}

/** The event, what is wrong with it, or both: a payload that lacks a field is still a payload. */
export interface ParsedPayload {
  readonly payload?: Payload | undefined;
  readonly problem?: Problem | undefined;
}

/** Reads the event out of the bytes on stdin. */
export function parsePayload(bytes: Uint8Array): ParsedPayload {
  let value: unknown;
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes).trim();
    if (!text)
      return { problem: problem("STDIN_EMPTY", "no event on stdin. To try the hook: hookloop events PreToolUse --sample | node hook.mjs") };
    value = JSON.parse(text);
  } catch {
    // The parser's own message quotes what it was given, and that may be a secret.
    return { problem: problem("STDIN_INVALID", `stdin is not JSON (bytes: ${bytes.length}). Send one JSON object in UTF-8`) };
  }
  const event = (value as Partial<Payload> | null)?.hook_event_name;
  if (typeof event !== "string")
    return {
      problem: problem("EVENT_MISSING", 'stdin has no "hook_event_name". Send one JSON object with it'),
    };
  return { payload: value as Payload, problem: checkEvent(value as Payload) };
}

function checkEvent(payload: Payload): Problem | undefined {
  const { hook_event_name: event } = payload;
  const facts = eventFacts(event);
  if (!facts) return problem("EVENT_UNKNOWN", `"${event}" is not an event. \`hookloop events\` lists them`);
  const absent = facts.required.filter((field) => payload[field] === undefined);
  return absent[0]
    ? problem("FIELD_MISSING", `the ${event} payload lacks ${absent.join(", ")}. See \`hookloop events ${event}\``)
    : undefined;
}
