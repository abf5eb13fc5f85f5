/**
 * Takes a path as a tool was given it. Gives where it really leads: links followed, also those of folders above a file that does not exist yet.
 * Refuses nothing: what has no meaning (NUL, a ring of links) comes back with its problem, and the guard decides.
 */

import { type BigIntStats, lstatSync, readlinkSync } from "node:fs";
import { basename, dirname, isAbsolute, join, resolve } from "node:path";
import { liesIn } from "../../shell/index.ts";
import { type Glimpse, glimpse, namesIn } from "../../state-files.ts";
import type { CallFacts } from "../types.ts";

interface TargetContext {
  readonly cwd: string;
  /** Whether names in a folder differ only by more than case; found out on the disk unless given. */
  readonly foldsCase?: ((folder: string) => boolean) | undefined;
}

interface Looking extends TargetContext {
  readonly links: Links;
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

/** What was found out during one decision, which is one step of the event loop. */
let shared: { readonly links: Links; readonly targets: Map<string, RealTarget> } | undefined;

/** Looks at each path once while a decision is made: rules, modes and protections ask about the same ones. Afterwards everything is looked at anew. */
export function atOneLook<Value>(decide: () => Value): Value {
  const before = shared;
  shared ??= { links: new Links(), targets: new Map() };
  try {
    return decide();
  } finally {
    shared = before;
  }
}

export function realTarget(given: string, context: TargetContext): RealTarget {
  if (!shared) return findTarget(given, context, new Links());
  const key = `${context.cwd}\0${given}`;
  const found = shared.targets.get(key) ?? findTarget(given, context, shared.links);
  shared.targets.set(key, found);
  return found;
}

function findTarget(given: string, context: TargetContext, links: Links): RealTarget {
  // SECURITY: some programs end a path at NUL, others refuse it.
  const [path = ""] = given.split("\0", 1);
  const absolute = isAbsolute(path) ? path : `${context.cwd}/${path}`;
  const written = resolve(absolute);
  const looking: Looking = { ...context, links };
  const followed = follow(absolute, looking);
  const asText = written === absolute ? followed : follow(written, looking);
  const stats = links.read(followed.path) === null ? undefined : statOf(followed.path);
  return {
    path: followed.path,
    written,
    asText: asText.path,
    entry: written === "/" ? written : join(follow(dirname(written), looking).path, basename(written)),
    exists: stats !== undefined,
    isLink: typeof links.read(written) === "string",
    hasHardLinks: stats?.isFile() === true && stats.nlink > 1n,
    identity: stats && identityOf(stats),
    isDescriptor: DESCRIPTOR.test(followed.path),
    problem: path !== given ? "NUL" : followed.isRing || asText.isRing ? "ring of links" : undefined,
  };
}

/** Only where a path leads, for a caller that asks about many: the way to each folder is followed once. The paths are absolute and tidy. */
export function createRealPath(context: TargetContext, links: Links): (path: string) => string {
  const looking: Looking = { ...context, links };
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
  return liesIn(comparablePath(folder, context), comparablePath(path, context));
}

/** A real path in the form in which two names of one file are equal. */
export function comparablePath(path: string, { foldsCase: folds = foldsCase }: Pick<TargetContext, "foldsCase"> = {}): string {
  return folds(path) ? comparableName(path) : path;
}

/** Goes from part to part as the kernel does: `..` leads out of where a link led, not out of its name. */
function follow(absolute: string, context: Looking): { readonly path: string; readonly isRing: boolean } {
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

function linkTarget(path: string, { cwd, links }: Looking): string | undefined {
  const [, kind] = PROCESS_LINK.exec(path) ?? [];
  if (kind) return kind === "cwd" ? cwd : "/";
  if (DESCRIPTOR.test(path)) return undefined;
  return links.read(path) ?? undefined;
}

/** Where a link leads; null: nothing is there; undefined: something that is no link. */
type Link = string | null | undefined;

/** What stands at paths whose folders are no links; each is looked at once. */
class Links {
  readonly #found = new Map<string, Link>();

  read(path: string): Link {
    // Below what is not there is nothing.
    if (!this.#found.has(path)) this.#found.set(path, this.#found.get(dirname(path)) === null ? null : this.look(path));
    return this.#found.get(path);
  }

  protected look(path: string): Link {
    return readLink(path);
  }
}

/**
 * The same, and whether it is still so. A folder tells by its times when a name in it changes: only in one that has changed, or is too young to tell,
 * is each name looked at again.
 */
export class WatchedLinks extends Links {
  readonly #folders = new Map<string, { look: Glimpse; readonly found: Map<string, Link> }>();

  protected override look(path: string): Link {
    const folder = dirname(path);
    const known = this.#folders.get(folder) ?? { look: glimpse(folder, Date.now()), found: new Map<string, Link>() };
    this.#folders.set(folder, known);
    const found = readLink(path);
    known.found.set(path, found);
    return found;
  }

  isStale(): boolean {
    const now = Date.now();
    for (const [folder, known] of this.#folders) {
      const look = glimpse(folder, now);
      if (known.look.isSettled && look.signature === known.look.signature) continue;
      for (const [path, before] of known.found) if (readLink(path) !== before) return true;
      known.look = look;
    }
    return false;
  }
}

function readLink(path: string): Link {
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

interface PathViews {
  readonly named: string;
  /** Usually one; two if `..` behind a link means different files to different programs. */
  readonly real: readonly string[];
  /** Only the running process knows what it is. */
  readonly isUnclear: boolean;
}

type Lookup = Pick<CallFacts, "home" | "target">;

const knownViews = new WeakMap<Lookup["target"], Map<string, PathViews>>();

/** All views of a file that is given absolute, below the home folder, or relative to a folder. Every rule asks for them. */
export function pathViews(file: string, folder: string, lookup: Lookup): PathViews {
  let views = knownViews.get(lookup.target);
  if (!views) {
    views = new Map();
    knownViews.set(lookup.target, views);
  }
  const key = /^[/~]/.test(file) ? file : `${folder}/${file}`;
  let found = views.get(key);
  if (!found) {
    found = findViews(file, folder, lookup);
    views.set(key, found);
  }
  return found;
}

function findViews(file: string, folder: string, { home, target }: Lookup): PathViews {
  const isHome = file === "~" || file.startsWith("~/");
  // Not normalised: only the file system knows where `link/..` leads.
  const written = isHome ? `${home}/${file.slice(2)}` : file.startsWith("/") ? file : `${folder}/${file}`;
  const { path, asText, written: named, isDescriptor, problem } = target(written);
  return { named, real: path === asText ? [path] : [path, asText], isUnclear: isDescriptor || problem !== undefined };
}

/** Whether a file lies in one of these folders, by its name and by where it really is. */
export function viewsStayIn({ named, real, isUnclear }: PathViews, folders: readonly string[], { target }: Lookup): boolean {
  if (isUnclear) return false;
  const roots = folders.map((folder) => target(folder));
  const isNamed = roots.some(({ written, path }) => isInside(written, named) || isInside(path, named));
  return isNamed && real.every((one) => roots.some(({ path }) => isInside(path, one)));
}

/** Where a command of a line runs: the caller's folder, or where a `cd` before it went. */
export function folderPath(folder: string | undefined, { cwd, home }: { readonly cwd: string; readonly home: string }): string {
  if (folder === undefined) return cwd;
  if (folder === "~" || folder.startsWith("~/")) return `${home}/${folder.slice(2)}`;
  return folder.startsWith("/") ? folder : `${cwd}/${folder}`;
}

/** Invisible characters that some file systems ignore in names. */
const IGNORED = /[\u200b-\u200f\u202a-\u202e\u2060-\u2064\u206a-\u206f\ufeff]/g;
const MAX_KNOWN = 512;
const knownVolumes = new Map<string, boolean>();

/** Whether the volume that holds a path takes `A` and `a` for one name. Asked once per folder: a volume does not change its mind. */
export function foldsCase(path: string): boolean {
  const folder = dirname(path);
  return knownVolumes.get(folder) ?? remember(folder, probe(existingFolder(folder)));
}

function existingFolder(path: string): string {
  for (let folder = path; ; folder = dirname(folder)) {
    if (folder === dirname(folder) || entryOf(folder)?.isDirectory()) return folder;
  }
}

function remember(folder: string, answer: boolean): boolean {
  if (knownVolumes.size >= MAX_KNOWN) knownVolumes.clear();
  knownVolumes.set(folder, answer);
  return answer;
}

/** SECURITY: folds more than any file system does, so that two spellings of one name never differ here. */
export function comparableName(name: string): string {
  return name.replace(IGNORED, "").normalize("NFKC").toUpperCase().toLowerCase().normalize("NFC");
}

/** The folder's own name in other case, or that of something in it, names the same file or not. */
function probe(folder: string): boolean {
  const answer =
    isSameInOtherCase(folder) ??
    namesIn(folder)
      .map((name) => isSameInOtherCase(join(folder, name)))
      .find((same) => same !== undefined);
  return answer ?? (process.platform === "darwin" || process.platform === "win32");
}

function isSameInOtherCase(path: string): boolean | undefined {
  const name = basename(path);
  const other = name === name.toUpperCase() ? name.toLowerCase() : name.toUpperCase();
  if (other === name) return undefined;
  const [here, there] = [entryOf(path), entryOf(join(dirname(path), other))];
  return here !== undefined && there !== undefined && here.ino === there.ino && here.dev === there.dev;
}

function entryOf(path: string): ReturnType<typeof lstatSync> | undefined {
  try {
    return lstatSync(path, { throwIfNoEntry: false });
  } catch {
    // A part that is a file, or a folder that is not ours to look into.
    return undefined;
  }
}

/** Whether a path really lies in one of the folders, wherever links lead. Relative ones belong to `cwd`. */
export function isInFolders(path: string, folders: readonly string[], cwd = "/"): boolean {
  const target = realTarget(path, { cwd }).path;
  return folders.some((folder) => isInside(realTarget(folder, { cwd }).path, target));
}
