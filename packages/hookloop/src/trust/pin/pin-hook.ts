// Takes what a hook names and the folder it would run in; gives the digest of everything it runs, and what could not be pinned.
// Refuses: more files or bytes than can be looked at before each run.

import { isBuiltin } from "node:module";
import path from "node:path";
import { projectRoot } from "../../permissions/index.ts";
import {
  digestOf,
  type Examination,
  type HookPins,
  isInside,
  type Pinning,
  realEntry,
  realPath,
  recordOf,
  rootOf,
  shownPath,
} from "./examine-hook.ts";
import { mayTakeFromFolder, type RelativeLoad, takenFromFolder } from "./from-folder.ts";
import { declaredFiles, findProgram, globMatch, type HashedFile, Look, lookAt, realProgram } from "./hash-file.ts";
import {
  isOfProject,
  namedCode,
  noteMovedNames,
  notePackages,
  noteTasks,
  noteUncertain,
  noteUnpinnedData,
  pinData,
  placed,
  shadowedPrograms,
} from "./named-code.ts";
import { configurationOf, factsOf, nearestOf, pinModules } from "./pin-modules.ts";
import { type Family, familyOf, interpreterOf } from "./programs.ts";
import { proveHook } from "./prove-closure.ts";
import { OF_THE_MACHINE, readData, readDataOfWords } from "./read-data.ts";
import type { JavascriptReads } from "./read-javascript.ts";

const MAX_FILES = 500;
/** Enough to say why. */
const MAX_REASONS = 20;
const MAX_BYTES = 10 * 1024 * 1024;
/** Texts that are kept, each and together, so that a change can be shown. */
const MAX_TEXT = 64 * 1024;
const MAX_TEXTS = 2 * 1024 * 1024;

/** Pins a hook as it would run in `cwd` now. */
export function pinHook(examination: Examination, cwd: string, look: Look = new Look()): HookPins {
  const pinning = newPinning(examination, cwd, look);
  const declared = declaredFiles(examination.declared, declaredRoot(examination), look);
  // First: what a file is follows from what it is given to.
  for (const one of examination.interpreted) pinInterpreted(pinning, one);
  // Only their bytes: what runs of them is followed from where it is started.
  for (const file of declared.files) keep(pinning, file);
  for (const pattern of declared.unmatched) pinning.unresolved.add(`"files" names ${pattern}, and there is nothing`);
  for (const file of declared.files)
    if (lookAt(file).kind === "folder")
      pinning.unresolved.add(`"files" takes in ${shownPath(pinning.root, file)}, a link to a folder: name what is in that folder`);
  for (const named of examination.files) pinNamed(pinning, named);
  for (const program of examination.programs) pinProgram(pinning, program);
  for (const { code, folder } of examination.python) pinPython(pinning, { folder: path.resolve(cwd, folder), text: code });
  noteTasks(pinning, examination.tasks);
  if (examination.isOfUser) readUsersLine(pinning);
  readLine(pinning);
  proveHook(pinning, {
    pin: (file) => keep(pinning, file),
    read: (file, program, text) => {
      const script = { file, realpath: realPath(file), name: shownPath(pinning.root, file), isScript: false, program, text };
      // What the user's own scripts load is the user's own.
      if (!examination.isOfUser) readLoads(pinning, script);
    },
    configure: (script, reads) => pinConfiguration(pinning, script, reads),
    isFolderDeclared: (folders) => isFolderDeclared(examination, folders),
    placeOfFiles: placeOfFiles(examination),
    plugin: examination.variables["CLAUDE_PLUGIN_ROOT"],
  });
  noteMovedNames(pinning);
  noteUnpinnedData(pinning);
  const record = recordOf(pinning);
  return {
    digest: digestOf(record),
    record,
    unresolved: [...pinning.unresolved].sort().slice(0, MAX_REASONS),
    ...(pinning.foreign.size > 0 && { foreign: [...pinning.foreign].sort() }),
    ...(declared.unmatched.length > 0 && { unmatched: declared.unmatched }),
    missing: [...pinning.missing].sort(),
    untrustable: tooMuch(declared.isTooMany, pinning),
    texts: pinning.texts,
    implied: [...pinning.implied],
    moduleFolders: [...pinning.moduleFolders],
  };
}

