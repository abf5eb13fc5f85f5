import { lstatSync, type Stats, statSync } from "node:fs";
import path from "node:path";
import { isInside, realPath } from "../pin/index.ts";

const WRITABLE_BY_OTHERS = 0o022;

/** Why the store must not be believed, or nothing. A store that is not there is fine: it is empty. */
export function storeProblem(folder: string, file: string, projectRoot: string): string | undefined {
  // SECURITY: a checkout must not be able to bring its own approvals along.
  if (isInside(realPath(projectRoot), realAncestor(folder))) return `${folder} lies inside the project`;
  return ownProblem(folder, "folder") ?? ownProblem(file, "file");
}

function ownProblem(target: string, kind: "folder" | "file"): string | undefined {
  const found = lookup(target);
  if (!found) return undefined;
  if (found.isSymbolicLink()) return `${target} is a link`;
  if (kind === "folder" ? !found.isDirectory() : !found.isFile()) return `${target} is not a ${kind}`;
  if (found.uid !== process.getuid?.()) return `${target} belongs to another user: run chown "$(id -un)" "${target}"`;
  if ((found.mode & WRITABLE_BY_OTHERS) !== 0) return `others may write to ${target}: run chmod go-w "${target}"`;
  return undefined;
}

/** Whether there is a store, whatever is wrong with it. Where nobody can look, there may be one. */
export function isThere(folder: string, file: string): boolean {
  try {
    const found = lstatSync(folder);
    const leads = found.isSymbolicLink() ? statSync(folder, { throwIfNoEntry: false }) : found;
    // SECURITY: something else in the folder's place took the store with it.
    return !leads?.isDirectory() || lstatSync(file, { throwIfNoEntry: false }) !== undefined;
  } catch (thrown) {
    const { code } = thrown as NodeJS.ErrnoException;
    return code !== "ENOENT";
  }
}

/** The real path of the nearest folder that exists, with the rest behind it. */
function realAncestor(folder: string): string {
  for (let [at, rest] = [path.resolve(folder), ""]; ; [at, rest] = [path.dirname(at), path.join(path.basename(at), rest)]) {
    if (lookup(at)) return path.join(realPath(at), rest);
    if (at === path.dirname(at)) return path.join(at, rest);
  }
}

function lookup(target: string): Stats | undefined {
  try {
    return lstatSync(target);
  } catch {
    // Not there, or below something that is no folder: whoever wants to write there will be told.
    return undefined;
  }
}
