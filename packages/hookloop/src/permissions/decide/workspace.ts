import { delimiter, isAbsolute, join, resolve } from "node:path";
import { toolRow } from "../grammar/index.ts";
import { isInside, isThere, realFolder } from "../paths/index.ts";
import { pathViews, viewsStayIn } from "../paths/path-views.ts";
import { pathField, toolKind } from "../rules/covered-tools.ts";
import type { CallFacts } from "../types.ts";

/** Whether a file lies in the project or an additional directory, by name and by real target. */
export function isWorkspaceFile(file: string, facts: Pick<CallFacts, "cwd" | "home" | "target">, folders: readonly string[]): boolean {
  return viewsStayIn(pathViews(file, facts.cwd, facts), folders, facts);
}

/** The folders of a PATH that lie in one of these, relative ones too: what is in them comes with the project. */
export function workspaceFolders(searchPath: string, folders: readonly string[]): readonly string[] {
  const roots = folders.map(realFolder);
  // The parts of PATH rarely change, and most commands ask about none.
  return searchPath.split(delimiter).filter((entry) => !isAbsolute(entry) || roots.some((root) => isInside(root, realFolder(entry))));
}

/** SECURITY: whether a bare name means a program of the workspace: `node_modules/.bin/ls` under `npm run`. */
export function isWorkspaceProgram(name: string, { programFolders = [], cwd }: Pick<CallFacts, "programFolders" | "cwd">): boolean {
  return programFolders.some((folder) => isThere(join(resolve(cwd, folder), name)));
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
