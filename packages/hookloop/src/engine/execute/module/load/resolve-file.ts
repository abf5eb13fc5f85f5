import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";

/** A file that a specifier leads to; nothing for packages and Node's own modules. */
export function fileOfSpecifier(specifier: string, importer: string): string | undefined {
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
export function installedPackage(file: string): string | undefined {
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
