import type { EventRow } from "../../catalogue/index.ts";
import { type Effect, sanitiseText } from "../../engine/interpret/index.ts";

/** What plain stdout of a successful hook does: context, a path, or nothing but a line in the log. */
export function plainTextEffects(row: EventRow, text: string): readonly Effect[] {
  if (row.stdout === "context") return contextOf(text);
  return row.stdout === "path" && row.pathField ? pathOf(row.pathField, text) : [];
}

function contextOf(text: string): readonly Effect[] {
  const shown = sanitiseText(text).trim();
  return shown === "" ? [] : [{ type: "context", text: shown, fromStdout: true }];
}

/** The last line that is not empty: what stands before it is progress of the command that made the folder. */
function pathOf(field: string, text: string): readonly Effect[] {
  const last = sanitiseText(text)
    .split("\n")
    .map((line) => line.trim())
    .findLast((line) => line !== "");
  return last === undefined ? [] : [{ type: "set", field, value: last }];
}
