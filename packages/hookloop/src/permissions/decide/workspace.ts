import { toolRow } from "../grammar/index.ts";
import { pathViews, viewsStayIn } from "../paths/path-views.ts";
import { pathField, toolKind } from "../rules/covered-tools.ts";
import type { CallFacts } from "../types.ts";

/** Whether a file lies in the project or an additional directory, by name and by real target. */
export function isWorkspaceFile(file: string, facts: Pick<CallFacts, "cwd" | "home" | "target">, folders: readonly string[]): boolean {
  return viewsStayIn(pathViews(file, facts.cwd, facts), folders, facts);
}

/** Whether a tool that works on one file works inside the workspace. A search without a folder is about the working directory. */
export function staysInWorkspace(facts: CallFacts, folders: readonly string[]): boolean {
  const field = pathField(facts.tool);
  const isSearch = field === "path" && facts.input[field] === undefined && toolKind(facts.tool) === "file.read";
  const file = isSearch ? facts.cwd : facts.input[field];
  return typeof file === "string" && isWorkspaceFile(file, facts, folders) && searchStays(facts);
}

/** `Glob("/etc/*")` and `Glob("../*")` leave the folder that `path` names. */
function searchStays({ tool, input }: CallFacts): boolean {
  const row = toolRow(tool);
  if (row?.kind !== "file.read" || row.rule?.field !== "path") return true;
  const patterns = tool === "Glob" ? [input["pattern"], input["glob"]] : [input["glob"]];
  return patterns.every((pattern) => typeof pattern !== "string" || !/^(?:[/~])|(?:^|\/)\.\.(?:\/|$)/.test(pattern));
}
