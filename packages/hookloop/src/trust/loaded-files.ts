/**
 * Takes the registered hooks; gives the files and folders that their scripts name or may load, and what those name in turn: the agent's
 * tools must not change them either. It is a look at texts, which rather finds too much. Nothing is run.
 */

import path from "node:path";
import { EVENTS } from "../catalogue/index.ts";
import type { RegisteredHook } from "../config/index.ts";
import { Watched } from "../state-files.ts";
import { examineHook, isInside, type PinPlace, realPath } from "./pin/examine-hook.ts";
import { entriesOf, Look, lookAt } from "./pin/hash-file.ts";
import { codeInShell, type Family, familyOf, interpreterOf } from "./pin/programs.ts";
import { readData } from "./pin/read-data.ts";
import {
  importsOf,
  loadsUnnamed,
  modulesOf,
  packageTargets,
  STARTS_PROGRAMS,
  startedModules,
  taskRuns,
  taskTexts,
  type Word,
  wordsOf,
} from "./tasks.ts";

/** SECURITY: hooks of a project may not make us read all of it. */
const MAX_FILES = 200;
const MAX_NAMES = 2000;
const MAX_TASKS = 100;
/** Folders above a script in which what it names is looked for. */
const MAX_ABOVE = 8;

/** Code, and data that programs take their rules from. */
const LOADABLE =
  /\.(?:[cm]?[jt]sx?|json|node|py[cw]?|sh|bash|zsh|ksh|rb|p[lm]|php|lua|awk|sed|jq|tcl|mk|txt|ya?ml|toml|conf|cfg|ini|rego|list)$/;
const JAVASCRIPT = ["", ".js", ".mjs", ".cjs", ".ts", ".mts", ".cts", ".jsx", ".tsx", ".json", ".node"];
const OF_FOLDER = ["/package.json", "/index.js", "/index.mjs", "/index.cjs", "/index.ts", "/index.json", "/index.node"];

/** Paths; one that ends in `/` is a folder with everything in it. Looked up when it is called, and again only after a change. */
export function createLoadedFiles(hooks: readonly RegisteredHook[], place: Omit<PinPlace, "path">): () => readonly string[] {
  let walk: Walk | undefined;
  return () => {
    if (walk === undefined || walk.folders.isStale()) walk = walkHooks(hooks, place);
    return [...walk.names];
  };
}

interface Walk {
  readonly folders: Folders;
  readonly root: string;
  readonly home: string;
  readonly names: Set<string>;
  readonly waiting: Code[];
  readonly seen: Set<string>;
  tasks: number;
  /** The hook whose code is read is one at the end of a turn: what it looks for is the work's own result, which is there to appear. */
  isAtEnd: boolean;
}

/** A text that runs. */
interface Code {
  readonly text: string;
  /** Where what it names is looked for first. */
  readonly folder: string;
  /** The last folder above that one which counts. */
  readonly top: string;
  readonly family: Family | undefined;
  /** Absent for a command line and for a task. */
  readonly file?: string | undefined;
  /** Words that are arguments of a script: what they name is not read. */
  readonly given?: readonly string[] | undefined;
}

function walkHooks(hooks: readonly RegisteredHook[], { projectRoot, home }: Omit<PinPlace, "path">): Walk {
  const root = realPath(projectRoot);
  const tops = hooks.map((hook) => realPath(topOf(hook, root)));
  const folders = new Folders([root, ...tops.filter((top) => top !== home && !isInside(top, home))]);
  const walk: Walk = { folders, root, home, names: new Set(), waiting: [], seen: new Set(), tasks: 0, isAtEnd: false };
  // A script of several hooks is read once: first for those whose switches count.
  const ordered = [...hooks.entries()].sort(([, one], [, other]) => Number(isAtEnd(one)) - Number(isAtEnd(other)));
  for (const [index, hook] of ordered) {
    walk.isAtEnd = isAtEnd(hook);
    addHook(walk, hook, tops[index] ?? root);
    for (let code = walk.waiting.shift(); code !== undefined; code = walk.waiting.shift()) readCode(walk, code);
  }
  return walk;
}

