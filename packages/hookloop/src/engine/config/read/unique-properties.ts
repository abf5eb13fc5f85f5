import { type Reading, report, shown } from "../reading.ts";
import type { ConfigProperty, ObjectNode } from "../tree/index.ts";

/** The properties of an object, each key once: of equal keys the last one counts, as in JSON, and the others are reported. */
export function uniqueProperties(reading: Reading, node: ObjectNode, isError = false): readonly ConfigProperty[] {
  const byKey = new Map<string, ConfigProperty>();
  for (const property of node.properties) {
    if (byKey.has(property.key)) reportDuplicate(reading, property, isError);
    byKey.set(property.key, property);
  }
  return [...byKey.values()];
}

/** Whether a key stands twice, here or deeper. */
export function hasDuplicates(node: ObjectNode): boolean {
  const keys = new Set(node.properties.map(({ key }) => key));
  return keys.size < node.properties.length || node.properties.some(({ value }) => value?.type === "object" && hasDuplicates(value));
}

function reportDuplicate(reading: Reading, { key, place }: ConfigProperty, isError: boolean): void {
  const consequence = isError ? "The hook is left out: which one is meant is not clear." : "Only this one counts, as in JSON.";
  const text = `${shown(key)} appears twice here. ${consequence} Remove one.`;
  report(reading, { code: "HL_CONFIG_DUPLICATE_KEY", level: "error", text, place });
}
