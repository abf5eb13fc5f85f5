import type { EventName } from "@hookloop/sdk";
import type { ConfiguredKind, EventRow } from "../../../catalogue/index.ts";
import { checkHttpEntry } from "../check/check-http-entry.ts";
import { checkShellLine } from "../check/check-shell-line.ts";
import { checkTimeout } from "../check/check-timeout.ts";
import { choices, type Reading, report, shown, suggestion } from "../reading.ts";
import { type ConfigNode, type ConfigProperty, isBrokenAnywhere, type ObjectNode, plainValue } from "../tree/index.ts";
import { type EntryFields, readEntryFields } from "./entry-fields.ts";
import { reportExtension } from "./extension.ts";
import { hasDuplicates, uniqueProperties } from "./unique-properties.ts";

export interface EntrySpot {
  readonly event: EventName;
  readonly row: EventRow;
  readonly node: ConfigNode;
  /** Keys of the entry that are not the hook's own. */
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
  const limit = readLimit(reading, properties);
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
  const known = [...Object.keys(shape.kinds), ...Object.keys(shape.extensions.kinds)];
  const property = node.properties.find(({ key }) => key === "type");
  if (!property?.value) {
    const text = `"type" is missing. It is ${choices(Object.keys(shape.kinds))}. The hook is left out.`;
    report(reading, { code: "HL_CONFIG_MISSING_FIELD", text, place: node.place });
    return undefined;
  }
  const { place } = property.value;
  const kind = plainValue(property.value);
  if (typeof kind !== "string" || !known.includes(kind)) {
    const hint = typeof kind === "string" ? suggestion(kind, known) : "";
    const text = `${shown(kind)} is not a kind of hook.${hint} It is ${choices(Object.keys(shape.kinds))}. The hook is left out.`;
    report(reading, { code: "HL_CONFIG_UNKNOWN_KIND", text, place });
    return undefined;
  }
  if (Object.hasOwn(shape.extensions.kinds, kind)) reportExtension(reading, { what: `"type": "${kind}"`, place });
  if (row.kinds.includes(kind as ConfiguredKind)) return kind as ConfiguredKind;
  const allowed = row.kinds.filter((name) => Object.hasOwn(shape.kinds, name));
  const text = `${event} does not run hooks of type "${kind}", only ${choices(allowed)}. The hook is left out.`;
  report(reading, { code: "HL_CONFIG_KIND_NOT_ALLOWED", text, place });
  return undefined;
}

function readLimit(reading: Reading, properties: readonly ConfigProperty[]): number | "invalid" | undefined {
  const property = reading.shape.entries === "nested" ? properties.find(({ key }) => key === "timeout") : undefined;
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
