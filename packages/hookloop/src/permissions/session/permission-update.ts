import { MODES } from "../rules/read-rules.ts";
import type { PermissionMode, RuleList } from "../types.ts";

/** One change of the rules, as an answer to a question or a PermissionRequest hook brings it. */
export type PermissionUpdate =
  | {
      readonly type: "addRules" | "replaceRules" | "removeRules";
      readonly rules: readonly string[];
      readonly behavior: RuleList;
      readonly destination: string;
    }
  | { readonly type: "setMode"; readonly mode: PermissionMode; readonly destination: string }
  | { readonly type: "addDirectories" | "removeDirectories"; readonly directories: readonly string[]; readonly destination: string };

const LISTS: readonly string[] = ["allow", "ask", "deny"];
const RULE_CHANGES: readonly string[] = ["addRules", "replaceRules", "removeRules"];
const DIRECTORY_CHANGES: readonly string[] = ["addDirectories", "removeDirectories"];

/** Reads an update as hooks write it; nothing if it is none. */
export function readUpdate(value: unknown): PermissionUpdate | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  const { type, rules, behavior, mode, directories, destination = "session" } = value as Readonly<Record<string, unknown>>;
  if (typeof type !== "string" || typeof destination !== "string") return undefined;
  if (RULE_CHANGES.includes(type) && Array.isArray(rules) && LISTS.includes(behavior as string)) {
    const texts = rules.map(ruleOf);
    const isWhole = texts.every((text) => text !== undefined);
    return isWhole ? ({ type, rules: texts, behavior, destination } as PermissionUpdate) : undefined;
  }
  if (type === "setMode" && MODES.includes(mode as PermissionMode)) return { type, mode: mode as PermissionMode, destination };
  if (!DIRECTORY_CHANGES.includes(type) || !Array.isArray(directories) || !directories.every((one) => typeof one === "string"))
    return undefined;
  return { type, directories, destination } as PermissionUpdate;
}

function ruleOf(value: unknown): string | undefined {
  const { toolName, ruleContent } = (value ?? {}) as Readonly<Record<string, unknown>>;
  if (typeof toolName !== "string" || toolName === "") return undefined;
  if (ruleContent === undefined) return toolName;
  return typeof ruleContent === "string" ? `${toolName}(${ruleContent})` : undefined;
}
