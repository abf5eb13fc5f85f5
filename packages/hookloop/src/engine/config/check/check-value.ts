import type { Fields, FieldType } from "../../../catalogue/index.ts";
import type { Place } from "../../../diagnostic.ts";
import { choices, shown } from "../reading.ts";
import { type ConfigNode, plainValue } from "../tree/index.ts";

/** A value that is not what its field wants. */
export interface Mismatch {
  readonly expected: string;
  readonly received: string;
  readonly place: Place;
}

const SCALARS: Readonly<Record<string, string>> = { string: "text", number: "number", boolean: "boolean", null: "null" };
const EXPECTED: Readonly<Record<FieldType["kind"], string>> = {
  string: "a text",
  number: "a number",
  boolean: "true or false",
  null: "null",
  record: "an object",
  any: "a value",
  list: "a list",
  shape: "an object",
  either: "another value",
  choice: "one of its words",
};

/** The first place where a value differs from its field's type, or nothing. */
export function findMismatch(type: FieldType, node: ConfigNode): Mismatch | undefined {
  if (type.kind === "any") return undefined;
  if (type.kind === "either") return type.options.every((option) => findMismatch(option, node)) ? mismatch(type, node) : undefined;
  if (type.kind === "choice") return type.values.some((value) => value === plainValue(node)) ? undefined : mismatch(type, node);
  if (type.kind === "record") return node.type === "object" ? undefined : mismatch(type, node);
  if (type.kind === "list")
    return node.type === "list" ? firstOf(node.items.map((item) => findMismatch(type.item, item))) : mismatch(type, node);
  if (type.kind === "shape") return node.type === "object" ? findInShape(type.fields, node) : mismatch(type, node);
  return node.type === SCALARS[type.kind] ? undefined : mismatch(type, node);
}

function findInShape(fields: Fields, node: ConfigNode & { readonly type: "object" }): Mismatch | undefined {
  const missing = Object.entries(fields).find(([name, field]) => !field.optional && !node.properties.some(({ key }) => key === name));
  if (missing) return { expected: `an object with "${missing[0]}"`, received: shown(plainValue(node)), place: node.place };
  const found = node.properties.map(({ key, value }) => {
    const field = Object.hasOwn(fields, key) ? fields[key] : undefined;
    return field && value && findMismatch(field.type, value);
  });
  return firstOf(found);
}

function firstOf(found: readonly (Mismatch | undefined)[]): Mismatch | undefined {
  return found.find((item) => item !== undefined);
}

function mismatch(type: FieldType, node: ConfigNode): Mismatch {
  return { expected: expectedText(type), received: shown(plainValue(node)), place: node.place };
}

function expectedText(type: FieldType): string {
  if (type.kind === "choice") return choices(type.values);
  return type.kind === "either" ? type.options.map(expectedText).join(" or ") : EXPECTED[type.kind];
}
