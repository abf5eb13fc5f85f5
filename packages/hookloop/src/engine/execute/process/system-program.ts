/** Programs that we start ourselves, by name: git for worktrees, bash for commands. */
import { accessSync, constants, realpathSync, statSync } from "node:fs";
import path from "node:path";
import { isInside, projectRoot } from "../../../permissions/index.ts";

/** PATH without relative and empty entries. SECURITY: they mean the folder a program happens to be started in, which is the project. */
export function absoluteSearchPath(searchPath: string): string {
  return searchPath.split(path.delimiter).filter(path.isAbsolute).join(path.delimiter);
}

export interface ProgramPlace {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The project. */
  readonly root: string;
}

/** PATH without what lies in the project either: `npx` puts its `node_modules/.bin` first. A project that holds the home folder is the user's own. */
export function systemSearchPath({ env, root }: ProgramPlace): string {
  const folders = absoluteSearchPath(env["PATH"] ?? "").split(path.delimiter);
  // Also started in a folder below it: npm adds the `node_modules/.bin` of every folder above.
  const project = realPath(projectRoot(root, env["HOME"] ?? "/"));
  if (isInside(project, realPath(env["HOME"] ?? "/"))) return folders.join(path.delimiter);
  return folders.filter((folder) => !isInside(project, realPath(folder))).join(path.delimiter);
}

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

function realPath(file: string): string {
  try {
    return realpathSync(file);
  } catch {
    // Not there: nothing lies in it.
    return path.resolve(file);
  }
}
