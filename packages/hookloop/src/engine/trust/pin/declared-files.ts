import { type Dirent, readdirSync } from "node:fs";
import path from "node:path";
import { globMatch } from "./glob-match.ts";

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
export function declaredFiles(patterns: readonly string[], root: string): DeclaredFiles {
  const files = new Set<string>();
  const unmatched: string[] = [];
  const budget = { left: MAX_VISITED };
  for (const pattern of patterns) {
    const found = matching(path.resolve(root, pattern), budget);
    if (found.length === 0) unmatched.push(pattern);
    for (const file of found) files.add(file);
    if (budget.left < 0 || files.size > MAX_FILES) return { files: [], unmatched: [], isTooMany: true };
  }
  return { files: [...files].sort(), unmatched, isTooMany: false };
}

function matching(pattern: string, budget: { left: number }): readonly string[] {
  const segments = pattern.split("/").slice(1);
  const firstGlob = segments.findIndex((segment) => /[*?]/.test(segment));
  if (firstGlob === -1) return [pattern];
  const found: string[] = [];
  const visit = (folder: string): void => {
    for (const entry of listFolder(folder)) {
      budget.left -= 1;
      if (budget.left < 0) return;
      const file = path.join(folder, entry.name);
      // Linked folders are not followed: they could lead round in circles. A linked file is hashed where it really is.
      if (entry.isDirectory()) visit(file);
      else if (globMatch(segments, file.split("/").slice(1))) found.push(file);
    }
  };
  visit(`/${segments.slice(0, firstGlob).join("/")}`);
  return found;
}

function listFolder(folder: string): readonly Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    // No such folder: the pattern fits nothing, and that is reported.
    return [];
  }
}
