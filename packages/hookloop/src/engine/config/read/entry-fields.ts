import type { ConfiguredKind, Field, Fields } from "../../../catalogue/index.ts";
import { findMismatch } from "../check/check-value.ts";
import { type Reading, report, shown, suggestion } from "../reading.ts";
import { type ConfigProperty, type ObjectNode, plainValue } from "../tree/index.ts";
import { reportExtension } from "./extension.ts";

/** The fields of an entry that its kind knows, each with a value of the right type. */
export type EntryFields = Readonly<Record<string, unknown>>;

export interface FieldsSpot {
  readonly kind: ConfiguredKind;
  readonly node: ObjectNode;
  readonly properties: readonly ConfigProperty[];
}

interface KnownFields {
  /** What the file's own program knows. */
  readonly own: Fields;
  /** What only hookloop knows. */
  readonly extra: Fields;
}

/** Checks every field of an entry; nothing if a needed one is missing, empty or wrong. */
export function readEntryFields(reading: Reading, { kind, node, properties }: FieldsSpot): EntryFields | undefined {
  const known = knownFields(reading, kind);
  const given = properties.filter(({ key }) => key !== "type" || reading.shape.entries === "flat");
  const missing = Object.keys(known.own).filter((name) => !known.own[name]?.optional && !given.some(({ key }) => key === name));
  for (const name of missing) reportMissing(reading, { name, kind, node, given });
  const checked = given.map((property) => checkField(reading, { property, known, missing }));
  if (missing.length > 0 || checked.includes("invalid")) return undefined;
  return Object.fromEntries(checked.flatMap((field) => (typeof field === "string" ? [] : [field])));
}

function knownFields({ shape }: Reading, kind: ConfiguredKind): KnownFields {
  const own = shape.kinds[kind] ?? shape.extensions.kinds[kind] ?? {};
  return { own, extra: shape.extensions.fields };
}

function reportMissing(reading: Reading, spot: Omit<FieldsSpot, "properties"> & { name: string; given: readonly ConfigProperty[] }): void {
  const slip = spot.given.find(({ key }) => suggestion(key, [spot.name]) !== "");
  const hint = slip ? ` Did you mean it by ${shown(slip.key)}?` : "";
  const text = `"${spot.name}" is missing: a hook of type "${spot.kind}" needs it.${hint} The hook is left out.`;
  report(reading, { code: "HL_CONFIG_MISSING_FIELD", text, place: slip?.place ?? spot.node.place });
}

interface FieldSpot {
  readonly property: ConfigProperty;
  readonly known: KnownFields;
  readonly missing: readonly string[];
}

function checkField(reading: Reading, { property, known, missing }: FieldSpot): readonly [string, unknown] | "invalid" | "unknown" {
  const { key, value, place } = property;
  const own = Object.hasOwn(known.own, key) ? known.own[key] : undefined;
  const extra = Object.hasOwn(known.extra, key) ? known.extra[key] : undefined;
  const field = own ?? extra;
  if (!field || !value) {
    // A slip of a missing field's name was already named with it.
    if (suggestion(key, missing) === "") reportUnknown(reading, property, known);
    return "unknown";
  }
  // The limit has checks and words of its own.
  if (key === "timeout") return [key, plainValue(value)];
  if (!own || needsExtension(own, extra, property)) reportExtension(reading, { what: ownWords(property, own), place });
  const mismatch = findMismatch(field.type, value);
  if (mismatch && (!extra || findMismatch(extra.type, value))) {
    const text = `"${key}" must be ${mismatch.expected}, not ${mismatch.received}. The hook is left out.`;
    report(reading, { code: "HL_CONFIG_WRONG_TYPE", text, place: mismatch.place });
    return "invalid";
  }
  return isEmptyNeed(reading, property, field) ? "invalid" : [key, plainValue(value)];
}

/** A value that the file's own program does not know, but we do. */
function needsExtension(own: Field, extra: Field | undefined, { value }: ConfigProperty): boolean {
  return extra !== undefined && value !== undefined && findMismatch(own.type, value) !== undefined && !findMismatch(extra.type, value);
}

function ownWords({ key, value }: ConfigProperty, own: Field | undefined): string {
  return own && value ? `"${key}": ${shown(plainValue(value))}` : `"${key}"`;
}

function isEmptyNeed(reading: Reading, { key, value }: ConfigProperty, field: Field): boolean {
  if (field.optional || value?.type !== "text" || String(value.value).trim() !== "") return false;
  report(reading, {
    code: "HL_CONFIG_EMPTY_COMMAND",
    text: `"${key}" is empty: there is nothing to run. The hook is left out.`,
    place: value.place,
  });
  return true;
}

function reportUnknown(reading: Reading, { key, place }: ConfigProperty, { own }: KnownFields): void {
  const names = Object.keys(own);
  const hint = suggestion(key, names) || ` Known are ${names.join(", ")}.`;
  const text = `${shown(key)} is not a field of such a hook in ${reading.shape.title} and is ignored.${hint}`;
  report(reading, { code: "HL_CONFIG_UNKNOWN_FIELD", level: "warning", text, place });
}
