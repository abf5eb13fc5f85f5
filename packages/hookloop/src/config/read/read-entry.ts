import type { EventName } from "@hookloop/sdk";
import {
  ALL_KINDS,
  type ConfiguredKind,
  type EventRow,
  type Field,
  type Fields,
  type FieldType,
  inputFieldsOf,
  TOOL_NAMES,
  TOOLS,
} from "../../catalogue/index.ts";
import { didYouMean, nearestName, type Place } from "../../diagnostic.ts";
import { type ConfigNode, type ConfigProperty, isBrokenAnywhere, type ObjectNode, plainValue } from "../parse-json.ts";
import { choices, hasDuplicates, type Reading, report, reportExtension, shown, uniqueProperties } from "../reading.ts";
import { matcherForm } from "../types.ts";
import { checkShellLine } from "./check-shell-line.ts";

interface EntrySpot {
  readonly event: EventName;
  readonly row: EventRow;
  readonly node: ConfigNode;
  readonly otherKeys?: readonly string[];
}

export interface HookEntry {
  readonly kind: ConfiguredKind;
  readonly fields: EntryFields;
}

/** One hook entry, checked; nothing if it cannot be used, and then the reasons are reported. */
export function readEntry(reading: Reading, { event, row, node, otherKeys = [] }: EntrySpot): HookEntry | undefined {
  if (node.type !== "object") {
    const text = `A hook must be an object such as {"type": "command", "command": "…"}, not ${shown(plainValue(node))}.`;
    report(reading, { code: "HL_CONFIG_WRONG_TYPE", text, place: node.place });
    return undefined;
  }
  // The syntax error is reported; what it did to the entry is anyone's guess.
  if (isBrokenAnywhere(node)) return undefined;
  if (hasDuplicates(node)) return reportDuplicates(reading, node);
  const properties = node.properties.filter(({ key }) => !otherKeys.includes(key));
  const kind = readKind(reading, { event, row, node });
  if (kind === undefined) return undefined;
  const fields = readEntryFields(reading, { kind, node, properties });
  const limit = readLimit(reading, kind, properties);
  if (fields === undefined || limit === "invalid") return undefined;
  if (kind === "http" && !checkHttpEntry(reading, properties)) return undefined;
  if (kind === "command" && !checkShellLine(reading, properties)) return undefined;
  reportIdleCondition(reading, { event, row, properties });
  return { kind, fields: limit === undefined ? fields : { ...fields, timeout: limit } };
}

function reportDuplicates(reading: Reading, node: ObjectNode): undefined {
  uniqueProperties(reading, node, true);
  for (const { value } of node.properties) if (value?.type === "object") reportDuplicates(reading, value);
}

function readKind(reading: Reading, { event, row, node }: EntrySpot & { readonly node: ObjectNode }): ConfiguredKind | undefined {
  const { shape } = reading;
  if (shape.entries === "flat") return "command";
  const known = [...Object.keys(shape.kinds), ...Object.keys(shape.extensions?.kinds ?? {})];
  const property = node.properties.find(({ key }) => key === "type");
  if (!property?.value) {
    const text = `"type" is missing. It is ${choices(Object.keys(shape.kinds))}. The hook is left out.`;
    report(reading, { code: "HL_CONFIG_MISSING_FIELD", text, place: node.place });
    return undefined;
  }
  const { place } = property.value;
  const kind = plainValue(property.value);
  if (typeof kind !== "string" || !known.includes(kind)) {
    const hint = typeof kind === "string" ? didYouMean(kind, known) : "";
    const text = `${shown(kind)} is not a kind of hook.${hint} It is ${choices(Object.keys(shape.kinds))}. The hook is left out.`;
    report(reading, { code: "HL_CONFIG_UNKNOWN_KIND", text, place });
    return undefined;
  }
  if (Object.hasOwn(shape.extensions?.kinds ?? {}, kind)) reportExtension(reading, { what: `"type": "${kind}"`, place });
  // Of a kind that only its dialect knows, no row can say where it does not fit.
  const isForeign = !(ALL_KINDS as readonly string[]).includes(kind);
  if (isForeign || row.kinds.includes(kind as ConfiguredKind)) return kind as ConfiguredKind;
  const allowed = row.kinds.filter((name) => Object.hasOwn(shape.kinds, name));
  const text = `${event} does not run hooks of type "${kind}", only ${choices(allowed)}. The hook is left out.`;
  report(reading, { code: "HL_CONFIG_KIND_NOT_ALLOWED", text, place });
  return undefined;
}

