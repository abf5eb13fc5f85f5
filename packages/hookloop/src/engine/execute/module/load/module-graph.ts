// Runs compiled files: their relative imports are compiled and run the same way, packages are left to Node.
// A graph is one evaluation: another graph of the same files runs their top-level code again, with the same compiled functions.
import { readFileSync, statSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { pathToFileURL } from "node:url";
import vm from "node:vm";
import type { Compile } from "./compile.ts";
import { type Namespace, nativeImport } from "./native-import.ts";
import { fileOfSpecifier, installedPackage, isOwnModule } from "./resolve-file.ts";
import { rememberMappings } from "./source-places.ts";

type Body = (...names: readonly unknown[]) => Promise<void>;

const PARAMETERS = [
  "__vite_ssr_import__",
  "__vite_ssr_dynamic_import__",
  "__vite_ssr_exports__",
  "__vite_ssr_exportAll__",
  "__vite_ssr_import_meta__",
].join(", ");

const { USE_MAIN_CONTEXT_DEFAULT_LOADER } = vm.constants;

interface Prepared {
  readonly stamp: string;
  readonly body: Body;
}

interface Evaluation {
  readonly exports: Namespace;
  done: Promise<unknown>;
}

/** Compiled functions, as long as their files stay what they are. */
export class ModuleSources {
  readonly #compile: Compile;
  readonly #prepared = new Map<string, Prepared>();

  constructor(compile: Compile) {
    this.#compile = compile;
  }

  /** Every file that was read, and what it was like. */
  get stamps(): readonly (readonly [file: string, stamp: string])[] {
    return [...this.#prepared].map(([file, { stamp }]) => [file, stamp]);
  }

  async body(file: string): Promise<Body> {
    const stamp = stampOf(file);
    const known = this.#prepared.get(file);
    if (known && known.stamp === stamp) return known.body;
    const { code, mappings } = await this.#compile(file, readFileSync(file, "utf8"));
    rememberMappings(file, mappings);
    const body = new vm.Script(`(async function (${PARAMETERS}) {"use strict";\n${code}\n})`, {
      filename: file,
      lineOffset: -1,
      importModuleDynamically: USE_MAIN_CONTEXT_DEFAULT_LOADER,
    }).runInThisContext() as Body;
    this.#prepared.set(file, { stamp, body });
    return body;
  }
}

/** What tells one content of a file from another without reading it. */
export function stampOf(file: string): string {
  const { mtimeMs, ctimeMs, size, ino } = statSync(file);
  return `${mtimeMs},${ctimeMs},${size},${ino}`;
}

export class ModuleGraph {
  readonly #sources: ModuleSources;
  readonly #evaluations = new Map<string, Evaluation>();
  /** A hook of a pack is run like every other, with all files of its package. */
  #home: string | undefined;

  constructor(sources: ModuleSources) {
    this.#sources = sources;
  }

  /** The exports of a file. */
  import(file: string): Promise<Namespace> {
    this.#home = installedPackage(file);
    return isOwnModule(file, this.#home) ? this.#evaluate(file, []) : nativeImport(file, pathToFileURL(file).href);
  }

  async #evaluate(file: string, importers: readonly string[]): Promise<Namespace> {
    const known = this.#evaluations.get(file);
    if (known) {
      // A circle: what is there so far is all there can be.
      if (!importers.includes(file)) await known.done;
      return known.exports;
    }
    const exports: Namespace = Object.defineProperty(Object.create(null), Symbol.toStringTag, { value: "Module" });
    const evaluation: Evaluation = { exports, done: Promise.resolve() };
    this.#evaluations.set(file, evaluation);
    evaluation.done = this.#run(file, exports, [...importers, file]);
    await evaluation.done;
    return exports;
  }

  async #run(file: string, exports: Namespace, importers: readonly string[]): Promise<void> {
    const body = await this.#sources.body(file);
    const load = (specifier: string, { importedNames = [] }: { importedNames?: readonly string[] } = {}): Promise<Namespace> =>
      this.#load(String(specifier), { file, importers, importedNames });
    await body(load, load, exports, (other: Namespace) => exportAll(exports, other), metaOf(file));
  }

  async #load(specifier: string, { file, importers, importedNames }: Importing): Promise<Namespace> {
    const found = fileOfSpecifier(specifier, file);
    if (found?.endsWith(".json")) return { default: JSON.parse(readFileSync(found, "utf8")) };
    if (found !== undefined && isOwnModule(found, this.#home)) return this.#evaluate(found, importers);
    const namespace = await nativeImport(file, found === undefined ? specifier : pathToFileURL(found).href);
    const missing = importedNames.find((name) => !(name in namespace));
    if (missing !== undefined) throw new SyntaxError(`${specifier} has no export named "${missing}" (imported by ${path.basename(file)})`);
    return namespace;
  }
}

interface Importing {
  readonly file: string;
  readonly importers: readonly string[];
  readonly importedNames: readonly string[];
}

function exportAll(exports: Namespace, other: Namespace): void {
  for (const name of Object.keys(other)) {
    if (name === "default" || name in exports) continue;
    Object.defineProperty(exports, name, { enumerable: true, configurable: true, get: () => other[name] });
  }
}

function metaOf(file: string): object {
  const { href } = pathToFileURL(file);
  const resolve = (specifier: string): string => {
    const found = fileOfSpecifier(specifier, file) ?? createRequire(file).resolve(specifier);
    return path.isAbsolute(found) ? pathToFileURL(found).href : found;
  };
  return { url: href, filename: file, dirname: path.dirname(file), resolve };
}