function isAtEnd({ event }: RegisteredHook): boolean {
  return EVENTS[event].blockEffect === "continueTurn";
}

/** Where the files of a hook are: in the project, its plugin or skill, or with the user's configuration. */
function topOf({ source }: RegisteredHook, projectRoot: string): string {
  const own = source.plugin?.root ?? source.skill?.root;
  if (own !== undefined) return path.resolve(projectRoot, own);
  return source.scope === "user" || source.scope === "managed" ? source.root : projectRoot;
}

function addHook(walk: Walk, hook: RegisteredHook, top: string): void {
  const { root, home } = walk;
  const { files, interpreted } = examineHook(hook, { projectRoot: root, home, path: "" });
  for (const { path: file, role, program } of files) {
    if (role === "script") follow(walk, path.resolve(root, file), { top, isScript: true, program });
    // `.venv/bin/python`: what it loads lies around it.
    if (role === "program") addFolder(walk, path.resolve(root, path.dirname(path.dirname(file))), top);
  }
  for (const { program, scripts, values } of interpreted)
    for (const script of scripts.filter((one, index) => index === 0 || values.includes(one) || values.includes(scripts[index - 1] ?? "")))
      follow(walk, path.resolve(root, script), { top, isScript: false, program });
  if (hook.target.kind !== "command") return;
  const text = [hook.target.command, ...(hook.target.args ?? [])]
    .join(" ")
    .replaceAll(/\$(?:\{CLAUDE_PLUGIN_ROOT\}|CLAUDE_PLUGIN_ROOT\b)/g, top);
  const given = interpreted.flatMap(({ scripts, values }) => scripts.slice(1).filter((one) => !values.includes(one)));
  walk.waiting.push({ text, folder: root, top, family: "shell", given });
  // Code on the command line: in which language does not matter much.
  if (interpreted.length === 0) readJavascript(walk, { text, folder: root, top, family: "javascript" });
}

interface Followed {
  readonly top: string;
  readonly isScript: boolean;
  readonly program?: string | undefined;
}

/** Protects a file, and reads it in its turn. */
function follow(walk: Walk, file: string, { top, isScript, program }: Followed): void {
  addName(walk, file);
  if (walk.seen.has(file) || walk.seen.size >= MAX_FILES || file.includes("/node_modules/")) return;
  walk.seen.add(file);
  const text = walk.folders.text(file);
  if (text === undefined) return;
  const interpreter = interpreterOf({ file, text, isScript, program });
  // Data names no code.
  if (interpreter === undefined) return;
  for (const folder of new Set([path.dirname(file), path.dirname(realPath(file))]))
    walk.waiting.push({ text, folder, top: isInside(walk.root, folder) ? walk.root : top, family: familyOf(interpreter), file });
}

function addName(walk: Walk, name: string): void {
  if (walk.names.size < MAX_NAMES) walk.names.add(name);
}

/** SECURITY: not the project as a whole, nor what is above it: then every change would be a question. */
function addFolder(walk: Walk, folder: string, top: string): void {
  if (isInside(folder, walk.root) || isInside(folder, walk.home)) return;
  if (isInside(walk.root, folder) || isInside(top, folder)) addName(walk, `${folder}/`);
}

