import type { EventName } from "@hookloop/sdk";
import { EVENT_NAMES } from "../../catalogue/index.ts";
import type { Verdict } from "./types.ts";

/** The one empty list: shared by every verdict, so it must never be pushed to. */
export const NOTHING: readonly never[] = Object.freeze([]);
export const NO_FIELDS: Readonly<Record<string, unknown>> = Object.freeze({});

/** A verdict in which nothing was said. */
export function emptyVerdict(event: EventName): Verdict {
  return {
    event,
    decision: "none",
    reasons: NOTHING,
    halt: undefined,
    continueWith: NOTHING,
    contexts: NOTHING,
    feedback: NOTHING,
    tells: NOTHING,
    updatedInput: undefined,
    updatedOutput: undefined,
    updatedPrompt: undefined,
    permissionUpdates: NOTHING,
    fields: NO_FIELDS,
    outcomes: NOTHING,
  };
}

const NONE = Object.fromEntries(EVENT_NAMES.map((event) => [event, Object.freeze(emptyVerdict(event))])) as Readonly<
  Record<EventName, Verdict>
>;

/** What an event gives when no hook said anything: frozen, the same object every time. */
export function noVerdict(event: EventName): Verdict {
  return NONE[event];
}
