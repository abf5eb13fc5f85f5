import { type Dirent, readdirSync, statSync } from "node:fs";
import path from "node:path";
import { globMatch } from "./glob-match.ts";
import { Look } from "./hash-file.ts";

export interface DeclaredFiles {
  /** Absolute paths, sorted. */
  readonly files: readonly string[];
  /** Patterns that fit nothing. */
  readonly unmatched: readonly string[];
  /** Too many to be looked at. */
  readonly isTooMany: boolean;
}

/** SECURITY: a pattern such as `/**` must not make opening a session walk the disk. */
const MAX_VISITED = 5000;
const MAX_FILES = 500;

/** The files that a hook's author declares as part of it, by patterns relative to `root`. */
export function declaredFiles(patterns: readonly string[], root: string, look: Look = new Look()): DeclaredFiles {
  const files = new Set<string>();
  const unmatched: string[] = [];
  // Many hooks with patterns of their own must not each walk the disk.
  const all = look.remember("visited", () => ({ left: 20 * MAX_VISITED }));
  for (const pattern of patterns) {
    const full = path.resolve(root, pattern);
    const found = look.remember(`declared ${full}`, () => matching(full, all));
    if (!found) return { files: [], unmatched: [], isTooMany: true };
    if (!found.some(isFile)) unmatched.push(pattern);
    for (const file of found) files.add(file);
    if (files.size > MAX_FILES) return { files: [], unmatched: [], isTooMany: true };
  }
  return { files: [...files].sort(), unmatched, isTooMany: false };
}

function matching(pattern: string, all: { left: number }): readonly string[] | undefined {
  const segments = pattern.split("/").slice(1);
  const firstGlob = segments.findIndex((segment) => /[*?]/.test(segment));
  if (firstGlob === -1) return [pattern];
  const found: string[] = [];
  let left = Math.min(MAX_VISITED, all.left);
  const visit = (folder: string): void => {
    for (const entry of listFolder(folder)) {
      left -= 1;
      all.left -= 1;
      if (left < 0) return;
      const file = path.join(folder, entry.name);
      // Linked folders are not followed: they could lead round in circles. A linked file is hashed where it really is.
      if (entry.isDirectory()) visit(file);
      else if (globMatch(segments, file.split("/").slice(1))) found.push(file);
    }
  };
  visit(`/${segments.slice(0, firstGlob).join("/")}`);
  return left < 0 ? undefined : found;
}

/** A folder's name alone pins nothing of what is in it. */
function isFile(file: string): boolean {
  try {
    return statSync(file).isFile();
  } catch {
    // Not there, or a link that leads nowhere.
    return false;
  }
}

function listFolder(folder: string): readonly Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    // No such folder: the pattern fits nothing, and that is reported.
    return [];
  }
}