function readLimit(reading: Reading, kind: ConfiguredKind, properties: readonly ConfigProperty[]): number | "invalid" | undefined {
  const isKnown = Object.hasOwn(knownFields(reading, kind).own, "timeout");
  const property = isKnown ? properties.find(({ key }) => key === "timeout") : undefined;
  return property && checkTimeout(reading, property);
}

interface ConditionSpot {
  readonly event: EventName;
  readonly row: EventRow;
  readonly properties: readonly ConfigProperty[];
}

function reportIdleCondition(reading: Reading, { event, row, properties }: ConditionSpot): void {
  const condition = properties.find(({ key }) => key === "if");
  if (!condition || "tool_name" in row.input || reading.shape.entries === "flat") return;
  const text = `"if" only fits events of one tool call. On ${event} a hook with it never runs; remove it.`;
  report(reading, { code: "HL_CONFIG_CONDITION_IGNORED", text, place: condition.place });
}

/** The fields of an entry that its kind knows, each with a value of the right type. */
type EntryFields = Readonly<Record<string, unknown>>;

interface FieldsSpot {
  readonly kind: ConfiguredKind;
  readonly node: ObjectNode;
  readonly properties: readonly ConfigProperty[];
}

interface KnownFields {
  readonly own: Fields;
  readonly extra: Fields;
}

/** Checks every field of an entry; nothing if a needed one is missing, empty or wrong. */
function readEntryFields(reading: Reading, { kind, node, properties }: FieldsSpot): EntryFields | undefined {
  const known = knownFields(reading, kind);
  const given = properties.filter(({ key }) => key !== "type" || reading.shape.entries === "flat");
  const missing = Object.keys(known.own).filter((name) => !known.own[name]?.optional && !given.some(({ key }) => key === name));
  for (const name of missing) reportMissing(reading, { name, kind, node, given });
  const checked = given.map((property) => checkField(reading, { property, known, missing }));
  if (missing.length > 0 || checked.includes("invalid")) return undefined;
  return Object.fromEntries(checked.flatMap((field) => (typeof field === "string" ? [] : [field])));
}

function knownFields({ shape }: Reading, kind: ConfiguredKind): KnownFields {
  const own = shape.kinds[kind] ?? shape.extensions?.kinds[kind] ?? {};
  return { own, extra: shape.extensions?.fields ?? {} };
}

function reportMissing(reading: Reading, spot: Omit<FieldsSpot, "properties"> & { name: string; given: readonly ConfigProperty[] }): void {
  const slip = spot.given.find(({ key }) => didYouMean(key, [spot.name]) !== "");
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
    if (didYouMean(key, missing) === "") reportUnknown(reading, property, known);
    return "unknown";
  }
  // The limit has checks and words of its own.
  if (key === "timeout") return [key, plainValue(value)];
  if (!own || needsExtension(own, extra, property)) reportExtension(reading, { what: ownWords(property, own), place });
  const mismatch = findMismatch(field.type, value);
  if (mismatch && (!extra || findMismatch(extra.type, value))) {
    // A value of earlier versions.
    const cure = key === "warm" && plainValue(value) === "preboot" ? " Write true." : "";
    const text = `"${key}" must be ${mismatch.expected}, not ${mismatch.received}.${cure} The hook is left out.`;
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
  const hint = key === "prove" ? NO_PROOFS : didYouMean(key, names) || ` Known are ${names.join(", ")}.`;
  const text = `${shown(key)} is not a field of such a hook in ${reading.shape.title} and is ignored.${hint}`;
  report(reading, { code: "HL_CONFIG_UNKNOWN_FIELD", level: "warning", text, place });
}

