/**
 * Reading what a project brings along. Takes a file and where it may really lie; gives its bytes, or why it was not read.
 * Refuses: what links lead elsewhere, what is not a regular file, what is larger than the limit. Whatever stands at the path, it never blocks.
 */

import { closeSync, constants, fstatSync, lstatSync, openSync, readlinkSync, realpathSync, statSync } from "node:fs";
import path from "node:path";
import { isThere, ownFolder, readUpTo } from "../../state-files.ts";
import { isInside } from "./real-target.ts";

/** Whether a file may lie there; asked of real paths only. */
export type Within = (real: string) => boolean;

export interface ProjectPlace {
  readonly cwd: string;
  readonly home: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

export type ReadFile =
  | { readonly kind: "read"; readonly bytes: Buffer; readonly uid: number; readonly mode: number }
  | { readonly kind: "missing" }
  | { readonly kind: "too-large"; readonly size: number }
  /** `target`: where it really leads. */
  | { readonly kind: "outside"; readonly target: string }
  | { readonly kind: "unreadable"; readonly why: string };

interface ReadOptions {
  /** Anywhere if left out: only for files that the user or the machine's policy names. */
  readonly within?: Within | undefined;
  readonly limit: number;
}

/** Reads one file. It never throws and never waits for a pipe or a device. */
export function readWithin(file: string, { within, limit }: ReadOptions): ReadFile {
  let fd: number | undefined;
  try {
    // Asked first, because an error costs ten times as much, and most such files are not there.
    if (lstatSync(file, { throwIfNoEntry: false }) === undefined) return MISSING;
    const real = realpathSync(file);
    if (within && !within(real)) return { kind: "outside", target: real };
    // SECURITY: looked at before it is opened (opening a device can do things), and looked at again behind the handle.
    if (!statSync(real).isFile()) return NOT_REGULAR;
    fd = openSync(real, constants.O_RDONLY | constants.O_NONBLOCK | (constants.O_NOFOLLOW ?? 0));
    const now = fstatSync(fd);
    if (!now.isFile()) return NOT_REGULAR;
    // SECURITY: a folder on the way may have become a link meanwhile.
    const opened = openedPath(fd, real);
    if (within && !within(opened)) return { kind: "outside", target: opened };
    if (now.size > limit) return { kind: "too-large", size: now.size };
    const bytes = readUpTo(fd, limit + 1);
    return bytes.length > limit ? { kind: "too-large", size: bytes.length } : { kind: "read", bytes, uid: now.uid, mode: now.mode };
  } catch (error) {
    return explain(file, error);
  } finally {
    if (fd !== undefined) closeSync(fd);
  }
}

const MISSING: ReadFile = { kind: "missing" };
const NOT_REGULAR: ReadFile = { kind: "unreadable", why: "it is not a regular file" };

function openedPath(fd: number, real: string): string {
  try {
    return readlinkSync(`/proc/self/fd/${fd}`);
  } catch {
    // No such folder on this system: the way is followed once more.
    return realpathSync(real);
  }
}

function explain(file: string, error: unknown): ReadFile {
  const { code = String(error) } = error as NodeJS.ErrnoException;
  if (code !== "ENOENT" && code !== "ENOTDIR") return { kind: "unreadable", why: code };
  try {
    if (lstatSync(file).isSymbolicLink()) return { kind: "unreadable", why: "it is a link to a file that does not exist" };
  } catch {
    // Nothing there at all: the ordinary case.
  }
  return MISSING;
}

/** In one of these folders, wherever they really are; not in a repository's own files, which hold addresses with keys. */
export function insideFolders(folders: readonly string[]): Within {
  const roots = folders.map(realFolder);
  return (real) => roots.some((root) => isInside(root, real) && !path.relative(root, real).split(path.sep).includes(".git"));
}

/**
 * SECURITY: where files of a project may lie: in the project. Of the user's own folders only what is made of instructions, because
 * keys and conversations lie beside it.
 */
export function insideProject({ cwd, home, env }: ProjectPlace): Within {
  const inProject = insideFolders([projectRoot(cwd, home)]);
  const claude = realFolder(path.join(home, ".claude"));
  const own = realFolder(ownFolder("config", { home, env }));
  return (real) =>
    inProject(real) ||
    (real.endsWith(".md") && (isInside(own, real) || (isInside(claude, real) && isInstruction(path.relative(claude, real)))));
}

function isInstruction(name: string): boolean {
  const [first = "", ...below] = name.split(path.sep);
  return below.length === 0 || ["agents", "commands", "rules", "skills"].includes(first);
}

/** The nearest folder that git keeps, from here upwards; this one if there is none. SECURITY: what `.git` says could lead anywhere. */
export function gitRoot(cwd: string): string {
  const here = path.resolve(cwd);
  for (let folder = here; ; folder = path.dirname(folder)) {
    if (isThere(path.join(folder, ".git"))) return folder;
    if (folder === path.dirname(folder)) return here;
  }
}

const NOTE_BYTES = 16 * 1024;

/** Where git keeps a work tree's own state, and what all work trees of the repository share, as `.git` says. SECURITY: not judged; it may lead anywhere. */
export function notedGitFolders(tree: string): { readonly gitDir: string; readonly commonDir: string } {
  const gitDir = path.resolve(tree, noteIn(path.join(tree, ".git"))?.match(/^gitdir: ([^\r\n]+)/)?.[1] ?? ".git");
  return { gitDir, commonDir: path.resolve(gitDir, noteIn(path.join(gitDir, "commondir"))?.trim() ?? "") };
}

function noteIn(file: string): string | undefined {
  const read = readWithin(file, { limit: NOTE_BYTES });
  return read.kind === "read" ? read.bytes.toString() : undefined;
}

/** The folder that stands for this one in the work tree around a file, if that is another one of the same repository. */
export function inOtherTree(folder: string, file: string): string | undefined {
  const [own, other] = [gitRoot(folder), gitRoot(file)];
  if (own === other || !isThere(path.join(own, ".git")) || !isThere(path.join(other, ".git"))) return undefined;
  const isSame = realFolder(notedGitFolders(own).commonDir) === realFolder(notedGitFolders(other).commonDir);
  return isSame ? path.join(other, path.relative(own, path.resolve(folder))) : undefined;
}

/**
 * The same, but never the home folder or one above it: a repository of dotfiles does not make every key part of every project below it.
 * SECURITY: nor what another user of the machine has made a repository of: a `.git` in /tmp or on a share would reach every project below.
 */
export function projectRoot(cwd: string, home: string): string {
  const here = path.resolve(cwd);
  const root = gitRoot(cwd);
  if (root === here || isInside(realFolder(root), realFolder(home))) return here;
  return isOwn(root) && isOwn(path.join(root, ".git")) ? root : here;
}

/** Whether a file or folder belongs to the user or to root; the link itself if it is one. What is not there has no owner. */
export function isOwn(file: string): boolean {
  const own = process.getuid?.();
  if (own === undefined) return true;
  try {
    const { uid } = lstatSync(file);
    return uid === own || uid === 0;
  } catch {
    // Not there, or not ours to see.
    return false;
  }
}

export function realFolder(folder: string): string {
  try {
    return realpathSync(folder);
  } catch {
    // Not there: nothing lies in it.
    return path.resolve(folder);
  }
}

/** PATH without relative and empty entries. SECURITY: they mean the folder a program happens to be started in, which is the project. */
export function absoluteSearchPath(searchPath: string): string {
  return searchPath.split(path.delimiter).filter(path.isAbsolute).join(path.delimiter);
}

export interface ProgramPlace {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly root: string;
}

/** PATH without what lies in the project either: `npx` puts its `node_modules/.bin` first. A project that holds the home folder is the user's own. */
export function systemSearchPath({ env, root }: ProgramPlace): string {
  const folders = absoluteSearchPath(env["PATH"] ?? "").split(path.delimiter);
  // Also started in a folder below it: npm adds the `node_modules/.bin` of every folder above.
  const project = realFolder(projectRoot(root, env["HOME"] ?? "/"));
  if (isInside(project, realFolder(env["HOME"] ?? "/"))) return folders.join(path.delimiter);
  return folders.filter((folder) => !isInside(project, realFolder(folder))).join(path.delimiter);
}

let lastUsers: { readonly key: string; readonly variable: Readonly<Record<string, string>> } | undefined;

/**
 * PATH of a hook of the user or of policy: without what lies in the project. SECURITY: `npx hookloop` puts the project's programs first, and
 * a clone's `jq` must not answer for the user's guard.
 */
export function usersSearchPath(scope: string, { env, root }: ProgramPlace): Readonly<Record<string, string>> {
  if ((scope !== "user" && scope !== "managed") || env["PATH"] === undefined) return NOTHING;
  const key = [env["PATH"], env["HOME"], root].join("\n");
  if (lastUsers?.key !== key) lastUsers = { key, variable: { PATH: systemSearchPath({ env, root }) } };
  return lastUsers.variable;
}

const NOTHING: Readonly<Record<string, string>> = {};
