import type { CallFacts } from "../types.ts";
import { isInside } from "./real-target.ts";

/** A file as the call names it, and where that really leads. */
export interface PathViews {
  readonly named: string;
  /** Usually one; two if `..` behind a link means different files to different programs. */
  readonly real: readonly string[];
  /** Only the running process knows what it is. */
  readonly isUnclear: boolean;
}

type Lookup = Pick<CallFacts, "home" | "target">;

const known = new WeakMap<Lookup["target"], Map<string, PathViews>>();

/** All views of a file that is given absolute, below the home folder, or relative to a folder. Every rule asks for them. */
export function pathViews(file: string, folder: string, lookup: Lookup): PathViews {
  let views = known.get(lookup.target);
  if (!views) {
    views = new Map();
    known.set(lookup.target, views);
  }
  const key = /^[/~]/.test(file) ? file : `${folder}/${file}`;
  let found = views.get(key);
  if (!found) {
    found = findViews(file, folder, lookup);
    views.set(key, found);
  }
  return found;
}

function findViews(file: string, folder: string, { home, target }: Lookup): PathViews {
  const isHome = file === "~" || file.startsWith("~/");
  // Not normalised: only the file system knows where `link/..` leads.
  const written = isHome ? `${home}/${file.slice(2)}` : file.startsWith("/") ? file : `${folder}/${file}`;
  const { path, asText, written: named, isDescriptor, problem } = target(written);
  return { named, real: path === asText ? [path] : [path, asText], isUnclear: isDescriptor || problem !== undefined };
}

/** Whether a file lies in one of these folders, by its name and by where it really is. */
export function viewsStayIn({ named, real, isUnclear }: PathViews, folders: readonly string[], { target }: Lookup): boolean {
  if (isUnclear) return false;
  const roots = folders.map((folder) => target(folder));
  const isNamed = roots.some(({ written, path }) => isInside(written, named) || isInside(path, named));
  return isNamed && real.every((one) => roots.some(({ path }) => isInside(path, one)));
}

/** Where a command of a line runs: the caller's folder, or where a `cd` before it went. */
export function folderPath(folder: string | undefined, { cwd, home }: { readonly cwd: string; readonly home: string }): string {
  if (folder === undefined) return cwd;
  if (folder === "~" || folder.startsWith("~/")) return `${home}/${folder.slice(2)}`;
  return folder.startsWith("/") ? folder : `${cwd}/${folder}`;
}
