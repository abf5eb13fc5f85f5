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

/** What is wrong with an output that a hook put in the place of a tool's own; nothing if it can be used. Fields that a tool may leave out, a hook may, too. */
export function outputProblem(
  { name, inputSchema }: Pick<AgentTool, "name" | "inputSchema">,
  own: unknown,
  given: unknown,
): string | undefined {
  // Tools of servers have no shape we know.
  if (inputSchema) return undefined;
  const response = Object.hasOwn(TOOLS, name) ? TOOLS[name as ToolName].response : undefined;
  if (response) return checker(() => objectSchema(response, "open"))(given);
  return hasShapeOf(own, given) ? undefined : `it needs the fields of the tool's own: ${Object.keys((own ?? {}) as object).join(", ")}`;
}

function hasShapeOf(own: unknown, other: unknown): boolean {
  if (typeof own !== "object" || own === null) return typeof own === typeof other;
  if (typeof other !== "object" || other === null || Array.isArray(other) !== Array.isArray(own)) return false;
  return Object.entries(own).every(
    ([name, value]) => value === undefined || typeof (other as Record<string, unknown>)[name] === typeof value,
  );
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
