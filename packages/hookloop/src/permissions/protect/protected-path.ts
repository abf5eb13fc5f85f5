/**
 * Takes a path as a tool would use it. Gives what is protected there and why, by where the path really leads; undefined if nothing is.
 * It does not matter whether the file exists: creating a hook file is how hooks are smuggled in.
 */

import { remembered } from "../../shell/index.ts";
import { fileKind } from "../../state-files.ts";
import { comparableName, comparablePath, fileIdentity, foldsCase, type RealTarget, realTarget } from "../paths/real-target.ts";
import { ANYWHERE, INSTALLED, type NameRow, OPENING_RUNS_IT, type ProtectedPlace, protectedPlaces } from "./places.ts";

export function protectedPath(path: string, context: ProtectContext): Protected | undefined {
  return protectedAt(realTarget(path, context), protectedPlaces(context), context);
}

export function protectedAt(target: RealTarget, places: readonly ProtectedPlace[], context: ProtectContext): Protected | undefined {
  for (const path of new Set([target.path, target.asText, target.entry, target.written])) {
    const key = comparablePath(path, context);
    const found = placeAt(key, places) ?? rowFor(path, context) ?? insideGit(path, context) ?? ofWorkspace(path) ?? ofBareRepository(path);
    if (found) return { what: found.what, why: found.why };
  }
  return target.hasHardLinks ? protectedByLink(target, places) : undefined;
}

/** A module, the first file of a package, or compiled code. */
const MODULE = /^(?:[^/]+|[^/]+\/__init__|__pycache__\/[^/]+)\.(?:[^/]*\.)?(?:py|pyw|pyc|pyo|so|pyd|dylib)$/i;

/** Positions in the list by what a path is compared with, so that not every place has to be tried. */
interface PlaceIndex {
  readonly files: ReadonlyMap<string, number>;
  readonly folders: ReadonlyMap<string, number>;
  readonly moduleFolders: ReadonlyMap<string, number>;
}

const indexOf = remembered((places: readonly ProtectedPlace[]): PlaceIndex => {
  const index = { files: new Map<string, number>(), folders: new Map<string, number>(), moduleFolders: new Map<string, number>() };
  for (const [position, { keys, isFolder, isOfModules }] of places.entries()) {
    for (const key of keys) {
      const maps = isOfModules ? [index.moduleFolders] : isFolder ? [index.files, index.folders] : [index.files];
      for (const map of maps) if (!map.has(key)) map.set(key, position);
    }
  }
  return index;
}, new WeakMap());

/** The first of the list that is at the path, or is a folder that it lies in. */
function placeAt(key: string, places: readonly ProtectedPlace[]): ProtectedPlace | undefined {
  const { files, folders, moduleFolders } = indexOf(places);
  let first = files.get(key) ?? Number.POSITIVE_INFINITY;
  for (let end = key.lastIndexOf("/"); end > 0; end = key.lastIndexOf("/", end - 1)) {
    const folder = key.slice(0, end);
    const ofModules = MODULE.test(key.slice(end + 1)) ? moduleFolders.get(folder) : undefined;
    first = Math.min(first, folders.get(folder) ?? first, ofModules ?? first);
  }
  return places[first];
}

/** SECURITY: a second name of a protected file is the file. */
function protectedByLink({ identity }: RealTarget, places: readonly ProtectedPlace[]): Protected | undefined {
  const place = places.find(({ path, isFolder }) => !isFolder && fileIdentity(realTarget(path, { cwd: "/" }).path) === identity);
  return place && { what: place.what, why: `${place.why} (it is another name of ${place.path})` };
}

/** The row whose name a path ends in, or whose folder it passes through. */
function rowFor(path: string, { foldsCase: folds = foldsCase }: ProtectContext): NameRow | undefined {
  const isFolded = folds(path);
  // Submodules and worktrees keep hooks and configuration of their own below `.git`.
  const padded = `${isFolded ? comparableName(path) : path}/`.replace(
    /\/\.git\/(?:modules|worktrees)\/.+?\/(?=hooks\/|config\/|config\.worktree\/|commondir\/|info\/attributes\/)/,
    "/.git/",
  );
  const found = NAMED_ROWS.find(({ isFolder, name, folded }) => {
    const wanted = isFolded ? folded : name;
    return isFolder ? padded.includes(wanted) : padded.endsWith(wanted);
  });
  return found?.row;
}