function declaredRoot({ hook }: Examination): string {
  return hook.source.plugin?.root ?? hook.source.root;
}

function newPinning(examination: Examination, cwd: string, look: Look): Pinning {
  const { place, unresolved } = examination;
  return {
    look,
    examination,
    root: rootOf(examination),
    projectRoot: realPath(place.projectRoot),
    checkout: realPath(projectRoot(place.projectRoot, place.home)),
    cwd,
    files: new Map(),
    programs: {},
    unresolved: new Set(unresolved),
    missing: new Set(),
    texts: new Map(),
    implied: new Set(),
    surroundings: {},
    moduleFolders: new Set(),
    foreign: new Set(),
    names: new Set(),
    data: new Set(),
    read: new Set(),
    isOver: false,
    bytes: 0,
    textBytes: 0,
  };
}

function tooMuch(isTooMany: boolean, { bytes, files, isOver }: Pinning): string | undefined {
  if (isTooMany || files.size > MAX_FILES || bytes > MAX_BYTES)
    return 'it names more than 500 files or 10 MiB, which is too much to check before each run; narrow its "files"';
  return isOver ? "the files that all hooks here name together are more than 64 MiB, which is too much to check" : undefined;
}

function pinNamed(pinning: Pinning, { path: named, role, program }: Examination["files"][number]): void {
  const file = path.resolve(pinning.cwd, named);
  const found = lookAt(file);
  if (role === "script" && found.kind === "missing") {
    pinning.missing.add(named);
    pinning.unresolved.add(`${named} is not there`);
  }
  if (role === "script" && (found.kind === "folder" || found.kind === "other")) pinning.unresolved.add(`${named} is not a file`);
  if (found.kind !== "file") return;
  if (isForeign(pinning, named, found.realpath)) pinForeign(pinning, { file, named, isRun: role !== "argument" });
  else if (role === "program" && !isInside(pinning.projectRoot, found.realpath)) pinning.programs[named] = found.realpath;
  else pinFile(pinning, { file, isScript: role === "script", program });
  // What a virtual environment or a copied interpreter loads lies around it.
  if (role === "program" && isInside(pinning.projectRoot, realEntry(file)))
    pinning.unresolved.add(`${named} is an interpreter of the project`);
}

/** A file of the project, or one beside wherever the session is, named by a hook of the user. */
function isForeign({ examination, checkout }: Pinning, named: string, realpath: string): boolean {
  return examination.isOfUser && (!path.isAbsolute(named) || isInside(checkout, realpath));
}

/** SECURITY: the project's code would run under the name of the user's own hook: it needs an approval of its own, for this project and these bytes. */
function pinForeign(
  pinning: Pinning,
  { file, named, isRun }: { readonly file: string; readonly named: string; readonly isRun: boolean },
): void {
  if (!isRun || !isOfProject(pinning, realPath(file)))
    return void pinning.unresolved.add(`${named} depends on the folder the session runs in`);
  pinning.foreign.add(`it runs ${shownPath(pinning.checkout, file)} of the project`);
  // Read no further: what it starts in its turn is the project's as well.
  pinFile(pinning, { file, isScript: false, isModule: true });
}

/** What the programs of a command line read. */
function readLine(pinning: Pinning): void {
  const { target } = pinning.examination.hook;
  if (target.kind !== "command") return;
  const pin = (file: string): void => {
    if (!isForeign(pinning, file, realPath(file))) pinImplied(pinning, { file, isScript: false });
  };
  const data = target.args === undefined ? readData("shell", target.command) : readDataOfWords([target.command, ...target.args]);
  pinData(pinning, { data, name: "its command line", pin });
}

/** What the command line of the user's hook takes from the folder; in its own words it may be any. */
function readUsersLine(pinning: Pinning): void {
  const { target } = pinning.examination.hook;
  if (target.kind !== "command") return;
  const text = [target.command, ...(target.args ?? [])].join(" ");
  readUsersText(pinning, text, "shell");
}

