import { createHash, randomUUID } from "node:crypto";
import {
  closeSync,
  constants,
  existsSync,
  fstatSync,
  lstatSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { createRequire, SourceMap } from "node:module";
import path from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import vm from "node:vm";
import { makePrivateFolder } from "../../state-files.ts";

const known = new Map<string, readonly SourceMap[]>();
const sources = new Map<string, readonly string[]>();

/** Errors thrown in `file` from now on name places of its source. */
function rememberMappings(file: string, mappings: readonly string[]): void {
  sources.set(file, mappings);
  known.delete(file);
}

/** Stack traces of this process name places of the source, not of what was made of it. */
export function useSourcePlaces(): void {
  Error.prepareStackTrace = (error, frames) => {
    const lines = frames.map((frame) => `\n    at ${sourceFrame(frame)}`);
    return `${headOf(error)}${lines.join("")}`;
  };
}

function headOf(error: Error): string {
  try {
    return String(error);
  } catch {
    // An error whose own text throws is still an error.
    return "Error";
  }
}

function sourceFrame(frame: NodeJS.CallSite): string {
  const file = frame.getFileName();
  const place =
    file === null || file === undefined ? undefined : sourcePlace(file, frame.getLineNumber() ?? 1, frame.getColumnNumber() ?? 1);
  const text = String(frame);
  return place === undefined ? text : text.replace(/:\d+:\d+(\)?)$/, (_, end: string) => `:${place}${end}`);
}

function sourcePlace(file: string, line: number, column: number): string | undefined {
  const mappings = sources.get(file);
  if (mappings === undefined) return undefined;
  const maps = known.get(file) ?? mappings.map((text) => new SourceMap({ ...EMPTY, mappings: text }));
  known.set(file, maps);
  let [row, column0] = [line - 1, column - 1];
  for (const map of maps) {
    const entry = map.findEntry(row, column0);
    if (!("originalLine" in entry)) return undefined;
    [row, column0] = [entry.originalLine, entry.originalColumn];
  }
  return `${row + 1}:${column0 + 1}`;
}

const EMPTY = { file: "", version: 3, sources: [""], sourcesContent: [], names: [], sourceRoot: "" };

/** A file that a specifier leads to; nothing for packages and Node's own modules. */
function fileOfSpecifier(specifier: string, importer: string): string | undefined {
  if (!/^(?:\.{0,2}\/|file:)/.test(specifier)) return undefined;
  const file = specifier.startsWith("file:")
    ? fileURLToPath(specifier)
    : path.resolve(path.dirname(importer), specifier.split("?")[0] ?? "");
  if (existsSync(file)) return file;
  // TypeScript code names its siblings by what they are compiled to.
  const source = file.replace(/\.([cm]?)js$/, ".$1ts");
  return existsSync(source) ? source : file;
}

/** The package that a file was installed with; nothing for a file of the project's own. */
function installedPackage(file: string): string | undefined {
  return /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+\//.exec(file)?.[0];
}

/** Whether a file is compiled and run by us; everything else is left to Node. `home`: the installed package that the hook belongs to. */
export function isOwnModule(file: string, home?: string | undefined): boolean {
  const installed = installedPackage(file);
  if (installed !== undefined && installed !== home) return false;
  if (/\.(?:mjs|m?ts)$/.test(file)) return true;
  return file.endsWith(".js") && isInModulePackage(path.dirname(file));
}

function isInModulePackage(folder: string): boolean {
  const manifest = path.join(folder, "package.json");
  if (existsSync(manifest)) return typeOf(manifest) === "module";
  const parent = path.dirname(folder);
  return parent !== folder && isInModulePackage(parent);
}

function typeOf(manifest: string): unknown {
  try {
    return (JSON.parse(readFileSync(manifest, "utf8")) as { type?: unknown }).type;
  } catch {
    // Node will say what is wrong with it as soon as it matters.
    return undefined;
  }
}

