/** Programs that we start ourselves, by name: git for worktrees, bash for commands. */
import { accessSync, constants, statSync } from "node:fs";
import path from "node:path";
import { type ProgramPlace, systemSearchPath } from "../../../permissions/index.ts";

/** Where such a program is; nothing if it is nowhere outside of the project. */
export function systemProgram(name: string, place: ProgramPlace): string | undefined {
  const folders = systemSearchPath(place).split(path.delimiter).filter(Boolean);
  return folders.map((folder) => path.join(folder, name)).find(isRunnable);
}

function isRunnable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    // Not there, or not for us.
    return false;
  }
}
