/**
 * Takes a folder, gives the git repository that is its own: where its files really are. Refuses one that leads anywhere else, with the reason.
 * SECURITY: `.git` comes with an unpacked project, and git follows it into any repository: to read, and to write branches and logs there.
 */

import { type Dirent, lstatSync, readdirSync, realpathSync, statSync } from "node:fs";
import path from "node:path";
import { wordSet } from "../../shell/index.ts";
import { isThere } from "../../state-files.ts";
import { isOwn, projectRoot, readWithin, realFolder } from "./project-files.ts";
import { isInside } from "./real-target.ts";

/** Real paths, so that what was looked at is what is used. */
interface GitFolders {
  readonly folder: string;
  readonly gitDir: string;
  readonly commonDir: string;
}

type FoundRepository = (GitFolders & { readonly kind: "own" }) | { readonly kind: "foreign"; readonly why: string };

/** A reason is thrown as this, from wherever it is found. */
class Foreign extends Error {}

/** Entries of a `.git` that are looked at. */
const MOST_ENTRIES = 200_000;
/** Never used by what we have git do, and often linked or large. */
const UNUSED = wordSet("hooks lfs modules");
const NOTE_BYTES = 16 * 1024;
const LIST_BYTES = 1024 * 1024;

/** The repository of the project around a folder, if everything that git would use of it lies in it. */
export function ownRepository(start: string, home: string): FoundRepository {
  return found(() => {
    const folder = projectRoot(realFolder(start), home);
    const folders = gitFolders(folder);
    checkOwner(folder, path.join(folder, ".git"), folders.gitDir, folders.commonDir);
    checkClosed(folders);
    checkBorrowed(folders.commonDir);
    return folders;
  });
}

/** Only where the repository of this folder is: what lies in it is not looked at. */
export function ownGitFolders(folder: string): FoundRepository {
  return found(() => gitFolders(realFolder(folder)));
}

function found(find: () => GitFolders): FoundRepository {
  try {
    return { kind: "own", ...find() };
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    return { kind: "foreign", why: error instanceof Foreign ? message : `its .git cannot be read (${code ?? message})` };
  }
}

/** Inside of the folder, or a worktree or submodule of a repository that knows this folder: the author of the folder cannot have written that there. */
function gitFolders(folder: string): GitFolders {
  const gitDir = gitDirOf(folder);
  const note = path.join(gitDir, "commondir");
  const commonDir = isThere(note) ? realpathSync(path.resolve(gitDir, noteIn(note))) : gitDir;
  if (isInside(folder, gitDir) && isInside(folder, commonDir)) return { folder, gitDir, commonDir };
  if (isLinkedWorktree(folder, gitDir, commonDir) || (commonDir === gitDir && isSubmodule(folder, gitDir)))
    return { folder, gitDir, commonDir };
  throw new Foreign(
    `${path.join(folder, ".git")} leads to ${isInside(folder, gitDir) ? commonDir : gitDir}, which does not know this folder`,
  );
}

function gitDirOf(folder: string): string {
  const place = path.join(folder, ".git");
  if (!isThere(place)) throw new Foreign(`${folder} has no .git, and no folder above it that belongs to the project has one`);
  const real = realpathSync(place);
  if (statSync(real).isDirectory()) return real;
  if (!isInside(folder, real)) throw new Foreign(`${place} leads to ${real}`);
  // As git reads it: line ends behind the path are not part of it.
  const named = /^gitdir: ([^\r\n]+)$/.exec(noteIn(place))?.[1];
  if (named === undefined) throw new Foreign(`${place} does not say where the repository is`);
  return realpathSync(path.resolve(folder, named));
}

function isLinkedWorktree(folder: string, gitDir: string, commonDir: string): boolean {
  const note = path.join(gitDir, "gitdir");
  if (path.dirname(gitDir) !== path.join(commonDir, "worktrees") || !isThere(note)) return false;
  const back = path.resolve(gitDir, noteIn(note));
  return path.basename(back) === ".git" && realFolder(path.dirname(back)) === folder;
}

