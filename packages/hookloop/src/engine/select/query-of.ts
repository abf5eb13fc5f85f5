import type { EventName } from "@hookloop/sdk";
import { EVENTS } from "../../catalogue/index.ts";
import type { EventInput } from "./types.ts";

/** What matchers of this event are compared with; empty if the event has none, or the input does not say. */
export function queryOf(event: EventName, input: EventInput): string {
  const matcher = EVENTS[event].matcher;
  if (matcher === null) return "";
  const value = input[matcher.field];
  if (typeof value !== "string") return "";
  return matcher.basename ? value.slice(value.lastIndexOf("/") + 1) : value;
}