const NO_PROOFS = " Cases that a hook carries are not supported yet: put them into a test of the script (docs/reference/sdk.md).";

/** Whether an http hook has an address that can be asked and headers that can be sent; what is wrong is reported. */
function checkHttpEntry(reading: Reading, properties: readonly ConfigProperty[]): boolean {
  const problems = [
    ...properties.filter(({ key }) => key === "url").map((property) => checkUrl(reading, property)),
    ...properties.filter(({ key }) => key === "headers").map((property) => checkHeaders(reading, property)),
  ];
  return problems.every((isRight) => isRight);
}

function checkUrl(reading: Reading, { value, place }: ConfigProperty): boolean {
  const url = value && plainValue(value);
  if (typeof url === "string" && URL.canParse(url) && ["http:", "https:"].includes(new URL(url).protocol)) return true;
  const text = `${shown(url)} is not an http: or https: address. Variables are replaced in headers only. The hook is left out.`;
  report(reading, { code: "HL_CONFIG_BAD_URL", text, place: value?.place ?? place });
  return false;
}

function checkHeaders(reading: Reading, { value }: ConfigProperty): boolean {
  if (value?.type !== "object") return true;
  const wrong = value.properties.filter((header) => header.value?.type !== "text");
  for (const header of wrong) {
    const text = `Header ${shown(header.key)} must be a text, not ${shown(header.value && plainValue(header.value))}. The hook is left out.`;
    report(reading, { code: "HL_CONFIG_WRONG_TYPE", text, place: header.value?.place ?? header.place });
  }
  return wrong.length === 0;
}

/** A day. Node's timers take 24.8 days at most and fire at once beyond that. */
const MAX_SECONDS = 86_400;
/** No hook takes so long; many authors write milliseconds. */
const SUSPICIOUS_FROM = 1000;
const SUSPICIOUS_STEP = 500;

/** The limit in seconds that counts, or `invalid`. */
function checkTimeout(reading: Reading, property: ConfigProperty): number | "invalid" {
  const value = property.value && plainValue(property.value);
  const place = property.value?.place ?? property.place;
  const { hasMilliseconds } = reading.shape;
  if (typeof value !== "number" || !Number.isFinite(value) || value <= 0) {
    const unit = hasMilliseconds ? "milliseconds" : "seconds";
    const text = `"timeout" must be a number of ${unit} above 0, not ${shown(value)}. The hook is left out.`;
    report(reading, { code: "HL_CONFIG_TIMEOUT_INVALID", text, place });
    return "invalid";
  }
  if (hasMilliseconds) return Math.min(value / 1000, MAX_SECONDS);
  if (value > MAX_SECONDS) {
    const text = `"timeout": ${shown(value)} is more than a day; ${MAX_SECONDS} is used. It counts seconds, not milliseconds.`;
    report(reading, { code: "HL_CONFIG_TIMEOUT_INVALID", level: "warning", text, place });
    return MAX_SECONDS;
  }
  if (value >= SUSPICIOUS_FROM && value % SUSPICIOUS_STEP === 0) {
    const text = `"timeout": ${value} means ${value} seconds. If milliseconds are meant, write ${value / 1000}.`;
    report(reading, { code: "HL_CONFIG_TIMEOUT_SUSPICIOUS", level: "warning", text, place });
  }
  return value;
}

