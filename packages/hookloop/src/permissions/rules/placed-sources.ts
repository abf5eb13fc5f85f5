/**
 * Takes sources of rules as a program wrote them: rules as texts, as settings have them, or with their place. Gives them as they are read.
 * Throws at what nobody can have meant. SECURITY: a deny list under a misspelt name would be one that is not there.
 */
import { checkEntries, invalidOption, nameCure, shown } from "../../check-options.ts";
import type { PlacedSource, PlacedText, RuleScope, RuleSource } from "../types.ts";

export const SCOPES: readonly RuleScope[] = ["managed", "flag", "code", "session", "user", "local", "project", "plugin", "skill"];
const LISTS: readonly string[] = ["allow", "ask", "deny", "additionalDirectories"];
const OTHERS: readonly string[] = ["defaultMode", "disableBypassPermissionsMode"];

export function placedSources(sources: readonly RuleSource[]): PlacedSource[] {
  if (!Array.isArray(sources))
    throw invalidOption(
      `readRules() takes a list of sources, not ${shown(sources)}. Write readRules(hooks.ruleSources), or readRules([{ … }])`,
    );
  return sources.map((source) => placed(source as unknown));
}

function placed(source: unknown): PlacedSource {
  if (typeof source !== "object" || source === null)
    throw invalidOption(`a rule source is ${shown(source)}. Write { scope, root, isTrusted, permissions: { deny: ["Bash(git push *)"] } }`);
  const { scope, root, permissions } = source as Partial<RuleSource>;
  const where = "a rule source";
  checkEntries(where, source, { scope: SCOPES, file: "text", root: "text", isTrusted: "flag", permissions: "object" });
  if (scope === undefined) throw invalidOption(`${where} has no scope. Write one of: ${SCOPES.join(", ")}`);
  if (root === undefined) throw invalidOption(`root of ${where} is undefined. Write the folder that its path rules belong to`);
  if (permissions === undefined) throw invalidOption(`${where} has no permissions. Write permissions: { deny: ["Bash(git push *)"] }`);
  const lists = permissions as Readonly<Record<string, unknown>>;
  for (const name of Object.keys(lists))
    if (![...LISTS, ...OTHERS].includes(name))
      throw invalidOption(`permissions has no list "${name.slice(0, 60)}". ${nameCure(name, [...LISTS, ...OTHERS])}`);
  const mode = lists["defaultMode"];
  const directories = lists["additionalDirectories"];
  return {
    ...(source as RuleSource),
    permissions: {
      ...(permissions as object),
      allow: textsOf("allow", lists["allow"]),
      ask: textsOf("ask", lists["ask"]),
      deny: textsOf("deny", lists["deny"]),
      ...(mode !== undefined && { defaultMode: textOf("defaultMode", mode) }),
      ...(directories !== undefined && { additionalDirectories: textsOf("additionalDirectories", directories) }),
    },
  };
}

function textsOf(name: string, list: unknown): readonly PlacedText[] {
  if (list === undefined) return [];
  if (!Array.isArray(list)) throw invalidOption(`${name} of permissions is ${shown(list)}. Write a list, as in ["Bash(git push *)"]`);
  return list.map((one) => textOf(name, one));
}

function textOf(name: string, value: unknown): PlacedText {
  if (typeof value === "string") return { text: value };
  const { text } = (value ?? {}) as Partial<PlacedText>;
  if (typeof text === "string") return value as PlacedText;
  throw invalidOption(`${name} of permissions has ${shown(value)} in it. Write a text, or { text, place }`);
}
