// Takes what a hook names and the folder it would run in; gives the digest of everything it runs, and what could not be pinned.
// Refuses: more files or bytes than can be looked at before each run.

import path from "node:path";
import { projectRoot } from "../../permissions/index.ts";
import { type Examination, isInside, realEntry, realPath, rootOf, shownPath } from "./examine-hook.ts";
import { mayTakeFromFolder, type RelativeLoad, takenFromFolder } from "./from-folder.ts";
import { declaredFiles, findProgram, globMatch, Look, lookAt, realProgram } from "./hash-file.ts";
import { digestOf, type HookPins, type Pinning, recordOf } from "./hook-record.ts";
import { type Family, familyOf, interpreterOf, loadsOthers } from "./loads-others.ts";
import {
  isGate,
  isOfProject,
  namedCode,
  noteMovedNames,
  notePackages,
  noteTasks,
  noteUncertain,
  noteUnpinnedData,
  packagePlaces,
  pinData,
  placed,
  shadowedPrograms,
} from "./named-code.ts";
import { configurationOf, factsOf, nearestOf, pinModules } from "./pin-modules.ts";
import { readData, readsByPattern } from "./read-data.ts";
import { importsOf, packageFacts } from "./tasks.ts";

const MAX_FILES = 500;
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
  for (const file of declared.files) pinFile(pinning, { file, isScript: false });
  for (const pattern of declared.unmatched) pinning.unresolved.add(`"files" names ${pattern}, and there is nothing`);
  for (const named of examination.files) pinNamed(pinning, named);
  for (const program of examination.programs) pinProgram(pinning, program);
  for (const { code, folder } of examination.python) pinPython(pinning, { folder: path.resolve(cwd, folder), text: code });
  noteTasks(pinning, examination.tasks);
  if (examination.isOfUser) readUsersLine(pinning);
  else readLine(pinning);
  noteMovedNames(pinning);
  noteUnpinnedData(pinning);
  const record = recordOf(pinning);
  return {
    digest: digestOf(record),
    record,
    unresolved: [...pinning.unresolved].sort(),
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

/** What the shell itself reads for a command line: `while read … done < rules.txt`, `[ -f off ]`, `$(<rules.txt)`. */
function readLine(pinning: Pinning): void {
  const { target } = pinning.examination.hook;
  if (target.kind !== "command" || target.args !== undefined) return;
  const pin = (file: string): void => {
    if (!isForeign(pinning, file, realPath(file))) pinImplied(pinning, { file, isScript: false });
  };
  pinData(pinning, { data: readData("shell", target.command), name: "its command line", pin });
  if (isGate(pinning) && readsByPattern(target.command)) pinning.unresolved.add(BY_PATTERN);
}

const BY_PATTERN = "it reads files by a pattern, so that which they are is not pinned";

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
  const found = lookAt(file);
  if (found.kind !== "file" || pinning.files.has(file)) return undefined;
  const { root, examination, look, projectRoot } = pinning;
  const hashed = look.hash(found, MAX_BYTES, examination.isOfUser ? "user" : "project");
  const name = shownPath(root, file);
  if (hashed === "over") pinning.isOver = true;
  else if (!hashed) pinning.unresolved.add(`${name} is too large or cannot be read`);
  if (!hashed || hashed === "over") return undefined;
  const { realpath, isExecutable } = found;
  const homes = [projectRoot, root, realPath(declaredRoot(examination))];
  const isOutside = !examination.isOfUser && !homes.some((home) => isInside(home, realpath));
  pinning.bytes += hashed.size;
  pinning.files.set(file, { path: name, realpath, isExecutable, sha256: hashed.sha256, ...(isOutside && { isOutside }) });
  readText(pinning, { file, realpath, name, isScript, program, isModule, isOutside, sha256: hashed.sha256, text: hashed.text });
  return hashed.text;
}

interface ScriptText extends PinnedFile {
  readonly realpath: string;
  readonly name: string;
  readonly sha256: string;
  readonly isOutside: boolean;
  readonly text: string | undefined;
}

/** Programs of the machine are not asked what they load. */
const OF_THE_MACHINE = /^\/(?:bin|sbin|lib|lib64|usr|opt|nix\/store)\//;

function readText(pinning: Pinning, script: ScriptText): void {
  const { realpath, name, isScript, program, sha256, text } = script;
  const isOfMachine = OF_THE_MACHINE.test(realpath) && !isInside(pinning.projectRoot, realpath);
  if (text === undefined) {
    if ((isScript || program !== undefined) && !isOfMachine)
      pinning.unresolved.add(`${name} is no text that can be read, so what it loads is not known`);
    return;
  }
  // SECURITY: a project names what it likes, also the user's keys: their text is neither shown nor kept.
  if (!script.isOutside && text.length <= MAX_TEXT && pinning.textBytes + text.length <= MAX_TEXTS) {
    pinning.texts.set(sha256, text);
    pinning.textBytes += text.length;
  }
  const interpreter = interpreterOf({ file: realpath, text, isScript, program });
  if (interpreter !== undefined && !isOfMachine && !script.isModule) readLoads(pinning, { ...script, text, program: interpreter });
  readFirstLine(pinning, text);
}