function readCode(walk: Walk, code: Code): void {
  const { text, family, file, folder, top } = code;
  const words = wordsOf(text);
  const bases = basesOf(walk, code);
  const isKnown = (tail: string): boolean => bases.some((base) => walk.folders.find(base, tail)?.kind === "file");
  const isOpen = loadsUnnamed(text, family, isKnown);
  if (isOpen && file !== undefined) addFolder(walk, folder, top);
  readWords(walk, code, { words, bases, isOpen });
  if (family === "javascript") readJavascript(walk, code);
  if (family === "python") readPython(walk, code, bases);
  for (const module of startedModules(text)) addStartedModule(walk, module, top);
  // A file that it looks for decides also by not being there.
  for (const named of walk.isAtEnd ? [] : readData(family, text).names) {
    const tail = named.replace(/^\/hookloop-(?:project|own)-folder\//, "");
    if (!path.isAbsolute(tail)) for (const base of [folder, walk.root]) addMissing(walk, path.resolve(base, tail), top);
  }
  readTasks(walk, code);
  if (family === "shell" || family === "other shell")
    for (const inner of codeInShell(text)) walk.waiting.push({ text: inner.code, family: inner.family, folder: walk.root, top });
}

/** The folder of the script, those above it, and the one that hooks run in. */
function basesOf({ root }: Walk, { folder, top }: Code): readonly string[] {
  const above: string[] = [];
  for (let at = folder; above.length < MAX_ABOVE; at = path.dirname(at)) {
    above.push(at);
    if (at === top || !isInside(top, at)) break;
  }
  return [...new Set([...above, top, root])];
}

interface Reading {
  readonly words: readonly Word[];
  readonly bases: readonly string[];
  readonly isOpen: boolean;
}

function readWords(walk: Walk, code: Code, { words, bases, isOpen }: Reading): void {
  const folders: string[] = [];
  const lost: Word[] = [];
  for (const word of words) {
    const found = findWord(walk, word, bases);
    for (const one of found) {
      if (one.kind === "file") addFound(walk, code, word, one);
      else folders.push(one.path);
      if (one.kind === "folder" && (word.isSearched || (word.isListed && isOpen))) addFolder(walk, one.path, code.top);
    }
    if (!found.some(({ kind }) => kind === "file")) lost.push(word);
  }
  for (const word of lost) readLost(walk, code, { word, folders });
}

function readLost(walk: Walk, code: Code, { word, folders }: { readonly word: Word; readonly folders: readonly string[] }): void {
  // `LIB=$ROOT/lib; . "$LIB/rules.sh"`: the folder is named elsewhere in the script.
  const inside = folders.slice(0, 50).flatMap((folder) => (word.isTail ? (walk.folders.find(folder, word.path) ?? []) : []));
  for (const one of inside) if (one.kind === "file") addFound(walk, code, word, one);
  if (inside.length > 0 || !word.isLoad || !LOADABLE.test(word.path) || path.isAbsolute(word.path)) return;
  for (const base of [code.folder, walk.root]) addMissing(walk, path.resolve(base, word.path), code.top);
}

/** What a script would load if it were there: whoever creates it decides what the hook does. */
function addMissing(walk: Walk, file: string, top: string): void {
  if (isInside(walk.root, file) || isInside(top, file)) addName(walk, file);
}

function findWord({ folders, home }: Walk, { path: word, isLoad }: Word, bases: readonly string[]): readonly Found[] {
  const at = (base: string, name: string): readonly Found[] => [folders.find(base, name) ?? []].flat();
  if (word.startsWith("~/")) return at(home, word.slice(2));
  const relative = word.replace(/^\/+/, "");
  const found = [...(word.startsWith("/") ? at("/", word) : []), ...bases.flatMap((base) => at(base, relative))];
  if (!isLoad || /\.\w+$/.test(word) || !word.includes("/") || found.some(({ kind }) => kind === "file")) return found;
  const named = bases.flatMap((base) =>
    [".sh", ".js", ".py", ".rb", ".pl", ".lua", ".php"].flatMap((extension) => at(base, `${relative}${extension}`)),
  );
  return [...found, ...named];
}

/** A file that is only named, such as one that a guard tells apart, is not read: it may be the program that people work on. */
function addFound(walk: Walk, { folder, top, file, given = [] }: Code, word: Word, found: Found): void {
  addName(walk, found.path);
  const isBeside = path.dirname(found.path) === folder && folder !== walk.root;
  const isGiven = given.includes(word.path);
  if (!isGiven && found.path !== file && (word.isLoad || isBeside || found.isExecutable))
    follow(walk, found.path, { top, isScript: false });
}

function readJavascript(walk: Walk, code: Code): void {
  const { text, folder, top } = code;
  const { relative, hasOwn, packages } = importsOf(text);
  for (const name of relative) {
    const file = path.resolve(folder, name);
    const isThere = walk.folders.find(folder, name)?.kind === "file";
    const named = isThere ? [file] : [...JAVASCRIPT, ...OF_FOLDER].map((end) => `${file}${end}`);
    // `./rules.js` may be `rules.ts`.
    const typed = isThere ? [] : [file.replace(/\.([cm]?)js$/, ".$1ts")];
    for (const one of [...named, ...typed]) {
      addMissing(walk, one, top);
      if (walk.folders.find("/", one)?.kind === "file") follow(walk, one, { top, isScript: false, program: "node" });
    }
  }
  if (!hasOwn && packages.length === 0) return;
  for (const base of basesOf(walk, code)) readPackage(walk, base, { code, hasOwn, packages });
}

interface PackageUse {
  readonly code: Code;
  readonly hasOwn: boolean;
  readonly packages: readonly string[];
}

function readPackage(walk: Walk, base: string, { code: { top }, hasOwn, packages }: PackageUse): void {
  const manifest = path.join(base, "package.json");
  const targets = packageTargets(walk.folders.find(base, "package.json") ? (walk.folders.text(manifest) ?? "") : "", packages);
  if (hasOwn || targets.length > 0) addName(walk, manifest);
  for (const target of targets.slice(0, 200)) {
    const [before = "", ...rest] = target.split("*");
    const file = path.resolve(base, before);
    if (rest.length > 0) addFolder(walk, path.resolve(base, before.replace(/[^/]*$/, "")), top);
    else if (walk.folders.find("/", file)?.kind === "file") follow(walk, file, { top, isScript: false, program: "node" });
    else addMissing(walk, file, top);
  }
  if (packages.length === 0) return;
  addName(walk, `${path.join(base, "node_modules")}/`);
  for (const name of packages.slice(0, 100)) {
    const [first = "", second = ""] = name.split("/");
    const entry = path.join(base, "node_modules", first, first.startsWith("@") ? second : "");
    // A package of the same repository is linked to where it is worked on.
    const real = walk.folders.find("/", entry)?.kind === "folder" ? realPath(entry) : entry;
    if (!real.includes("/node_modules/")) addFolder(walk, real, top);
  }
}

function readPython(walk: Walk, { text, top, file }: Code, bases: readonly string[]): void {
  const searched = wordsOf(text).filter(({ isSearched }) => isSearched);
  const folders = searched.flatMap((word) => findWord(walk, word, bases)).flatMap((one) => (one.kind === "folder" ? [one.path] : []));
  for (const module of modulesOf(text)) {
    // Without a script it looks in the folder that it runs in, also for modules of the language.
    for (const end of file === undefined ? [".py", "/__init__.py"] : []) addMissing(walk, path.join(walk.root, `${module}${end}`), top);
    for (const base of [...bases, ...folders.slice(0, 20)])
      for (const end of [".py", "/__init__.py"]) {
        const found = walk.folders.find(base, `${module}${end}`);
        if (found?.kind === "file") follow(walk, found.path, { top, isScript: false, program: "python3" });
      }
  }
}

/** `python3 -m lib.rules` looks in the folder that the hook runs in: for the module, and first for what its packages do. */
function addStartedModule(walk: Walk, module: string, top: string): void {
  const parts = module.split("/");
  for (const count of parts.keys()) {
    const at = path.join(walk.root, ...parts.slice(0, count + 1));
    addName(walk, `${at}.py`);
    addName(walk, path.join(at, "__init__.py"));
  }
  addFolder(walk, path.join(walk.root, ...(parts.length === 1 ? parts : parts.slice(0, -1))), top);
  for (const end of [".py", "/__main__.py", "/__init__.py"]) {
    const found = walk.folders.find(walk.root, `${module}${end}`);
    if (found?.kind === "file") follow(walk, found.path, { top, isScript: false, program: "python3" });
  }
}

function readTasks(walk: Walk, { text, family, folder, top }: Code): void {
  const isShell = family === "shell" || family === "other shell";
  if (!isShell && !STARTS_PROGRAMS.test(text)) return;
  for (const { files, words } of taskRuns(text, isShell)) {
    if (walk.tasks++ > MAX_TASKS) return;
    const named = words.flatMap((word) =>
      [walk.root, folder].flatMap((base) => walk.folders.find(base, word.replace(/^-[-\w]+=/, "")) ?? []),
    );
    const places = [walk.root, folder, ...named.flatMap((one) => (one.kind === "folder" ? [one.path] : []))];
    for (const place of new Set(places)) for (const name of files) addTaskFile(walk, { place, name, words, top });
  }
}

interface TaskFile {
  readonly place: string;
  readonly name: string;
  readonly words: readonly string[];
  readonly top: string;
}

function addTaskFile(walk: Walk, { place, name, words, top }: TaskFile): void {
  const file = path.join(place, name);
  addName(walk, file);
  const key = `${file} ${words.join(" ")}`;
  if (name.endsWith("/") || walk.seen.has(key) || walk.folders.find(place, name)?.kind !== "file") return;
  walk.seen.add(key);
  for (const text of taskTexts(file, walk.folders.text(file) ?? "", words))
    walk.waiting.push({ text, folder: place, top, family: "shell" });
}

/** A file or folder that is there, by the name it was asked for. */
interface Found {
  readonly path: string;
  readonly kind: "file" | "folder";
  readonly isExecutable: boolean;
}

/** SECURITY: what one look may cost, whatever a project holds. */
const MAX_FOLDERS = 400;
const MAX_ENTRIES = 5000;
const MAX_TEXT = 256 * 1024;

/** One look at folders and files of a project. What was looked at is kept, so that it shows whether to look again. */
class Folders {
  readonly #roots: readonly string[];
  readonly #look = new Look();
  readonly #listings = new Map<string, ReadonlySet<string> | undefined>();
  readonly #watched = new Watched();

  constructor(roots: readonly string[]) {
    this.#roots = [...new Set(roots.map(realPath))];
  }

  /** What is at a path. SECURITY: nothing that a link leads out to. */
  find(base: string, name: string): Found | undefined {
    const file = path.resolve(base, name);
    if (!this.#mayExist(file)) return undefined;
    const found = lookAt(file);
    if (found.kind === "file")
      return this.#isOwn(found.realpath) ? { path: file, kind: "file", isExecutable: found.isExecutable } : undefined;
    return found.kind === "folder" && this.#isOwn(realPath(file)) ? { path: file, kind: "folder", isExecutable: false } : undefined;
  }

  /** The text of a file that `find` has found, if it is short. */
  text(file: string): string | undefined {
    this.#watched.add(file);
    const found = lookAt(file);
    if (found.kind !== "file" || found.size > MAX_TEXT || !this.#isOwn(found.realpath)) return undefined;
    const hashed = this.#look.hash(found, MAX_TEXT, "project");
    return hashed === "over" ? undefined : hashed?.text;
  }

  /** Whether something that was looked at has changed since, or is too young to tell. */
  isStale(): boolean {
    return this.#watched.isStale();
  }

  #isOwn(real: string): boolean {
    return this.#roots.some((root) => isInside(root, real));
  }

  /** Most words of a script name nothing: the names of a folder's entries, read once, answer that. Capitals do not count on every volume. */
  #mayExist(file: string): boolean {
    const root = this.#roots.find((one) => isInside(one, file));
    if (root === undefined) return path.isAbsolute(file) && this.#roots.some((one) => isInside(one, realPath(path.dirname(file))));
    let folder = root;
    for (const part of path.relative(root, file).split(path.sep)) {
      const names = this.#listing(folder);
      if (names && part !== "" && !names.has(part.toLowerCase())) return false;
      folder = path.join(folder, part);
    }
    return true;
  }

  #listing(folder: string): ReadonlySet<string> | undefined {
    if (this.#listings.has(folder)) return this.#listings.get(folder);
    if (this.#listings.size >= MAX_FOLDERS) return NOTHING;
    this.#watched.add(folder);
    const names = namesIn(folder);
    this.#listings.set(folder, names);
    return names;
  }
}

const NOTHING: ReadonlySet<string> = new Set();

/** Nothing if there are too many to list: then each is looked for. */
function namesIn(folder: string): ReadonlySet<string> | undefined {
  const entries = entriesOf(folder);
  return entries.length > MAX_ENTRIES ? undefined : new Set(entries.map(({ name }) => name.toLowerCase()));
}
