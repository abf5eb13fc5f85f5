// Takes the documents of a session; gives the hooks of the packs they name, from packages that are installed already.
// Refuses: a package that is not there, is no pack, or names files outside of itself. Nothing is fetched, and nothing is run.

import { realpath } from "node:fs/promises";
import { dirname, isAbsolute, join, relative, resolve } from "node:path";
import type { Dialects } from "../../catalogue/index.ts";
import type { Diagnostic, Place } from "../../diagnostic.ts";
import type { ErrorCode } from "../../errors.ts";
import { insideFolders, projectRoot, type Within } from "../../permissions/index.ts";
import { type ConfigNode, parseJson } from "../parse-json.ts";
import { documentOf } from "../read/read-document.ts";
import { shown } from "../reading.ts";
import type { ConfigDocument, HookDeclaration, NamedPack, Source } from "../types.ts";
import { readConfigFile } from "./files-above.ts";

interface FoundPacks {
  readonly documents: readonly ConfigDocument[];
  readonly diagnostics: readonly Diagnostic[];
}

interface PackOptions {
  /** The project: `node_modules` is looked for here, and beside the file that names the pack. */
  readonly cwd: string;
  readonly home: string;
  readonly dialects: Dialects;
  readonly tools?: readonly string[] | undefined;
}

const PACKAGE_NAME = /^(?:@[a-z0-9~-][a-z0-9._~-]*\/)?[a-z0-9~-][a-z0-9._~-]*$/;
const NOTHING: FoundPacks = { documents: [], diagnostics: [] };

interface FoundRoot {
  readonly root: string;
  readonly isOutside: boolean;
}

interface PackFolder {
  readonly folder: string;
  /** Where a package found there may really lie; anywhere if left out. */
  readonly within?: Within | undefined;
}

/** The packs of all documents, each once. */
export async function findPacks(documents: readonly ConfigDocument[], options: PackOptions): Promise<FoundPacks> {
  const named = documents.flatMap(({ packs = [], source }) => packs.map((pack) => ({ pack, folders: packFolders(source, options) })));
  const found = await Promise.all(named.map(async (one) => ({ pack: one.pack, at: await findRoot(one.pack.name, one.folders) })));
  const first = found.filter(({ at }, index) => at === undefined || found.findIndex((other) => other.at?.root === at.root) === index);
  const parts = await Promise.all(
    first.map(({ pack, at }) => (at === undefined || at.isOutside ? notUsable(pack, at) : readPack(pack, at.root, options))),
  );
  return { documents: parts.flatMap((part) => part.documents), diagnostics: parts.flatMap((part) => part.diagnostics) };
}

/** SECURITY: a `node_modules` of the project that is a link elsewhere does not make other folders of the machine its packs. */
function packFolders({ scope, root }: Source, { cwd, home }: PackOptions): readonly PackFolder[] {
  const within = insideFolders([cwd, projectRoot(cwd, home)]);
  return [
    { folder: root, within: PROJECT_SCOPES.includes(scope) ? within : undefined },
    { folder: cwd, within },
  ];
}

const PROJECT_SCOPES: readonly Source["scope"][] = ["project", "local", "plugin", "skill"];

/** Where the package really is: a link of a workspace counts, as it does for Node. */
async function findRoot(name: string, folders: readonly PackFolder[]): Promise<FoundRoot | undefined> {
  // SECURITY: a name is no path; `..` must not lead out of node_modules.
  if (!PACKAGE_NAME.test(name)) return undefined;
  for (const { folder, within } of folders) {
    const root = await realpath(join(folder, "node_modules", name)).catch(() => undefined);
    if (root !== undefined) return { root, isOutside: within?.(root) === false };
  }
  return undefined;
}

