import path from "node:path";
import {
  insideFolders,
  insideProject,
  isInside,
  type ProjectPlace,
  projectRoot,
  type ReadFile,
  readWithin,
  type Within,
} from "../permissions/index.ts";
import { type Definition, skillFolder } from "./definitions.ts";

export interface Instructions {
  readonly file_path: string;
  readonly memory_type: "User" | "Project" | "Local" | "Managed";
  readonly load_reason: "session_start" | "include";
  readonly parent_file_path?: string | undefined;
  readonly text: string;
}

interface InstructionPlaces extends ProjectPlace {
  readonly managedRoot: string;
  /** Called for a file that exists and is not used. */
  readonly onProblem: (text: string) => void;
}

const LARGEST_FILE = 256 * 1024;
const DEEPEST_INCLUDE = 5;
/** Files with instructions, includes and all. */
const MOST_FILES = 200;
/** `@path` on a line of its own or after a blank, as in "See @docs/style.md". */
const INCLUDE = /(?:^|\s)@((?:~\/|\.{0,2}\/)?[\w./-]+\.\w+)/g;

/** CLAUDE.md files: those of policy, of the user, of the folders from the top down to the project, and the project's local one. */
export function loadInstructions({ cwd, home, env, managedRoot, onProblem }: InstructionPlaces): readonly Instructions[] {
  const common = { home, seen: new Set<string>(), said: new Set<string>(), depth: 0, onProblem };
  const own = (file: string, type: Instructions["memory_type"]): readonly Instructions[] => load(file, type, common);
  const inProject = insideProject({ cwd, home, env });
  const root = projectRoot(cwd, home);
  return [
    ...own(path.join(managedRoot, "CLAUDE.md"), "Managed"),
    ...own(path.join(home, ".claude", "CLAUDE.md"), "User"),
    ...projectFolders(cwd, home).flatMap((folder) => {
      // A folder above the project may belong to any user: /tmp, a share.
      const bounds = isInside(root, folder) ? { within: inProject } : { within: insideFolders([folder]), isAbove: true };
      const at = (name: string, type: Instructions["memory_type"]): readonly Instructions[] =>
        load(path.join(folder, name), type, { ...common, ...bounds });
      return [...at("CLAUDE.md", "Project"), ...at(path.join(".claude", "CLAUDE.md"), "Project"), ...at("CLAUDE.local.md", "Local")];
    }),
  ];
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
  /** Reported as not used: other files may include it as well. */
  readonly said: Set<string>;
  readonly depth: number;
  readonly parent?: string;
  /** SECURITY: where the file and all it includes must really be. Only the user's own files and those of policy may be anywhere. */
  readonly within?: Within;
  readonly isAbove?: boolean;
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

/** Most places have no file, and most words after an @ are no files; a file that cannot be used is reported. */
function readIfThere(file: string, loading: Loading): string | undefined {
  const found = readWithin(file, { within: loading.within, limit: LARGEST_FILE });
  if (found.kind === "missing") return undefined;
  const problem = found.kind === "read" ? refusalOf(found.uid, loading) : problemOf(found);
  if (problem === undefined && found.kind === "read") return found.bytes.toString();
  const by = loading.parent === undefined ? "" : `${loading.parent} includes them, and `;
  if (!loading.said.has(file)) loading.onProblem(`The instructions in ${file} are not used: ${by}${problem}.`);
  loading.said.add(file);
  return undefined;
}

function problemOf(found: Exclude<ReadFile, { kind: "read" | "missing" }>): string {
  if (found.kind === "outside") return `they lead outside of the project, to ${found.target}. Copy the file into the project`;
  if (found.kind === "too-large") return `it has ${found.size} bytes, and at most ${LARGEST_FILE} are read. Make it shorter, or split it`;
  return found.why;
}

function refusalOf(uid: number, { depth, isAbove }: Loading): string | undefined {
  if (depth > DEEPEST_INCLUDE) return `they are included ${depth} files deep, and ${DEEPEST_INCLUDE} is the most`;
  // SECURITY: another user of the machine could put a file into a shared folder above every project below it.
  const own = process.getuid?.();
  if (isAbove && own !== undefined && uid !== own && uid !== 0) return "the file lies above the project and belongs to another user";
  return undefined;
}

/** By its name or by that of its folder. */
export function findSkill(skills: ReadonlyMap<string, Definition>, name: string): Definition | undefined {
  return skills.get(name) ?? [...skills.values()].find((skill) => skillFolder(skill) === name);
}

export function isOff(value: unknown): boolean {
  return value === false || (typeof value === "string" && /^(?:false|no|off)$/i.test(value.trim()));
}

export function isOn(value: unknown): boolean {
  return value === true || (typeof value === "string" && /^(?:true|yes|on)$/i.test(value.trim()));
}

/** What the model is given of a skill or command. */
export function definitionText(
  { kind, file, body }: Definition,
  { args, sessionId }: { readonly args: string; readonly sessionId: string },
): string {
  const folder = path.dirname(file);
  if (kind !== "skills") return fillArguments(body, args, { CLAUDE_SESSION_ID: sessionId });
  const values = { CLAUDE_SKILL_DIR: folder, CLAUDE_SESSION_ID: sessionId };
  return `Base directory for this skill: ${folder}\n\n${fillArguments(body, args, values)}`;
}

const PLACES = /\$\{(\w+)\}|\$ARGUMENTS\[(\d+)\]|\$ARGUMENTS(?!\w)|\$(\d+)(?!\w)/g;

/**
 * `$ARGUMENTS` is everything after the name; `$0` and `$ARGUMENTS[0]` its first word, in the quotes of a shell. A place for a word that
 * was not typed stays as it is, and a text without any place gets the arguments at its end.
 */
function fillArguments(body: string, args: string, values: Readonly<Record<string, string>>): string {
  const words = wordsOf(args);
  let isUsed = false;
  const text = body.replace(PLACES, (place, name?: string, listed?: string, numbered?: string) => {
    if (name !== undefined) return Object.hasOwn(values, name) ? (values[name] ?? place) : place;
    isUsed = true;
    const index = listed ?? numbered;
    return index === undefined ? args : (words[Number(index)] ?? place);
  });
  return isUsed || args === "" ? text : `${text}\n\nARGUMENTS: ${args}`;
}

/** Words as a shell would split them; what was typed is a sentence, so a quote that nothing closes is an apostrophe. */
function wordsOf(text: string): readonly string[] {
  const words = text.match(/(?:"(?:[^"\\]|\\.)*"|'[^']*'|\S)+/gs) ?? [];
  return words.map((word) =>
    word.replace(
      /"((?:[^"\\]|\\.)*)"|'([^']*)'/gs,
      (_, double?: string, single?: string) => single ?? (double ?? "").replace(/\\(.)/gs, "$1"),
    ),
  );
}