/** SECURITY: the user's own hook runs in every project: whatever code of one its text may lead to is looked for. */
function readUsersText(pinning: Pinning, text: string, family: Family | undefined): void {
  const { loads, python, tasks, packages, uncertain } = mayTakeFromFolder(family, text);
  noteUncertain(pinning, uncertain);
  for (const load of loads) pinRelative(pinning, load);
  notePackages(pinning, packages);
  for (const { folder, code } of python) pinPython(pinning, { folder: placed(pinning, folder), text: code });
  noteTasks(pinning, tasks);
  const { cwd, checkout } = pinning;
  for (const file of namedCode(text, { cwd, checkout, isOfProject: (real) => isOfProject(pinning, real) }))
    if (!pinning.files.has(file)) pinForeign(pinning, { file, named: file, isRun: true });
}

function pinProgram(pinning: Pinning, name: string): void {
  const { examination, projectRoot, cwd } = pinning;
  const found = realProgram(name, examination.place.path, cwd);
  const entry = findProgram(name, examination.place.path, cwd);
  if (entry !== undefined && isInside(projectRoot, realEntry(entry)) && familyOf(path.basename(name)))
    pinning.unresolved.add(`${name} is an interpreter of the project`);
  if (found === undefined) {
    pinning.missing.add(name);
    pinning.unresolved.add(`${name} is not found in PATH`);
    return;
  }
  if (!isInside(projectRoot, found)) {
    pinning.programs[name] = found;
    return;
  }
  // PATH leads into the checkout: what is found there is no program of the machine.
  if (examination.isOfUser) pinForeign(pinning, { file: found, named: name, isRun: true });
  else pinFile(pinning, { file: found, isScript: true });
}

interface PinnedFile {
  readonly file: string;
  readonly isScript: boolean;
  readonly program?: string | undefined;
  /** The caller looks at what it loads. */
  readonly isModule?: boolean | undefined;
}

function pinFile(pinning: Pinning, { file, isScript, program, isModule }: PinnedFile): string | undefined {
  if (pinning.files.has(file)) return undefined;
  const hashed = keep(pinning, file);
  const pinned = pinning.files.get(file);
  if (!hashed || !pinned) return undefined;
  readText(pinning, { file, realpath: pinned.realpath, name: pinned.path, isScript, program, isModule, text: hashed.text });
  return hashed.text;
}

/** Makes the bytes of a file part of the hook, and keeps its text for a diff; nothing if it cannot be. */
function keep(pinning: Pinning, file: string): HashedFile | undefined {
  const found = lookAt(file);
  if (found.kind !== "file") return undefined;
  const { root, examination, look, projectRoot } = pinning;
  const hashed = look.hash(found, MAX_BYTES, examination.isOfUser ? "user" : "project");
  const name = shownPath(root, file);
  if (hashed === "over") pinning.isOver = true;
  else if (!hashed) pinning.unresolved.add(`${name} is too large or cannot be read`);
  if (!hashed || hashed === "over") return undefined;
  if (pinning.files.has(file)) return hashed;
  const { realpath, isExecutable } = found;
  const homes = [projectRoot, root, realPath(declaredRoot(examination))];
  const isOutside = !examination.isOfUser && !homes.some((home) => isInside(home, realpath));
  pinning.bytes += hashed.size;
  pinning.files.set(file, { path: name, realpath, isExecutable, sha256: hashed.sha256, ...(isOutside && { isOutside }) });
  const { text } = hashed;
  // SECURITY: a project names what it likes, also the user's keys: their text is neither shown nor kept.
  if (text !== undefined && !isOutside && text.length <= MAX_TEXT && pinning.textBytes + text.length <= MAX_TEXTS) {
    pinning.texts.set(hashed.sha256, text);
    pinning.textBytes += text.length;
  }
  return hashed;
}

interface ScriptText extends PinnedFile {
  readonly realpath: string;
  readonly name: string;
  readonly text: string | undefined;
}

