import type { ToolName } from "@hookloop/sdk";
import { z } from "zod";
import { TOOLS } from "../../catalogue/index.ts";
import { objectSchema } from "../../catalogue/schemas.ts";
import type { AgentTool } from "./types.ts";

export interface InputCheck {
  /** For the model. */
  readonly jsonSchema: Readonly<Record<string, unknown>>;
  /** What is wrong with an input, in words the model can use; nothing if it is right. */
  problemOf(input: unknown): string | undefined;
}

/** What an input of the tool must look like: the catalogue's fields, or the tool's own JSON Schema. */
export function inputCheck({ name, inputSchema }: Pick<AgentTool, "name" | "inputSchema">): InputCheck {
  if (inputSchema) return { jsonSchema: inputSchema, problemOf: checker(() => fromJsonSchema(inputSchema)) };
  const row = Object.hasOwn(TOOLS, name) ? TOOLS[name as ToolName] : undefined;
  const schema = objectSchema(row?.input ?? {}, "closed");
  const { $schema: _version, ...jsonSchema } = z.toJSONSchema(schema, { io: "input" });
  return { jsonSchema, problemOf: checker(() => schema) };
}

/** Schemas of other people may use what zod does not know; then their server checks the input. */
function fromJsonSchema(inputSchema: Readonly<Record<string, unknown>>): z.ZodType {
  try {
    return z.fromJSONSchema(inputSchema as Parameters<typeof z.fromJSONSchema>[0]);
  } catch {
    return z.record(z.string(), z.unknown());
  }
}

function checker(make: () => z.ZodType): InputCheck["problemOf"] {
  let schema: z.ZodType | undefined;
  return (input) => {
    schema ??= make();
    const { error } = schema.safeParse(input);
    return error?.issues.map(({ path, message }) => (path.length > 0 ? `${path.join(".")}: ${message}` : message)).join("; ");
  };
}
