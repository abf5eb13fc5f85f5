// Takes the text of a script or command line of the user's; gives the code of the project that it names, wherever in the text. It rather
// finds too much: a word that is a program of the project, in the text of a hook that runs in every project, is worth a question.

import { readdirSync } from "node:fs";
import path from "node:path";
import { EVENTS } from "../../catalogue/index.ts";
import { PROJECT } from "./code-tokens.ts";
import { type Examination, isInside, realEntry, realPath, shownPath } from "./examine-hook.ts";
import { type Look, lookAt, realProgram } from "./hash-file.ts";
import type { FilePin } from "./hook-record.ts";
import { importsOf, packageFacts, wordsOf } from "./tasks.ts";

interface NamedIn {
  readonly cwd: string;
  /** The folder that git keeps, or the session's. */
  readonly checkout: string;
  /** Whether a real path is the project's and not the user's. */
  readonly isOfProject: (real: string) => boolean;
}

const CODE = /\.(?:[cm]?[jt]sx?|py[cw]?|sh|bash|zsh|ksh|fish|rb|p[lm]|php|lua|awk|tcl|node|wasm|so|dylib)$/;
const DATA =
  /\.(?:jsonc?|json5|md|mdx|txt|lock|toml|ya?ml|env|ini|cfg|conf|csv|tsv|xml|html?|s?css|svg|log|sql|[ch]|cc|cpp|go|rs|java|kt)$/;
/** A folder that programs are taken from. */
const PROGRAMS = /(?:^|\/)(?:node_modules\/\.bin|\.?venv\/bin)$/;
/** JavaScript that looks for packages from a folder of its choice. */
const RESOLVES = /\bcreateRequire\b|\brequire\.resolve\b|\bimport\.meta\.resolve\b/;

/** Paths as they are on disk. */
export function namedCode(text: string, place: NamedIn): readonly string[] {
  const found = new Set<string>();
  const folders = foldersUp(place);
  for (const { path: word, isLoad, isSearched } of wordsOf(`${text}\n${substituted(text)}`)) {
    const name = word.replace(/^(?:\.?\/)+/, "");
    if (name === "" || !/[./]/.test(word) || word.startsWith("~")) continue;
    for (const folder of folders) {
      const file = path.resolve(folder, name);
      if (isCode(file, { isLoad, isSearched, name }) && place.isOfProject(realPath(file))) found.add(file);
    }
  }
  for (const file of RESOLVES.test(text) ? packagesIn(text, folders) : []) if (place.isOfProject(realPath(file))) found.add(file);
  return [...found];
}

/**
 * Programs that a text names, that the machine has, and that PATH finds in the project first: `npx` puts its `node_modules/.bin` there.
 * SECURITY: a `jq` that appears there answers for the guard that asks it.
 */
export function shadowedPrograms(
  text: string,
  { path: searchPath, isOfProject }: { readonly path: string; readonly isOfProject: (real: string) => boolean },
): {
  readonly folders: readonly string[];
  readonly programs: Readonly<Record<string, string>>;
} {
  const all = searchPath.split(":").filter(Boolean);
  const folders = all.filter((folder) => isOfProject(realPath(folder)));
  if (folders.length === 0) return { folders, programs: {} };
  const others = all.filter((folder) => !folders.includes(folder)).join(":");
  const words = new Set(text.match(/[A-Za-z][\w.+-]*/g) ?? []);
  const named = folders.flatMap((folder) => namesIn(folder).filter((name) => words.has(name)));
  const shadows = named.flatMap((name) => {
    const found = realProgram(name, searchPath, "/");
    return found !== undefined && isOfProject(found) && realProgram(name, others, "/") !== undefined ? [[name, found] as const] : [];
  });
  return { folders, programs: Object.fromEntries(shadows) };
}

/** `*.csproj` */
function namesLike(folder: string, name: string): readonly string[] {
  return name.startsWith("*") ? namesIn(folder).filter((one) => one.endsWith(name.slice(1))) : [name];
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    // Not there, or not ours to look into: then nothing is found in it either.
    return [];
  }
}

