/**
 * Takes one path that a shell command changes. Gives the protected things it would reach: the path itself, or what lies below a folder
 * that is deleted, renamed, linked over or filled, or what a pattern can stand for.
 */

import { basename, dirname, relative } from "node:path";
import { type TouchedPath, UNKNOWN, type WorkTree } from "../../shell/index.ts";
import { fileKind, isThere, namesIn } from "../../state-files.ts";
import { gitRoot } from "../paths/project-files.ts";
import { comparableName, comparablePath, foldsCase, type RealTarget, realTarget } from "../paths/real-target.ts";
import { ANYWHERE, IN_HOME, INSTALLED, keptByGit, type NameRow, namesInPatch, type ProtectedPlace, ZSH } from "./places.ts";
import { type ProtectContext, type Protected, protectedAt } from "./protected-path.ts";

export function reachedBy(touched: TouchedPath, reach: Reach): readonly Reached[] {
  if (touched.how === "read" || touched.how === "create-folder") return [];
  if (touched.path === undefined) return touched.tail === undefined ? [] : reachedByTail(touched.tail, touched, reach);
  if (touched.onlyUntracked) return reachedByStash(touched.path, touched, reach);
  if (touched.ifFolder && fileKind(dirname(touched.path)) !== "folder") return [];
  const target = realTarget(touched.path, reach.context);
  const direct = protectedAt(target, reach.places, reach.context);
  if (direct) return [{ ...direct, path: touched.path }];
  return touched.isGlob ? reachedByGlob(touched.pattern ?? UNKNOWN, { touched, target, reach }) : reachedBelow(touched, target, reach);
}

/**
 * Git stashes, cleans and replaces everything in a work tree. In a project that is everyday work, and what was approved there and is gone
 * blocks; in one that holds the store or the user's own configuration it takes away what every project relies on.
 */
export function reachedByTree({ path, isNew }: WorkTree, reach: Reach): readonly Reached[] {
  const target = realTarget(path, reach.context);
  const root = isNew ? target : realTarget(gitRoot(target.path), reach.context);
  return [...guardsAt(target, reach), ...guardsAt(root, reach)];
}

/** What goes if code takes away a folder that it names. */
export function reachedByCode(path: string, isDirect: boolean, reach: Reach): readonly Reached[] {
  const target = realTarget(path, reach.context);
  if (fileKind(target.path) !== "folder") return [];
  if (isDirect) return reachedBy({ path, how: "delete", isRecursive: true, span: { start: 0, end: 0 }, command: 0 }, reach);
  return guardsAt(target, reach).filter((found) => isThere(found.path));
}

/** `$folder/.claude/settings.json`, `~other/.bashrc`: the end says enough. */
function reachedByTail(tail: string, touched: TouchedPath, reach: Reach): readonly Reached[] {
  const { how } = touched;
  const { context } = reach;
  const target = realTarget(`/${tail}`, { ...context, cwd: "/" });
  const direct = protectedAt(target, [], context) ?? [...IN_HOME, ...ZSH].find((row) => isTail(target.written, row));
  if (direct) return [{ what: direct.what, why: direct.why, path: tail }];
  const isWhole = how === "delete" || how === "rename" || how === "create-link";
  const headed = isWhole ? headedBy(target.written).map(({ row }) => ({ what: row.what, why: row.why, path: tail })) : [];
  return headed.length === 0 && touched.isRelative ? calledLike(basename(target.written), touched, reach) : headed;
}

/** SECURITY: after `cd -` or with `CDPATH`, the folder may be that of any protected file. What could be one by its own name counts as it. */
function calledLike(name: string, { how, isRecursive }: TouchedPath, { places, context }: Reach): readonly Reached[] {
  const spell = (context.foldsCase ?? foldsCase)(context.cwd) ? comparableName : (text: string): string => text;
  const isLike = (other: string): boolean => spell(other) === spell(name);
  const takesFolders = how !== "write" && (how !== "delete" || isRecursive === true);
  const found = places.find(({ path, isFolder, what }) => {
    // Every project has a `dist`, a `bin` and a `package.json`.
    if (what === "hookloop itself") return false;
    if (!isFolder) return isLike(basename(path)) && fileKind(dirname(path)) === "folder";
    return (takesFolders && isLike(basename(path)) && isThere(path)) || namesIn(path).some(isLike);
  });
  return found ? [{ what: found.what, why: found.why, path: name }] : [];
}

