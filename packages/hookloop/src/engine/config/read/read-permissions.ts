import { nearestName } from "../../../diagnostic.ts";
import type { PermissionLists, PlacedText } from "../../../permissions/index.ts";
import { type Reading, report, shown } from "../reading.ts";
import { type ConfigNode, type ConfigProperty, type ObjectNode, plainValue } from "../tree/index.ts";

export const NO_PERMISSIONS: PermissionLists = { allow: [], ask: [], deny: [] };

export const PERMISSION_KEYS: readonly string[] = [
  "allow",
  "ask",
  "deny",
  "defaultMode",
  "additionalDirectories",
  "disableBypassPermissionsMode",
];

/** The rules, mode and directories of a file, each with its place. What they mean is not looked at here. */
export function readPermissions(reading: Reading, node: ConfigNode): PermissionLists {
  if (node.type !== "object") {
    wrongType(reading, `"permissions" must be an object with allow, ask and deny, not ${shown(plainValue(node))}.`, node);
    return NO_PERMISSIONS;
  }
  reportUnknown(reading, node);
  const property = (name: string): ConfigProperty | undefined => node.properties.findLast(({ key }) => key === name);
  const list = (name: string): readonly PlacedText[] => readTexts(reading, property(name));
  const defaultMode = readText(reading, property("defaultMode"));
  const directories = list("additionalDirectories");
  const bypass = readText(reading, property("disableBypassPermissionsMode"));
  return {
    allow: list("allow"),
    ask: list("ask"),
    deny: list("deny"),
    ...(defaultMode && { defaultMode }),
    ...(directories.length > 0 && { additionalDirectories: directories }),
    ...(bypass && { disableBypassPermissionsMode: bypass.text === "disable" }),
  };
}

/** What people call a key of "permissions", and which one they mean. */
const CALLED: readonly (readonly [RegExp, string])[] = [
  [
    /^(?:den(?:y|ied|ies|ials?)|dis_?allow(?:ed)?|not_?allowed|block(?:ed|s)?|forbid(?:den|s)?|ban(?:ned)?|reject(?:ed)?|refused?|prohibit(?:ed)?|black_?list|deny_?list|block_?list)(?:_?(?:tools?|rules?|list|commands?))?$/i,
    "deny",
  ],
  [/^(?:ask(?:s|ed)?|confirm|prompt|approve|require_?approval)(?:_?(?:tools?|rules?|list|commands?|for|first))?$/i, "ask"],
  [/^(?:allow(?:s|ed)?|permit(?:ted)?|white_?list|allow_?list)(?:_?(?:tools?|rules?|list|commands?))?$/i, "allow"],
  [/^(?:default_?|permission_?)?mode$/i, "defaultMode"],
  [/^(?:additional_?|extra_?)?(?:dirs|directories|folders)$/i, "additionalDirectories"],
];

/** The key of "permissions" that this one was probably to be. */
export function meantPermissionKey(key: string): string | undefined {
  return key.length > MAX_KEY ? undefined : (CALLED.find(([called]) => called.test(key))?.[1] ?? nearestName(key, PERMISSION_KEYS));
}

const MAX_KEY = 64;
/** SECURITY: whoever wrote one of these believes that something is forbidden. */
export const GUARD_KEYS: readonly (string | undefined)[] = ["deny", "ask"];

/** A slip such as "Deny" must not pass for a rule that holds. */
function reportUnknown(reading: Reading, { properties }: ObjectNode): void {
  for (const { key, place } of properties.filter((one) => !PERMISSION_KEYS.includes(one.key))) {
    const meant = meantPermissionKey(key);
    const isRules = /^rules?$/i.test(key);
    if (meant === undefined && !isRules && reading.shape.isShared) continue;
    const known = isRules ? 'Write each rule into "deny", "ask" or "allow".' : `Known are ${PERMISSION_KEYS.join(", ")}.`;
    const text = `${shown(key)} is not a key of "permissions" and is ignored. ${meant === undefined ? known : `Did you mean "${meant}"?`}`;
    const level = isRules || GUARD_KEYS.includes(meant) ? "error" : "warning";
    report(reading, { code: "HL_CONFIG_UNKNOWN_FIELD", level, text, place });
  }
}

/** A wrong rule does not take its neighbours with it: a deny list must not vanish for one slip. */
function readTexts(reading: Reading, property: ConfigProperty | undefined): readonly PlacedText[] {
  if (!property?.value) return [];
  const { key, value } = property;
  if (value.type !== "list") {
    wrongType(reading, `"${key}" must be a list of texts, not ${shown(plainValue(value))}.`, value);
    return [];
  }
  for (const item of value.items) {
    if (item.type !== "text") wrongType(reading, `An entry of "${key}" must be a text, not ${shown(plainValue(item))}.`, item);
  }
  return value.items.flatMap((item) => (item.type === "text" ? [{ text: String(item.value), place: item.place }] : []));
}

function readText(reading: Reading, property: ConfigProperty | undefined): PlacedText | undefined {
  if (!property?.value) return undefined;
  const { key, value } = property;
  if (value.type === "text") return { text: String(value.value), place: value.place };
  wrongType(reading, `"${key}" must be a text, not ${shown(plainValue(value))}.`, value);
  return undefined;
}

function wrongType(reading: Reading, text: string, { place }: ConfigNode): void {
  report(reading, { code: "HL_CONFIG_WRONG_TYPE", text, place });
}
