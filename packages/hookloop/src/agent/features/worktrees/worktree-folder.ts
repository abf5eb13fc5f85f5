import { statSync, writeFileSync } from "node:fs";
import path from "node:path";
import { isInside, realTarget } from "../../../permissions/index.ts";
import { makeFolders } from "../../../state-files.ts";
import { ToolFailure } from "../../tools/types.ts";

/** Where a worktree is if no hook says otherwise. */
export function folderOf(root: string, name: string): string {
  return path.join(root, ".claude", "worktrees", name);
}

/** Makes the folder of worktrees; git does not see them as new files of the project. */
export function makeParent(root: string): void {
  const parent = path.dirname(folderOf(root, "any"));
  // SECURITY: `.claude` comes with the project, and may be a link to anywhere.
  if (!isReallyInside(root, parent)) {
    throw new ToolFailure(`${parent} leads out of the project. Remove the link, or let a WorktreeCreate hook choose the place.`);
  }
  makeFolders(parent);
  try {
    // SECURITY: only if nothing has that name: a link to nothing would have the file made where it leads.
    writeFileSync(path.join(parent, ".gitignore"), "*\n", { flag: "wx" });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  }
}

/** The folder a hook has made. */
export function hookFolder(given: string, root: string): string {
  const folder = path.resolve(root, given);
  if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory()) {
    throw new ToolFailure(
      `A WorktreeCreate hook named ${JSON.stringify(given)}, but there is no such folder. Its last line must be the path.`,
    );
  }
  // SECURITY: the folder becomes part of the workspace; one that holds the project would bring along everything around it.
  if (isReallyInside(folder, root)) throw new ToolFailure(`A WorktreeCreate hook named ${folder}, which is or holds the project itself.`);
  return folder;
}

export function isReallyInside(outer: string, inner: string): boolean {
  return isInside(realTarget(outer, { cwd: "/" }).path, realTarget(inner, { cwd: "/" }).path);
}