function readLoads(pinning: Pinning, script: ScriptText & { readonly text: string; readonly program: string }): void {
  const { file, realpath, name, text, program } = script;
  const { look, examination, unresolved } = pinning;
  const family = familyOf(program);
  const isRead = family === "shell" || family === "javascript";
  const loads = (): boolean => loadsOthers({ file: realpath, text, isScript: script.isScript, program });
  if (isRead && examination.declared.length === 0 && look.remember(`loads ${program} ${realpath}`, loads))
    unresolved.add(`${name} loads other files: declare them in "files"${placeOfFiles(examination)}`);
  // SECURITY: what scripts of other languages load, or the language loads for them, is not read.
  if (!isRead && !isFolderDeclared(examination, [path.dirname(file), path.dirname(realpath)]))
    unresolved.add(
      `${name} is a script of ${program}, whose loading is not read: pin its folder with "files": ["${path.dirname(name)}/**"]${placeOfFiles(examination)}`,
    );
  // What `files` pins is a folder; what is loaded from another folder is not pinned by it.
  if (family === "python" && OPEN_PYTHON.test(text)) unresolved.add(`${name} may load or start files of other folders`);
  if (family === "python")
    for (const folder of new Set([path.dirname(file), path.dirname(realpath)])) pinPython(pinning, { folder, text, script: file });
  if (family === "javascript") {
    pinConfiguration(pinning, { script: realpath, program, text });
    pinPackages(pinning, text, realpath);
  }
  pinShadows(pinning, text);
  const data = look.remember(`data ${program} ${realpath}`, () => readData(family, text));
  pinData(pinning, { data, script: file, name, pin: (one) => pinFile(pinning, { file: one, isScript: false }) });
  if (data.loads.length > 0 && examination.declared.length === 0)
    unresolved.add(`${name} loads code that its text does not name: ${data.loads.join(", ")}`);
  if (family === "shell" && isGate(pinning) && look.remember(`pattern ${realpath}`, () => readsByPattern(text))) unresolved.add(BY_PATTERN);
  if (examination.isOfUser) readUsersText(pinning, text, family);
  else takeFromFolder(pinning, script, family);
}

/** SECURITY: a package that is committed beside the script is loaded in place of the one that was installed. Which one it is counts. */
function pinPackages({ surroundings, implied, root, unresolved }: Pinning, text: string, script: string): void {
  for (const { name, places } of packagePlaces(text, script)) {
    const at = places.findIndex((place) => lookAt(place).kind === "folder");
    for (const place of at === -1 ? places : places.slice(0, at + 1)) implied.add(place);
    const place = places[at];
    // A package of the same repository is linked to where people work on it.
    if (place !== undefined && isInside(root, realPath(place)) && !realPath(place).includes("/node_modules/"))
      unresolved.add(`the package ${name} is worked on in the project, and is not pinned`);
    if (place !== undefined) surroundings[`package ${name}`] = isInside(root, place) ? path.relative(root, place) : place;
  }
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

const OPEN_PYTHON =
  /\bsys\.path\b|\baddsitedir\b|\b(?:importlib|__import__|runpy|execfile|exec_module)\b|(?<![\w.])(?:exec|eval|compile)\s*\(|\bsubprocess\b|\bos\.(?:system|popen|exec\w*|spawn\w*)\b/;

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
function pinConfiguration(
  pinning: Pinning,
  { script, program, text }: { readonly script: string; readonly program: string; readonly text: string },
): void {
  const { projectRoot, root, look, examination } = pinning;
  const top = [projectRoot, root].find((folder) => isInside(folder, script)) ?? "/";
  const { packages, hasOwn } = importsOf(text);
  for (const files of configurationOf(script, { program, top, imports: hasOwn || packages.length > 0 })) {
    for (const file of files) pinning.implied.add(file);
    const nearest = nearestOf(files);
    const found = nearest === undefined ? undefined : lookAt(nearest);
    if (nearest === undefined || found?.kind !== "file") continue;
    const hashed = look.hash(found, MAX_BYTES, examination.isOfUser ? "user" : "project");
    const name = shownPath(root, nearest);
    if (hashed === "over") pinning.isOver = true;
    else if (!hashed) pinning.unresolved.add(`${name} is too large or cannot be read`);
    else pinning.surroundings[name] = look.remember(`facts ${nearest}`, () => factsOf(nearest, hashed));
    if (hashed && hashed !== "over") noteOwnPackage(pinning, { script, packages, text: hashed.text ?? "" });
  }
}

/** `import "me/x"` in the package `me` is a file of the project. */
function noteOwnPackage(
  { unresolved, root, examination }: Pinning,
  { script, packages, text }: { readonly script: string; readonly packages: readonly string[]; readonly text: string },
): void {
  const { name } = packageFacts(text);
  if (examination.declared.length > 0 || !packages.some((one) => one === name || one.startsWith(`${name}/`))) return;
  unresolved.add(`${shownPath(root, script)} loads files of its own package: declare them in "files"${placeOfFiles(examination)}`);
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
  const isFile = (script: string): boolean => lookAt(path.resolve(pinning.cwd, script)).kind === "file";
  const found = scripts.filter(isFile);
  const [first] = found;
  for (const script of scripts.slice(0, 1)) pinFolder(pinning, script);
  // SECURITY: `node hooks data.json` runs hooks/index.js: the first word that is no option must be the file that is pinned.
  const stray = scripts.find((script) => !values.includes(script));
  if (
    first === undefined ||
    (stray !== undefined && !isFile(stray) && scripts.indexOf(stray) < scripts.indexOf(first)) ||
    isLost(program, values, isFile)
  ) {
    const script = stray ?? scripts[0];
    if (script !== undefined && first === undefined) pinning.missing.add(script);
    pinning.unresolved.add(
      script === undefined ? `${program} reads its code from its input` : `${script}, which ${program} runs, is not a file that is there`,
    );
  }
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

/** `node -r preload main.js`: what Node finds for `preload` is not a file of that name. */
function isLost(program: string, values: readonly string[], isFile: (script: string) => boolean): boolean {
  return familyOf(program) === "javascript" && values.some((value) => !isFile(value));
}
