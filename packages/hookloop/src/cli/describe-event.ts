import type { Ability, EventName } from "@hookloop/sdk";
import {
  ABILITY_MEANS,
  abilitiesOf,
  EVENTS,
  type EventRow,
  type Field,
  type Fields,
  type FieldType,
  inputFieldsOf,
  samplePayload,
} from "../catalogue/index.ts";
import { type OutputSample, outputSample } from "./output-sample.ts";

export interface FieldDescription {
  readonly name: string;
  readonly type: string;
  readonly isRequired: boolean;
  readonly description: string;
}

export interface OutputDescription extends OutputSample {
  readonly say: Ability;
  readonly means: string;
}

/** Everything there is to know about one event, ready to be shown. */
export interface EventDescription extends Omit<EventRow, "input" | "output" | "sample"> {
  readonly name: EventName;
  readonly input: readonly FieldDescription[];
  readonly sample: Readonly<Record<string, unknown>>;
  readonly hookSpecificOutput: readonly FieldDescription[];
  readonly outputs: readonly OutputDescription[];
}

export async function describeEvent(name: EventName): Promise<EventDescription> {
  const { input: _input, output, sample: _sample, ...row } = EVENTS[name];
  const says = abilitiesOf(EVENTS[name]);
  const outputs = says.map(async (say) => ({ say, means: meaning(say, EVENTS[name]), ...(await outputSample(name, say)) }));
  return {
    name,
    ...row,
    // The event's own fields first: they are what people come for.
    input: describeFields({ ...EVENTS[name].input, ...inputFieldsOf(EVENTS[name]) }),
    sample: { ...samplePayload(name) },
    hookSpecificOutput: describeFields(output),
    outputs: await Promise.all(outputs),
  };
}

function meaning(say: Ability, row: EventRow): string {
  return say === "block" || (say === "deny" && row.block !== null) ? row.blockMeans : ABILITY_MEANS[say];
}

function describeFields(fields: Fields): FieldDescription[] {
  return Object.entries(fields).map(([name, field]: [string, Field]) => ({
    name,
    type: typeName(field.type),
    isRequired: !field.optional,
    description: field.description,
  }));
}

function typeName(type: FieldType): string {
  switch (type.kind) {
    case "string":
      return type.known ? `string (${type.known.join(", ")}, …)` : "string";
    case "choice":
      return type.values.join(" | ");
    case "record":
      return "object";
    case "list":
      return `list of ${typeName(type.item)}`;
    case "shape":
      return `{ ${Object.entries(type.fields)
        .map(([name, field]) => `${name}${field.optional ? "?" : ""}`)
        .join(", ")} }`;
    case "either":
      return type.options.map(typeName).join(" | ");
    default:
      return type.kind;
  }
}
