import { type Dirent, readdirSync } from "node:fs";
import path from "node:path";

/** Folders that are other people's work or git's own; a search that means them starts in them. */
const SKIPPED: ReadonlySet<string> = new Set([".git", "node_modules"]);
const MOST_ENTRIES = 200_000;

export interface Walk {
  /** Paths relative to the folder, with `/`. */
  readonly files: readonly string[];
  /** There was more than what is looked at. */
  readonly isCut: boolean;
}

/** Every file below a folder; links are not followed, so nothing leads out of it. */
export function walkFiles(folder: string, signal?: AbortSignal): Walk {
  const files: string[] = [];
  const open = [""];
  let entries = 0;
  for (let next = open.shift(); next !== undefined; next = open.shift()) {
    signal?.throwIfAborted();
    for (const entry of entriesOf(path.join(folder, next))) {
      if (++entries > MOST_ENTRIES) return { files, isCut: true };
      const name = next === "" ? entry.name : `${next}/${entry.name}`;
      if (entry.isDirectory()) {
        if (!SKIPPED.has(entry.name)) open.push(name);
      } else if (entry.isFile()) files.push(name);
    }
  }
  return { files, isCut: false };
}

function entriesOf(folder: string): readonly Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    // A folder that may not be read is a folder without files for us.
    return [];
  }
}
