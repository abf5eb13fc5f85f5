import { type Dirent, readdirSync } from "node:fs";
import { basename, dirname } from "node:path";
import {
  filledPlaces,
  type GivenFile,
  givenFiles,
  handedPlaces,
  listedPlaces,
  OUTPUT_VARIABLE,
  type Place,
  programName,
  remembered,
  type ShellCommand,
  type ShellReading,
  type TouchedPath,
  touchedPaths,
  UNKNOWN,
  wordSet,
} from "../../shell/index.ts";
import { fileKind, namesIn } from "../../state-files.ts";
import { spendWork } from "../call-facts.ts";
import { compileWildcard } from "../rules/rule-grammar.ts";
import type { CallFacts } from "../types.ts";
import {
  changesMentioned,
  foldersFilledByCode,
  foldersTakenByCode,
  isMessageWord,
  mentionedFiles,
  patchedFiles,
  stashedFiles,
  withLists,
} from "./changed-files.ts";
import { folderPath, realTarget } from "./real-target.ts";

interface TouchedFiles {
  readonly isWrite: boolean;
  readonly files: readonly string[];
  /** They are folders, if they are: deleted or renamed whole, or gone through whole. */
  readonly use?: "taken" | "whole" | undefined;
  /** The names at the end of a path that starts in a folder which only the running shell knows; none: that folder itself. */
  readonly beyond?: readonly string[] | undefined;
  /** They are folders, and this of what is in them is read or changed. */
  readonly below?: Below | undefined;
}

export interface Below {
  /** Only what has one of these names, or lies in a folder that has. */
  readonly names?: readonly string[] | undefined;
  /** Files that the program chooses: which is not known. */
  readonly isChosen?: true | undefined;
  readonly spares?: TouchedPath["spares"];
  /** What this folder holds lands in it. */
  readonly from?: string | undefined;
}

/** A folder with more entries is not searched for what a pattern could mean. */
const MAX_FILES = 1000;

/** What the shell command of a call reads and changes. A program that is not known counts as reading the files it is given. */
export const touchedFiles: (facts: CallFacts) => readonly TouchedFiles[] = remembered((facts) => findTouched(facts), new WeakMap());

/** Entries of folders that are looked at for one call: patterns of several parts multiply. */
const MAX_ENTRIES = 20_000;

function findTouched(facts: CallFacts): readonly TouchedFiles[] {
  spendWork(facts, 1);
  const search: Search = { left: MAX_ENTRIES };
  const command = facts.input["command"];
  if (typeof command !== "string") return [];
  const reading = withLists(facts.read(command), command);
  const context = { cwd: facts.cwd, home: facts.home };
  const touched = touchedPaths(reading, context);
  const beyond = (place: Place & { readonly command: number }): Pick<TouchedFiles, "beyond"> =>
    place.beyond === undefined ? {} : { beyond: namesBeyond(place.beyond, reading.commands[place.command]?.folder) };
  const changed = touched.flatMap((place): readonly TouchedFiles[] => {
    if (!spendWork(facts, 1)) return [];
    const files = filesOf(place, facts, search);
    if (place.how === "read" && isMessageWord(reading.commands[place.command], place.span.start)) return [];
    // A file under another name is out of reach of the rules about reading it.
    const isRead = place.how === "read" || place.how === "rename";
    const use = useOf(place, reading.commands[place.command]?.words ?? []);
    const shared = { files, use, below: belowOf(place, reading.commands[place.command]?.words ?? []), ...beyond(place) };
    const landed = place.fromPattern ? landedFiles(place, search) : [];
    return [...(isRead ? [{ isWrite: false, ...shared }] : []), ...(place.how === "read" ? [] : [{ isWrite: true, ...shared }, ...landed])];
  });
  const mentioned = mentionedFiles(reading, context).flatMap((place): readonly TouchedFiles[] => {
    if (!spendWork(facts, 1)) return [];
    const shared = { files: filesOf(place, facts, search), ...beyond(place) };
    return [
      { isWrite: false, ...shared },
      ...(changesMentioned(place, reading)
        ? [{ isWrite: true, ...shared, use: place.where === "output" ? ("whole" as const) : undefined }]
        : []),
    ];
  });
  const given = givenFiles(reading, context).flatMap((place): readonly TouchedFiles[] => {
    if (!spendWork(facts, 1)) return [];
    const shared = { isWrite: false, files: filesOf(place, facts, search), ...beyond(place) };
    return place.isAtAnyDepth ? [{ ...shared, use: "whole" }, ...foundBelow(place)] : [shared];
  });
  return [
    ...changed,
    ...mentioned,
    ...given,
    ...readWhole(reading, facts, search),
    ...filledWhole(reading, facts, search),
    { isWrite: true, files: [...patchedFiles(reading, touched), ...stashedFiles(reading, context)] },
    { isWrite: true, files: foldersTakenByCode(reading, context), use: "taken" as const },
    { isWrite: true, files: foldersFilledByCode(reading, context), use: "whole" as const },
    { isWrite: true, files: assignedOutputs(command, reading).map((file) => folderPath(file, context)), use: "whole" as const },
  ].filter(isNew());
}

