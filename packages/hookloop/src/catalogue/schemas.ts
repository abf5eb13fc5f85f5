/**
 * Takes the catalogue's plain data, gives zod schemas of every event's input and output.
 * Loaded only by whoever validates (configuration, command line, tests): the engine's hot path reads the tables.
 */
import type { EventInputs, EventName } from "@hookloop/sdk";
import { z } from "zod";
import { inputFieldsOf, topLevelOutputOf } from "./common.ts";
import { EVENTS } from "./events/index.ts";
import type { Field, Fields, FieldType } from "./field.ts";

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
