/** Takes the catalogue, gives schemas of the files hooks are configured in. Loaded as lazily as `schemas.ts`. */
import type { EventName } from "@hookloop/sdk";
import { z } from "zod";
import { EVENTS } from "./events/index.ts";
import {
  COMMON_HOOK_FIELDS,
  type ConfiguredKind,
  HOOK_KINDS,
  MODULE_HOOK_FIELDS,
  NATIVE_HOOK_FIELDS,
  NATIVE_SETTINGS,
  PERMISSION_LISTS,
  SETTINGS_SWITCHES,
} from "./hook-kinds.ts";
import type { EventRow, Matcher } from "./row.ts";
import { objectSchema } from "./schemas.ts";

/** The files that have a schema. */
export const SETTINGS_FILES: Readonly<Record<"native" | "settings" | "hooks-json", string>> = {
  native: ".hookloop/hooks.json",
  settings: "the hooks part of .claude/settings.json",
  "hooks-json": ".hooks.json",
};

type SettingsFile = keyof typeof SETTINGS_FILES;
type Flavour = "claude" | "native";

/** Schema of one of the files. */
export function settingsSchema(file: SettingsFile): z.ZodType {
  return { native: nativeFile, settings: claudeSettings, "hooks-json": hooksJson }[file]();
}

function claudeSettings(): z.ZodType {
  return objectSchema(SETTINGS_SWITCHES, "open", { hooks: eventMap("claude").optional() }).describe("The hooks part of a settings file.");
}

function nativeFile(): z.ZodType {
  return objectSchema({}, "closed", {
    $schema: z.string().describe("Where this schema is.").optional(),
    hooks: eventMap("native").optional(),
    plugins: z.array(z.string()).describe("Packs: installed packages with hooks, by name.").optional(),
    permissions: objectSchema(PERMISSION_LISTS, "closed").describe("Permission rules.").optional(),
    settings: objectSchema(NATIVE_SETTINGS, "closed").describe("Counts only in user and managed scope.").optional(),
  }).describe("hookloop's own configuration.");
}

function hooksJson(): z.ZodType {
  const entry = z.strictObject({
    matcher: z.string().describe("A tool of this dialect in lower case: bash, read_file, write_file, edit_file.").optional(),
    command: z.string().describe("A shell line. Exit 0 goes on, 1 blocks, 2 injects stderr."),
  });
  const event = (name: EventName): z.ZodType => z.array(entry).describe(`It fires ${EVENTS[name].fires}.`).optional();
  const hooks = z.strictObject({ SessionStart: event("SessionStart"), PreToolUse: event("PreToolUse"), PostToolUse: event("PostToolUse") });
  return z.strictObject({ hooks: hooks.describe("Hooks by event.") }).describe("The .hooks.json file protocol.");
}

function eventMap(flavour: Flavour): z.ZodType {
  const kinds = KIND_SCHEMAS[flavour];
  const events = Object.entries(EVENTS).map(([name, row]) => [name, groups(row, kinds, flavour)]);
  return z.strictObject(Object.fromEntries(events)).describe("Hooks by event.");
}

function groups(row: EventRow, kinds: Readonly<Record<string, z.ZodType>>, flavour: Flavour): z.ZodType {
  const allowed = row.kinds.flatMap((kind) => kinds[kind] ?? []);
  const group = z.strictObject({
    ...(row.matcher && { matcher: matcherSchema(row.matcher).optional() }),
    ...(flavour === "native" && {
      sequential: z.boolean().describe("Run one after the other, each on what the one before returned.").optional(),
    }),
    hooks: z.array(z.union(allowed as [z.ZodType, ...z.ZodType[]])).describe("What runs."),
  });
  return z.array(group).describe(`It fires ${row.fires}.`).optional();
}

function matcherSchema({ field, values }: Matcher): z.ZodType {
  const description = `Compared with \`${field}\`: empty or "*" for all, names separated by "|", or a regular expression.`;
  return z.string().meta({ description, ...(values.length > 0 && { examples: [...values] }) });
}

/** One schema per kind. Its id makes it a definition that events refer to, so that the JSON Schema stays small. */
function kindSchemas(flavour: Flavour): Readonly<Record<string, z.ZodType>> {
  const native = flavour === "native" ? NATIVE_HOOK_FIELDS : {};
  const kinds = flavour === "native" ? { ...HOOK_KINDS, module: MODULE_HOOK_FIELDS } : HOOK_KINDS;
  const schemas = Object.entries(kinds).map(([kind, fields]) => {
    const type = z.literal(kind as ConfiguredKind).describe("The kind of hook.");
    const schema = objectSchema({ ...COMMON_HOOK_FIELDS, ...fields, ...native }, "closed", { type });
    return [kind, schema.register(z.globalRegistry, { id: `${flavour}-${kind}` })];
  });
  return Object.fromEntries(schemas);
}

const KIND_SCHEMAS: Readonly<Record<Flavour, Readonly<Record<string, z.ZodType>>>> = {
  claude: kindSchemas("claude"),
  native: kindSchemas("native"),
};
