import { realpathSync, statSync } from "node:fs";
import path from "node:path";

const ANY_EXECUTE_BIT = 0o111;

/** Where a program is found by its name, as the system would look; nothing if it is nowhere. Links on the way are not followed. */
export function findProgram(name: string, searchPath: string, cwd: string): string | undefined {
  if (name.includes("/")) return runnable(path.resolve(cwd, name));
  for (const folder of searchPath.split(":")) {
    // An empty entry means the current folder.
    const found = runnable(path.resolve(cwd, folder, name));
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Where it really is. */
export function realProgram(name: string, searchPath: string, cwd: string): string | undefined {
  const found = findProgram(name, searchPath, cwd);
  return found === undefined ? undefined : realpathSync.native(found);
}

function runnable(file: string): string | undefined {
  try {
    const found = statSync(file, { throwIfNoEntry: false });
    return found?.isFile() && (found.mode & ANY_EXECUTE_BIT) !== 0 ? file : undefined;
  } catch {
    // A folder of PATH that we may not look into: the next one may have it.
    return undefined;
  }
}
