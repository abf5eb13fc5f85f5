import type { EventName } from "@hookloop/sdk";
import { EVENTS, type Matcher } from "../../catalogue/index.ts";
import type { EventInput } from "./types.ts";

/** What matchers of this event are compared with; empty if the event has none, or the input does not say. */
export function queryOf(event: EventName, input: EventInput): string {
  return queryIn(EVENTS[event].matcher, input);
}

/** The same, for an event whose matcher row is at hand. */
export function queryIn(row: Matcher | null, input: EventInput): string {
  if (row === null) return "";
  const value = input[row.field];
  if (typeof value !== "string") return "";
  return row.basename ? value.slice(value.lastIndexOf("/") + 1) : value;
}