interface Mismatch {
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

// Takes the `input` of an mcp_tool hook; says which of its templates stays empty, or stays as it is written: the tool would judge nothing.

interface TemplateSpot {
  readonly row: EventRow;
  readonly matcher: string | undefined;
  readonly entry: HookEntry;
  readonly node: ConfigNode;
}

const TEMPLATE = /\$\{([\w-]+(?:\.[\w-]+)*)\}/g;
/** As other programs write them: `$a.b`, `{{a.b}}`, `${ a.b }`, `$.a.b`, `{a.b}`. */
const LIKE_TEMPLATE = /(?:\$\.?|\$?\{\{?\s*)([A-Za-z_]\w*(?:\.\w+)*)\s*\}{0,2}/g;

export function checkTemplates(reading: Reading, { row, matcher, entry, node }: TemplateSpot): void {
  const property = node.type === "object" ? node.properties.find(({ key }) => key === "input") : undefined;
  if (entry.kind !== "mcp_tool" || !property?.value) return;
  const isGuard = entry.fields["guard"] === true || entry.fields["onFailure"] === "block";
  for (const { text, place } of textsIn(property.value)) {
    const slip = templateSlip(text, row, matcher);
    if (slip !== undefined) report(reading, { code: "HL_CONFIG_SCRIPT_EVENT", level: isGuard ? "error" : "warning", text: slip, place });
  }
}

function textsIn(node: ConfigNode): readonly { readonly text: string; readonly place: Place }[] {
  if (node.type === "text") return [{ text: String(node.value), place: node.place }];
  if (node.type === "list") return node.items.flatMap(textsIn);
  return node.type === "object" ? node.properties.flatMap(({ value }) => (value ? textsIn(value) : [])) : [];
}

function templateSlip(text: string, row: EventRow, matcher: string | undefined): string | undefined {
  const fields = Object.keys(inputFieldsOf(row));
  for (const [written, path = ""] of text.matchAll(TEMPLATE)) {
    const [first = "", inner] = path.split(".");
    if (!fields.includes(first)) {
      const meant = fieldMeant(first, fields);
      const cure =
        meant === undefined ? `Known are ${fields.join(", ")}.` : `Write "\${${[meant, ...path.split(".").slice(1)].join(".")}}".`;
      return `${shown(written)} is always empty: the event has no field ${shown(first)}. ${cure}`;
    }
    const ofTool = first === "tool_input" ? toolFields(row, matcher) : [];
    if (inner === undefined || ofTool.length === 0 || ofTool.includes(inner)) continue;
    const meant = fieldMeant(inner, ofTool);
    const cure = meant === undefined ? `Known are ${ofTool.join(", ")}.` : `Write "\${tool_input.${meant}}".`;
    return `${shown(written)} is always empty: the tool has no field ${shown(inner)}. ${cure}`;
  }
  for (const [written, path = ""] of text.replace(TEMPLATE, "").matchAll(LIKE_TEMPLATE)) {
    const [first = "", ...rest] = path.split(".");
    const meant = fields.includes(first) ? first : fieldMeant(first, fields);
    if (meant !== undefined) return `${shown(written)} is not replaced by a field of the event. Write "\${${[meant, ...rest].join(".")}}".`;
  }
  return undefined;
}

/** The same letters, or nearly. */
function fieldMeant(name: string, fields: readonly string[]): string | undefined {
  const plain = (one: string): string => one.toLowerCase().replace(/[_-]/g, "");
  const same = fields.find((field) => plain(field) === plain(name));
  return same ?? (name.length > MAX_FIELD_NAME ? undefined : nearestName(name, fields));
}

const MAX_FIELD_NAME = 64;

/** What all tools of a matcher have together; nothing if one of them is not known. */
function toolFields({ matcher: column }: EventRow, matcher: string | undefined): readonly string[] {
  const form = matcherForm(matcher, column);
  if (form.form !== "names") return [];
  const tools = form.names.flatMap((name) => TOOL_NAMES.find((tool) => tool === name) ?? []);
  return tools.length < form.names.length ? [] : [...new Set(tools.flatMap((tool) => Object.keys(TOOLS[tool].input)))];
}
