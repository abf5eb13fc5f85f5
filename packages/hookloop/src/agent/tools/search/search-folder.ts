import { statSync } from "node:fs";
import { isInFolders } from "../../../permissions/index.ts";
import { toolPath } from "../tool-path.ts";
import { type ToolContext, ToolFailure } from "../types.ts";

/** Where a search starts: inside the workspace only. */
export function searchFolder(given: string | undefined, context: ToolContext): string {
  const folder = toolPath(given ?? ".", context);
  if (!isInFolders(folder, context.directories)) {
    throw new ToolFailure(`${folder} is outside the workspace (${context.directories.join(", ")}). Searching is confined to it.`);
  }
  if (!statSync(folder, { throwIfNoEntry: false })) throw new ToolFailure(`There is no ${folder}.`);
  return folder;
}
