// Takes the folder of an installed package; gives the hooks file that its package.json declares.
// Refuses: a package without the field, and files that are not inside the package, by name or by link.
import { realpath } from "node:fs/promises";
import { isAbsolute, join, relative, resolve } from "node:path";
import type { Diagnostic, Place } from "../../../diagnostic.ts";
import type { ErrorCode } from "../../../errors.ts";
import { insideFolders } from "../../../permissions/index.ts";
import { readConfigFile } from "../find/read-config-file.ts";
import { shown } from "../reading.ts";
import { type ConfigNode, parseJson } from "../tree/index.ts";

export interface PackManifest {
  /** Absolute; inside the pack. */
  readonly hooks?: string | undefined;
  readonly diagnostics: readonly Diagnostic[];
}

/** Files that a pack may declare besides; nothing here reads them, but a wrong path is said at once. */
const OTHER_FILES = ["cases", "docs"];

export async function readPackManifest(name: string, root: string): Promise<PackManifest> {
  const file = join(root, "package.json");
  const found = await readConfigFile(file, insideFolders([root]));
  if ("diagnostic" in found) return { diagnostics: [found.diagnostic] };
  const parsed = "text" in found ? parseJson({ text: found.text, file }) : undefined;
  const field = propertyOf(parsed?.root, "hookloop");
  if (field === undefined) {
    const text = `The package ${name} is no hookpack: its package.json has no "hookloop": {"hooks": "./hooks.json"}. Remove it from "plugins", or ask its author.`;
    return { diagnostics: [...(parsed?.diagnostics ?? []), finding("HL_CONFIG_PACK_INVALID", text, { file })] };
  }
  const hooks = propertyOf(field, "hooks");
  if (hooks === undefined) {
    const text = `"hookloop" of the package ${name} must name its hooks file: {"hooks": "./hooks.json"}. None of its hooks run.`;
    return { diagnostics: [finding("HL_CONFIG_PACK_INVALID", text, field.place)] };
  }
  const others = OTHER_FILES.flatMap((key) => propertyOf(field, key) ?? []);
  const checked = await Promise.all([hooks, ...others].map((node) => checkFile(root, node)));
  const diagnostics = checked.flatMap((one) => ("finding" in one ? one.finding : []));
  const [first] = checked;
  return { hooks: first && "file" in first ? first.file : undefined, diagnostics };
}

type Checked = { readonly file: string } | { readonly finding: Diagnostic };

async function checkFile(root: string, node: ConfigNode): Promise<Checked> {
  const value = node.type === "text" ? String(node.value) : undefined;
  if (value === undefined || value === "")
    return { finding: finding("HL_CONFIG_PACK_INVALID", 'A pack names its files by a path such as "./hooks.json".', node.place) };
  const where = await placeInside(root, resolve(root, value));
  if (where === "inside") return { file: resolve(root, value) };
  return { finding: finding(...wrongPlace(where, value), node.place) };
}

function wrongPlace(where: "outside" | "missing", value: string): [ErrorCode, string] {
  if (where === "missing") return ["HL_CONFIG_PACK_INVALID", `${shown(value)} is not there. Install the package again, or ask its author.`];
  return ["HL_CONFIG_PACK_ESCAPES", escapeText(shown(value))];
}

/** What is said about a path that leads out of its pack. */
export function escapeText(what: string): string {
  return `${what} leads out of the pack. What a pack runs must lie inside of it; it is left out.`;
}

/** SECURITY: asked of where links really lead; a pack that may name any file would borrow the trust of others. */
export async function placeInside(root: string, file: string): Promise<"inside" | "outside" | "missing"> {
  if (!isBelow(root, file)) return "outside";
  const real = await realpath(file).catch(() => undefined);
  if (real === undefined) return "missing";
  return isBelow(root, real) ? "inside" : "outside";
}

function isBelow(root: string, file: string): boolean {
  const path = relative(root, file);
  return path !== "" && path !== ".." && !path.startsWith("../") && !isAbsolute(path);
}

function propertyOf(node: ConfigNode | undefined, name: string): ConfigNode | undefined {
  return node?.type === "object" ? node.properties.findLast(({ key }) => key === name)?.value : undefined;
}

export function finding(code: ErrorCode, text: string, place: Place): Diagnostic {
  return { code, level: "error", text, place };
}