type Namespace = Record<string | symbol, unknown>;
type Import = (specifier: string) => Promise<Namespace>;

const importers = new Map<string, Import>();
const loaded = new Map<string, Namespace>();

/** What Node itself gives for an import that stands in `importer`. Node loads a module once, so what it gave is remembered. */
async function nativeImport(importer: string, specifier: string): Promise<Namespace> {
  const key = `${importer}\0${specifier}`;
  const known = loaded.get(key);
  if (known) return known;
  const namespace = await importOrOwn(importer, specifier);
  loaded.set(key, namespace);
  return namespace;
}

/** Code of people who have not installed the SDK, or hookloop, beside it finds ours. */
async function importOrOwn(importer: string, specifier: string): Promise<Namespace> {
  try {
    return await importerAt(importer)(specifier);
  } catch (thrown) {
    const isOwn =
      /^(?:@hookloop\/sdk|hookloop)(?:\/|$)/.test(specifier) && (thrown as NodeJS.ErrnoException).code === "ERR_MODULE_NOT_FOUND";
    if (!isOwn) throw thrown;
    return (await import(specifier)) as Namespace;
  }
}

function importerAt(file: string): Import {
  const known = importers.get(file);
  if (known) return known;
  const script = new vm.Script("(specifier) => import(specifier)", {
    filename: file,
    importModuleDynamically: vm.constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
  });
  const made = script.runInThisContext() as Import;
  importers.set(file, made);
  return made;
}

/** Node calls what imports are done with here experimental; that does not concern whoever reads the hook's stderr. */
export function hushLoader(): void {
  const { emitWarning } = process;
  process.emitWarning = ((warning: string | Error, ...rest: never[]): void => {
    if (!String(warning).includes("USE_MAIN_CONTEXT_DEFAULT_LOADER")) emitWarning.call(process, warning, ...rest);
  }) as typeof process.emitWarning;
}

// Compiled files between runs, found by the content of their source.
// Refuses: a folder or a file that others could have written, and a file that is not what was stored.

interface CompileCache {
  get(key: string): CompiledFile | undefined;
  set(key: string, file: CompiledFile): void;
}

/** Without a folder, or with one that is not ours alone, nothing is kept. */
function openCompileCache(folder: string | undefined): CompileCache {
  if (folder === undefined || !isOurs(folder)) return { get: () => undefined, set: () => {} };
  const fileOf = (key: string): string => path.join(folder, `${key}.json`);
  return { get: (key) => readEntry(fileOf(key)), set: (key, file) => writeEntry(fileOf(key), file) };
}

/** SECURITY: `makePrivateFolder` would take over an open folder of ours; what lies in it may have been planted. */
function isOurs(folder: string): boolean {
  try {
    makePrivateFolder(folder);
    const { uid } = lstatSync(folder);
    return uid === process.getuid?.();
  } catch {
    // No place to keep it: the next run compiles again.
    return false;
  }
}

/** SECURITY: opened once and never followed; everything is asked of what was opened. */
function readEntry(file: string): CompiledFile | undefined {
  try {
    const fd = openSync(file, constants.O_RDONLY | constants.O_NOFOLLOW);
    try {
      const { uid, mode } = fstatSync(fd);
      if (uid !== process.getuid?.() || (mode & 0o077) !== 0) return undefined;
      const [digest, text] = split(readFileSync(fd, "utf8"));
      return digest === digestOf(text) ? (JSON.parse(text) as CompiledFile) : undefined;
    } finally {
      closeSync(fd);
    }
  } catch {
    // Not there, or not readable: it is compiled.
    return undefined;
  }
}

function writeEntry(file: string, compiled: CompiledFile): void {
  const temporary = `${file}.${randomUUID()}`;
  const text = JSON.stringify(compiled);
  try {
    writeFileSync(temporary, `${digestOf(text)}\n${text}`, { mode: 0o600, flag: "wx" });
    renameSync(temporary, file);
  } catch {
    // A full disk must not keep a hook from running.
    rmSync(temporary, { force: true });
  }
}

