import { CARRIED_INPUT, COMMON_INPUT } from "./common.ts";
import type { Fields } from "./field.ts";
import type { EventRow } from "./row.ts";

/** Every field of the event's payload but `hook_event_name`: common, carried, own. Own ones win. */
export function inputFieldsOf(row: EventRow): Fields {
  const carried = Object.fromEntries(Object.entries(CARRIED_INPUT).filter(([name]) => (row.carries as readonly string[]).includes(name)));
  return { ...COMMON_INPUT, ...carried, ...row.input };
}
