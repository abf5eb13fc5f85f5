import { type Dirent, readdirSync } from "node:fs";
import path from "node:path";
import { setImmediate } from "node:timers/promises";

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
export async function walkFiles(folder: string, signal?: AbortSignal): Promise<Walk> {
  const files: string[] = [];
  const open = [""];
  const pause = createPause(signal);
  let entries = 0;
  // Not `shift`: on a long list it moves everything.
  for (let at = 0; at < open.length; at++) {
    const next = open[at] ?? "";
    await pause();
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

const LONGEST_BLOCK_MS = 20;

/** Lets others have their turn when it is time, so that a search can be ended and signals are heard; throws if it was. */
export function createPause(signal?: AbortSignal): () => Promise<void> {
  let last = performance.now();
  return async () => {
    signal?.throwIfAborted();
    if (performance.now() - last < LONGEST_BLOCK_MS) return;
    await setImmediate();
    signal?.throwIfAborted();
    last = performance.now();
  };
}

function entriesOf(folder: string): readonly Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    // A folder that may not be read is a folder without files for us.
    return [];
  }
}
