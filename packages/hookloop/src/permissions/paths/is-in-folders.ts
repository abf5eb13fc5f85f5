import { isInside, realTarget } from "./real-target.ts";

/** Whether a path really lies in one of the folders, wherever links lead. Relative ones belong to `cwd`. */
export function isInFolders(path: string, folders: readonly string[], cwd = "/"): boolean {
  const target = realTarget(path, { cwd }).path;
  return folders.some((folder) => isInside(realTarget(folder, { cwd }).path, target));
}
