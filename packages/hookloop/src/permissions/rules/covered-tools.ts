import { MORE_TOOL_NAMES, TOOL_NAMES, type ToolKind } from "../../catalogue/index.ts";
import { compileToolName, compileWildcard, presentName, toolRow } from "../grammar/index.ts";
import type { CallFacts } from "../types.ts";

/** Tools whose path rules speak for every tool of their kind. */
const SPOKESMEN: Readonly<Record<string, ToolKind>> = { Read: "file.read", Edit: "file.write" };
/** Tools of older versions that are not in the catalogue. */
const OLD_TOOLS: Readonly<Record<string, ToolKind>> = { NotebookRead: "file.read" };

/** What a tool works on. */
export function toolKind(tool: string): ToolKind | undefined {
  return toolRow(tool)?.kind ?? (Object.hasOwn(OLD_TOOLS, tool) ? OLD_TOOLS[tool] : undefined);
}

/** The kind of tools that rules of this tool cover; absent: only itself. */
export function coveredKind(tool: string): ToolKind | undefined {
  return Object.hasOwn(SPOKESMEN, tool) ? SPOKESMEN[tool] : undefined;
}

/** Which tools a rule is about: `Edit` all edit tools, `Read` all that read files, `mcp__srv` a server, `*` what fits. `isLoose`: as in `compileToolName`. */
export function compileCoveredTools(wanted: string, isLoose: boolean): (tool: string) => boolean {
  const kind = coveredKind(wanted);
  if (kind) return (tool) => toolKind(tool) === kind;
  if (!wanted.includes("*") || (isLoose && wanted.startsWith("mcp__"))) return compileToolName(wanted, isLoose);
  const fits = compileWildcard(wanted);
  return (tool) => fits(tool) || fits(presentName(tool));
}

/** The input field that names the file a tool works on. */
export function pathField(tool: string): string {
  const rule = toolRow(tool)?.rule;
  if (rule) return rule.kind === "path" ? rule.field : "file_path";
  return tool === "NotebookRead" ? "notebook_path" : "file_path";
}

/** A tool whose rules may have a path, for the cure of one that may not. */
export function spokesmanOf(tool: string): string | undefined {
  const kind = toolKind(tool);
  const name = Object.keys(SPOKESMEN).find((one) => SPOKESMEN[one] === kind);
  return name === presentName(tool) ? undefined : name;
}

/** Names that may stand in a rule. */
export const RULE_TOOL_NAMES: readonly string[] = [...TOOL_NAMES, ...MORE_TOOL_NAMES];

/** The file or folder a call names. A search without one is about the working directory. */
export function fileOf({ tool, input, cwd }: Pick<CallFacts, "tool" | "input" | "cwd">): string | undefined {
  const field = pathField(tool);
  const file = input[field];
  if (typeof file === "string") return file;
  const isSearch = field === "path" && toolKind(tool) === "file.read";
  return isSearch && file === undefined ? cwd : undefined;
}
