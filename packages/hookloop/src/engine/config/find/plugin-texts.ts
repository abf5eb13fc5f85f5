import { realpath } from "node:fs/promises";
import { basename, isAbsolute, join, relative, resolve } from "node:path";
import type { Diagnostic } from "../../../diagnostic.ts";
import { insideFolders } from "../../../permissions/index.ts";
import { type ConfigNode, parseJson, plainValue } from "../tree/index.ts";
import type { Found, FoundText } from "./managed-files.ts";
import { readConfigFile, unreadable } from "./read-config-file.ts";

export interface PluginTexts extends Found {
  readonly id: string;
  /** Event maps that stand in the manifest itself. */
  readonly inline: readonly { readonly file: string; readonly map: ConfigNode }[];
}

interface Manifest {
  readonly found?: FoundText | undefined;
  readonly root?: ConfigNode | undefined;
  readonly diagnostics: readonly Diagnostic[];
}

/** The hooks of one plugin folder: its `hooks/hooks.json`, and what its manifest declares: event maps, files, or a list of both. All are added. */
export async function readPluginTexts(folder: string): Promise<PluginTexts> {
  const manifest = await readManifest(folder);
  const name = propertyOf(manifest.root, "name");
  const id = name?.type === "text" && name.value !== "" ? String(name.value) : basename(resolve(folder));
  const hooks = propertyOf(manifest.root, "hooks");
  const declared = hooks === undefined ? [] : hooks.type === "list" ? hooks.items : [hooks];
  const named = await namedFiles(
    folder,
    declared.filter(({ type }) => type !== "object"),
    manifest,
  );
  const files = [...new Set([join(folder, "hooks", "hooks.json"), ...named.files])];
  const read = await Promise.all(files.map((file) => readText(file, folder)));
  const inline = declared.filter(({ type }) => type === "object").map((map) => ({ file: manifest.found?.file ?? folder, map }));
  const diagnostics = [...manifest.diagnostics, ...named.diagnostics, ...read.flatMap((found) => found.diagnostics)];
  return { id, texts: read.flatMap(({ texts }) => texts), inline, diagnostics };
}

async function readManifest(folder: string): Promise<Manifest> {
  for (const file of [join(folder, ".claude-plugin", "plugin.json"), join(folder, "plugin.json")]) {
    const { texts, diagnostics } = await readText(file, folder);
    const [found] = texts;
    if (found) {
      const { root, diagnostics: odd } = parseJson(found);
      return { found, root, diagnostics: odd };
    }
    if (diagnostics.length > 0) return { diagnostics };
  }
  const exists = await realpath(folder).then(
    () => true,
    () => false,
  );
  return { diagnostics: exists ? [] : [unreadable(folder, "the plugin's folder does not exist")] };
}

async function namedFiles(
  folder: string,
  nodes: readonly ConfigNode[],
  { found }: Manifest,
): Promise<{ files: string[]; diagnostics: Diagnostic[] }> {
  const files: string[] = [];
  const diagnostics: Diagnostic[] = [];
  for (const node of nodes) {
    const path = plainValue(node);
    const file = typeof path === "string" ? resolve(folder, path) : undefined;
    // SECURITY: a manifest must not make us read files outside of its plugin.
    if (file !== undefined && (await isInside(folder, file))) files.push(file);
    else diagnostics.push(notInside(found?.file ?? folder, path, node));
  }
  return { files, diagnostics };
}

async function isInside(folder: string, file: string): Promise<boolean> {
  const real = await Promise.all([folder, file].map((path) => realpath(path).catch(() => resolve(path))));
  const path = relative(real[0] ?? folder, real[1] ?? file);
  return path !== "" && !path.startsWith("..") && !isAbsolute(path);
}

function notInside(file: string, path: unknown, { place }: ConfigNode): Diagnostic {
  const text = `"hooks" of a plugin must be an event map, a file inside the plugin, or a list of these, not ${JSON.stringify(path)?.slice(0, 60)}. It is ignored.`;
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