function split(stored: string): readonly [digest: string, text: string] {
  const end = stored.indexOf("\n");
  return [stored.slice(0, Math.max(end, 0)), stored.slice(end + 1)];
}

function digestOf(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

// Takes a JavaScript or TypeScript file; gives it as a function body that `ModuleGraph` can run as often as it likes.
// Refuses: syntax errors, with their place.

/** What compiled code depends on besides its source; a test compares it with package.json. */
export const COMPILER = "oxc-transform@0.151.0, 1";

type Compile = (file: string, source: string) => Promise<CompiledFile>;

/** A compiler that remembers what it made in `cacheFolder`. */
export function createCompiler(cacheFolder: string | undefined): Compile {
  let cache: CompileCache | undefined;
  return async (file, source) => {
    cache ??= openCompileCache(cacheFolder);
    const key = createHash("sha256")
      .update(`${COMPILER}\n${path.extname(file)}\n${source}`)
      .digest("hex");
    const known = cache.get(key);
    if (known) return known;
    const compiled = await compile(file, source);
    cache.set(key, compiled);
    return compiled;
  };
}

/** Loading the compiler takes ten milliseconds: not needed where the files are known. */
async function compile(file: string, source: string): Promise<CompiledFile> {
  const { transformSync, moduleRunnerTransformSync } = await import("oxc-transform");
  const isTypeScript = /\.[cm]?tsx?$/.test(file);
  const script = source.replace(/^#!.*/, "");
  const plain = isTypeScript ? checked(file, script, transformSync(file, script, { sourcemap: true })) : undefined;
  const body = checked(
    file,
    script,
    moduleRunnerTransformSync(file.replace(/ts(x?)$/, "js$1"), plain?.code ?? script, { sourcemap: true }),
  );
  return { code: body.code, mappings: [body, plain].flatMap((step) => step?.map?.mappings ?? []) };
}

interface Compiled {
  readonly code: string;
  readonly errors: readonly { readonly message: string; readonly labels: readonly { readonly start: number }[] }[];
  readonly map?: { readonly mappings: string };
}

function checked<Result extends Compiled>(file: string, source: string, result: Result): Result {
  const [error] = result.errors;
  if (!error) return result;
  const thrown = new SyntaxError(`${error.message} (${path.basename(file)}${placeIn(source, error.labels[0]?.start)})`);
  // Where we noticed it is of no use to anybody.
  thrown.stack = String(thrown);
  throw thrown;
}

function placeIn(source: string, offset: number | undefined): string {
  if (offset === undefined) return "";
  const before = source.slice(0, offset).split("\n");
  return `:${before.length}:${(before.at(-1)?.length ?? 0) + 1}`;
}

// Runs compiled files: their relative imports are compiled and run the same way, packages are left to Node.
// A graph is one evaluation: another graph of the same files runs their top-level code again, with the same compiled functions.

type Body = (...names: readonly unknown[]) => Promise<void>;

const PARAMETERS = [
  "__vite_ssr_import__",
  "__vite_ssr_dynamic_import__",
  "__vite_ssr_exports__",
  "__vite_ssr_exportAll__",
  "__vite_ssr_import_meta__",
].join(", ");

const { USE_MAIN_CONTEXT_DEFAULT_LOADER } = vm.constants;

interface Evaluation {
  readonly exports: Namespace;
  done: Promise<unknown>;
}

/** Compiled functions, as long as their files stay what they are. */
export class ModuleSources {
  readonly #compile: Compile;
  readonly #prepared = new Map<string, { readonly stamp: string; readonly body: Body }>();

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

interface CompiledFile {
  readonly code: string;
  /** Mappings back to the source, the last step first. */
  readonly mappings: readonly string[];
}