/** SECURITY: a folder that a program is handed counts as read whole, and so does what a list hands on. */
function readWhole(reading: ShellReading, facts: CallFacts, search: Search): readonly TouchedFiles[] {
  const { cwd, home, root } = facts;
  const isAround = (folder: string): boolean => [cwd, root].some((own) => `${own}/`.startsWith(`${folder}/`));
  const handed = handedPlaces(reading, { cwd, home }).flatMap((place): readonly TouchedFiles[] => {
    if (!spendWork(facts, 1)) return [];
    const folders = filesOf(place, facts, search)
      .map((path) => realTarget(path, { cwd }).path)
      .filter((path) => fileKind(path) === "folder" && !isAround(path));
    return [{ isWrite: false, files: folders, use: "whole", below: folders.length > 0 ? { isChosen: true } : undefined }];
  });
  const listed = listedPlaces(reading, { cwd, home }).flatMap((place): readonly TouchedFiles[] => {
    if (!spendWork(facts, 1)) return [];
    const { names, spares } = place;
    return [{ isWrite: false, files: filesOf(place, facts, search), below: { names, spares } }];
  });
  return [...handed, ...listed];
}

/** What an option or a copy fills counts as changed whole; of what git puts back, the files that it keeps. */
function filledWhole(reading: ShellReading, facts: CallFacts, search: Search): readonly TouchedFiles[] {
  return filledPlaces(reading, facts).flatMap((place): readonly TouchedFiles[] => {
    if (!spendWork(facts, 1)) return [];
    const files = filesOf(place, facts, search);
    if (place.by !== "git") return [{ isWrite: true, files, use: "whole" }];
    const folders = files.filter((path) => fileKind(path) === "folder");
    return folders.length === 0 ? [] : [{ isWrite: true, files: folders, below: { spares: "untracked" } }];
  });
}

/** What a line does a hundred times over is compared once. */
function isNew(): (touched: TouchedFiles) => boolean {
  const seen = new Set<string>();
  return ({ isWrite, files, use, beyond, below }) => {
    if (files.length === 0 && beyond === undefined) return false;
    const key = JSON.stringify([isWrite, use, beyond, below, files]);
    const isFirst = !seen.has(key);
    seen.add(key);
    return isFirst;
  };
}

/** What surely stands at the end of the path: `x` and `y` of `cd $folder/x; cat y`. */
function namesBeyond(path: string, folder: string | undefined): readonly string[] {
  const names = `${folder ?? ""}/${path}`.split("/").filter((name) => name !== "" && name !== ".");
  return names.slice(names.findLastIndex((name) => name === ".." || name.includes(UNKNOWN)) + 1);
}

export interface Entry {
  readonly path: string;
  readonly isFolder: boolean;
}

const walked = new WeakMap<CallFacts["target"], Map<string, readonly Entry[] | undefined>>();