/** Where a package that a script imports is found: one that appears nearer takes its place. */
export function packagePlaces(text: string, script: string): readonly { readonly name: string; readonly places: readonly string[] }[] {
  const names = new Set(importsOf(text).packages.map((name) => name.split("/", name.startsWith("@") ? 2 : 1).join("/")));
  const folders: string[] = [];
  for (let at = path.dirname(script); !folders.includes(at); at = path.dirname(at)) folders.push(at);
  return [...names].map((name) => ({ name, places: folders.map((folder) => path.join(folder, "node_modules", name)) }));
}

/** The current folder and those above it, up to the checkout's own. */
export function foldersUp({ cwd, checkout }: Pick<NamedIn, "cwd" | "checkout">): readonly string[] {
  const folders = [cwd];
  for (let at = path.dirname(cwd); isInside(checkout, at) && at !== path.dirname(at); at = path.dirname(at)) folders.push(at);
  return folders;
}

/** What stands inside `$(…)`: words there are read as any others, and evaluated where the text evaluates. */
function substituted(text: string): string {
  const before = /\beval\b/.test(text) ? "eval " : "";
  return [...text.matchAll(/\$\(([^()\n]{1,200})\)/g)].map(([, inside = ""]) => `${before}${inside}`).join("\n");
}

interface Word {
  readonly isLoad: boolean;
  readonly isSearched: boolean;
  readonly name: string;
}

function isCode(file: string, { isLoad, isSearched, name }: Word): boolean {
  const found = lookAt(file);
  if (found.kind === "folder") return PROGRAMS.test(file) || (isSearched && name.includes("/"));
  if (found.kind !== "file") return false;
  return CODE.test(name) || (found.isExecutable && name.includes("/")) || (isLoad && !DATA.test(name) && name.startsWith("."));
}

