// Takes the name of a module and the file that names it; gives the file that Node would load, and every place that is looked at on the way.

import { createRequire, isBuiltin } from "node:module";
import path from "node:path";
import { foldersUp, realPath } from "./examine-hook.ts";
import { entriesOf, lookAt } from "./hash-file.ts";

export interface Resolved {
  readonly file?: string | undefined;
  /** Places that would be taken first if something were there, and files that say what the name means. */
  readonly looked: readonly string[];
  /** A `package.json` whose words decided. */
  readonly manifest?: string | undefined;
  /** Files that belong to it as a whole. */
  readonly whole?: readonly string[] | undefined;
  /** Why it is not known what would be loaded. */
  readonly doubt?: string | undefined;
}

export interface ModuleUse {
  readonly specifier: string;
  readonly isRequire: boolean;
  readonly from: string;
  /** The engine runs it, and gives its own SDK to whoever has none. */
  readonly isOfEngine?: boolean | undefined;
  /** Reads a `package.json`. */
  readonly manifestAt: (file: string) => Readonly<Record<string, unknown>> | undefined;
  /** Whether two files have the same bytes. */
  readonly isSame: (one: string, other: string) => boolean;
}

export function resolveModule(use: ModuleUse): Resolved {
  const { specifier, from } = use;
  if (specifier.startsWith("node:") || isBuiltin(specifier)) return { looked: [] };
  if (/^\.{1,2}(?:\/|$)|^\//.test(specifier)) return resolveFile(path.resolve(path.dirname(from), specifier), use);
  if (specifier.startsWith("#")) return { looked: [], doubt: `${specifier} is what a package.json makes of it` };
  if (!/^(?:@[\w.~-]+\/)?[\w.~-]+(?:\/[\w.~/-]*)?$/.test(specifier))
    return { looked: [], doubt: `${specifier} is no file of this machine` };
  return resolvePackage(use);
}

function resolveFile(file: string, { isRequire, isOfEngine, specifier }: ModuleUse): Resolved {
  if (/[%?#\\]/.test(specifier)) return { looked: [file], doubt: `${specifier} is not taken as it stands` };
  const tries = isRequire
    ? ["", ".js", ".json", ".node"].map((end) => file + end)
    : isOfEngine
      ? [file, file.replace(/\.([cm]?)js$/, ".$1ts")]
      : [file];
  const at = tries.findIndex((one) => lookAt(one).kind === "file");
  const found = tries[at];
  if (found === undefined) return { looked: tries, doubt: `${specifier} is not a file that is there` };
  if (!/\.(?:[cm]?[jt]s|json)$/.test(found)) return { looked: tries, doubt: `${specifier} is no JavaScript` };
  return { file: found, looked: tries.slice(0, at + 1) };
}

function resolvePackage(use: ModuleUse): Resolved {
  const { specifier, from, manifestAt, isOfEngine } = use;
  const parts = specifier.split("/");
  const name = parts.slice(0, specifier.startsWith("@") ? 2 : 1).join("/");
  const folders = foldersUp(path.dirname(realPath(from)));
  const own = folders.map((folder) => path.join(folder, "package.json")).find((file) => lookAt(file).kind === "file");
  if (own !== undefined && manifestAt(own)?.["name"] === name) return { looked: [own], doubt: `${specifier} is the script's own package` };
  const places = folders
    .filter((folder) => path.basename(folder) !== "node_modules")
    .map((folder) => path.join(folder, "node_modules", name));
  const at = places.findIndex((place) => lookAt(place).kind === "folder");
  const looked = at === -1 ? places : places.slice(0, at + 1);
  const place = places[at];
  const sdk = name === "@hookloop/sdk" ? ownSdk() : undefined;
  if (place === undefined && sdk && isOfEngine) return { looked, whole: [] };
  if (place === undefined) return { looked, doubt: `the package ${name} is not found` };
  if (sdk) return resolveSdk(place, { looked, sdk, isSame: use.isSame });
  return { ...enterPackage(use, place, `.${specifier.slice(name.length)}`), looked };
}

/** Our own SDK is known, byte for byte; what it loads lies in its folder. */
function resolveSdk(
  place: string,
  { looked, sdk, isSame }: { readonly looked: readonly string[]; readonly sdk: string; readonly isSame: ModuleUse["isSame"] },
): Resolved {
  const names = [...filesIn(path.join(sdk, "dist")).map((name) => path.join("dist", name)), "package.json"];
  const whole = names.map((name) => path.join(realPath(place), name));
  const isKnown = names.every((name) => isSame(path.join(sdk, name), path.join(place, name)));
  return isKnown ? { looked, whole } : { looked, doubt: "the @hookloop/sdk there is not the one of this hookloop" };
}

function filesIn(folder: string): readonly string[] {
  return entriesOf(folder).flatMap(({ name }) => (name.endsWith(".js") ? [name] : []));
}

function ownSdk(): string | undefined {
  try {
    return path.dirname(path.dirname(realPath(createRequire(import.meta.url).resolve("@hookloop/sdk"))));
  } catch {
    // A program that was packed without it: then no SDK is known.
    return undefined;
  }
}

/** The file of a package by its package.json; forms that are seldom are not followed. */
function enterPackage({ specifier, isRequire, manifestAt }: ModuleUse, place: string, subpath: string): Omit<Resolved, "looked"> {
  const manifest = path.join(place, "package.json");
  const facts = manifestAt(manifest);
  if (!facts) return { doubt: `the package of ${specifier} has no package.json that can be read` };
  const { exports, main } = facts;
  const target =
    exports === undefined
      ? subpath === "."
        ? (main ?? "index.js")
        : subpath
      : targetOf(subpath, exports, isRequire ? ["node", "require", "default"] : ["node", "import", "default"]);
  if (typeof target !== "string") return { manifest, doubt: `what ${specifier} is in its package is not known` };
  const file = path.resolve(place, target);
  const isFile = lookAt(file).kind === "file" && /\.(?:[cm]?js|json)$/.test(file) && !path.relative(place, file).startsWith("..");
  return isFile ? { manifest, file: realPath(file) } : { manifest, doubt: `what ${specifier} is in its package is not a file` };
}

function targetOf(subpath: string, exports: unknown, conditions: readonly string[]): unknown {
  if (typeof exports === "string") return subpath === "." ? exports : undefined;
  if (typeof exports !== "object" || exports === null || Array.isArray(exports)) return undefined;
  const entries = Object.entries(exports);
  if (entries.some(([key]) => key.startsWith(".")))
    return conditional(Object.hasOwn(exports, subpath) ? Reflect.get(exports, subpath) : undefined, conditions);
  return subpath === "." ? conditional(exports, conditions) : undefined;
}

function conditional(value: unknown, conditions: readonly string[]): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  const [, found] = Object.entries(value).find(([key]) => conditions.includes(key)) ?? [];
  return conditional(found, conditions);
}