/** A folder and what is below it, through links too, without `node_modules` and `.git`; undefined if that is too much to look at. */
export function entriesBelow(start: string, facts: Pick<CallFacts, "target" | "work">): readonly Entry[] | undefined {
  const seen = walked.get(facts.target) ?? new Map<string, readonly Entry[] | undefined>();
  walked.set(facts.target, seen);
  if (!seen.has(start)) {
    const found = facts.work.left > 0 ? walk(start) : undefined;
    // A folder is looked into about as fast as four paths are compared.
    facts.work.left -= (found?.length ?? MAX_ENTRIES) * 4;
    seen.set(start, found);
  }
  return seen.get(start);
}

function walk(start: string): readonly Entry[] | undefined {
  const kind = fileKind(start);
  const found: Entry[] = kind === "missing" ? [] : [{ path: start, isFolder: kind === "folder" }];
  const folders = new Set<string>();
  for (const { path, isFolder } of found) {
    if (!isFolder) continue;
    const real = realTarget(path, { cwd: "/" }).path;
    if (folders.has(real)) continue;
    folders.add(real);
    for (const entry of entriesIn(path, MAX_ENTRIES)) {
      const below = `${path === "/" ? "" : path}/${entry.name}`;
      const isLeftOut = entry.name === "node_modules" || entry.name === ".git";
      const isLinked = entry.isSymbolicLink() && fileKind(below) === "folder";
      found.push({ path: below, isFolder: !isLeftOut && (isLinked || entry.isDirectory()) });
    }
    if (found.length > MAX_ENTRIES) return undefined;
  }
  return found;
}

/** Programs that show the names in a folder, not what is in the files. */
const LISTS = wordSet("find fd ls dir tree du stat test [ file readlink realpath cd pushd");

/** `find -name x -delete` takes some files of a folder, `git clean` those that are not tracked. */
function useOf(place: TouchedPath, words: ShellCommand["words"]): TouchedFiles["use"] {
  const { how, isRecursive, ifFolder, names, spares, onlyUntracked, onlyExisting, fromPattern, path } = place;
  if (names || spares || onlyUntracked) return undefined;
  if (how === "rename" || (how === "delete" && isRecursive)) return "taken";
  if (how === "read") return isReadWhole(isRecursive, words) ? "whole" : undefined;
  // What a pattern stands for at the source is looked up there.
  if (path === undefined || onlyExisting || fromPattern || (ifFolder && !landsInside(place))) return undefined;
  // A link in the place of a folder brings everything below it; where there is one, the link lands in it.
  if (how === "create-link") return fileKind(path) === "folder" ? undefined : "taken";
  return how === "write" && isRecursive ? "whole" : undefined;
}

function landsInside({ path = "", isGlob }: TouchedPath): boolean {
  return fileKind(isGlob ? path : dirname(path)) === "folder";
}

/** What is changed in a folder, if not all of it is deleted or renamed. */
function belowOf(place: TouchedPath, words: ShellCommand["words"]): Below | undefined {
  const { how, isRecursive, onlyExisting, names, spares, isChosen, from } = place;
  if (how === "read" || onlyUntrackedByHabit(place, words)) return undefined;
  if (isChosen) return { isChosen };
  if (isRecursive && (onlyExisting || spares || how === "permissions")) return { names, spares };
  const isFilled = isRecursive && how === "write" && from !== undefined && (!place.ifFolder || landsInside(place));
  return isFilled && fileKind(from) === "folder" ? { from } : undefined;
}

/** `git clean -fd` in the whole project takes what is neither tracked nor ignored: which files these are is not looked up. */
function onlyUntrackedByHabit({ spares, onlyUntracked }: TouchedPath, words: ShellCommand["words"]): boolean {
  if (spares !== "tracked") return onlyUntracked !== undefined;
  const rest = words.slice(words.findIndex(({ text }) => text === "clean") + 1);
  return rest.every(({ text }) => /^-[^xX]*$/.test(text));
}