/** What a stash takes away lies anywhere in the work tree, whichever of its folders git runs in. */
function reachedByStash(path: string, touched: TouchedPath, reach: Reach): readonly Reached[] {
  const start = realTarget(path, reach.context);
  const root = gitRoot(start.path);
  const isNamed = keptByGit(root);
  const isKept = (file: string): boolean => isNamed(relative(root, file));
  const target = touched.onlyUntracked === "tree" ? realTarget(root, reach.context) : start;
  const direct = touched.onlyUntracked === "tree" ? undefined : protectedAt(start, reach.places, reach.context);
  if (direct) return fileKind(path) === "missing" || isKept(start.path) ? [] : [{ ...direct, path }];
  return existingBelow({ ...touched, sparesGit: true }, target, reach).filter((found) => !isKept(found.path));
}

function isTail(path: string, { name }: NameRow): boolean {
  return path === `/${name}` || (name.endsWith("/") && path.startsWith(`/${name}`));
}

interface Glob {
  readonly touched: TouchedPath;
  readonly target: RealTarget;
  readonly reach: Reach;
}

function reachedByGlob(pattern: string, glob: Glob): readonly Reached[] {
  const cut = pattern.replace(/\/+$/, "").lastIndexOf("/");
  const isOfFolder = /[*?[]/.test(pattern.slice(0, cut + 1)) || /[*?[][^/]*\/+$/.test(pattern);
  return [...reachedByPattern(pattern, glob), ...(isOfFolder && !pattern.includes(UNKNOWN) ? reachedInFolders(pattern, glob) : [])];
}

/** More folders than this no line of an ordinary project names. */
const MAX_FOLDERS = 256;

/** `.g*\/hooks/new`: a pattern stands for folders that are there, and what is made in them need not be. */
function reachedInFolders(pattern: string, { touched, target, reach }: Glob): readonly Reached[] {
  const parts = pattern.split("/").filter((part) => part !== "" && part !== ".");
  const isFolderLast = pattern.endsWith("/");
  let paths: readonly string[] = [target.path];
  for (const [index, part] of parts.entries()) {
    if (!/[*?[]/.test(part)) paths = paths.map((path) => `${path}/${part}`);
    else if (index === parts.length - 1 && !isFolderLast) {
      return paths.flatMap((path) =>
        reachedByPattern(part, { touched: { ...touched, path, pattern: part }, target: realTarget(path, reach.context), reach }),
      );
    } else {
      const expression = globPattern(part, (reach.context.foldsCase ?? foldsCase)(target.path) || reach.hasWideGlobs, reach.hasWideGlobs);
      const found = paths.flatMap((path) =>
        namesIn(path).flatMap((name) => (expression.exec(name)?.[0] === name ? [`${path}/${name}`] : [])),
      );
      // What is protected mostly lies in folders with a dot.
      paths = [...found.filter((path) => basename(path).startsWith(".")), ...found].slice(0, MAX_FOLDERS);
    }
  }
  const { isGlob: _isGlob, pattern: _pattern, ...rest } = touched;
  return paths.flatMap((path) => reachedBy({ ...rest, path }, reach));
}

function reachedByPattern(pattern: string, { touched, target, reach }: Glob): readonly Reached[] {
  const isFolded = (reach.context.foldsCase ?? foldsCase)(target.path) || reach.hasWideGlobs;
  const expression = globPattern(pattern, isFolded, reach.hasWideGlobs);
  const isOpen = pattern.includes(UNKNOWN);
  const isWhole = touched.isRecursive === true || touched.how === "rename";
  const parts = pattern.split("/").filter((part) => part !== "");
  // `/*/*/.local/state/hook*/tr*`: what it stands for lies in a folder that is protected whole.
  const matchOfFolder = (rest: string, path: string): string | undefined => {
    const depth = rest.split("/").length;
    if (parts.length <= depth || parts.some((part) => part.includes("**")) || fileKind(path) !== "folder") return undefined;
    const start = globPattern(parts.slice(0, depth).join("/"), isFolded, reach.hasWideGlobs);
    return start.exec(rest)?.[0] === rest ? rest : undefined;
  };
  return candidatesBelow(target, reach).flatMap(({ rest, isNamed, ...found }): readonly Reached[] => {
    const match = expression.exec(rest)?.[0] ?? matchOfFolder(rest, found.path);
    if (match === undefined || (match !== rest && !isWhole)) return [];
    // A pattern stands only for what exists; an unknown name can also make something new, but then in a folder made for such things.
    const isReached = isOpen ? isNamed : fileKind(found.path) !== "missing";
    return isReached ? [{ what: found.what, why: found.why, path: found.path }] : [];
  });
}

function reachedBelow(touched: TouchedPath, target: RealTarget, reach: Reach): readonly Reached[] {
  switch (touched.how) {
    case "create-link":
      return reachedByLink(target, reach);
    case "write":
      if (touched.onlyExisting) return existingBelow(touched, target, reach);
      return touched.isRecursive ? reachedByFilling(touched, target, reach) : [];
    case "rename":
      return existingBelow(touched, target, reach);
    case "permissions":
      // Without the right to enter a folder nothing finds what is in it: a guard's script is as good as gone.
      return existingBelow(touched, target, reach).filter(
        ({ rest }) => touched.isRecursive || !touched.keepsEntry || headedBy(target.path).some((headed) => headed.rest === rest),
      );
    default:
      return touched.isRecursive ? existingBelow(touched, target, reach) : [];
  }
}

/** A link in the place of a folder brings everything below it. If the folder exists, the link lands in it. */
function reachedByLink(target: RealTarget, reach: Reach): readonly Reached[] {
  if (!target.isLink && fileKind(target.entry) === "folder") return [];
  return candidatesBelow({ ...target, path: target.entry }, reach)
    .filter(({ isNamed }) => isNamed)
    .slice(0, 1);
}

function existingBelow(touched: TouchedPath, target: RealTarget, reach: Reach): readonly Candidate[] {
  // Deleting or renaming a link leaves what it points at.
  if (target.isLink && touched.how !== "permissions") return [];
  return candidatesBelow(target, reach).filter(
    ({ path, rest }) =>
      !(touched.sparesGit && /(^|\/)\.git(\/|$)/.test(rest)) &&
      !(touched.spares === "hidden" && /(^|\/)\./.test(rest)) &&
      isThere(path) &&
      (isNamedBy(rest, touched.names) || holdsNamed(path, touched.names ?? [])),
  );
}

/** Entries of a protected folder that are looked at for a name. */
const MAX_ENTRIES = 4000;

/** `find ~ -name trust.json -delete`: what is protected is the folder that holds it. */
function holdsNamed(folder: string, names: readonly string[]): boolean {
  const waiting = [folder];
  let left = MAX_ENTRIES;
  for (const path of waiting) {
    if (fileKind(path) !== "folder") continue;
    const found = namesIn(path);
    left -= found.length;
    // SECURITY: in a larger one it may be. Only git's own store is that large by nature.
    if (left < 0) return !/\/\.git(?:\/|$)/.test(folder);
    if (found.some((name) => names.some((wanted) => matchesName(wanted, name)))) return true;
    waiting.push(...found.map((name) => `${path}/${name}`));
  }
  return false;
}

function isNamedBy(rest: string, names: readonly string[] | undefined): boolean {
  return !names || rest.split("/").some((part) => names.some((name) => matchesName(name, part)));
}

/** `find -name` lets a pattern stand for a leading dot too. */
function matchesName(name: string, part: string): boolean {
  return globPattern(`x${name}`).exec(`x${part}`)?.[0] === `x${part}`;
}

/** Copied, moved, unpacked or patched into a folder: what the source holds under a protected name. */
function reachedByFilling(touched: TouchedPath, target: RealTarget, reach: Reach): readonly Reached[] {
  const { from } = touched;
  const kind = from === undefined ? "missing" : fileKind(from);
  if (from !== undefined && kind === "file") return reachedByPatch(namesInPatch(from), target, reach);
  const candidates = candidatesBelow(target, reach);
  if (from !== undefined && kind === "folder") return candidates.filter(({ rest }) => isThere(`${from}/${rest}`));
  if (touched.hasAnyNames && !isAboveAll(target, reach))
    return candidates.filter(({ isNamed, path }) => isNamed && isThere(path)).slice(0, 1);
  const isMadeForIt =
    headedBy(comparablePath(target.path, reach.context)).length > 0 || target.path === realTarget(reach.context.home, reach.context).path;
  return isMadeForIt ? candidates.filter(({ isNamed }) => isNamed).slice(0, 1) : [];
}

/** The session's folder, the home folder, or one above them: everything that is protected lies below. */
export function isAboveAll({ path }: Pick<RealTarget, "path">, { context }: Reach): boolean {
  const key = comparablePath(path, context);
  return [context.cwd, context.home, context.root ?? context.cwd].some((folder) =>
    `${comparablePath(realTarget(folder, context).path, context)}/`.startsWith(key === "/" ? key : `${key}/`),
  );
}

export function reachedByPatch(
  names: readonly string[],
  { path }: Pick<RealTarget, "path">,
  { places, context }: Reach,
): readonly Reached[] {
  return names.flatMap((name) => {
    const found = protectedAt(realTarget(`${path}/${name}`, context), places, context);
    return found ? [{ ...found, path: `${path}/${name}` }] : [];
  });
}

export type Reached = Protected & { readonly path: string };

export interface Reach {
  readonly places: readonly ProtectedPlace[];
  readonly context: ProtectContext;
  /** The line says that patterns stand for more than usual: also for a leading dot, for folders below, for either case. */
  readonly hasWideGlobs?: boolean;
}

interface Candidate extends Reached {
  readonly rest: string;
  /** The folder is one that holds such things by its name, or the place has an address of its own. */
  readonly isNamed: boolean;
}

function candidatesBelow(target: Pick<RealTarget, "path" | "entry">, { places, context }: Reach): readonly Candidate[] {
  const folders = [...new Set([target.path, target.entry])].map((folder) => comparablePath(folder, context));
  const own = places
    .filter((place) => !place.isOfModules)
    .flatMap(({ keys, path, what, why }): readonly Candidate[] => {
      const rests = keys.flatMap((key) => folders.flatMap((folder) => restBelow(folder, key)));
      return [...new Set(rests)].map((rest) => ({ rest, path, what, why, isNamed: true }));
    });
  const named = folders.flatMap(headedBy).map(({ row, rest }) => candidate(target.path, row, { rest, isNamed: true }));
  const anywhere = [...ANYWHERE, ...INSTALLED].map((row) => candidate(target.path, row, { rest: trimmed(row.name), isNamed: false }));
  return [...own, ...named, ...anywhere];
}

/** What guards every project of the user and lies below a folder; also what the folder itself is part of. */
function guardsAt(target: Pick<RealTarget, "path" | "entry">, { places, context }: Reach): readonly Reached[] {
  const folders = [...new Set([target.path, target.entry])].map((folder) => comparablePath(folder, context));
  return places.flatMap(({ guards, keys, path, what, why }) => {
    // A single file of the home folder may well be a link into a project that is kept by git.
    const own = guards === "whole" ? keys : guards === "above" ? [comparablePath(path, context)] : [];
    const isPart = (key: string, folder: string): boolean => guards === "whole" && (folder === key || restBelow(key, folder).length > 0);
    const isHit = own.some((key) => folders.some((folder) => restBelow(folder, key).length > 0 || isPart(key, folder)));
    return isHit ? [{ what, why, path }] : [];
  });
}

function candidate(folder: string, { what, why }: NameRow, found: Pick<Candidate, "rest" | "isNamed">): Candidate {
  return { ...found, what, why, path: `${folder}/${found.rest}` };
}

function restBelow(folder: string, key: string): readonly string[] {
  const start = folder.endsWith("/") ? folder : `${folder}/`;
  return key.startsWith(start) ? [key.slice(start.length)] : [];
}

function trimmed(name: string): string {
  return name.replace(/\/$/, "");
}

/** The rows whose first parts a folder's path ends in: `/x/.claude` heads `settings.json`. */
export function headedBy(folder: string): readonly { readonly row: NameRow; readonly rest: string }[] {
  return ANYWHERE.flatMap((row) => {
    const parts = trimmed(row.name).split("/");
    const count = parts.findIndex((_, at) => at > 0 && folder.endsWith(`/${parts.slice(0, at).join("/")}`));
    return count === -1 ? [] : [{ row, rest: parts.slice(count).join("/") }];
  });
}

const MAX_LENGTH = 512;
/** SECURITY: each one multiplies what a match can cost. */
const MAX_WILDCARDS = 6;

/** A shell pattern as a regular expression for a whole relative path; `isWide`: it also stands for a leading dot, and `**` for folders. What only the running shell knows can be anything, also with `/`. */
function globPattern(pattern: string, foldsCase = false, isWide = false): RegExp {
  const wildcards = pattern.match(/[*?[\uFFFF]/g)?.length ?? 0;
  if (pattern.length > MAX_LENGTH || wildcards > MAX_WILDCARDS) return /^/;
  let source = "";
  for (let index = 0; index < pattern.length; index++) {
    const isStart = !isWide && (index === 0 || pattern.charAt(index - 1) === "/");
    const set = pattern.charAt(index) === "[" ? /^\[[!^]?\]?[^\]/]*\]/.exec(pattern.slice(index))?.[0] : undefined;
    source += set ? `${hidden(isStart)}[^/]` : piece(pattern.charAt(index), isStart);
    if (set) index += set.length - 1;
  }
  return new RegExp(
    `^${source.replaceAll(/(?:\[\^\/\]\*){2,}/g, isWide ? ".*" : "[^/]*").replaceAll(/^\.\*\//g, "(?:.*/)?")}(?=/|$)`,
    foldsCase ? "si" : "s",
  );
}

/** A pattern at the start of a name does not stand for a leading dot. */
function hidden(isStart: boolean): string {
  return isStart ? "(?!\\.)" : "";
}

function piece(character: string, isStart: boolean): string {
  if (character === UNKNOWN) return ".*";
  if (character === "*") return `${hidden(isStart)}[^/]*`;
  if (character === "?") return `${hidden(isStart)}[^/]`;
  return character.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&");
}
