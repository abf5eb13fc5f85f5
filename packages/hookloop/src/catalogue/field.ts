/** One value's shape, as plain data: types, JSON Schema, docs and samples are all made from it. */
export type FieldType =
  | { readonly kind: "string"; readonly known?: readonly string[] }
  | { readonly kind: "choice"; readonly values: readonly string[] }
  | { readonly kind: "number" }
  | { readonly kind: "boolean" }
  | { readonly kind: "null" }
  | { readonly kind: "record" }
  | { readonly kind: "any" }
  | { readonly kind: "list"; readonly item: FieldType }
  | { readonly kind: "shape"; readonly fields: Fields }
  | { readonly kind: "either"; readonly options: readonly FieldType[] };

export interface Field {
  readonly type: FieldType;
  readonly description: string;
  readonly optional?: true;
}

export type Fields = Readonly<Record<string, Field>>;

/** Free text. */
export function text(description: string): Field {
  return { type: { kind: "string" }, description };
}

/** Text with known values that may grow: another value is never an error. */
export function known(values: readonly string[], description: string): Field {
  return { type: { kind: "string", known: values }, description };
}

/** Text with a closed list of values: anything else is a mistake. */
export function choice(values: readonly string[], description: string): Field {
  return { type: { kind: "choice", values }, description };
}

export function number(description: string): Field {
  return { type: { kind: "number" }, description };
}

export function flag(description: string): Field {
  return { type: { kind: "boolean" }, description };
}

/** An object whose keys are not ours to know (a tool's input, a schema). */
export function record(description: string): Field {
  return { type: { kind: "record" }, description };
}

/** Any JSON value. */
export function any(description: string): Field {
  return { type: { kind: "any" }, description };
}

export function shape(fields: Fields, description: string): Field {
  return { type: { kind: "shape", fields }, description };
}

/** A list; the item's own description is not shown, only its type. */
export function list(item: Field, description: string): Field {
  return { type: { kind: "list", item: item.type }, description };
}

export function either(options: readonly Field[], description: string): Field {
  return { type: { kind: "either", options: options.map((option) => option.type) }, description };
}

export function nullable(field: Field): Field {
  return { ...field, type: { kind: "either", options: [field.type, { kind: "null" }] } };
}

export function optional(field: Field): Field {
  return { ...field, optional: true };
}
