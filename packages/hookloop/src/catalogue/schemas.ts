/**
 * Takes the catalogue's plain data, gives zod schemas of every event's input and output.
 * Loaded only by whoever validates (configuration, command line, tests): the engine's hot path reads the tables.
 */

import type { EventInputs, EventName } from "@hookloop/sdk";
import * as z from "zod";
import { CASE_FIELDS, CASES_FILE, EXPECT_FIELDS, EXPECTED_DECISIONS } from "./cases-file.ts";
import { EVENTS } from "./events.ts";
import { type Field, type Fields, type FieldType, inputFieldsOf, topLevelOutputOf } from "./field.ts";
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
import { SHIPPED_HOOKS, SHIPPED_NAMES } from "./shipped-hooks.ts";

/** Whether an object may have fields the catalogue does not know. */
type Strictness = "open" | "closed";

/** The payload of an event. Agents add fields of their own, so unknown ones pass. */
export function inputSchema<Event extends EventName>(event: Event): z.ZodType<EventInputs[Event]> {
  const row = EVENTS[event];
  const schema = objectSchema(inputFieldsOf(row), "open", { hook_event_name: z.literal(event).describe("The event's name.") });
  return schema.describe(`Input of ${event}. It fires ${row.fires}.`) as unknown as z.ZodType<EventInputs[Event]>;
}

/** What a hook of the event may answer. A field the event does not have is a mistake. */
export function outputSchema(event: EventName): z.ZodType<Record<string, unknown>> {
  const row = EVENTS[event];
  const specific = objectSchema(row.output, "closed", {
    hookEventName: z.literal(event).describe("The event's name; without it the answer is dropped."),
  });
  const hookSpecificOutput = specific.describe(`What only ${event} understands.`).optional();
  const schema = objectSchema(topLevelOutputOf(row), "closed", Object.keys(row.output).length > 0 ? { hookSpecificOutput } : {});
  return schema.describe(`Output of a hook of ${event}.`);
}

/** An object with the catalogue's fields and, optionally, fields that are schemas already. */
export function objectSchema(fields: Fields, strictness: Strictness, more: Record<string, z.ZodType> = {}): z.ZodObject {
  const members = Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, fieldSchema(field, strictness)]));
  return strictness === "open" ? z.looseObject({ ...members, ...more }) : z.strictObject({ ...members, ...more });
}

function fieldSchema(field: Field, strictness: Strictness): z.ZodType {
  const schema = typeSchema(field.type, strictness).describe(field.description);
  return field.optional ? schema.optional() : schema;
}

function typeSchema(type: FieldType, strictness: Strictness): z.ZodType {
  switch (type.kind) {
    case "string":
      return type.known ? z.string().meta({ examples: [...type.known] }) : z.string();
    case "choice":
      return z.enum(type.values as [string, ...string[]]);
    case "number":
      return z.number();
    case "boolean":
      return z.boolean();
    case "null":
      return z.null();
    case "record":
      return z.record(z.string(), z.unknown());
    case "any":
      return z.unknown();
    case "list":
      return z.array(typeSchema(type.item, strictness));
    case "shape":
      return objectSchema(type.fields, strictness);
    case "either":
      return z.union(type.options.map((option) => typeSchema(option, strictness)) as [z.ZodType, ...z.ZodType[]]);
  }
}

/** Draft 7, because that is what editors check settings files with. */
export function toJsonSchema(schema: z.ZodType, title: string): Record<string, unknown> {
  const { $schema, ...rest } = z.toJSONSchema(schema, { target: "draft-7", io: "input" });
  return { $schema, title, ...rest };
}

/** The files that have a schema. */
export const SETTINGS_FILES: Readonly<Record<"native" | "settings" | "hooks-json" | "cases", string>> = {
  native: ".hookloop/hooks.json",
  settings: "the hooks part of .claude/settings.json",
  "hooks-json": ".hooks.json",
  cases: "NAME.cases.yaml and NAME.cases.json",
};

type SettingsFile = keyof typeof SETTINGS_FILES;
type Flavour = "claude" | "native";

/** Schema of one of the files. */
export function settingsSchema(file: SettingsFile): z.ZodType {
  return { native: nativeFile, settings: claudeSettings, "hooks-json": hooksJson, cases: casesFile }[file]();
}

function claudeSettings(): z.ZodType {
  return objectSchema(SETTINGS_SWITCHES, "open", { hooks: eventMap("claude").optional() }).describe("The hooks part of a settings file.");
}

function nativeFile(): z.ZodType {
  return objectSchema({}, "closed", {
    $schema: z.string().describe("Where this schema is.").optional(),
    hooks: eventMap("native").optional(),
    use: z
      .array(usedHook())
      .describe("Hooks that come with hookloop, to switch on: names, or objects of a name and its options.")
      .optional(),
    plugins: z.array(z.string()).describe("Packs: installed packages with hooks, by name.").optional(),
    permissions: objectSchema(PERMISSION_LISTS, "closed").describe("Permission rules.").optional(),
    settings: objectSchema(NATIVE_SETTINGS, "closed").describe("Counts only in user and managed scope.").optional(),
  }).describe("hookloop's own configuration.");
}

function usedHook(): z.ZodType {
  const withOptions = SHIPPED_NAMES.map((name) =>
    objectSchema(SHIPPED_HOOKS[name].options, "closed", { name: z.literal(name).describe("The hook.") }),
  );
  return z.union([z.enum(SHIPPED_NAMES), ...withOptions]);
}

function hooksJson(): z.ZodType {
  const entry = z.strictObject({
    matcher: z
      .string()
      .nullable()
      .describe("A tool of this dialect in lower case: bash, read_file, write_file, edit_file. Null is the same as none.")
      .optional(),
    command: z.string().describe("A shell line. Exit 0 continues, 1 blocks, 2 injects stderr."),
  });
  const event = (name: EventName): z.ZodType => z.array(entry).describe(`It fires ${EVENTS[name].fires}.`).optional();
  const hooks = z.strictObject({ SessionStart: event("SessionStart"), PreToolUse: event("PreToolUse"), PostToolUse: event("PostToolUse") });
  return z.strictObject({ hooks: hooks.describe("Hooks by event.") }).describe("The .hooks.json file protocol.");
}

/** A file, or only its list of cases. */
function casesFile(): z.ZodType {
  const expect = z.union([z.enum(EXPECTED_DECISIONS), objectSchema(EXPECT_FIELDS, "closed")]).describe("What the hook must do.");
  const short = z.union([z.string(), z.record(z.string(), z.unknown()), z.null()]);
  // The short form has a tool or an event as its key, and MCP tools have any name.
  const one = objectSchema(CASE_FIELDS, "closed", { expect }).catchall(short).describe("One case.");
  const cases = z.array(one).describe("The cases.");
  return z.union([objectSchema(CASES_FILE, "closed", { cases }), cases]).describe("What a hook must do with which call.");
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

type JsonSchema = Record<string, unknown>;

export function fileJsonSchema(file: SettingsFile): JsonSchema {
  return toJsonSchema(settingsSchema(file), `hookloop: ${SETTINGS_FILES[file]}`);
}

export function eventJsonSchema(event: EventName, side: "input" | "output"): JsonSchema {
  return toJsonSchema(side === "input" ? inputSchema(event) : outputSchema(event), `${event} ${side}`);
}