/** One plain line, as git itself writes it; what is quoted or said twice proves nothing. */
function isSubmodule(folder: string, gitDir: string): boolean {
  const lines = [...noteIn(path.join(gitDir, "config")).matchAll(/^\s*worktree\s*=\s*([^"\\;#\r\n]+?)\s*$/gim)];
  return lines.length === 1 && realFolder(path.resolve(gitDir, lines[0]?.[1] ?? "")) === folder;
}

/** One of the short files in which git notes a path, without its line end. A pipe in its place must not hold the agent. */
function noteIn(file: string): string {
  const read = readWithin(file, { limit: NOTE_BYTES });
  if (read.kind !== "read") throw new Foreign(`${file} cannot be read`);
  return read.bytes.toString().replace(/[\r\n]+$/, "");
}

function checkOwner(...files: readonly string[]): void {
  const stranger = files.find((file) => !isOwn(file));
  if (stranger !== undefined) throw new Foreign(`${stranger} belongs to another user`);
}

/** SECURITY: every link, also that of a single object, branch or log, and every list of places, on a walk through all that git uses. */
function checkClosed({ gitDir, commonDir }: GitFolders): void {
  const tops = isInside(commonDir, gitDir) ? [commonDir] : [commonDir, gitDir];
  const isWalked = (real: string): boolean => tops.some((top) => isInside(top, real) && !UNUSED.has(firstName(top, real)));
  const waiting = [...tops];
  let left = MOST_ENTRIES;
  for (let folder = waiting.pop(); folder !== undefined; folder = waiting.pop()) {
    for (const entry of readdirSync(folder, { withFileTypes: true })) {
      const file = path.join(folder, entry.name);
      if (left-- === 0)
        throw new Foreign(`${commonDir} has more than ${MOST_ENTRIES} files, too many to look at (git gc makes them fewer)`);
      if (tops.includes(folder)) {
        checkOwner(file);
        if (UNUSED.has(entry.name)) continue;
      }
      if (entryKind(entry, file) === "folder") waiting.push(file);
      else checkFile(entry, file, isWalked);
    }
  }
}

/** The volume may take other spellings for the same name. */
function firstName(top: string, real: string): string {
  return (path.relative(top, real).split(path.sep)[0] ?? "").normalize("NFC").toLowerCase();
}

function entryKind(entry: Dirent, file: string): "folder" | "file" | "link" | "other" {
  // Some file systems do not say what an entry is.
  const isTold = entry.isDirectory() || entry.isFile() || entry.isSymbolicLink() || entry.isFIFO() || entry.isSocket();
  const kind = isTold ? entry : lstatSync(file);
  if (kind.isDirectory()) return "folder";
  if (kind.isSymbolicLink()) return "link";
  // Of a file watcher of git's own; it is not opened as a file.
  return kind.isFile() || kind.isSocket() ? "file" : "other";
}

function checkFile(entry: Dirent, file: string, isWalked: (real: string) => boolean): void {
  const kind = entryKind(entry, file);
  if (kind === "other") throw new Foreign(`${file} is neither a file nor a folder`);
  if (kind === "link") {
    // What a link to nothing leads to would be made there.
    const real = realTargetOf(file);
    if (real === undefined || !isWalked(real) || !statSync(real).isFile())
      throw new Foreign(`${file} is a link that leads out of the repository`);
  }
  if (entry.name === "tables.list" && listed(file).some((name) => name.includes("/")))
    throw new Foreign(`${file} names files that are not beside it`);
}

function realTargetOf(link: string): string | undefined {
  try {
    return realpathSync(link);
  } catch {
    // It leads to nothing, or in a circle.
    return undefined;
  }
}

/** Also where it borrows from inside the project: there is no end to what that one borrows. */
function checkBorrowed(commonDir: string): void {
  for (const name of ["alternates", "http-alternates"]) {
    const file = path.join(commonDir, "objects", "info", name);
    const from = isThere(file) ? listed(file).find((line) => line.trim() !== "" && !line.startsWith("#")) : undefined;
    if (from !== undefined) throw new Foreign(`${file} takes objects from ${from}`);
  }
}

function listed(file: string): readonly string[] {
  const read = readWithin(file, { limit: LIST_BYTES });
  if (read.kind !== "read") throw new Foreign(`${file} cannot be read`);
  return read.bytes.toString().split("\n");
}
