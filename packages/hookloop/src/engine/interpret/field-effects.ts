/**
 * Takes one output field of an event, its type already checked, gives the effects it stands for.
 * Every dialect and every function hook goes through this table, so a field means the same whoever set it.
 */
import type { EventRow } from "../../catalogue/index.ts";
import { isObject } from "./check-type.ts";
import { sanitiseText } from "./sanitise-text.ts";
import { sayContext, sayNo } from "./say-no.ts";
import type { Effect } from "./types.ts";

type Fields = Readonly<Record<string, unknown>>;
type FieldReader = (value: unknown, row: EventRow, fields: Fields) => readonly Effect[];

const READERS: Readonly<Record<string, FieldReader>> = {
  permissionDecision: (value, row, fields) => decided(value, row, optionalText(fields["permissionDecisionReason"])),
  // Belongs to the decision beside it.
  permissionDecisionReason: () => [],
  decision: (value, row) => (isObject(value) ? answered(value, row) : []),
  updatedInput: (value) => [{ type: "rewriteInput", input: plainCopy(value) as Fields }],
  updatedPermissions: (value) => [{ type: "permissionUpdates", updates: plainCopy(value) as unknown[] }],
  updatedToolOutput: (value) => [{ type: "rewriteOutput", output: plainCopy(value) }],
  // The older name: where both are given, the newer one counts.
  updatedMCPToolOutput: (value, _row, fields) =>
    fields["updatedToolOutput"] === undefined ? [{ type: "rewriteOutput", output: plainCopy(value) }] : [],
  updatedPrompt: (value) => [{ type: "rewritePrompt", prompt: sanitiseText(String(value)) }],
  additionalContext: (value, row) => sayContext(row, String(value)),
  action: (value, row) => [...(value === "decline" ? sayNo(row, "A hook declined.") : []), { type: "set", field: "action", value }],
  interrupt: (value, _row, fields) => (value === true ? interrupted(optionalText(fields["message"])) : []),
};

/** What one field of an answer asks for. */
export function fieldEffects(name: string, row: EventRow, fields: Fields): readonly Effect[] {
  const value = fields[name];
  const reader = Object.hasOwn(READERS, name) ? READERS[name] : undefined;
  return reader ? reader(value, row, fields) : [{ type: "set", field: name, value: shownCopy(value) }];
}

function decided(value: unknown, row: EventRow, reason: string | undefined): readonly Effect[] {
  if (value === "deny") return sayNo(row, reason);
  if (value === "allow") return [{ type: "approve", reason }];
  return value === "ask" || value === "defer" ? [{ type: value, reason }] : [];
}

/** The answer to a permission request. */
function answered(decision: Fields, row: EventRow): readonly Effect[] {
  const message = optionalText(decision["message"]);
  if (decision["behavior"] === "deny") return [...sayNo(row, message), ...fieldIfSet("interrupt", row, decision)];
  return [{ type: "approve" }, ...fieldIfSet("updatedInput", row, decision), ...fieldIfSet("updatedPermissions", row, decision)];
}

function fieldIfSet(name: string, row: EventRow, fields: Fields): readonly Effect[] {
  return fields[name] === undefined ? [] : fieldEffects(name, row, fields);
}

/** The turn ends at once; the loop tells it from an ordinary halt by the field. */
function interrupted(reason: string | undefined): readonly Effect[] {
  return [
    { type: "halt", reason },
    { type: "set", field: "interrupt", value: true },
  ];
}

function optionalText(value: unknown): string | undefined {
  return typeof value === "string" ? sanitiseText(value) : undefined;
}

/** Ordinary objects again: tools and handlers may call methods on what they get. Keys that reach a prototype are left out. */
export function plainCopy(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(plainCopy);
  if (!isObject(value)) return value;
  const copy: Record<string, unknown> = {};
  // SECURITY: "__proto__" as a key would set the copy's prototype.
  for (const key of Object.keys(value)) if (key !== "__proto__") copy[key] = plainCopy(value[key]);
  return copy;
}

/** A field that is shown to someone: its texts are made safe. */
function shownCopy(value: unknown): unknown {
  if (typeof value === "string") return sanitiseText(value);
  return Array.isArray(value) && value.every((item) => typeof item === "string")
    ? value.map((item) => sanitiseText(item))
    : plainCopy(value);
}
