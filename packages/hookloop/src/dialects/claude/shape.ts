import type { EventName } from "@hookloop/sdk";
import {
  COMMON_HOOK_FIELDS,
  type DialectShape,
  EVENT_NAMES,
  type Field,
  type Fields,
  HOOK_KINDS,
  MODULE_HOOK_FIELDS,
  NATIVE_HOOK_FIELDS,
  PERMISSION_LISTS,
  SETTINGS_SWITCHES,
  TOOL_NAMES,
} from "../../catalogue/index.ts";

export const optional = (type: Field["type"], description: string): Field => ({ type, description, optional: true });

const { statusLine: _notAHook, enabledPlugins, ...switches } = SETTINGS_SWITCHES;

/** What a hookloop file has as well. */
export const SWITCHES: Fields = {
  ...switches,
  allowManagedHooksOnly: optional({ kind: "boolean" }, "Only hooks of managed policy run; counts only there."),
  permissions: optional({ kind: "shape", fields: PERMISSION_LISTS }, "Permission rules."),
};

export const MODULE_KIND: Fields = { ...COMMON_HOOK_FIELDS, ...MODULE_HOOK_FIELDS };

/** The kinds of hooks with the fields that all have, and some more. */
export function kindsWith(more: Fields): Readonly<Record<string, Fields>> {
  return Object.fromEntries(Object.entries(HOOK_KINDS).map(([kind, fields]) => [kind, { ...COMMON_HOOK_FIELDS, ...fields, ...more }]));
}

export const EVENTS_AS_THEY_ARE: Readonly<Record<string, EventName>> = Object.fromEntries(EVENT_NAMES.map((name) => [name, name]));

export const CLAUDE_SHAPE: DialectShape = {
  title: "a Claude settings file",
  events: EVENTS_AS_THEY_ARE,
  tools: TOOL_NAMES,
  topLevel: { ...SWITCHES, ...(enabledPlugins && { enabledPlugins }) },
  sharedWith: "Claude Code",
  entries: "nested",
  groupFields: ["matcher", "hooks"],
  kinds: kindsWith({}),
  extensions: { groupFields: ["sequential"], kinds: { module: MODULE_KIND }, fields: NATIVE_HOOK_FIELDS },
};
