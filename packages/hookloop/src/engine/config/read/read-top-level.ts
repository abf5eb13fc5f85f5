import { isEventName } from "../../../catalogue/index.ts";
import { findMismatch } from "../check/check-value.ts";
import { type Reading, report, shown, suggestion } from "../reading.ts";
import { type ConfigProperty, plainValue } from "../tree/index.ts";
import type { ConfigDocument, Scope, Switches } from "../types.ts";
import { misplacedHooks } from "./misplaced-hooks.ts";
import { isProtected, withoutBypass } from "./protected-keys.ts";
import { GUARD_KEYS, meantPermissionKey, NO_PERMISSIONS, PERMISSION_KEYS, readPermissions } from "./read-permissions.ts";
import { isSettingsCommand } from "./read-settings-commands.ts";

type TopLevel = Pick<ConfigDocument, "switches" | "permissions">;

/** Keys that only count from some scopes, because they are about hooks of others. */
const SCOPES_OF: Readonly<Record<string, readonly Scope[]>> = {
  allowManagedHooksOnly: ["managed"],
  settings: ["managed", "user"],
};
/** Files of these scopes describe a plugin or a skill: only their hooks are ours. */
const HOOKS_ONLY: readonly Scope[] = ["plugin", "skill"];

/** Everything of a file that is not a hook: its switches and permission rules. */
export function readTopLevel(reading: Reading, properties: readonly ConfigProperty[]): TopLevel {
  // SECURITY: before anything else looks at the key: what is protected has no meaning here, not even a wrong one.
  const own = properties.filter((property) => property.key !== "hooks" && !isProtected(reading, property));
  const others = own.filter((property) => !reportMisplaced(reading, property));
  if (HOOKS_ONLY.includes(reading.source.scope)) return { switches: {}, permissions: NO_PERMISSIONS };
  const switches = Object.fromEntries(others.flatMap((property) => readSwitch(reading, property)));
  const permissions = others.find(({ key }) => key === "permissions")?.value;
  return {
    switches: switches as Switches,
    permissions: permissions ? withoutBypass(reading, readPermissions(reading, permissions)) : NO_PERMISSIONS,
  };
}

/** Whether nothing is left to say about the key; a known one is read all the same. */
function reportMisplaced(reading: Reading, property: ConfigProperty): boolean {
  const found = misplacedHooks(reading, property);
  if (found) report(reading, { code: "HL_CONFIG_UNKNOWN_FIELD", level: found.level, text: found.text, place: property.place });
  return found !== undefined && !Object.hasOwn(reading.shape.topLevel, property.key);
}

function readSwitch(reading: Reading, property: ConfigProperty): readonly (readonly [string, unknown])[] {
  const { key, value, place } = property;
  if (isSettingsCommand(key) && reading.shape.entries === "nested") return [];
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
  if (!mismatch) {
    if (field.type.kind === "shape") reportUnknownInside(reading, property, Object.keys(field.type.fields));
    return [[key, plainValue(value)]];
  }
  const text = `"${key}" must be ${mismatch.expected}, not ${mismatch.received}, and is ignored.`;
  report(reading, { code: "HL_CONFIG_WRONG_TYPE", text, place: mismatch.place });
  return [];
}

function reportUnknown(reading: Reading, { key, value, place }: ConfigProperty): void {
  const { shape } = reading;
  if (isEventName(key)) {
    const text = `The event "${key}" must stand inside "hooks"; here it is ignored. Move it there.`;
    report(reading, { code: "HL_CONFIG_UNKNOWN_FIELD", text, place });
    return;
  }
  const hasPermissions = Object.hasOwn(shape.topLevel, "permissions");
  if (hasPermissions && PERMISSION_KEYS.some((one) => one.toLowerCase() === key.toLowerCase())) {
    const text = `${shown(key)} must stand inside "permissions"; here it is ignored. Move it there.`;
    report(reading, { code: "HL_CONFIG_UNKNOWN_FIELD", level: GUARD_KEYS.includes(key.toLowerCase()) ? "error" : "warning", text, place });
    return;
  }
  const list = hasPermissions && DENY_LIST.test(key) ? meantPermissionKey(key) : undefined;
  if (list !== undefined) {
    const text = `${shown(key)} is not a key of ${shape.title} and is ignored. Write its rules into "${list}" of "permissions".`;
    report(reading, { code: "HL_CONFIG_UNKNOWN_FIELD", level: GUARD_KEYS.includes(list) ? "error" : "warning", text, place });
    return;
  }
  // SECURITY: in a file of several programs, rules under a name that nobody reads would pass for rules that hold.
  const isSlip = /^hooks?$/i.test(key) || (hasPermissions && suggestion(key, ["permissions"]) !== "");
  if (shape.isShared && !isSlip) return;
  const known = ["hooks", ...Object.keys(shape.topLevel)];
  const hint = suggestion(key, known) || ` Known are ${known.join(", ")}.`;
  const text = `${shown(key)} is not a key of ${shape.title} and is ignored.${hint}`;
  const hasGuards = value?.type === "object" && value.properties.some((one) => GUARD_KEYS.includes(meantPermissionKey(one.key)));
  report(reading, { code: "HL_CONFIG_UNKNOWN_FIELD", level: isSlip && hasGuards ? "error" : "warning", text, place });
}

/** Lists of tools as command lines of agents have them; `deniedMcpServers` and its kind are keys of their own. */
const DENY_LIST = /(?:tools?|rules?|commands?|list)$/i;

function reportUnknownInside(reading: Reading, { key, value }: ConfigProperty, known: readonly string[]): void {
  if (value?.type !== "object") return;
  for (const inner of value.properties.filter((one) => !known.includes(one.key))) {
    const hint = suggestion(inner.key, known) || ` Known are ${known.join(", ")}.`;
    const text = `${shown(inner.key)} is not a key of "${key}" and is ignored.${hint}`;
    report(reading, { code: "HL_CONFIG_UNKNOWN_FIELD", level: "warning", text, place: inner.place });
  }
}
