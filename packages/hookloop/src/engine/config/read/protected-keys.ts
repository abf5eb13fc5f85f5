import type { PermissionLists } from "../../../permissions/index.ts";
import { type Reading, report } from "../reading.ts";
import type { ConfigProperty } from "../tree/index.ts";
import type { Scope } from "../types.ts";

/** A checkout, a plugin or a skill has no say in whether it is trusted, where keys and payloads go, or what is written down. */
const BELOW_USER: readonly Scope[] = ["local", "project", "plugin", "skill"];

/** Never counts from there, whatever else the file's own program makes of it. */
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

/** Counts from there for hooks of the same scopes only: it can take away from them, and touches nobody else's. */
const CONFINED: ReadonlySet<string> = new Set(["disableAllHooks", "allowedHttpHookUrls", "httpHookAllowedEnvVars"]);

/** Modes that ask nobody. */
const BYPASS_MODES: readonly string[] = ["bypassPermissions", "auto"];

/** Whether a key must be ignored because of where the file is from; says so. */
export function isProtected(reading: Reading, { key, place }: ConfigProperty): boolean {
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

/** The permissions of a file without a mode that its scope may not ask for. */
export function withoutBypass(reading: Reading, permissions: PermissionLists): PermissionLists {
  const { defaultMode, ...rest } = permissions;
  if (!defaultMode || !BELOW_USER.includes(reading.source.scope) || !BYPASS_MODES.includes(defaultMode.text)) return permissions;
  const text = `"permissions.defaultMode": "${defaultMode.text}" may not be set in ${reading.source.scope} scope and is ignored.`;
  report(reading, { code: "HL_CONFIG_PROTECTED_KEY", level: "warning", text, place: defaultMode.place ?? { file: fileOf(reading) } });
  return rest;
}

function fileOf({ source }: Reading): string {
  return source.file ?? `<${source.scope}>`;
}
