import { readFileSync, statSync } from "node:fs";
import path from "node:path";

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
}

const LARGEST_FILE = 256 * 1024;
const DEEPEST_INCLUDE = 5;
/** `@path` on a line of its own or after a blank, as in "See @docs/style.md". */
const INCLUDE = /(?:^|\s)@((?:~\/|\.{0,2}\/)?[\w./-]+\.\w+)/g;

/** CLAUDE.md files: those of policy, of the user, of the folders from the top down to the project, and the project's local one. */
export function loadInstructions({ cwd, home, managedRoot }: InstructionPlaces): readonly Instructions[] {
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
  return places.flatMap(([file, type]) => load(file, type, { home, seen, depth: 0 }));
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
}

function load(file: string, memory_type: Instructions["memory_type"], loading: Loading): readonly Instructions[] {
  const { home, seen, depth, parent } = loading;
  if (depth > DEEPEST_INCLUDE || seen.has(file)) return [];
  const text = readIfThere(file);
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
    return load(target, memory_type, { home, seen, depth: depth + 1, parent: file });
  });
  return [own, ...included];
}

function readIfThere(file: string): string | undefined {
  try {
    const info = statSync(file);
    return info.isFile() && info.size <= LARGEST_FILE ? readFileSync(file, "utf8") : undefined;
  } catch {
    // Most of the places have no file.
    return undefined;
  }
}
