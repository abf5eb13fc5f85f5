// Takes the text of a script or command line of the user's; gives the code of the project that it names, wherever in the text. It rather
// finds too much: a word that is a program of the project, in the text of a hook that runs in every project, is worth a question.

import { accessSync, constants } from "node:fs";
import path from "node:path";
import { EVENTS } from "../../catalogue/index.ts";
import { packageFacts, wordsOf } from "../tasks.ts";
import { HOME, OWN, PLUGIN, PROJECT } from "./code-reader.ts";
import { foldersUp, isInside, type Pinning, realEntry, realPath, shownPath } from "./examine-hook.ts";
import { entriesOf, lookAt, realProgram } from "./hash-file.ts";
import { type DataReads, OF_THE_MACHINE } from "./read-data.ts";

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
  const folders = checkoutFolders(place.cwd, place.checkout);
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
  return entriesOf(folder).map(({ name }) => name);
}

/** A folder and those above it in the checkout. */
function checkoutFolders(folder: string, checkout: string): readonly string[] {
  return isInside(checkout, folder) ? foldersUp(folder, checkout) : [folder];
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

/** Whether a file is the project's and not the user's; a session in the home folder has nothing but the user's own. */
export function isOfProject({ checkout, root, examination }: Pinning, real: string): boolean {
  return isInside(checkout, real) && !isInside(root, real) && !isInside(checkout, realPath(examination.place.home));
}

/** Where a name of a script leads: from the current folder, or from the project's. */
export function placed({ cwd, projectRoot }: Pick<Pinning, "cwd" | "projectRoot">, name: string): string {
  return name.startsWith(PROJECT) ? path.join(projectRoot, name.slice(PROJECT.length)) : path.resolve(cwd, name);
}

/** A hook of the user that starts `make` or `npx` runs what the project says. */
export function noteTasks(pinning: Pinning, tasks: readonly string[]): void {
  if (!pinning.examination.isOfUser) return;
  for (const task of tasks) {
    const folders = checkoutFolders(path.dirname(placed(pinning, task)), pinning.checkout);
    for (const folder of folders)
      for (const name of namesLike(folder, path.basename(task))) noteTask(pinning, path.join(folder, name), task.endsWith("/"));
  }
}

/** SECURITY: what it runs is not certain, so it may be the project's: it needs an approval for this project. */
export function noteUncertain(pinning: Pinning, found: readonly string[]): void {
  if (!pinning.examination.isOfUser || !isOfProject(pinning, pinning.checkout)) return;
  for (const one of found) {
    const text = `it may run code of the project, because what it runs is not certain: ${one}`;
    pinning.foreign.add(text);
    pinning.unresolved.add(text);
  }
}

function noteTask(pinning: Pinning, file: string, isFolder: boolean): void {
  if (lookAt(file).kind !== (isFolder ? "folder" : "file") || !isOfProject(pinning, realPath(file))) return;
  const text = `it runs what ${shownPath(pinning.checkout, file)} of the project says`;
  pinning.foreign.add(text);
  pinning.unresolved.add(text);
}

/** SECURITY: Node looks for what `--import` and its like name from the folder it runs in: in `node_modules`, and by the project's own name. */
export function notePackages(pinning: Pinning, names: readonly string[]): void {
  for (const name of names) {
    const own = name.split("/", name.startsWith("@") ? 2 : 1).join("/");
    for (const folder of checkoutFolders(pinning.cwd, pinning.checkout)) {
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
function isNamed({ look }: Pinning, manifest: string, own: string): boolean {
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
export function isGate({ examination }: Pick<Pinning, "examination">): boolean {
  const { blockEffect } = EVENTS[examination.hook.event];
  return blockEffect !== null && blockEffect !== "feedback";
}

/** SECURITY: a guard that reads `hooks/rules.txt` has other rules, or none, in another folder. */
export function noteMovedNames(pinning: Pinning): void {
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

// Takes the files of data that a hook's texts read; pins what lies where files of hooks do, and says what is not pinned.
// SECURITY: a guard whose rules stand in a file of their own is another guard when that changes, and one that looks for a switch is
// another when that appears.

interface ReadBy {
  readonly data: DataReads;
  /** The file that reads; absent for a command line. */
  readonly script?: string | undefined;
  /** For people. */
  readonly name: string;
  readonly pin: (file: string) => void;
}

/** Only what lies beside the script or in a folder made for hooks: a hook also reads what people work on, and that changes all the time. */
export function pinData(pinning: Pinning, { data, script, name, pin }: ReadBy): void {
  const { root, cwd, projectRoot, implied, unresolved } = pinning;
  const folder = script === undefined ? projectRoot : path.dirname(script);
  const homes = homesOf(root, ...(script === undefined ? [] : [folder]));
  const bases = script === undefined ? [cwd, projectRoot] : [folder, cwd, root, ...foldersUp(folder, root)];
  for (const one of data.names) {
    const placed = inPlace(pinning, one, folder);
    const found = (path.isAbsolute(placed) ? [placed] : bases.map((base) => path.resolve(base, placed))).find(
      (file) => (script === undefined || homes.some((home) => isInside(home, file))) && lookAt(file).kind === "file",
    );
    // Outside of the project it is reported, and not read: it may be another user's.
    if (found !== undefined && isInside(root, realEntry(found))) {
      implied.add(found);
      pin(found);
    }
    pinning.data.add(placed);
  }
  if (!isGate(pinning)) return;
  if (data.isAboutCall && script !== undefined && !isStartedAlone(pinning, script))
    unresolved.add(
      `${name} reads the file that its input names, and what that input is cannot be known: it is not what the hook itself starts`,
    );
  for (const one of data.unknown) unresolved.add(`${name} reads what is not pinned: ${one}`);
  noteFacts(pinning, data, (one) => path.resolve(cwd, inPlace(pinning, one, folder)));
}

/** Whether a script is what the hook itself starts, with the event on its input. */
function isStartedAlone({ examination, cwd }: Pinning, script: string): boolean {
  const { hook, files, interpreted } = examination;
  const named = [
    ...files.flatMap(({ role, path: file }) => (role === "script" ? [file] : [])),
    ...interpreted.flatMap(({ scripts }) => scripts),
  ];
  const isPlain = hook.target.kind !== "command" || !/[|<]/.test(hook.target.command);
  return isPlain && named.some((file) => path.resolve(cwd, file) === script);
}

/** SECURITY: whether a redirection, a folder that is made or a program that is looked for succeeds may decide what a gate says. */
function noteFacts(pinning: Pinning, { writes, makes, programs, isAboutCall }: DataReads, at: (name: string) => string): void {
  const { surroundings, implied, root, cwd, examination, projectRoot } = pinning;
  for (const [names, test] of [
    [writes, mayWrite],
    [makes, mayMake],
  ] as const)
    for (const file of names.map(at)) {
      implied.add(file);
      // Of the user's hook without the project's name: it is the same hook in every project.
      surroundings[`writing ${isOfFolder(pinning, file) ? path.relative(projectRoot, file) : shownPath(root, file)}`] = test(file)
        ? "is possible"
        : "is not possible";
    }
  for (const name of programs) surroundings[`the program ${name}`] = realProgram(name, examination.place.path, cwd) ?? "is not there";
  if (isAboutCall) surroundings["what it reads of the call"] = "the file that the call names";
}

function mayWrite(file: string): boolean {
  const { kind } = lookAt(file);
  return kind === "file"
    ? isWritable(file)
    : kind === "missing" && lookAt(path.dirname(file)).kind === "folder" && isWritable(path.dirname(file));
}

function mayMake(folder: string): boolean {
  const { kind } = lookAt(folder);
  return kind === "folder" || (kind === "missing" && path.dirname(folder) !== folder && mayMake(path.dirname(folder)));
}

function isWritable(file: string): boolean {
  try {
    accessSync(file, constants.W_OK);
    return true;
  } catch {
    // Not ours to write: that is the answer.
    return false;
  }
}

/** Where a name leads; one that counts from the current folder stays as it is. */
function inPlace({ projectRoot, examination }: Pinning, name: string, folder: string): string {
  for (const [mark, place] of [
    [PROJECT, projectRoot],
    [OWN, folder],
    [HOME, examination.place.home],
    [PLUGIN, examination.variables["CLAUDE_PLUGIN_ROOT"] ?? PLUGIN],
  ] as const)
    if (name === mark || name.startsWith(`${mark}/`)) return path.join(place, name.slice(mark.length));
  return path.normalize(name);
}

/** Files that its scripts read by name and that are not part of it: what decides may stand in them. */
export function noteUnpinnedData(pinning: Pinning): void {
  const { data, files, unresolved, projectRoot, root } = pinning;
  const pinned = new Set([...files.keys()].map(realEntry));
  for (const name of data) {
    const file = path.resolve(projectRoot, name);
    const shown = shownPath(root, file);
    const { kind } = lookAt(file);
    if ((kind !== "missing" && OF_THE_MACHINE.test(file)) || pinned.has(realEntry(file)) || isInside(file, projectRoot)) continue;
    if (isOfFolder(pinning, name)) {
      if (isGate(pinning)) unresolved.add(`it reads ${name} of the folder the session runs in`);
      continue;
    }
    if (kind === "file" || kind === "other") unresolved.add(`it reads ${shown}, which is not pinned`);
    else if (isGate(pinning)) noteKind(pinning, name, file);
  }
}

/** A switch that appears turns the gate off, also in the folder that the session is in. */
function noteKind({ implied, surroundings, cwd, root, unresolved, examination }: Pinning, name: string, file: string): void {
  const shown = shownPath(root, file);
  const here = path.resolve(cwd, name);
  implied.add(file);
  implied.add(here);
  const isFolder = [file, here].some((one) => lookAt(one).kind === "folder");
  surroundings[`the file ${shown}`] = isFolder
    ? "is a folder"
    : [file, here].every((one) => lookAt(one).kind === "missing")
      ? "is not there"
      : "is there";
  // What a gate at the end of a turn looks for is the work's own result: it is there to appear.
  if (EVENTS[examination.hook.event].blockEffect === "continueTurn") {
    delete surroundings[`the file ${shown}`];
    unresolved.add(`it looks for ${shown}, which may appear`);
  }
}

/** A hook of the user is the same in every project, whatever it reads there. */
function isOfFolder({ examination, projectRoot }: Pinning, name: string): boolean {
  return examination.isOfUser && (!path.isAbsolute(name) || isInside(projectRoot, realPath(name)));
}
