import type { EventName } from "@hookloop/sdk";
import { EVENTS, type Matcher } from "../../catalogue/index.ts";
import type { EventInput } from "./types.ts";

/** What the event was about, for people: the value that matchers are compared with, of a path its last part; empty if there is none. */
export function queryOf(event: EventName, input: EventInput): string {
  const row = EVENTS[event].matcher;
  const value = queryIn(row, input);
  return row?.basename ? value.slice(value.lastIndexOf("/") + 1) : value;
}

/** What matchers of this row are compared with; empty if the event has none, or the input does not say. */
export function queryIn(row: Matcher | null, input: EventInput): string {
  const value = row === null ? undefined : input[row.field];
  return typeof value === "string" ? value : "";
}