function notUsable({ name, place }: NamedPack, at: FoundRoot | undefined): FoundPacks {
  if (at) {
    const text = `The pack ${shown(name)} is a link to ${at.root}, outside of the project, so it is not read. Install it: npm install --save-dev ${name}`;
    return { ...NOTHING, diagnostics: [finding("HL_CONFIG_PACK_ESCAPES", text, place)] };
  }
  const cure = PACKAGE_NAME.test(name)
    ? `is not installed, so none of its hooks run. Run: npm install --save-dev ${name}`
    : "is not the name of a package. Write it as in package.json, such as @team/hookpack.";
  return { ...NOTHING, diagnostics: [finding("HL_CONFIG_PACK_MISSING", `The pack ${shown(name)} ${cure}`, place)] };
}

async function readPack({ name }: NamedPack, root: string, { dialects, tools }: PackOptions): Promise<FoundPacks> {
  const { hooks: file, diagnostics } = await readPackManifest(name, root);
  const found = file === undefined ? undefined : await readConfigFile(file, insideFolders([root]));
  if (found === undefined || file === undefined || "missing" in found) return { ...NOTHING, diagnostics };
  if ("diagnostic" in found) return { ...NOTHING, diagnostics: [...diagnostics, found.diagnostic] };
  const source: Source = { scope: "plugin", dialect: dialects.for("pack").name, file, root, plugin: { id: name, root } };
  const parsed = parseJson({ text: found.text, file });
  const document = documentOf({ source, dialects, tools, parsed });
  const checked = await Promise.all(document.hooks.map((hook) => insidePack(hook, { root, file })));
  const hooks = checked.flatMap((one) => ("hook" in one ? one.hook : []));
  const others = parsed.root?.type === "object" ? parsed.root.properties.filter(({ key }) => key !== "hooks" && key !== "$schema") : [];
  const ignored = others.map(({ key, place }): Diagnostic => {
    const text = `${shown(key)} does not count in a pack, only its hooks do. It is ignored.`;
    return { code: "HL_CONFIG_IGNORED_KEY", level: "warning", text, place };
  });
  const odd = [...document.diagnostics, ...ignored, ...checked.flatMap((one) => ("finding" in one ? one.finding : []))];
  return { documents: [{ ...document, hooks, diagnostics: odd }], diagnostics };
}

type CheckedHook = { readonly hook: HookDeclaration } | { readonly finding: Diagnostic };

/** A module's path counts from the pack's root; everywhere else it counts from its file, so it is written that way. */
async function insidePack(hook: HookDeclaration, { root, file }: { readonly root: string; readonly file: string }): Promise<CheckedHook> {
  if (hook.kind !== "module") return { hook };
  const given = String(hook.fields["path"]);
  const target = resolve(root, given);
  if ((await placeInside(root, target)) === "outside")
    return { finding: finding("HL_CONFIG_PACK_ESCAPES", escapeText(`The module ${shown(given)}`), hook.place) };
  const path = relative(dirname(file), target);
  return { hook: { ...hook, fields: { ...hook.fields, path: path.startsWith("../") ? path : `./${path}` } } };
}

// Takes the folder of an installed package; gives the hooks file that its package.json declares.
// Refuses: a package without the field, and files that are not inside the package, by name or by link.

interface PackManifest {
  /** Absolute; inside the pack. */
  readonly hooks?: string | undefined;
  readonly diagnostics: readonly Diagnostic[];
}

/** Files that a pack may declare besides; nothing here reads them, but a wrong path is said at once. */
const OTHER_FILES = ["cases", "docs"];

async function readPackManifest(name: string, root: string): Promise<PackManifest> {
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

type CheckedFile = { readonly file: string } | { readonly finding: Diagnostic };

async function checkFile(root: string, node: ConfigNode): Promise<CheckedFile> {
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
function escapeText(what: string): string {
  return `${what} leads out of the pack. What a pack runs must lie inside of it; it is left out.`;
}

/** SECURITY: asked of where links really lead; a pack that may name any file would borrow the trust of others. */
async function placeInside(root: string, file: string): Promise<"inside" | "outside" | "missing"> {
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

function finding(code: ErrorCode, text: string, place: Place): Diagnostic {
  return { code, level: "error", text, place };
}
