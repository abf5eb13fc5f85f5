// Takes where a session runs. Says if that is no folder, and which configuration above it is not read: that of the project it is a part of, and that of strangers.
import { statSync } from "node:fs";
import path from "node:path";
import type { Diagnostic } from "../../../diagnostic.ts";
import { gitRoot, isInside, isOwn, isThere, projectRoot } from "../../../permissions/index.ts";

interface SessionFolder {
  readonly cwd: string;
  readonly home: string;
}

const NAMES = [".hookloop/hooks.json", ".hookloop/hooks.local.json", ".claude/settings.json", ".claude/settings.local.json", ".hooks.json"];
const MOST_FOLDERS = 64;

/** Of the home folder those of `.claude` are the user's, and read or named anyway; the others count only for a session there. */
const NAMES_IN_HOME = NAMES.filter((name) => !name.startsWith(".claude/"));

/** One finding for all files; `read`: those that are. Above the home folder no project lies. */
export function filesAbove({ cwd, home }: SessionFolder, read: ReadonlySet<string>): readonly Diagnostic[] {
  const own = path.resolve(home);
  const [first, ...others] = foldersAbove(cwd, home).flatMap((folder) => {
    const files = (folder === own ? NAMES_IN_HOME : NAMES).map((name) => path.join(folder, name));
    // What others put into a shared folder concerns nobody.
    return files.filter((file) => !read.has(file) && isThere(file) && isOwn(file));
  });
  if (first === undefined) return [];
  const folder = rootOf(first);
  const more = others.length === 0 ? "" : ` The same goes for ${others.join(", ")}.`;
  const cure =
    folder === own
      ? "To have them everywhere, move them to ~/.claude/settings.json or ~/.config/hookloop/hooks.json."
      : `To have them, start there: cd ${folder}`;
  const text = `The hooks and rules of ${folder} do not count here: configuration is read only from the folder a session starts in, ${cwd}. ${cure}${more}`;
  return [{ code: "HL_CONFIG_ABOVE", level: "warning", text, place: { file: first } }];
}

/** SECURITY: where there is no folder there is no configuration, and a session without its guards must not look like one that has none. */
export function noFolder({ cwd }: Pick<SessionFolder, "cwd">): readonly Diagnostic[] {
  const problem = folderProblem(cwd);
  if (problem === undefined) return [];
  const text = `The project ${cwd} ${problem}, so no hook or rule of it was read. Open the session with an existing folder as cwd.`;
  return [{ code: "HL_CONFIG_NO_FOLDER", level: "error", text, place: { file: cwd } }];
}

function folderProblem(cwd: string): string | undefined {
  try {
    return statSync(cwd).isDirectory() ? undefined : "is not a folder";
  } catch (thrown) {
    const { code } = thrown as NodeJS.ErrnoException;
    return code === "ENOENT" || code === "ENOTDIR" ? "does not exist" : `cannot be looked at (${code})`;
  }
}

function rootOf(file: string): string {
  const folder = path.dirname(file);
  return path.basename(file) === ".hooks.json" ? folder : path.dirname(folder);
}

function foldersAbove(cwd: string, home: string): readonly string[] {
  const folders: string[] = [];
  for (let folder = path.dirname(path.resolve(cwd)); folders.length < MOST_FOLDERS; folder = path.dirname(folder)) {
    const isHome = folder === path.resolve(home);
    if ((!isHome && isInside(folder, path.resolve(home))) || folder === path.dirname(folder)) break;
    folders.push(folder);
    if (isHome) break;
  }
  return folders;
}

/** The local file of a repository that is not the project: it lies above the home folder, or is another user's. */
export function strangerAbove({ cwd, home }: SessionFolder): readonly Diagnostic[] {
  const root = gitRoot(cwd);
  const file = path.join(root, ".claude", "settings.local.json");
  if (root === path.resolve(cwd) || root === projectRoot(cwd, home) || !isThere(file)) return [];
  const isAbove = isInside(root, path.resolve(home));
  return [notOfProject(file, isAbove ? "it lies in the home folder or above it" : "its folder or its .git belongs to another user")];
}

/** The report for a file that is found and does not count. */
export function notOfProject(file: string, why: string): Diagnostic {
  const text = `This local configuration does not count here: ${why}. To use it, start in its folder, or put it into the project's.`;
  return { code: "HL_CONFIG_NOT_OF_PROJECT", level: "warning", text, place: { file } };
}