/** `cp other/* here`: each under its own name. */
function landedFiles(place: TouchedPath, search: Search): readonly TouchedFiles[] {
  const { path, fromPattern, isRecursive } = place;
  if (path === undefined || !fromPattern || !landsInside(place)) return [];
  return expand(fromPattern.path, fromPattern.pattern.split("/"), search).map((source): TouchedFiles => {
    const below = isRecursive && fileKind(source) === "folder" ? { from: source } : undefined;
    return { isWrite: true, files: [`${path}/${basename(source)}`], use: below ? "whole" : undefined, below };
  });
}

function isReadWhole(isRecursive: true | undefined, words: ShellCommand["words"]): boolean {
  const name = programName(words);
  return name === "zip" ? words.some(({ text }) => /^-\w*r|^--recurse/.test(text)) : isRecursive === true && !LISTS.has(name);
}

/** The files below a folder that `find` finds by their names. */
function foundBelow({ path, pattern }: GivenFile): readonly TouchedFiles[] {
  const cut = path === undefined || pattern !== undefined ? -1 : path.lastIndexOf("/");
  const name = pattern ?? path?.slice(cut + 1) ?? "";
  const start = pattern === undefined ? path?.slice(0, cut) || "/" : path;
  if (start === undefined || name === "" || name.includes("/")) return [];
  return [{ isWrite: false, files: [start], below: { names: [name] } }];
}

function entriesIn(folder: string, most = MAX_FILES): readonly Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true }).slice(0, most + 1);
  } catch {
    // Not there or no folder: nothing is found in it.
    return [];
  }
}

interface Search {
  left: number;
}

function filesOf({ path, pattern, tail }: Place, { cwd }: CallFacts, search: Search): readonly string[] {
  // Whatever stands before it, it may end here.
  if (path === undefined) return tail === undefined ? [] : [`${cwd}/${tail}`];
  return pattern === undefined ? [path] : expand(path, pattern.split("/"), search);
}

/** The files a pattern could mean: read from the disk, because a rule compares whole names. */
function expand(folder: string, [first, ...rest]: readonly string[], search: Search): readonly string[] {
  if (first === undefined) return [folder];
  if (first === "") return expand(folder, rest, search);
  // Where a link leads is found out later.
  if (first === "." || first === "..") return expand(`${folder}/${first}`, rest, search);
  if (search.left <= 0) return [];
  // Whatever the shell's options are: `nocaseglob` makes letters of both cases equal, and `globstar` makes `**` go through folders.
  const fits = compileWildcard(
    first
      .replaceAll(UNKNOWN, "*")
      .replace(/\[[^\]]*\]|\?/g, "*")
      .toLowerCase(),
  );
  const entries = namesIn(folder).slice(0, MAX_FILES);
  search.left -= entries.length + 1;
  const names = entries.filter((name) => fits(name.toLowerCase()));
  const deeper = first === "**" ? names.map((name) => expand(`${folder}/${name}`, [first, ...rest], search)) : [];
  const here = first === "**" ? expand(folder, rest, search) : [];
  return [here, ...deeper, ...names.map((name) => expand(`${folder}/${name}`, rest, search))].flat().slice(0, MAX_FILES);
}

const ASSIGNS = /(?<![\w$])([A-Za-z_]\w*)\+?=(?:"([^"]*)"|'([^']*)'|([^\s;&|()"'`]+))/g;

/** `HISTFILE=file; history -a`: what variables say is written, for every command that follows. The reading leaves out commands that only assign. */
export function assignedOutputs(text: string, { sets, data }: ShellReading): readonly string[] {
  if (sets.length === 0) return [];
  return [...text.matchAll(ASSIGNS)].flatMap(({ 1: name = "", 2: double, 3: single, 4: plain, index }) => {
    const isData = data.some(({ start, end }) => index >= start && index < end);
    return OUTPUT_VARIABLE.test(name) && !isData ? [double ?? single ?? plain ?? ""] : [];
  });
}
