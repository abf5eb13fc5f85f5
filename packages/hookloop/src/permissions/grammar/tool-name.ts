import { calledElsewhere, FORMER_TOOL_NAMES, otherSpelling, plainName, TOOL_NAMES, TOOLS } from "../../catalogue/index.ts";
import { nearestName } from "../../diagnostic.ts";
import type { Rule } from "./parse-rule.ts";
import { compileWildcard } from "./wildcard.ts";

type KnownTool = (typeof TOOLS)[keyof typeof TOOLS];

/** What the tool is called now. */
export function presentName(tool: string): string {
  return Object.hasOwn(FORMER_TOOL_NAMES, tool) ? (FORMER_TOOL_NAMES[tool] ?? tool) : tool;
}

/** What is known of a tool, by its present or former name. */
export function toolRow(tool: string): KnownTool | undefined {
  const name = presentName(tool);
  return Object.hasOwn(TOOLS, name) ? TOOLS[name as keyof typeof TOOLS] : undefined;
}

/**
 * This tool, by its present or former name; for MCP tools also a whole server or a wildcard. `isLoose`: however the name is spelt.
 * SECURITY: what forbids is loose, so that an agent that calls its shell `bash` is bound by a rule for `Bash`; what allows is exact.
 */
export function compileToolName(wanted: string, isLoose = false): (tool: string) => boolean {
  const present = presentName(wanted);
  if (!wanted.startsWith("mcp__")) {
    const plain = plainName(present);
    return isLoose ? (tool) => plainName(presentName(tool)) === plain : (tool) => presentName(tool) === present;
  }
  const isServer = !wanted.slice("mcp__".length).includes("__") && !wanted.includes("*");
  const pattern = isServer ? `${wanted}__*` : wanted;
  return isLoose ? compileLoosely(pattern) : compileWildcard(pattern);
}

/** However a program joins and spells the words: `mcp__GitHub__createIssue`, `mcp_github_create-issue`. */
function compileLoosely(pattern: string): (tool: string) => boolean {
  const fits = compileWildcard(joinedWords(pattern));
  const whole = joinedWords(pattern).replaceAll("_", "");
  return (tool) => {
    const words = joinedWords(tool);
    return fits(words) || words.replaceAll("_", "") === whole;
  };
}

function joinedWords(name: string): string {
  return plainName(name.replace(/^mcp[_.:/-]+/i, "mcp__")).replace(/[\s_.:/-]+/g, "_");
}

/**
 * The rule for the known tool that is meant by this one: `bash(rm *)` and `shell(rm *)` are `Bash(rm *)`. The name of another agent's tool alone stays what it is.
 * SECURITY: only for rules that forbid or ask.
 */
export function meantRule(rule: Rule): Rule {
  const spelt = otherSpelling(rule.tool);
  if (spelt) return { ...rule, tool: spelt };
  const elsewhere = calledElsewhere(rule.tool);
  if (elsewhere === undefined || rule.spec === undefined) return rule;
  // `Tool(name:value)` is about a parameter of a tool that is not known.
  const isParameter = /^\w+:/.test(rule.spec) && !(TOOLS[elsewhere].rule?.kind === "domain" && rule.spec.startsWith("domain:"));
  return isParameter ? rule : { ...rule, tool: elsewhere };
}

/** Whether it is a tool of the catalogue, of an MCP server, or one of these. */
export function isKnownTool(tool: string, more: readonly string[] = []): boolean {
  return tool.startsWith("mcp__") || more.includes(tool) || toolRow(tool) !== undefined;
}

/** ` Did you mean "Bash"?`, or nothing. */
export function toolHint(tool: string, more: readonly string[] = []): string {
  const nearest = isKnownTool(tool, more) ? undefined : (calledElsewhere(tool) ?? nearestName(tool, [...TOOL_NAMES, ...more]));
  return nearest === undefined ? "" : ` Did you mean "${nearest}"?`;
}
