import { readFileSync } from "node:fs";
import Module, { createRequire } from "node:module";
import path from "node:path";
import vm from "node:vm";
import { createCompiler, hushLoader, isOwnModule, ModuleGraph, ModuleSources, stampOf, useSourcePlaces } from "../../module/load/index.ts";

export type LoadScript = (file: string) => Promise<unknown> | undefined;

/** Runs the top-level code of a script again and again, compiled once. */
export function createScriptLoader(cacheFolder: string | undefined): LoadScript {
  const sources = new ModuleSources(createCompiler(cacheFolder));
  const wrappers = new Map<string, { readonly stamp: string; readonly wrapper: Wrapper }>();
  useSourcePlaces();
  hushLoader();
  return (file) => {
    if (isOwnModule(file)) return new ModuleGraph(sources).import(file);
    const stamp = stampOf(file);
    const known = wrappers.get(file);
    const wrapper = known?.stamp === stamp ? known.wrapper : compileCommonJs(file);
    wrappers.set(file, { stamp, wrapper });
    runCommonJs(file, wrapper);
    return undefined;
  };
}

type Wrapper = (exports: unknown, require: NodeJS.Require, module: unknown, filename: string, dirname: string) => void;

function compileCommonJs(file: string): Wrapper {
  const source = readFileSync(file, "utf8").replace(/^#!.*/, "");
  const script = new vm.Script(Module.wrap(source), {
    filename: file,
    columnOffset: -Module.wrap("").indexOf("\n"),
    importModuleDynamically: vm.constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
  });
  return script.runInThisContext() as Wrapper;
}

/** `require.main === module` holds for it, as in a process of its own. */
function runCommonJs(file: string, wrapper: Wrapper): void {
  const module = Object.assign(new Module(file), { filename: file, paths: [] });
  const require = createRequire(file);
  Object.defineProperty(require, "main", { value: module });
  wrapper.call(module.exports, module.exports, require, module, file, path.dirname(file));
  module.loaded = true;
}
