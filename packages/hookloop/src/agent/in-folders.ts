import { isInside, realTarget } from "../permissions/index.ts";

/** Whether a path really lies in one of the folders, wherever links lead. */
export function isInFolders(path: string, folders: readonly string[]): boolean {
  const target = realTarget(path, { cwd: "/" }).path;
  return folders.some((folder) => isInside(realTarget(folder, { cwd: "/" }).path, target));
}
