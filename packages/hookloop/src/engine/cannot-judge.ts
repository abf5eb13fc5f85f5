import type { EventName } from "@hookloop/sdk";
import { EVENT_NAMES, EVENTS, nearestName } from "../catalogue/index.ts";
import { clause } from "../wording.ts";
import { thrownText } from "./execute/index.ts";
import { noVerdict, type Verdict } from "./merge/index.ts";
import type { Session } from "./session.ts";

const REASON = "The hooks of this event could not be asked, so it does not happen.";

/** The verdict when the input itself cannot be read: a gate stays shut, everything else goes on; both out loud. */
export function cannotJudge(session: Session, event: EventName, thrown: unknown): Verdict {
  const row = EVENTS[event];
  const isShut = row.role === "gate" && row.blockEffect !== null;
  const consequence = isShut ? "that counts as a denial" : "the agent continues without their answer";
  const text = `the hooks of ${event} could not be told about it: ${clause(thrownText(thrown))}; ${consequence}. Fire it with plain data.`;
  session.report({ code: "HL_EXECUTE_BAD_INPUT", level: "error", text });
  const nothing = noVerdict(event);
  if (!isShut) return nothing;
  const no = { text: REASON, hook: "" };
  return row.blockEffect === "halt" ? { ...nothing, halt: no } : { ...nothing, decision: "deny", reasons: [no] };
}

/** The verdict of an event that is none: nothing can hang on it. */
export function noSuchEvent(session: Session, event: string): Verdict {
  const nearest = nearestName(event, EVENT_NAMES);
  const text = `"${event}" is not an event.${nearest === undefined ? "" : ` Did you mean "${nearest}"?`}`;
  session.report({ code: "HL_CONFIG_UNKNOWN_EVENT", level: "error", text });
  return { ...noVerdict("Notification"), event: event as EventName };
}
