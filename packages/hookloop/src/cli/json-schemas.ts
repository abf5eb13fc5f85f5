import type { EventName } from "@hookloop/sdk";
import { inputSchema, outputSchema, toJsonSchema } from "../catalogue/schemas.ts";
import { SETTINGS_FILES, settingsSchema } from "../catalogue/settings-schema.ts";

type SettingsFile = keyof typeof SETTINGS_FILES;
type JsonSchema = Record<string, unknown>;

export function fileJsonSchema(file: SettingsFile): JsonSchema {
  return toJsonSchema(settingsSchema(file), `hookloop: ${SETTINGS_FILES[file]}`);
}

export function eventJsonSchema(event: EventName, side: "input" | "output"): JsonSchema {
  return toJsonSchema(side === "input" ? inputSchema(event) : outputSchema(event), `${event} ${side}`);
}
