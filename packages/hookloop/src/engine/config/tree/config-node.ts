import type { Place } from "../../../diagnostic.ts";

/** One value of a configuration text with its place, whatever language it was written in. */
export type ConfigNode = ObjectNode | ArrayNode | ScalarNode;

interface NodeBase {
  readonly place: Place;
  /** A syntax error lies in this value itself, outside of the objects and lists inside it. */
  readonly isBroken: boolean;
}

export interface ObjectNode extends NodeBase {
  readonly type: "object";
  readonly properties: readonly ConfigProperty[];
}

export interface ArrayNode extends NodeBase {
  readonly type: "list";
  readonly items: readonly ConfigNode[];
  /** More than a comma is missing, so what belongs behind the list may have landed in it. */
  readonly isConfused: boolean;
}

export interface ScalarNode extends NodeBase {
  readonly type: "text" | "number" | "boolean" | "null";
  readonly value: string | number | boolean | null;
}

export interface ConfigProperty {
  readonly key: string;
  readonly place: Place;
  /** Absent if a syntax error took it. */
  readonly value: ConfigNode | undefined;
}

/** A syntax error lies anywhere in this value. */
export function isBrokenAnywhere(node: ConfigNode): boolean {
  if (node.isBroken) return true;
  if (node.type === "object") return node.properties.some(({ value }) => value === undefined || isBrokenAnywhere(value));
  return node.type === "list" && node.items.some(isBrokenAnywhere);
}

/** The plain value. Of equal keys the last one counts, as in JSON. */
export function plainValue(node: ConfigNode): unknown {
  if (node.type === "list") return node.items.map(plainValue);
  if (node.type !== "object") return node.value;
  // SECURITY: fromEntries defines own properties, so a `__proto__` key stays data.
  return Object.fromEntries(node.properties.flatMap(({ key, value }) => (value ? [[key, plainValue(value)]] : [])));
}
