import type { FieldType } from "../../catalogue/index.ts";
import { nearestName } from "../../diagnostic.ts";
import { shortText } from "./sanitise-text.ts";

/** What is wrong with a value, as the end of a sentence that begins with its name; nothing if it is right. */
export function typeProblem(value: unknown, type: FieldType): string | undefined {
  return isOfType(value, type) ? undefined : `must be ${typeText(type)}, found ${valueText(value)}${suggestion(value, type)}`;
}

function isOfType(value: unknown, type: FieldType): boolean {
  switch (type.kind) {
    case "string":
    case "number":
    case "boolean":
      return typeof value === type.kind;
    case "choice":
      return typeof value === "string" && type.values.includes(value);
    case "null":
      return value === null;
    case "record":
      return isObject(value);
    case "any":
      return true;
    case "list":
      return Array.isArray(value) && value.every((item) => isOfType(item, type.item));
    case "shape":
      return isObject(value) && Object.entries(type.fields).every(([name, field]) => hasType(value[name], field.type, field.optional));
    case "either":
      return type.options.some((option) => isOfType(value, option));
  }
}

function hasType(value: unknown, type: FieldType, isOptional: true | undefined): boolean {
  return value === undefined ? isOptional === true : isOfType(value, type);
}

/** An object that is not a list. */
export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function typeText(type: FieldType): string {
  switch (type.kind) {
    case "choice":
      return `${type.values.length > 1 ? "one of " : ""}${type.values.map((value) => `"${value}"`).join(", ")}`;
    case "string":
      return "a string";
    case "boolean":
      return "true or false";
    case "record":
      return "an object";
    case "list":
      return `a list, each item ${typeText(type.item)}`;
    case "shape":
      return `an object with ${Object.entries(type.fields)
        .filter(([, field]) => !field.optional)
        .map(([name, field]) => `${name} (${typeText(field.type)})`)
        .join(", ")}`;
    case "either":
      return type.options.map(typeText).join(", or ");
    default:
      return type.kind === "any" ? "any value" : `a ${type.kind}`;
  }
}

function valueText(value: unknown): string {
  if (Array.isArray(value)) return "a list";
  if (isObject(value)) return `an object with ${shortText(Object.keys(value).join(", "), 60) || "nothing in it"}`;
  return typeof value === "string" ? `"${shortText(value, 60)}"` : shortText(String(value), 60);
}

/** The same word in another field's language: what people write when they mix the two spellings up. */
const MEANT: Readonly<Record<string, readonly string[]>> = {
  block: ["deny"],
  deny: ["block", "decline"],
  allow: ["approve", "accept"],
  approve: ["allow", "accept"],
  reject: ["deny", "block", "decline"],
};

function suggestion(value: unknown, type: FieldType): string {
  if (type.kind !== "choice" || typeof value !== "string") return "";
  const word = value.toLowerCase();
  const meant = (MEANT[word] ?? []).find((other) => type.values.includes(other)) ?? nearestName(shortText(value, 40), type.values);
  return meant ? `. Did you mean "${meant}"?` : "";
}
