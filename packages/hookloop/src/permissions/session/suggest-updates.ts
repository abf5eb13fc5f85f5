import { NEEDS_PERSON } from "../decide/modes.ts";
import { toolKind } from "../rules/covered-tools.ts";
import type { PermissionCall } from "../types.ts";

interface Suggestion {
  readonly type: "addRules";
  readonly rules: readonly [{ readonly toolName: string; readonly ruleContent?: string }];
  readonly behavior: "allow";
  readonly destination: "localSettings" | "session";
}

interface ModeSuggestion {
  readonly type: "setMode";
  readonly mode: "acceptEdits";
  readonly destination: "session";
}

/** What would spare the user the same question: the changes a question can offer beside yes and no. As narrow as they can be. */
export function suggestUpdates({ tool_name: tool, tool_input: input }: PermissionCall): readonly (Suggestion | ModeSuggestion)[] {
  // No rule answers these.
  if (NEEDS_PERSON.has(tool)) return [];
  const kind = toolKind(tool);
  if (kind === "file.write") return [{ type: "setMode", mode: "acceptEdits", destination: "session" }];
  if (kind === "file.read") return [];
  const content = kind === "shell" ? exactCommand(input["command"]) : kind === "web" ? domainOf(input["url"]) : undefined;
  // A rule for the whole tool would allow more than the question is about.
  if (kind !== undefined && content === undefined) return [];
  const rule = content === undefined ? { toolName: tool } : { toolName: tool, ruleContent: content };
  return [{ type: "addRules", rules: [rule], behavior: "allow", destination: "localSettings" }];
}

/** In a rule, stars and backslashes mean something else. */
function exactCommand(command: unknown): string | undefined {
  return typeof command === "string" && command.trim() !== "" && !/[*\\\n]/.test(command) ? command.trim() : undefined;
}

function domainOf(url: unknown): string | undefined {
  return typeof url === "string" && URL.canParse(url) ? `domain:${new URL(url).hostname}` : undefined;
}
