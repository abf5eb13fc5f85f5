// Takes the documents of a session; gives the hooks of the packs they name, from packages that are installed already.
// Refuses: a package that is not there, is no pack, or names files outside of itself. Nothing is fetched, and nothing is run.
import { realpath } from "node:fs/promises";
import { dirname, join, relative, resolve } from "node:path";
import type { Diagnostic } from "../../../diagnostic.ts";
import { insideFolders, projectRoot, type Within } from "../../../permissions/index.ts";
import { readConfigFile } from "../find/read-config-file.ts";
import { documentOf } from "../read/read-document.ts";
import { shown } from "../reading.ts";
import { parseJson } from "../tree/index.ts";
import type { ConfigDocument, HookDeclaration, Source } from "../types.ts";
import { escapeText, finding, placeInside, readPackManifest } from "./pack-manifest.ts";
import type { NamedPack } from "./pack-names.ts";

export interface FoundPacks {
  readonly documents: readonly ConfigDocument[];
  readonly diagnostics: readonly Diagnostic[];
}

export interface PackOptions {
  /** The project: `node_modules` is looked for here, and beside the file that names the pack. */
  readonly cwd: string;
  readonly home: string;
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

async function readPack({ name }: NamedPack, root: string, { tools }: PackOptions): Promise<FoundPacks> {
  const { hooks: file, diagnostics } = await readPackManifest(name, root);
  const found = file === undefined ? undefined : await readConfigFile(file, insideFolders([root]));
  if (found === undefined || file === undefined || "missing" in found) return { ...NOTHING, diagnostics };
  if ("diagnostic" in found) return { ...NOTHING, diagnostics: [...diagnostics, found.diagnostic] };
  const source: Source = { scope: "plugin", dialect: "native", file, root, plugin: { id: name, root } };
  const parsed = parseJson({ text: found.text, file });
  const document = documentOf({ source, tools, parsed });
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

type Checked = { readonly hook: HookDeclaration } | { readonly finding: Diagnostic };

/** A module's path counts from the pack's root; everywhere else it counts from its file, so it is written that way. */
async function insidePack(hook: HookDeclaration, { root, file }: { readonly root: string; readonly file: string }): Promise<Checked> {
  if (hook.kind !== "module") return { hook };
  const given = String(hook.fields["path"]);
  const target = resolve(root, given);
  if ((await placeInside(root, target)) === "outside")
    return { finding: finding("HL_CONFIG_PACK_ESCAPES", escapeText(`The module ${shown(given)}`), hook.place) };
  const path = relative(dirname(file), target);
  return { hook: { ...hook, fields: { ...hook.fields, path: path.startsWith("../") ? path : `./${path}` } } };
}