function readText(pinning: Pinning, script: ScriptText): void {
  const { realpath, isScript, program, text } = script;
  if (text === undefined) return;
  const isOfMachine = OF_THE_MACHINE.test(realpath) && !isInside(pinning.projectRoot, realpath);
  const interpreter = interpreterOf({ file: realpath, text, isScript, program });
  if (interpreter !== undefined && !isOfMachine && !script.isModule) readLoads(pinning, { ...script, text, program: interpreter });
  readFirstLine(pinning, text);
}

/** What of a script's surroundings and data can be told from its text. Whether that is all is not decided here. */
function readLoads(pinning: Pinning, script: ScriptText & { readonly text: string; readonly program: string }): void {
  const { file, realpath, name, text, program } = script;
  const { look, examination } = pinning;
  const family = familyOf(program);
  if (pinning.read.has(`${program} ${file}`)) return;
  pinning.read.add(`${program} ${file}`);
  if (family === "python")
    for (const folder of new Set([path.dirname(file), path.dirname(realpath)])) pinPython(pinning, { folder, text, script: file });
  pinShadows(pinning, text);
  const data = look.remember(`data ${program} ${realpath}`, () => readData(family, text));
  pinData(pinning, { data, script: file, name, pin: (one) => pinFile(pinning, { file: one, isScript: false }) });
  if (examination.isOfUser) readUsersText(pinning, text, family);
  else takeFromFolder(pinning, script, family);
}

function pinShadows(pinning: Pinning, text: string): void {
  const { examination, surroundings, implied, checkout } = pinning;
  const isOfCheckout = (real: string): boolean => isInside(checkout, real);
  const { folders, programs } = shadowedPrograms(text, { path: examination.place.path, isOfProject: isOfCheckout });
  for (const folder of folders) implied.add(folder);
  for (const [name, found] of Object.entries(programs)) surroundings[`program ${name} of the project`] = found;
}

function takeFromFolder(pinning: Pinning, { text, realpath }: ScriptText & { readonly text: string }, family: Family | undefined): void {
  const taken = pinning.look.remember(`folder ${family} ${realpath}`, () => takenFromFolder(family, text));
  for (const load of taken.loads) pinRelative(pinning, load);
  for (const one of taken.names) pinning.names.add(one);
  for (const { folder, code } of taken.python) pinPython(pinning, { folder: placed(pinning, folder), text: code });
  noteTasks(pinning, taken.tasks);
}

/** Installed packages change without being edited. */
const INSTALLED = /(?:^|\/)(?:node_modules|\.?venv)\//;

/** SECURITY: the same name is another file in another folder, and a session changes its folder without being asked. */
function pinRelative(pinning: Pinning, { path: named, program }: RelativeLoad): void {
  const file = placed(pinning, named);
  pinning.implied.add(file);
  const { kind } = lookAt(file);
  if (kind === "missing" || !isInside(pinning.checkout, realPath(file))) return;
  if (pinning.examination.isOfUser) {
    if (isOfProject(pinning, realPath(file))) pinForeign(pinning, { file, named, isRun: true });
  } else if (kind === "folder") pinning.unresolved.add(`${named} is a folder: what is run in it is not known`);
  else if (!INSTALLED.test(named)) pinFile(pinning, { file, isScript: program === undefined, program });
}

/** `files` is a word of ours: another program drops its whole file for it. */
function placeOfFiles({ hook }: Examination): string {
  return hook.quirks?.hasOwnWords ? "" : ", with the hook in .hookloop/hooks.json";
}

function pinPython(pinning: Pinning, code: { readonly folder: string; readonly text: string; readonly script?: string }): void {
  const name = shownPath(pinning.root, path.join(code.folder, "x")).replace(/\/?x$/, "") || ".";
  // Not as a script: what a module loads is looked for together with the others.
  const pin = (file: string): string | undefined => pinFile(pinning, { file, isScript: false, isModule: true });
  const isForeign = pinning.examination.isOfUser && isOfProject(pinning, realPath(code.folder));
  pinModules(pinning, { ...code, name, pin, isForeign });
}

