import { EVENTS } from "../../../catalogue/index.ts";
import { type Reading, report } from "../reading.ts";
import type { ConfigProperty } from "../tree/index.ts";
import { type HookDeclaration, type Scope, SETTINGS_COMMANDS, type SettingsCommand } from "../types.ts";
import { readEntry } from "./read-entry.ts";

/** Files of these scopes describe a plugin or a skill: the status line is not theirs. */
const HOOKS_ONLY: readonly Scope[] = ["plugin", "skill"];
/** How it is shown; only its front end is interested. */
const DISPLAY_KEYS = ["padding", "refreshInterval"];
/** The row whose rules an entry is checked by: a command that only tells something. Nothing fires it. */
const CHECKED_AS = "Notification";

/** Whether a key of a file is a command that is no hook. */
export function isSettingsCommand(key: string): key is SettingsCommand {
  return (SETTINGS_COMMANDS as readonly string[]).includes(key);
}

/** `statusLine` and `fileSuggestion`: no hooks, but commands that a file brings along, so they pass the same gate. */
export function readSettingsCommands(reading: Reading, properties: readonly ConfigProperty[]): readonly HookDeclaration[] {
  const { source, shape } = reading;
  if (shape.entries === "flat" || HOOKS_ONLY.includes(source.scope)) return [];
  return properties.flatMap(({ key, value }): readonly HookDeclaration[] => {
    if (!isSettingsCommand(key) || !value) return [];
    const entry = readEntry(reading, { event: CHECKED_AS, row: EVENTS[CHECKED_AS], node: value, otherKeys: DISPLAY_KEYS });
    if (!entry) return [];
    if (entry.kind === "command") {
      return [{ event: CHECKED_AS, source, place: value.place, kind: "command", fields: { ...entry.fields, setting: key }, setting: key }];
    }
    const text = `"${key}" must be of type "command", not "${entry.kind}", and is left out.`;
    report(reading, { code: "HL_CONFIG_KIND_NOT_ALLOWED", text, place: value.place });
    return [];
  });
}