function packagesIn(text: string, folders: readonly string[]): readonly string[] {
  const names = [...text.matchAll(/["'`]((?:@[\w.-]+\/)?[A-Za-z][\w.-]*)["'`]/g)].map(([, name = ""]) => name).slice(0, 200);
  return names
    .flatMap((name) => folders.map((folder) => path.join(folder, "node_modules", name)))
    .filter((file) => lookAt(file).kind === "folder");
}

// Takes what was found of a hook; adds what names of its scripts mean where they are not pinned: in another folder, or in no file yet.

export interface Names {
  readonly look: Look;
  readonly examination: Examination;
  readonly root: string;
  readonly projectRoot: string;
  readonly cwd: string;
  readonly files: ReadonlyMap<string, FilePin>;
  readonly names: ReadonlySet<string>;
  readonly data: ReadonlySet<string>;
  readonly unresolved: Set<string>;
  readonly implied: Set<string>;
  readonly surroundings: Record<string, unknown>;
}

/** A hook of the user in a project that is not. */
interface Strange extends Names {
  /** The folder that git keeps, which may be above the session's. */
  readonly checkout: string;
  readonly foreign: Set<string>;
}

/** Whether a file is the project's and not the user's; a session in the home folder has nothing but the user's own. */
export function isOfProject({ checkout, root, examination }: Strange, real: string): boolean {
  return isInside(checkout, real) && !isInside(root, real) && !isInside(checkout, realPath(examination.place.home));
}

/** Where a name of a script leads: from the current folder, or from the project's. */
export function placed({ cwd, projectRoot }: Pick<Names, "cwd" | "projectRoot">, name: string): string {
  return name.startsWith(PROJECT) ? path.join(projectRoot, name.slice(PROJECT.length)) : path.resolve(cwd, name);
}

/** A hook of the user that starts `make` or `npx` runs what the project says. */
export function noteTasks(pinning: Strange, tasks: readonly string[]): void {
  if (!pinning.examination.isOfUser) return;
  for (const task of tasks) {
    const folders = foldersUp({ cwd: path.dirname(placed(pinning, task)), checkout: pinning.checkout });
    for (const folder of folders)
      for (const name of namesLike(folder, path.basename(task))) noteTask(pinning, path.join(folder, name), task.endsWith("/"));
  }
}

/** SECURITY: what it runs is not certain, so it may be the project's: it needs a word for this project. */
export function noteUncertain(pinning: Strange, found: readonly string[]): void {
  if (!pinning.examination.isOfUser || !isOfProject(pinning, pinning.checkout)) return;
  for (const one of found) {
    const text = `it may run code of the project, because what it runs is not certain: ${one}`;
    pinning.foreign.add(text);
    pinning.unresolved.add(text);
  }
}

function noteTask(pinning: Strange, file: string, isFolder: boolean): void {
  if (lookAt(file).kind !== (isFolder ? "folder" : "file") || !isOfProject(pinning, realPath(file))) return;
  const text = `it runs what ${shownPath(pinning.checkout, file)} of the project says`;
  pinning.foreign.add(text);
  pinning.unresolved.add(text);
}

/** SECURITY: Node looks for what `--import` and its like name from the folder it runs in: in `node_modules`, and by the project's own name. */
export function notePackages(pinning: Strange, names: readonly string[]): void {
  for (const name of names) {
    const own = name.split("/", name.startsWith("@") ? 2 : 1).join("/");
    for (const folder of foldersUp(pinning)) {
      const places = name.startsWith("#")
        ? []
        : ["", ".js", ".json", ".node"].map((end) => path.join(folder, "node_modules", `${own}${end}`));
      const manifest = path.join(folder, "package.json");
      const found = [...places.filter((place) => lookAt(place).kind !== "missing"), ...(isNamed(pinning, manifest, own) ? [manifest] : [])];
      for (const file of found.filter((one) => isOfProject(pinning, realPath(one)))) {
        const text = `it loads ${shownPath(pinning.checkout, file)} of the project`;
        pinning.foreign.add(text);
        pinning.unresolved.add(text);
      }
    }
  }
}

/** Whether a package.json makes a name the project's own: by `name`, or for `#name` by `imports`. */
function isNamed({ look }: Strange, manifest: string, own: string): boolean {
  const found = lookAt(manifest);
  const hashed = found.kind === "file" ? look.hash(found, MAX_MANIFEST, "project") : undefined;
  if (found.kind !== "file" || hashed === "over" || hashed?.text === undefined) return found.kind === "file";
  const { name, imports } = packageFacts(hashed.text);
  return own.startsWith("#") ? imports !== undefined : name === own;
}

const MAX_MANIFEST = 1024 * 1024;

/** Folders whose files are for hooks. */
export function homesOf(root: string, ...folders: readonly string[]): readonly string[] {
  return [...folders.filter((folder) => folder !== root), path.join(root, ".claude"), path.join(root, ".hookloop")];
}

/** Whether the hook can keep something from happening. */
export function isGate({ examination }: Pick<Names, "examination">): boolean {
  const { blockEffect } = EVENTS[examination.hook.event];
  return blockEffect !== null && blockEffect !== "feedback";
}

/** SECURITY: a guard that reads `hooks/rules.txt` has other rules, or none, in another folder. */
export function noteMovedNames(pinning: Names): void {
  const { names, files, projectRoot, cwd, root, surroundings, examination } = pinning;
  if (realPath(cwd) === projectRoot || examination.isOfUser) return;
  const pinned = new Set([...files.keys()].map(realEntry));
  const homes = homesOf(root, ...[...pinned].map((file) => path.dirname(file)));
  const isOfHook = (file: string): boolean =>
    pinned.has(file) || (homes.some((home) => isInside(home, file)) && lookAt(file).kind === "file");
  for (const name of names) {
    if (name.startsWith(PROJECT) || !isOfHook(realEntry(path.resolve(projectRoot, name)))) continue;
    const found = lookAt(path.resolve(cwd, name));
    surroundings[`${name} in the folder it runs in`] = found.kind === "file" ? shownPath(root, found.realpath) : "is not there";
  }
}
