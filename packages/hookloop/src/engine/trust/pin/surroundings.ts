// What is loaded without being named: modules beside a Python script, and what a package.json says about the JavaScript files below it.
import { type Dirent, readdirSync } from "node:fs";
import path from "node:path";
import { canonicalJson } from "../../../config/index.ts";
import { type HashedFile, lookAt } from "./hash-file.ts";

/** What Python takes for a module: source, compiled, or a library. */
const MODULE = /\.(?:py|pyw|pyc|pyo|so|pyd|dylib)$/i;
/** More than this in one folder is not looked through. */
const MAX_ENTRIES = 2000;

export interface Modules {
  /** Relative to the folder, sorted: `json.py`, `json/__init__.pyc`. */
  readonly names: readonly string[];
  /** Folders whose listing decides. */
  readonly folders: readonly string[];
  readonly isTooMany: boolean;
}

/** What Python would find first in a folder. */
export function modulesIn(folder: string): Modules {
  const entries = list(folder);
  if (entries.length > MAX_ENTRIES) return { names: [], folders: [folder], isTooMany: true };
  const inside = entries
    .filter((entry) => /^[A-Za-z_]\w*$/.test(entry.name) && !entry.isFile() && entry.name !== "__pycache__")
    .map((entry) => ({ name: entry.name, entries: list(path.join(folder, entry.name)) }));
  const names = [
    ...entries.filter((entry) => !entry.isDirectory() && MODULE.test(entry.name)).map(({ name }) => name),
    ...inside.flatMap((one) =>
      one.entries.filter(({ name }) => /^__init__\./.test(name) && MODULE.test(name)).map(({ name }) => `${one.name}/${name}`),
    ),
  ];
  return { names: names.sort(), folders: [folder, ...inside.map(({ name }) => path.join(folder, name))], isTooMany: false };
}

/** Compiled code that Python would take for a source file, and the folder it would be in. */
export function compiledOf(source: string): { readonly folder: string; readonly files: readonly string[] } {
  const folder = path.join(path.dirname(source), "__pycache__");
  const stem = `${path.basename(source).replace(/\.\w+$/, "")}.`;
  const files = list(folder).filter(({ name }) => name.startsWith(stem) && MODULE.test(name));
  return { folder, files: files.map(({ name }) => path.join(folder, name)) };
}

/** Every module of a package, however deep; nothing if there are too many. */
export function modulesBelow(folder: string): readonly string[] | undefined {
  const found: string[] = [];
  const waiting = [folder];
  let seen = 0;
  for (let at = waiting.pop(); at !== undefined; at = waiting.pop())
    for (const entry of list(at)) {
      seen += 1;
      if (seen > MAX_ENTRIES) return undefined;
      const file = path.join(at, entry.name);
      // A linked folder could lead round in circles.
      if (entry.isDirectory()) waiting.push(file);
      else if (MODULE.test(entry.name)) found.push(file);
    }
  return found.sort();
}

function list(folder: string): readonly Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    // No folder, or not ours to look into: then nothing is loaded from it either.
    return [];
  }
}

/** Files that say how an interpreter reads a script, by name. */
const CONFIGURATION: Readonly<Record<string, readonly string[]>> = {
  bun: ["package.json", "tsconfig.json", "bunfig.toml", ".env", ".env.local"],
  deno: ["package.json", "deno.json", "deno.jsonc"],
};

/** The files that decide how a JavaScript file is read: per name, from its own folder up to the last one that counts. */
export function configurationOf(script: string, program: string, top: string): readonly (readonly string[])[] {
  // Node looks at nothing but the name of these.
  if (/\.[cm][jt]s$/.test(script) && CONFIGURATION[program] === undefined) return [];
  const folders: string[] = [];
  for (let at = path.dirname(script); ; at = path.dirname(at)) {
    folders.push(at);
    if (at === top || at === path.dirname(at)) break;
  }
  return (CONFIGURATION[program] ?? ["package.json"]).map((name) => folders.map((folder) => path.join(folder, name)));
}

/** The nearest of them that is there. */
export function nearestOf(files: readonly string[]): string | undefined {
  return files.find((file) => lookAt(file).kind === "file");
}

const DECISIVE: readonly string[] = ["type", "name", "imports", "exports"];

/** What of a configuration counts. Installing packages changes a package.json, but not how a script is read. */
export function factsOf(file: string, { text, sha256 }: HashedFile): unknown {
  if (path.basename(file) !== "package.json" || text === undefined) return sha256;
  // SECURITY: where two readers of JSON could see different things, all of it counts.
  if (text.includes("\\u") || text.includes("\\/") || (text.match(/"type"\s*:\s*"(?:module|commonjs)"/g) ?? []).length > 1) return sha256;
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value !== "object" || value === null || Array.isArray(value)) return sha256;
    return canonicalJson(Object.fromEntries(Object.entries(value).filter(([name]) => DECISIVE.includes(name))));
  } catch {
    // No JSON: Node refuses it, or reads it in a way of its own.
    return sha256;
  }
}