/** Whether `files` has a pattern that takes in whatever may appear in a folder, also in packages. */
function isFolderDeclared(examination: Examination, folders: readonly string[]): boolean {
  const root = declaredRoot(examination);
  const takes = (pattern: string, name: string): boolean =>
    globMatch(path.resolve(root, pattern).split("/").slice(1), name.split("/").slice(1));
  return examination.declared.some((pattern) =>
    folders.some((folder) => ["\u0001.\u0001", "\u0001/\u0001.\u0001"].every((name) => takes(pattern, path.join(folder, name)))),
  );
}

/** SECURITY: approved bytes mean something else under another `package.json`; one that appears nearer takes the place of the other. */
function pinConfiguration(pinning: Pinning, script: string, { imports }: JavascriptReads): void {
  const { projectRoot, root, look, examination } = pinning;
  const top = [projectRoot, root].find((folder) => isInside(folder, script)) ?? "/";
  const isNamed = imports.some(({ specifier }) => /^[\w@#]/.test(specifier) && !specifier.startsWith("node:") && !isBuiltin(specifier));
  for (const files of configurationOf(script, { program: "node", top, imports: isNamed })) {
    for (const file of files) pinning.implied.add(file);
    const nearest = nearestOf(files);
    const found = nearest === undefined ? undefined : lookAt(nearest);
    if (nearest === undefined || found?.kind !== "file") continue;
    const hashed = look.hash(found, MAX_BYTES, examination.isOfUser ? "user" : "project");
    const name = shownPath(root, nearest);
    if (hashed === "over") pinning.isOver = true;
    else if (!hashed) pinning.unresolved.add(`${name} is too large or cannot be read`);
    else pinning.surroundings[name] = look.remember(`facts ${nearest}`, () => factsOf(nearest, hashed));
  }
}

/** `#!/usr/bin/env -S node -r ./x.cjs`: the interpreter, and whatever of the project the line names. */
function readFirstLine(pinning: Pinning, text: string): void {
  const [, line] = /^#![ \t]*([^\n]*)/.exec(text) ?? [];
  if (line === undefined) return;
  const interpreter = /^\/usr\/bin\/env\s+(?:-S\s+)?([\w.-]+)/.exec(line)?.[1];
  if (interpreter !== undefined && !(interpreter in pinning.programs)) pinProgram(pinning, interpreter);
  for (const word of line.split(/[\s=]+/).filter(Boolean)) {
    const found = lookAt(path.resolve(pinning.cwd, word));
    if (found.kind === "file" && isInside(pinning.projectRoot, found.realpath))
      pinImplied(pinning, { file: path.resolve(pinning.cwd, word), isScript: true });
  }
}

function pinImplied(pinning: Pinning, implied: { readonly file: string; readonly isScript: boolean }): void {
  pinning.implied.add(implied.file);
  pinFile(pinning, implied);
}

function pinInterpreted(pinning: Pinning, { program, scripts, values }: Examination["interpreted"][number]): void {
  const found = scripts.filter((script) => lookAt(path.resolve(pinning.cwd, script)).kind === "file");
  const [first] = found;
  for (const script of scripts.slice(0, 1)) pinFolder(pinning, script);
  for (const script of found) {
    // Behind the script stand its arguments: of those only what looks like code is taken for it.
    const isCode = script === first || values.includes(script) || path.extname(script) === "";
    const file = path.resolve(pinning.cwd, script);
    if (!isCode) continue;
    if (isForeign(pinning, script, realPath(file))) pinForeign(pinning, { file, named: script, isRun: true });
    else pinFile(pinning, { file, isScript: false, program });
  }
}

/** `node .`, `python3 pkg`. */
function pinFolder(pinning: Pinning, script: string): void {
  const file = path.resolve(pinning.cwd, script);
  if (!pinning.examination.isOfUser || lookAt(file).kind !== "folder" || !isOfProject(pinning, realPath(file))) return;
  pinForeign(pinning, { file, named: script, isRun: true });
}
