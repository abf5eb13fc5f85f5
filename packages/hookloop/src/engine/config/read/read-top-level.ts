import { isEventName } from "../../../catalogue/index.ts";
import { findMismatch } from "../check/check-value.ts";
import { type Reading, report, shown, suggestion } from "../reading.ts";
import { type ConfigNode, type ConfigProperty, plainValue } from "../tree/index.ts";
import type { ConfigDocument, Scope, Switches } from "../types.ts";

type TopLevel = Pick<ConfigDocument, "switches" | "permissions">;

const NO_PERMISSIONS: ConfigDocument["permissions"] = { allow: [], ask: [], deny: [] };

/** Keys that only count from some scopes, because they are about hooks of others. */
const SCOPES_OF: Readonly<Record<string, readonly Scope[]>> = {
  allowManagedHooksOnly: ["managed"],
  settings: ["managed", "user"],
};
/** Files of these scopes describe a plugin or a skill: only their hooks are ours. */
const HOOKS_ONLY: readonly Scope[] = ["plugin", "skill"];

/** Everything of a file that is not a hook: its switches and permission rules. */
export function readTopLevel(reading: Reading, properties: readonly ConfigProperty[]): TopLevel {
  if (HOOKS_ONLY.includes(reading.source.scope)) return { switches: {}, permissions: NO_PERMISSIONS };
  const others = properties.filter(({ key }) => key !== "hooks");
  const switches = Object.fromEntries(others.flatMap((property) => readSwitch(reading, property)));
  const permissions = others.find(({ key }) => key === "permissions")?.value;
  return { switches: switches as Switches, permissions: permissions ? readPermissions(reading, permissions) : NO_PERMISSIONS };
}

function readSwitch(reading: Reading, property: ConfigProperty): readonly (readonly [string, unknown])[] {
  const { key, value, place } = property;
  const { topLevel } = reading.shape;
  const field = Object.hasOwn(topLevel, key) ? topLevel[key] : undefined;
  if (!field) reportUnknown(reading, property);
  if (!field || !value || key === "permissions" || key === "$schema") return [];
  const scopes = SCOPES_OF[key];
  if (scopes && !scopes.includes(reading.source.scope)) {
    const text = `"${key}" counts only from ${scopes.join(" and ")} scope and is ignored here. Move it there.`;
    report(reading, { code: "HL_CONFIG_IGNORED_KEY", level: "warning", text, place });
    return [];
  }
  const mismatch = findMismatch(field.type, value);
  if (!mismatch) return [[key, plainValue(value)]];
  const text = `"${key}" must be ${mismatch.expected}, not ${mismatch.received}, and is ignored.`;
  report(reading, { code: "HL_CONFIG_WRONG_TYPE", text, place: mismatch.place });
  return [];
}

function reportUnknown(reading: Reading, { key, place }: ConfigProperty): void {
  const { shape } = reading;
  if (isEventName(key)) {
    const text = `The event "${key}" must stand inside "hooks"; here it is ignored. Move it there.`;
    report(reading, { code: "HL_CONFIG_UNKNOWN_FIELD", text, place });
    return;
  }
  const isSlip = /^hooks?$/i.test(key);
  if (shape.isShared && !isSlip) return;
  const known = ["hooks", ...Object.keys(shape.topLevel)];
  const hint = suggestion(key, known) || ` Known are ${known.join(", ")}.`;
  const text = `${shown(key)} is not a key of ${shape.title} and is ignored.${hint}`;
  report(reading, { code: "HL_CONFIG_UNKNOWN_FIELD", level: "warning", text, place });
}

function readPermissions(reading: Reading, node: ConfigNode): ConfigDocument["permissions"] {
  if (node.type !== "object") {
    const text = `"permissions" must be an object with allow, ask and deny, not ${shown(plainValue(node))}.`;
    report(reading, { code: "HL_CONFIG_WRONG_TYPE", text, place: node.place });
    return NO_PERMISSIONS;
  }
  const list = (name: string): readonly string[] =>
    readRules(
      reading,
      node.properties.findLast(({ key }) => key === name),
    );
  return { allow: list("allow"), ask: list("ask"), deny: list("deny") };
}

/** A wrong rule does not take its neighbours with it: a deny list must not vanish for one slip. */
function readRules(reading: Reading, property: ConfigProperty | undefined): readonly string[] {
  if (!property?.value) return [];
  const { key, value } = property;
  if (value.type !== "list") {
    reportRule(reading, `"${key}" must be a list of rules, not ${shown(plainValue(value))}.`, value);
    return [];
  }
  for (const item of value.items)
    if (item.type !== "text") reportRule(reading, `A rule must be a text, not ${shown(plainValue(item))}.`, item);
  return value.items.flatMap((item) => (item.type === "text" ? [String(item.value)] : []));
}

function reportRule(reading: Reading, text: string, { place }: ConfigNode): void {
  report(reading, { code: "HL_CONFIG_WRONG_TYPE", text, place });
}
