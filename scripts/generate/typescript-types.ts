import type { Field, Fields, FieldType } from "../../packages/hookloop/src/catalogue/field.ts";

/** The TypeScript spelling of a field's type. */
export function typeText(type: FieldType, indent = ""): string {
  switch (type.kind) {
    case "string":
      return type.known ? `${union(type.known)} | (string & {})` : "string";
    case "choice":
      return union(type.values);
    case "record":
      return "Record<string, unknown>";
    case "any":
      return "unknown";
    case "list":
      return `readonly ${wrapped(typeText(type.item, indent))}[]`;
    case "shape":
      return shapeText(type.fields, indent);
    case "either":
      return type.options.map((option) => typeText(option, indent)).join(" | ");
    default:
      return type.kind;
  }
}

/** `{ … }` with one documented member per field. */
export function shapeText(fields: Fields, indent = ""): string {
  const names = Object.keys(fields);
  if (names.length === 0) return "Record<string, never>";
  const inner = `${indent}  `;
  return `{\n${names.map((name) => memberText(name, fields[name] as Field, inner)).join("")}${indent}}`;
}

function memberText(name: string, field: Field, indent: string): string {
  const type = typeText(field.type, indent);
  return `${indent}/** ${field.description} */\n${indent}readonly ${name}${field.optional ? "?" : ""}: ${type};\n`;
}

function union(values: readonly string[]): string {
  return values.map((value) => JSON.stringify(value)).join(" | ");
}

function wrapped(text: string): string {
  return /[|&]/.test(text) ? `(${text})` : text;
}
