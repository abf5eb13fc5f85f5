import vm from "node:vm";

export type Namespace = Record<string | symbol, unknown>;
type Import = (specifier: string) => Promise<Namespace>;

const importers = new Map<string, Import>();
const loaded = new Map<string, Namespace>();

/** What Node itself gives for an import that stands in `importer`. Node loads a module once, so what it gave is remembered. */
export async function nativeImport(importer: string, specifier: string): Promise<Namespace> {
  const key = `${importer}\0${specifier}`;
  const known = loaded.get(key);
  if (known) return known;
  const namespace = await importOrOwn(importer, specifier);
  loaded.set(key, namespace);
  return namespace;
}

/** Hooks of people who have not installed the SDK beside them find ours. */
async function importOrOwn(importer: string, specifier: string): Promise<Namespace> {
  try {
    return await importerAt(importer)(specifier);
  } catch (thrown) {
    const isOwn = /^@hookloop\/sdk(?:\/|$)/.test(specifier) && (thrown as NodeJS.ErrnoException).code === "ERR_MODULE_NOT_FOUND";
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

/** Node calls what imports are done with here experimental; that is our business, not that of who reads the hook's stderr. */
export function hushLoader(): void {
  const { emitWarning } = process;
  process.emitWarning = ((warning: string | Error, ...rest: never[]): void => {
    if (!String(warning).includes("USE_MAIN_CONTEXT_DEFAULT_LOADER")) emitWarning.call(process, warning, ...rest);
  }) as typeof process.emitWarning;
}
