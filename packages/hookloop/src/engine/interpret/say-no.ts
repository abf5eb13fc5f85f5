import type { EventRow } from "../../catalogue/index.ts";
import { sanitiseText } from "./sanitise-text.ts";
import type { Effect } from "./types.ts";

/** The reason of a no that came without one. The hook's name and command line are for the user, never for the model (D8). */
export const NO_WITHOUT_REASON = "A hook blocked it without a reason.";

/** What a no means at this event; nothing where it means nothing. */
export function sayNo(row: EventRow, reason: string | undefined): readonly Effect[] {
  const said = sanitiseText(reason ?? "").trim() || NO_WITHOUT_REASON;
  if (row.blockEffect === null) return [];
  return [row.blockEffect === "feedback" ? { type: "feedback", text: said } : { type: row.blockEffect, reason: said }];
}

/** Text for the model; where context also keeps the agent going, it does. */
export function sayContext(row: EventRow, text: string): readonly Effect[] {
  const said = sanitiseText(text);
  if (said.trim() === "") return [];
  return row.contextContinues
    ? [
        { type: "context", text: said },
        { type: "continueTurn", reason: said },
      ]
    : [{ type: "context", text: said }];
}
