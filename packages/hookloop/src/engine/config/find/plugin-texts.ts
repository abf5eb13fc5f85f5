import { realpath } from "node:fs/promises";
import { basename, isAbsolute, join, relative, resolve } from "node:path";
import type { Diagnostic } from "../../../diagnostic.ts";
import { insideFolders } from "../../../permissions/index.ts";
import { type ConfigNode, parseJson, plainValue } from "../tree/index.ts";
import type { Found, FoundText } from "./managed-files.ts";
import { readConfigFile, unreadable } from "./read-config-file.ts";

export interface PluginTexts extends Found {
  readonly id: string;
}

interface Manifest {
  readonly found?: FoundText | undefined;
  readonly root?: ConfigNode | undefined;
  readonly diagnostics: readonly Diagnostic[];
}

/** The hook texts of one plugin folder: its `hooks/hooks.json`, and what its manifest declares inline or names. */
export async function readPluginTexts(folder: string): Promise<PluginTexts> {
  const manifest = await readManifest(folder);
  const name = propertyOf(manifest.root, "name");
  const id = name?.type === "text" && name.value !== "" ? String(name.value) : basename(resolve(folder));
  const hooks = propertyOf(manifest.root, "hooks");
  const isInline = hooks?.type === "object";
  const named = hooks && !isInline ? await namedFiles(folder, hooks, manifest) : { files: [], diagnostics: [] };
  const files = [...new Set([join(folder, "hooks", "hooks.json"), ...named.files])];
  const read = await Promise.all(files.map((file) => readText(file, folder)));
  const texts = [...read.flatMap(({ texts: found }) => found), ...(isInline && manifest.found ? [manifest.found] : [])];
  const diagnostics = [...manifest.diagnostics, ...named.diagnostics, ...read.flatMap((found) => found.diagnostics)];
  return { id, texts, diagnostics };
}

async function readManifest(folder: string): Promise<Manifest> {
  for (const file of [join(folder, ".claude-plugin", "plugin.json"), join(folder, "plugin.json")]) {
    const { texts, diagnostics } = await readText(file, folder);
    const [found] = texts;
    // A broken manifest is reported once, here; inline hooks are read again as a document only if it is whole enough to have them.
    if (found) {
      const parsed = parseJson(found);
      const hasHooks = propertyOf(parsed.root, "hooks")?.type === "object";
      return { found, root: parsed.root, diagnostics: hasHooks ? [] : parsed.diagnostics };
    }
    if (diagnostics.length > 0) return { diagnostics };
  }
  const exists = await realpath(folder).then(
    () => true,
    () => false,
  );
  return { diagnostics: exists ? [] : [unreadable(folder, "the plugin's folder does not exist")] };
}

async function namedFiles(folder: string, hooks: ConfigNode, { found }: Manifest): Promise<{ files: string[]; diagnostics: Diagnostic[] }> {
  const value = plainValue(hooks);
  const paths = Array.isArray(value) ? value : [value];
  const files: string[] = [];
  const diagnostics: Diagnostic[] = [];
  for (const path of paths) {
    const file = typeof path === "string" ? resolve(folder, path) : undefined;
    // SECURITY: a manifest must not make us read files outside of its plugin.
    if (file !== undefined && (await isInside(folder, file))) files.push(file);
    else diagnostics.push(notInside(found?.file ?? folder, path, hooks));
  }
  return { files, diagnostics };
}

async function isInside(folder: string, file: string): Promise<boolean> {
  const real = await Promise.all([folder, file].map((path) => realpath(path).catch(() => resolve(path))));
  const path = relative(real[0] ?? folder, real[1] ?? file);
  return path !== "" && !path.startsWith("..") && !isAbsolute(path);
}

function notInside(file: string, path: unknown, { place }: ConfigNode): Diagnostic {
  const text = `"hooks" of a plugin must be an event map or a file inside the plugin, not ${JSON.stringify(path)?.slice(0, 60)}. It is ignored.`;
  return { code: "HL_CONFIG_WRONG_TYPE", level: "error", text, place: { ...place, file } };
}

/** SECURITY: neither the manifest nor `hooks/hooks.json` may be a link out of the plugin. */
async function readText(file: string, folder: string): Promise<Found> {
  const found = await readConfigFile(file, insideFolders([folder]));
  if ("text" in found) return { texts: [{ file, text: found.text }], diagnostics: [] };
  return { texts: [], diagnostics: "diagnostic" in found ? [found.diagnostic] : [] };
}

function propertyOf(node: ConfigNode | undefined, name: string): ConfigNode | undefined {
  return node?.type === "object" ? node.properties.findLast(({ key }) => key === name)?.value : undefined;
}
