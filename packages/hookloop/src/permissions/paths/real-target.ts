/**
 * Takes a path as a tool was given it. Gives where it really leads: links followed, also those of folders above a file that does not exist yet.
 * Refuses nothing: what has no meaning (NUL, a ring of links) comes back with its problem, and the guard decides.
 */
import { type BigIntStats, lstatSync, readlinkSync } from "node:fs";
import { basename, dirname, isAbsolute, join, resolve } from "node:path";
import { comparableName, foldsCase } from "./case-folding.ts";

export interface TargetContext {
  readonly cwd: string;
  /** Whether names in a folder differ only by more than case; found out on the disk unless given. */
  readonly foldsCase?: ((folder: string) => boolean) | undefined;
}

/** With what was found at each name so far: where a link leads, null if nothing is there. */
interface Looking extends TargetContext {
  readonly seen?: Map<string, string | null | undefined>;
}

export interface RealTarget {
  /** Where it leads. Tools must use this one: the way to it was followed now. */
  readonly path: string;
  /** The path as given, absolute and tidied as text, links not followed. */
  readonly written: string;
  /** Where it leads if `..` is taken as text before links are followed, as many programs do; usually the same as `path`. */
  readonly asText: string;
  /** The name itself with the way to it followed: what deleting, renaming or linking changes. Differs from `path` if the last part is a link. */
  readonly entry: string;
  readonly exists: boolean;
  /** The last part of the given path is a symbolic link. */
  readonly isLink: boolean;
  /** The file has other names. */
  readonly hasHardLinks: boolean;
  /** Which file it is, whatever it is called. */
  readonly identity?: string | undefined;
  /** It names an open file of a process, which only that process can tell. */
  readonly isDescriptor: boolean;
  readonly problem?: "NUL" | "ring of links" | undefined;
}

const MAX_LINKS = 40;
/** `/proc/self/root` and `cwd` are links whose target depends on who follows them. */
const PROCESS_LINK = /^\/proc\/(?:self|thread-self|\d+)(?:\/task\/\d+)?\/(root|cwd)$/;
const DESCRIPTOR = /^\/(?:dev\/fd|proc\/(?:self|thread-self|\d+)(?:\/task\/\d+)?\/fd)\/\d+$/;

/** Where a path really leads. */
export function realTarget(given: string, context: TargetContext): RealTarget {
  // SECURITY: some programs end a path at NUL, others refuse it.
  const [path = ""] = given.split("\0", 1);
  const absolute = isAbsolute(path) ? path : `${context.cwd}/${path}`;
  const written = resolve(absolute);
  const followed = follow(absolute, context);
  const asText = written === absolute ? followed : follow(written, context);
  const stats = statOf(followed.path);
  return {
    path: followed.path,
    written,
    asText: asText.path,
    entry: written === "/" ? written : join(follow(dirname(written), context).path, basename(written)),
    exists: stats !== undefined,
    isLink: statOf(written)?.isSymbolicLink() ?? false,
    hasHardLinks: stats?.isFile() === true && stats.nlink > 1n,
    identity: stats && identityOf(stats),
    isDescriptor: DESCRIPTOR.test(followed.path),
    problem: path !== given ? "NUL" : followed.isRing || asText.isRing ? "ring of links" : undefined,
  };
}

/** Only where a path leads, for a caller that asks about many: the way to each folder is followed once. The paths are absolute and tidy. */
export function createRealPath(context: TargetContext): (path: string) => string {
  const looking = { ...context, seen: new Map<string, string | null | undefined>() };
  const folders = new Map<string, string>();
  return (path) => {
    const folder = dirname(path);
    const real = folders.get(folder) ?? follow(folder, looking).path;
    folders.set(folder, real);
    const name = `${real === "/" ? "" : real}/${basename(path)}`;
    return linkTarget(name, looking) === undefined ? name : follow(path, looking).path;
  };
}

/** SECURITY: whether the way to a target is still the one that was checked. A tool asks right before it writes; what changes after that it cannot see. */
export function isStillTarget({ path }: Pick<RealTarget, "path">, context: TargetContext): boolean {
  const again = realTarget(path, context);
  return again.path === path && !again.isLink && again.problem === undefined;
}

/** Whether a path is a folder or lies in it. Both are real paths. */
export function isInside(folder: string, path: string, context: Pick<TargetContext, "foldsCase"> = {}): boolean {
  const [root, inner] = [comparablePath(folder, context), comparablePath(path, context)];
  return inner === root || inner.startsWith(root.endsWith("/") ? root : `${root}/`);
}

/** A real path in the form in which two names of one file are equal. */
export function comparablePath(path: string, { foldsCase: folds = foldsCase }: Pick<TargetContext, "foldsCase"> = {}): string {
  return folds(path) ? comparableName(path) : path;
}

interface Followed {
  readonly path: string;
  readonly isRing: boolean;
}

/** Goes from part to part as the kernel does: `..` leads out of where a link led, not out of its name. */
function follow(absolute: string, context: Looking): Followed {
  const rest = partsOf(absolute);
  let path = "/";
  for (let links = 0; rest.length > 0; ) {
    const part = rest.shift() as string;
    const next = part === ".." ? dirname(path) : join(path, part);
    const target = part === ".." ? undefined : linkTarget(next, context);
    if (target === undefined) path = next;
    else if (++links > MAX_LINKS) return { path: join(path, part, ...rest), isRing: true };
    else {
      rest.unshift(...partsOf(target));
      if (isAbsolute(target)) path = "/";
    }
  }
  return { path, isRing: false };
}

function partsOf(path: string): string[] {
  return path.split("/").filter((part) => part !== "" && part !== ".");
}

function linkTarget(path: string, { cwd, seen }: Looking): string | undefined {
  const [, kind] = PROCESS_LINK.exec(path) ?? [];
  if (kind) return kind === "cwd" ? cwd : "/";
  if (DESCRIPTOR.test(path)) return undefined;
  if (!seen) return readLink(path) ?? undefined;
  // Below what is not there is nothing.
  if (!seen.has(path)) seen.set(path, seen.get(dirname(path)) === null ? null : readLink(path));
  return seen.get(path) ?? undefined;
}

function readLink(path: string): string | null | undefined {
  try {
    const stats = lstatSync(path, { throwIfNoEntry: false });
    return stats === undefined ? null : stats.isSymbolicLink() ? readlinkSync(path) : undefined;
  } catch {
    // Gone or replaced since, or not ours to see: then it stands for itself.
    return undefined;
  }
}

function statOf(path: string): BigIntStats | undefined {
  try {
    return lstatSync(path, { bigint: true, throwIfNoEntry: false });
  } catch {
    // A part that is a file, or a folder that is not ours to look into: for us it is not there.
    return undefined;
  }
}

function identityOf({ dev, ino }: BigIntStats): string {
  return `${dev}:${ino}`;
}

/** Which file a path is, if it exists; links followed by the caller. */
export function fileIdentity(path: string): string | undefined {
  const stats = statOf(path);
  return stats && identityOf(stats);
}