/** Between slashes, as they are searched for in a path that ends in one. */
const NAMED_ROWS = [...ANYWHERE, ...INSTALLED].map((row) => {
  const isFolder = row.name.endsWith("/");
  const name = isFolder ? `/${row.name}` : `/${row.name}/`;
  return { row, isFolder, name, folded: comparableName(name) };
});

/** SECURITY: what git notes for itself decides what it does next: the steps of a rebase can be commands. A lock is only there or not. */
function insideGit(path: string, { foldsCase: folds = foldsCase }: ProtectContext): Protected | undefined {
  const isInside = /\/\.git\/.*(?<!\.lock)$/s.test(folds(path) ? comparableName(path) : path);
  return isInside ? { what: "git repository", why: "git keeps its own state there and acts on it" } : undefined;
}

/** A workspace of VS Code has tasks of its own, under any name. */
function ofWorkspace(path: string): Protected | undefined {
  return /\.code-workspace$/i.test(path) ? { what: "editor configuration", why: OPENING_RUNS_IT } : undefined;
}

const IN_REPOSITORY = /^(.+)\/(?:config(?:\.worktree)?|commondir|info\/attributes|hooks\/.+)$/s;

/** SECURITY: git takes every folder with `HEAD`, `objects` and `refs` for a repository, whatever its name, and obeys the configuration in it. */
function ofBareRepository(path: string): Protected | undefined {
  const what = "git configuration";
  if (path.endsWith("/HEAD") && fileKind(path) === "missing")
    return { what, why: "a folder with a file of this name can be a git repository" };
  const folder = IN_REPOSITORY.exec(path)?.[1];
  return folder !== undefined && fileKind(`${folder}/HEAD`) === "file" ? { what, why: "it can make git run programs" } : undefined;
}

export type ProtectedKind =
  | "hook configuration"
  | "hook script"
  | "trust store"
  | "managed folder"
  | "agent configuration"
  | "git hooks"
  | "git repository"
  | "git configuration"
  | "shell start file"
  | "environment file"
  | "editor configuration"
  | "package manager configuration"
  | "scheduled job"
  | "login key"
  | "running agent"
  | "hookloop itself"
  | "configuration of this run"
  | "hookloop's own switches";

export interface Protected {
  readonly what: ProtectedKind;
  readonly why: string;
}

export interface AgentProcess {
  /** Its own and those of its parents. */
  readonly pids: readonly number[];
  readonly names: readonly string[];
  readonly commandLine: string;
}

/** Where a session runs and what it loaded. */
export interface ProtectContext {
  readonly cwd: string;
  /** The project; the session's folder unless it differs. */
  readonly root?: string | undefined;
  readonly home: string;
  /** The real environment of the program, for `XDG_CONFIG_HOME` and its kind. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly scripts?: readonly string[] | undefined;
  /** What those files name or may load, looked up when it is needed; a name that ends in `/` is a folder with everything in it. */
  readonly loaded?: (() => readonly string[]) | undefined;
  /** Folders of Python hooks: a module that is put there is loaded in place of another. */
  readonly moduleFolders?: readonly string[] | undefined;
  /** Configuration files that were read from elsewhere: `--settings`, inline plugins. */
  readonly files?: readonly string[] | undefined;
  /** Files that this run was given by name besides: `--mcp-config`, `--settings`, and the scripts of MCP servers. */
  readonly given?: readonly string[] | undefined;
  /** Folder of the package that runs; this one unless a test says otherwise. */
  readonly packageRoot?: string | undefined;
  readonly plugins?: readonly string[] | undefined;
  readonly managedRoot?: string | undefined;
  /** The process that the guards run in; this one unless a test says otherwise. */
  readonly agent?: AgentProcess | undefined;
  readonly foldsCase?: ((folder: string) => boolean) | undefined;
}

export interface ProtectedCall {
  readonly tool: string;
  readonly input: Readonly<Record<string, unknown>>;
  /** What the tool works on, for tools that the catalogue does not know: as in `x_kind`. */
  readonly kind?: string | undefined;
}

/** The answer for a call that would reach something protected. Without a user to ask it is a deny. */
export interface Protection {
  readonly isProtected: true;
  readonly decision: "ask";
  readonly reason: string;
  readonly paths: readonly (Protected & { readonly path: string })[];
  /** What a Write or Edit would change, for the user who is asked. */
  readonly diff?: string | undefined;
}
