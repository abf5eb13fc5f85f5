import { existsSync, type FSWatcher, realpathSync, statSync, watch } from "node:fs";
import path from "node:path";

export interface FolderWatches {
  /** Watches the folders of these files, and no others. */
  follow(files: readonly string[]): void;
  close(): void;
}

export interface FolderWatchOptions {
  /** Something happened in one of the folders. */
  readonly onEvent: () => void;
  readonly onProblem: (text: string) => void;
}

interface Watched {
  readonly watcher: FSWatcher;
  /** A folder of the same name may take its place. */
  readonly identity: string;
}

/**
 * Folders are watched, not files: an editor that saves by renaming puts another file in the old one's place, and nobody would hear of it again.
 * Where the folder is not there, the nearest one above it is watched until it is.
 */
export function createFolderWatches({ onEvent, onProblem }: FolderWatchOptions): FolderWatches {
  const watched = new Map<string, Watched>();
  const failed = new Set<string>();
  const drop = (folder: string): void => {
    watched.get(folder)?.watcher.close();
    watched.delete(folder);
  };
  const add = (folder: string): void => {
    const identity = identityOf(folder);
    if (identity === undefined || watched.get(folder)?.identity === identity) return;
    drop(folder);
    try {
      const watcher = watch(folder, { persistent: false }, onEvent);
      watcher.on("error", () => {
        drop(folder);
        onEvent();
      });
      watched.set(folder, { watcher, identity });
    } catch (thrown) {
      if (failed.has(folder)) return;
      failed.add(folder);
      onProblem(`${folder} cannot be watched, so changes are seen only before the next request: ${(thrown as Error).message}`);
    }
  };
  return {
    follow(files) {
      const wanted = new Set(files.flatMap(foldersOf));
      for (const folder of watched.keys()) if (!wanted.has(folder)) drop(folder);
      for (const folder of wanted) add(folder);
    },
    close() {
      for (const folder of [...watched.keys()]) drop(folder);
    },
  };
}

/** The file may be a link: then what it points to changes in another folder. */
function foldersOf(file: string): readonly string[] {
  const folder = nearestFolder(path.dirname(file));
  try {
    return [folder, path.dirname(realpathSync(file))];
  } catch {
    // It is not there (yet).
    return [folder];
  }
}

function nearestFolder(folder: string): string {
  const parent = path.dirname(folder);
  return existsSync(folder) || parent === folder ? folder : nearestFolder(parent);
}

/** A new folder often gets the number of the one before it. */
function identityOf(folder: string): string | undefined {
  try {
    const { ino, birthtimeNs } = statSync(folder, { bigint: true });
    return `${ino} ${birthtimeNs}`;
  } catch {
    // It has just been removed; the next look finds the one above.
    return undefined;
  }
}
