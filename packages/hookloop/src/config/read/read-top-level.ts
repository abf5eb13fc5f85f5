import {
  EVENT_NAMES,
  EVENTS,
  isEventName,
  isShippedName,
  LOOSE_MODES,
  SHIPPED_HOOKS,
  SHIPPED_NAMES,
  type UsedHook,
} from "../../catalogue/index.ts";
import { didYouMean, nearestName } from "../../diagnostic.ts";
import type { PermissionLists, PlacedText } from "../../permissions/index.ts";
import { type ConfigNode, type ConfigProperty, type ObjectNode, plainValue } from "../parse-json.ts";
import { isMisplacedEvent, misplacedHooks, type Reading, report, shown } from "../reading.ts";
import {
  BELOW_USER,
  type ConfigDocument,
  type HookDeclaration,
  type Scope,
  SETTINGS_COMMANDS,
  type SettingsCommand,
  type Switches,
} from "../types.ts";
import { findMismatch, readEntry } from "./read-entry.ts";

/** Keys that only count from some scopes, because they are about hooks of others. */
const SCOPES_OF: Readonly<Record<string, readonly Scope[]>> = {
  allowManagedHooksOnly: ["managed"],
  settings: ["managed", "user"],
};
/** Files of these scopes describe a plugin or a skill: only their hooks are ours. */
const HOOKS_ONLY: readonly Scope[] = ["plugin", "skill"];

/** Everything of a file that is not a hook: its switches and permission rules. */
export function readTopLevel(reading: Reading, properties: readonly ConfigProperty[]): Pick<ConfigDocument, "switches" | "permissions"> {
  // SECURITY: before anything else looks at the key: what is protected has no meaning here, not even a wrong one.
  const own = properties.filter((property) => property.key !== "hooks" && !isProtected(reading, property));
  const others = own.filter((property) => !reportMisplaced(reading, property));
  if (HOOKS_ONLY.includes(reading.source.scope)) {
    for (const property of others.filter(isMisplacedEvent)) reportUnknown(reading, property);
    return { switches: {}, permissions: NO_PERMISSIONS };
  }
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
    return [[key, key === "use" ? readUsed(reading, value) : plainValue(value)]];
  }
  const text = `"${key}" must be ${mismatch.expected}, not ${mismatch.received}, and is ignored.`;
  report(reading, { code: "HL_CONFIG_WRONG_TYPE", text, place: mismatch.place });
  return [];
}

