import path from "node:path";
import type { Examination } from "./examine-hook.ts";
import { type Look, lookAt } from "./hash-file.ts";
import { importedModules } from "./loads-others.ts";
import { STANDARD_MODULES } from "./python-modules.ts";
import { compiledOf, modulesBelow, modulesIn } from "./surroundings.ts";

/** What of a hook's pins is added to here. */
interface ModulePins {
  readonly look: Look;
  readonly examination: Examination;
  readonly projectRoot: string;
  readonly cwd: string;
  readonly implied: Set<string>;
  readonly unresolved: Set<string>;
  readonly surroundings: Record<string, unknown>;
  readonly moduleFolders: Set<string>;
  readonly foreign: Set<string>;
}

export interface PythonCode {
  /** For people, and for the record. */
  readonly name: string;
  /** Pins the bytes of a file; gives its text if it is new. */
  readonly pin: (file: string) => string | undefined;
  /** Where Python looks for modules first. */
  readonly folder: string;
  readonly text: string;
  /** The file it is in; absent for code of the command line. */
  readonly script?: string | undefined;
  /** A hook of the user, and a folder of the project. */
  readonly isForeign: boolean;
}

/**
 * SECURITY: a file of this folder is loaded in place of a module of the language, also if only the language itself asks for it, and also if
 * it appears later. Which there are counts always. Their bytes count in a folder of the hook's own, and of what is imported by name; the
 * other modules of a project's root change with every day's work.
 */
export function pinModules(pinning: ModulePins, { folder, text, script, name: shown, pin, isForeign }: PythonCode): void {
  const { look, implied, unresolved, surroundings, moduleFolders, foreign } = pinning;
  const name = `modules in ${shown}`;
  const { names, folders, isTooMany } = look.remember(`modules ${folder}`, () => modulesIn(folder));
  for (const one of folders) implied.add(one);
  if (isTooMany) return void unresolved.add(`${name}: too many entries to look through`);
  const counted = script === undefined ? names.filter(isLoadedBy(text)) : names;
  if (script !== undefined || counted.length > 0) surroundings[name] = counted;
  // SECURITY: the user's own hook would run a module of whatever project it is in.
  if (isForeign) for (const one of counted) foreign.add(`Python loads ${one} of the project`);
  const isRoot = folder === pinning.projectRoot || folder === pinning.cwd || folder === pinning.examination.place.home;
  if (script !== undefined && !isRoot) moduleFolders.add(folder);
  const waiting = [...importedModules(text), ...(script !== undefined && isRoot ? [] : counted.map(moduleName))];
  const seen = new Set<string>();
  for (let module = waiting.pop(); module !== undefined; module = waiting.pop()) {
    if (seen.has(module)) continue;
    seen.add(module);
    waiting.push(...pinModule(pinning, { folder, module, names, script, pin }));
  }
}

/**
 * Which modules of a folder code without a script can load: what it imports, and what the language itself asks for. A package that is
 * installed may ask for any.
 */
function isLoadedBy(code: string): (name: string) => boolean {
  const imported = [...importedModules(code), ...[...code.matchAll(/(?:^|\n)-[a-zA-Z]*m\n?(\w+)/g)].map(([, name = ""]) => name)];
  if (/\b(?:__import__|importlib|runpy|pkgutil)\b/.test(code) || imported.some((name) => !STANDARD_MODULES.has(name))) return () => true;
  return (name) => STANDARD_MODULES.has(moduleName(name));
}

interface Module {
  readonly folder: string;
  readonly module: string;
  readonly names: readonly string[];
  readonly script: string | undefined;
  readonly pin: PythonCode["pin"];
}

/** Pins what a name stands for; gives the names that are imported there. */
function pinModule(pinning: ModulePins, { folder, module, names, script, pin }: Module): readonly string[] {
  const own = names.filter((name) => moduleName(name) === module && !name.includes("/")).map((name) => path.join(folder, name));
  const isPackage = lookAt(path.join(folder, module)).kind === "folder";
  const inside = isPackage ? modulesBelow(path.join(folder, module)) : [];
  if (!inside) pinning.unresolved.add(`the package ${module} has too many files to look through`);
  const files = [...own, ...(inside ?? [])].filter((file) => file !== script);
  const compiled = files.map((file) => compiledOf(file));
  for (const one of compiled) pinning.implied.add(one.folder);
  const texts = [...files, ...compiled.flatMap((one) => one.files)].map((file) => {
    pinning.implied.add(file);
    return pin(file) ?? "";
  });
  return texts.flatMap(importedModules);
}

/** `json.cpython-312.so` and `json/__init__.py` are `json`. */
function moduleName(name: string): string {
  return /^[^./]*/.exec(name)?.[0] ?? "";
}
