// Takes the text of a script or command line of the user's; gives the code of the project that it names, wherever in the text. It rather
// finds too much: a word that is a program of the project, in the text of a hook that runs in every project, is worth a question.
import { readdirSync } from "node:fs";
import path from "node:path";
import { importsOf, wordsOf } from "../loaded/words.ts";
import { isInside, realPath } from "./examine-hook.ts";
import { realProgram } from "./find-program.ts";
import { lookAt } from "./hash-file.ts";

export interface NamedIn {
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
