import { existsSync, readFileSync, statSync } from "node:fs";
import path from "node:path";
import { isInFolders } from "../../permissions/index.ts";

/** One file of instructions for the model, as InstructionsLoaded tells it. */
export interface Instructions {
  readonly file_path: string;
  readonly memory_type: "User" | "Project" | "Local" | "Managed";
  readonly load_reason: "session_start" | "include";
  readonly parent_file_path?: string | undefined;
  readonly text: string;
}

export interface InstructionPlaces {
  readonly cwd: string;
  readonly home: string;
  readonly managedRoot: string;
  /** Hears of a file that is there and not used. */
  readonly onProblem: (text: string) => void;
}

const LARGEST_FILE = 256 * 1024;
const DEEPEST_INCLUDE = 5;
/** Files with instructions, includes and all. */
const MOST_FILES = 200;
/** `@path` on a line of its own or after a blank, as in "See @docs/style.md". */
const INCLUDE = /(?:^|\s)@((?:~\/|\.{0,2}\/)?[\w./-]+\.\w+)/g;

/** CLAUDE.md files: those of policy, of the user, of the folders from the top down to the project, and the project's local one. */
export function loadInstructions({ cwd, home, managedRoot, onProblem }: InstructionPlaces): readonly Instructions[] {
  const seen = new Set<string>();
  const places: readonly (readonly [string, Instructions["memory_type"]])[] = [
    [path.join(managedRoot, "CLAUDE.md"), "Managed"],
    [path.join(home, ".claude", "CLAUDE.md"), "User"],
    ...projectFolders(cwd, home).flatMap((folder): (readonly [string, Instructions["memory_type"]])[] => [
      [path.join(folder, "CLAUDE.md"), "Project"],
      [path.join(folder, ".claude", "CLAUDE.md"), "Project"],
      [path.join(folder, "CLAUDE.local.md"), "Local"],
    ]),
  ];
  const checkout = checkoutOf(cwd);
  return places.flatMap(([file, type]) => {
    const within = type === "Project" || type === "Local" ? checkout : undefined;
    return load(file, type, { home, seen, depth: 0, onProblem, within });
  });
}

/** The folder that git keeps, or the project's own. */
function checkoutOf(cwd: string): string {
  for (let folder = cwd; path.dirname(folder) !== folder; folder = path.dirname(folder)) {
    if (existsSync(path.join(folder, ".git"))) return folder;
  }
  return cwd;
}

/** The project's folder and those above it, the outermost first; the home folder has its own file. */
function projectFolders(cwd: string, home: string): readonly string[] {
  const folders: string[] = [];
  for (let folder = cwd; ; folder = path.dirname(folder)) {
    if (folder !== home) folders.unshift(folder);
    if (path.dirname(folder) === folder) return folders;
  }
}

interface Loading {
  readonly home: string;
  readonly seen: Set<string>;
  readonly depth: number;
  readonly parent?: string;
  /** SECURITY: files of a project include only what lies in its checkout: it must not read the home folder into the conversation. */
  readonly within: string | undefined;
  readonly onProblem: (text: string) => void;
}

function load(file: string, memory_type: Instructions["memory_type"], loading: Loading): readonly Instructions[] {
  const { home, seen, depth, parent } = loading;
  if (seen.has(file) || seen.size > MOST_FILES) return [];
  if (seen.size === MOST_FILES) {
    seen.add(file);
    loading.onProblem(`${file} and further instructions are not used: ${MOST_FILES} files were read already. Include fewer.`);
    return [];
  }
  const text = readIfThere(file, loading);
  if (text === undefined) return [];
  seen.add(file);
  const own: Instructions = {
    file_path: file,
    memory_type,
    load_reason: parent === undefined ? "session_start" : "include",
    ...(parent !== undefined && { parent_file_path: parent }),
    text,
  };
  const included = [...text.replace(/```[\s\S]*?```|`[^`]*`/g, "").matchAll(INCLUDE)].flatMap(([, name = ""]) => {
    const target = name.startsWith("~/") ? path.join(home, name.slice(2)) : path.resolve(path.dirname(file), name);
    return load(target, memory_type, { ...loading, depth: depth + 1, parent: file });
  });
  return [own, ...included];
}

/** Most of the places have no file, and most words after an @ are no files; what is there and cannot be used is said. */
function readIfThere(file: string, loading: Loading): string | undefined {
  try {
    const info = statSync(file, { throwIfNoEntry: false });
    const problem = info?.isFile() ? problemOf(file, info.size, loading) : undefined;
    if (problem !== undefined) loading.onProblem(`The instructions in ${file} are not used: ${problem}.`);
    return info?.isFile() && problem === undefined ? readFileSync(file, "utf8") : undefined;
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code !== "ENOTDIR") loading.onProblem(`The instructions in ${file} are not used: ${message}.`);
    return undefined;
  }
}

function problemOf(file: string, size: number, { depth, parent, within }: Loading): string | undefined {
  if (size > LARGEST_FILE) return `it has ${size} bytes, and at most ${LARGEST_FILE} are read. Make it shorter, or split it`;
  if (depth > DEEPEST_INCLUDE) return `${parent} includes it ${depth} files deep, and ${DEEPEST_INCLUDE} is the most`;
  if (parent !== undefined && within !== undefined && !isInFolders(file, [within]))
    return `${parent} includes it, and it lies outside ${within}`;
  return undefined;
}