function reportUnknown(reading: Reading, property: ConfigProperty): void {
  const { key, value, place } = property;
  const { shape } = reading;
  if (isMisplacedEvent(property)) {
    const text = `The event ${shown(key)} must stand inside "hooks"; here it is ignored. Move it there.${isEventName(key) ? "" : didYouMean(key, EVENT_NAMES)}`;
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
  // SECURITY: in a file of several programs, rules under a name that is not read would pass for rules that hold.
  const isSlip = /^hooks?$/i.test(key) || (hasPermissions && didYouMean(key, ["permissions"]) !== "");
  if (shape.sharedWith !== undefined && !isSlip) return;
  const known = ["hooks", ...Object.keys(shape.topLevel)];
  const hint = didYouMean(key, known) || ` Known are ${known.join(", ")}.`;
  const text = `${shown(key)} is not a key of ${shape.title} and is ignored.${hint}`;
  const hasGuards = value?.type === "object" && value.properties.some((one) => GUARD_KEYS.includes(meantPermissionKey(one.key)));
  report(reading, { code: "HL_CONFIG_UNKNOWN_FIELD", level: isSlip && hasGuards ? "error" : "warning", text, place });
}

/** Lists of tools as command lines of agents have them; `deniedMcpServers` and its kind are keys of their own. */
const DENY_LIST = /(?:tools?|rules?|commands?|list)$/i;

function reportUnknownInside(reading: Reading, { key, value }: ConfigProperty, known: readonly string[]): void {
  if (value?.type !== "object") return;
  for (const inner of value.properties.filter((one) => !known.includes(one.key))) {
    const hint = didYouMean(inner.key, known) || ` Known are ${known.join(", ")}.`;
    const cure = Object.hasOwn(NOT_A_SETTING, inner.key) ? ` ${NOT_A_SETTING[inner.key]}` : hint;
    const text = `${shown(inner.key)} is not a key of "${key}" and is ignored.${cure}`;
    report(reading, { code: "HL_CONFIG_UNKNOWN_FIELD", level: "warning", text, place: inner.place });
  }
}

const NOT_A_SETTING: Readonly<Record<string, string>> = {
  trust: "No file says what is trusted: approve hooks with hookloop trust, or pass --trust-workspace.",
  trace: "It is not supported yet: hookloop agent always writes a trace, and keeps it. A program decides with ports.trace of openHooks().",
};

/** SECURITY: whoever names a guard believes that it guards. A wrong name, or a wrong option, does not take its neighbours with it. */
function readUsed(reading: Reading, node: ConfigNode): readonly UsedHook[] {
  return node.type === "list" ? node.items.flatMap((item) => readUsedHook(reading, item) ?? []) : [];
}

function readUsedHook(reading: Reading, item: ConfigNode): UsedHook | undefined {
  const properties = item.type === "object" ? item.properties : [];
  const name = item.type === "object" ? plainValue(properties.find(({ key }) => key === "name")?.value ?? item) : plainValue(item);
  if (!isShippedName(name)) {
    const given = typeof name === "string" ? shown(name) : "An entry without a name";
    const text = `${given} in "use" is no hook that comes with hookloop, and nothing runs for it.${didYouMean(String(name), SHIPPED_NAMES)} Known are ${SHIPPED_NAMES.join(", ")}.`;
    report(reading, { code: "HL_CONFIG_UNKNOWN_FIELD", text, place: item.place });
    return undefined;
  }
  const given = properties.filter(({ key }) => key !== "name").filter((property) => isOptionOf(reading, name, property));
  return { name, options: Object.fromEntries(given.flatMap(({ key, value }) => (value ? [[key, plainValue(value)]] : []))) };
}

/** An option that is not known, or has a wrong value, is left out and said; the hook runs with its default. */
function isOptionOf(reading: Reading, name: keyof typeof SHIPPED_HOOKS, { key, value, place }: ConfigProperty): boolean {
  const { options } = SHIPPED_HOOKS[name];
  const field = Object.hasOwn(options, key) ? options[key] : undefined;
  if (!field) {
    const known = Object.keys(options);
    const hint = didYouMean(key, known) || (known.length === 0 ? " It has none." : ` Known are ${known.join(", ")}.`);
    report(reading, { code: "HL_CONFIG_UNKNOWN_FIELD", text: `${shown(key)} is not an option of "${name}" and is ignored.${hint}`, place });
    return false;
  }
  const mismatch = value && findMismatch(field.type, value);
  if (!mismatch) return value !== undefined;
  const text = `"${key}" of "${name}" must be ${mismatch.expected}, not ${mismatch.received}, and is ignored.`;
  report(reading, { code: "HL_CONFIG_WRONG_TYPE", text, place: mismatch.place });
  return false;
}

/** Never counts from below the user's own files, whatever else the file's own program makes of it. */
const PROTECTED: ReadonlySet<string> = new Set([
  // trust and policy
  "trust",
  "trustedHooks",
  "trustedFolders",
  "trustWorkspace",
  "settings",
  "strict",
  "allowManagedHooksOnly",
  "allowManagedPermissionRulesOnly",
  // bypass modes
  "bypassPermissions",
  "dangerouslySkipPermissions",
  "skipDangerousModePermissionPrompt",
  "skipAutoPermissionPrompt",
  "enableAllProjectMcpServers",
  "enabledMcpjsonServers",
  // variables, keys and where they are sent
  "env",
  "baseUrl",
  "apiKeyHelper",
  "awsAuthRefresh",
  "awsCredentialExport",
  "gcpAuthRefresh",
  "otelHeadersHelper",
  "forceLoginMethod",
  "forceLoginOrgUUID",
  // what is allowed out
  "allowLoopback",
  "passEnv",
  // logs and redaction
  "trace",
  "log",
  "logLevel",
  "redact",
  "redaction",
  "cleanupPeriodDays",
]);

/** Counts from there for hooks of the same scopes only: it can only restrict them, and no others. */
const CONFINED: ReadonlySet<string> = new Set(["disableAllHooks", "allowedHttpHookUrls", "httpHookAllowedEnvVars"]);

/** Whether a key must be ignored because of where the file is from; says so. */
function isProtected(reading: Reading, { key, place }: ConfigProperty): boolean {
  const { scope } = reading.source;
  if (!BELOW_USER.includes(scope)) return false;
  if (CONFINED.has(key) && (scope === "project" || scope === "local")) {
    const text = `"${key}" of ${scope} scope reaches only ${reachOf(key, scope)}, never those of the user or of policy.`;
    report(reading, { code: "HL_CONFIG_PROTECTED_KEY", level: "notice", text, place });
  }
  if (!PROTECTED.has(key)) return false;
  const text = `"${key}" may not be set in ${scope} scope and is ignored. Only the user's own settings and managed policy can set it.`;
  report(reading, { code: "HL_CONFIG_PROTECTED_KEY", level: "warning", text, place });
  return true;
}

function reachOf(key: string, scope: Scope): string {
  if (key !== "disableAllHooks") return "hooks of the project, its plugins and skills";
  return scope === "local" ? "hooks of project and local files" : "hooks of this file";
}

function withoutBypass(reading: Reading, permissions: PermissionLists): PermissionLists {
  const { defaultMode, ...rest } = permissions;
  if (!defaultMode || !BELOW_USER.includes(reading.source.scope) || !LOOSE_MODES.includes(defaultMode.text)) return permissions;
  const text = `"permissions.defaultMode": "${defaultMode.text}" may not be set in ${reading.source.scope} scope and is ignored.`;
  report(reading, { code: "HL_CONFIG_PROTECTED_KEY", level: "warning", text, place: defaultMode.place ?? { file: fileOf(reading) } });
  return rest;
}

function fileOf({ source }: Reading): string {
  return source.file ?? `<${source.scope}>`;
}

const NO_PERMISSIONS: PermissionLists = { allow: [], ask: [], deny: [] };

const PERMISSION_KEYS: readonly string[] = ["allow", "ask", "deny", "defaultMode", "additionalDirectories", "disableBypassPermissionsMode"];

/** The rules, mode and directories of a file, each with its place. What they mean is not looked at here. */
function readPermissions(reading: Reading, node: ConfigNode): PermissionLists {
  if (node.type !== "object") {
    wrongType(reading, `"permissions" must be an object with allow, ask and deny, not ${shown(plainValue(node))}.`, node);
    return NO_PERMISSIONS;
  }
  reportUnknownLists(reading, node);
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

function meantPermissionKey(key: string): string | undefined {
  return key.length > MAX_KEY ? undefined : (CALLED.find(([called]) => called.test(key))?.[1] ?? nearestName(key, PERMISSION_KEYS));
}

const MAX_KEY = 64;
/** SECURITY: whoever wrote one of these believes that something is forbidden. */
const GUARD_KEYS: readonly (string | undefined)[] = ["deny", "ask"];

/** A slip such as "Deny" must not pass for a rule that holds. */
function reportUnknownLists(reading: Reading, { properties }: ObjectNode): void {
  for (const { key, place } of properties.filter((one) => !PERMISSION_KEYS.includes(one.key))) {
    const meant = meantPermissionKey(key);
    const isRules = /^rules?$/i.test(key);
    if (meant === undefined && !isRules && reading.shape.sharedWith !== undefined) continue;
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

/** How it is shown; only its front end is interested. */
const DISPLAY_KEYS = ["padding", "refreshInterval"];
/** The row whose rules an entry is checked by: a command that only tells something. Nothing fires it. */
const CHECKED_AS = "Notification";

function isSettingsCommand(key: string): key is SettingsCommand {
  return (SETTINGS_COMMANDS as readonly string[]).includes(key);
}

/** `statusLine` and `fileSuggestion`: no hooks, but commands that a file brings along, so they pass the same gate. */
export function readSettingsCommands(reading: Reading, properties: readonly ConfigProperty[]): readonly HookDeclaration[] {
  const { source, shape } = reading;
  if (shape.entries === "flat" || HOOKS_ONLY.includes(source.scope)) return [];
  return properties.flatMap(({ key, value }): readonly HookDeclaration[] => {
    if (!isSettingsCommand(key) || !value) return [];
    const entry = readEntry(reading, { event: CHECKED_AS, row: EVENTS[CHECKED_AS], node: value, otherKeys: DISPLAY_KEYS });
    if (!entry) return [];
    if (entry.kind === "command") {
      return [{ event: CHECKED_AS, source, place: value.place, kind: "command", fields: { ...entry.fields, setting: key }, setting: key }];
    }
    const text = `"${key}" must be of type "command", not "${entry.kind}", and is left out.`;
    report(reading, { code: "HL_CONFIG_KIND_NOT_ALLOWED", text, place: value.place });
    return [];
  });
}
