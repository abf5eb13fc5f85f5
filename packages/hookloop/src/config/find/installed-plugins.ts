// Takes what the settings say about plugins (`enabledPlugins`); gives the folders of those that are installed and enabled, as Claude Code
// keeps them in ~/.claude/plugins. Refuses what cannot be trusted: until a workspace is trusted, its own files neither switch a plugin on
// nor one of the user's off.

import { existsSync } from "node:fs";
import { realpath } from "node:fs/promises";
import { basename, dirname, join, relative, resolve } from "node:path";
import type { Dialects } from "../../catalogue/index.ts";
import { isObject } from "../../check-options.ts";
import type { Diagnostic, Place } from "../../diagnostic.ts";
import type { ErrorCode } from "../../errors.ts";
import { insideFolders, isInside, projectRoot, realFolder, type Within } from "../../permissions/index.ts";
import { type ConfigNode, type ParsedText, parseJson, plainValue } from "../parse-json.ts";
import { documentOf } from "../read/read-document.ts";
import { shown } from "../reading.ts";
import { BELOW_USER, type ConfigDocument, type HookDeclaration, type NamedPack, type Scope, type Source } from "../types.ts";
import { type Found, noPlugin, readConfigFile, unreadable } from "./files-above.ts";

interface InstalledPlugins {
  readonly folders: readonly string[];
  /** Names of plugins that are not there against the user's word, or without it: they cannot be found, or the project switches them off. */
  readonly missing: readonly string[];
  readonly diagnostics: readonly Diagnostic[];
}

interface PluginPlaces {
  readonly cwd: string;
  readonly home: string;
  /** `either`: for whom nothing is run, and who must see all that can be approved. */
  readonly isWorkspaceTrusted?: boolean | "either" | undefined;
}

/** Whose word counts, the strongest first. */
const ORDER: readonly Scope[] = ["managed", "flag", "local", "project", "user"];
const OF_PROJECT: readonly Scope[] = ["local", "project"];

export async function findInstalledPlugins(documents: readonly ConfigDocument[], places: PluginPlaces): Promise<InstalledPlugins> {
  const { enabled, switchedOff, diagnostics } = enabledPlugins(documents, places.isWorkspaceTrusted ?? false);
  const off = switchedOff.map((id) => nameOf(id).name);
  if (enabled.length === 0) return { folders: [], missing: off, diagnostics };
  const folder = join(places.home, ".claude", "plugins");
  const installed = await readObject(join(folder, "installed_plugins.json"));
  const markets = await readObject(join(folder, "known_marketplaces.json"));
  const found = await Promise.all(
    enabled.map((one) => locate(one, { installed: objectOf(installed.value["plugins"]), markets: markets.value }, places)),
  );
  return {
    folders: found.flatMap((one) => ("folder" in one ? one.folder : [])),
    missing: [...off, ...found.flatMap((one) => ("name" in one ? one.name : []))],
    diagnostics: [
      ...diagnostics,
      ...installed.diagnostics,
      ...markets.diagnostics,
      ...found.flatMap((one) => ("name" in one ? one.diagnostic : [])),
    ],
  };
}

interface Enabled {
  /** `name@marketplace`. */
  readonly id: string;
  readonly file: string;
}

interface Word extends Enabled {
  readonly isOn: boolean;
  readonly scope: Scope;
}

interface Choice {
  readonly enabled: readonly Enabled[];
  /** Plugins that a trusted project switches off, and the user does not. */
  readonly switchedOff: readonly string[];
  readonly diagnostics: readonly Diagnostic[];
}

function enabledPlugins(documents: readonly ConfigDocument[], isTrusted: boolean | "either"): Choice {
  const said = ORDER.flatMap((scope) => documents.filter(({ source }) => source.scope === scope)).flatMap(wordsOf);
  const users = said.filter(({ scope }) => !OF_PROJECT.includes(scope));
  const first = (words: readonly Word[], id: string): Word | undefined => words.find((word) => word.id === id);
  const ids = [...new Set(said.map(({ id }) => id))];
  const isOnFor = (words: readonly Word[], id: string): boolean => first(words, id)?.isOn ?? false;
  const differ = ids.filter((id) => isOnFor(said, id) !== isOnFor(users, id));
  const counted = { true: [said], false: [users], either: [users, said] }[`${isTrusted}`];
  const isEnabled = (id: string): boolean => counted.some((words) => isOnFor(words, id));
  // SECURITY: also those that only the project had switched on: a gate of theirs that was approved is missed, not forgotten.
  const isOffByProject = (id: string): boolean => !isOnFor(said, id) && first(users, id)?.isOn !== false;
  return {
    enabled: ids.flatMap((id) => first(counted.find((words) => isOnFor(words, id)) ?? [], id) ?? []),
    switchedOff: isTrusted === false ? [] : ids.filter((id) => !isEnabled(id) && isOffByProject(id)),
    diagnostics: isTrusted === true ? [] : differ.flatMap((id) => first(said, id) ?? []).map(notYet),
  };
}

function wordsOf({ source, switches }: ConfigDocument): readonly Word[] {
  const { scope, file = "" } = source;
  return Object.entries(switches.enabledPlugins ?? {}).map(([id, value]) => ({ id, isOn: value !== false && value !== null, scope, file }));
}

/** SECURITY: a checkout must not put hooks of its choice into force, nor take the user's guards away. */
function notYet({ id, isOn, file }: Word): Diagnostic {
  const what = isOn ? "is not enabled by the project's settings" : "stays enabled whatever the project's settings say";
  const text = `The plugin ${shown(id)} ${what} until the workspace is trusted (--trust-workspace). To decide it yourself, set it in "enabledPlugins" of ~/.claude/settings.json.`;
  return { code: "HL_CONFIG_PLUGIN_UNTRUSTED", level: "notice", text, place: { file } };
}

type Json = Readonly<Record<string, unknown>>;

interface Records {
  readonly installed: Json;
  readonly markets: Json;
}

function nameOf(id: string): { readonly name: string; readonly market: string } {
  const at = id.lastIndexOf("@");
  return at > 0 ? { name: id.slice(0, at), market: id.slice(at + 1) } : { name: id, market: "" };
}

type Located = { readonly folder: string } | { readonly name: string; readonly diagnostic: Diagnostic };

async function locate({ id, file }: Enabled, { installed, markets }: Records, { cwd }: PluginPlaces): Promise<Located> {
  const { name, market } = nameOf(id);
  const fail = (why: string): Located => {
    const text = `The plugin ${shown(id)} is enabled, but ${why}. None of its hooks run. Install it with "claude plugin install ${id}", or take it out of "enabledPlugins".`;
    return { name, diagnostic: { code: "HL_CONFIG_PLUGIN_MISSING", level: "warning", text, place: { file } } };
  };
  const path = installPath(own(installed, id), cwd);
  if (path === undefined) return fail("not installed (~/.claude/plugins/installed_plugins.json)");
  const known = own(markets, market);
  if (known === undefined) return fail(`its marketplace ${shown(market)} is not known (~/.claude/plugins/known_marketplaces.json)`);
  const { source, installLocation } = objectOf(known);
  if (objectOf(source)["source"] !== "directory") return { folder: path };
  // A marketplace that is a folder of this machine: what is in it counts, not a copy.
  const root = [installLocation, objectOf(source)["path"]].find((one) => typeof one === "string");
  return (
    (root === undefined ? undefined : await inMarketplace(String(root), name)) ?? fail(`it is not in its marketplace ${shown(market)}`)
  );
}

function installPath(entry: unknown, cwd: string): string | undefined {
  const all = (Array.isArray(entry) ? entry : [entry]).map(objectOf).filter(({ installPath }) => typeof installPath === "string");
  const isHere = ({ projectPath }: Json): boolean => typeof projectPath === "string" && realFolder(projectPath) === realFolder(cwd);
  const isOfProject = ({ scope }: Json): boolean => scope === "project" || scope === "local";
  const chosen = all.find((one) => isOfProject(one) && isHere(one)) ?? all.find((one) => !isOfProject(one));
  return chosen && String(chosen["installPath"]);
}

async function inMarketplace(root: string, name: string): Promise<{ readonly folder: string } | undefined> {
  const { value } = await readObject(join(root, ".claude-plugin", "marketplace.json"));
  const plugins = Array.isArray(value["plugins"]) ? value["plugins"].map(objectOf) : [];
  const source = plugins.find((one) => one["name"] === name)?.["source"];
  if (typeof source !== "string") return undefined;
  const folder = resolve(root, source);
  // SECURITY: a marketplace names folders of its own.
  return insideFolders([root])(folder) ? { folder } : undefined;
}

async function readObject(file: string): Promise<{ readonly value: Json; readonly diagnostics: readonly Diagnostic[] }> {
  const { isFound, root, diagnostics } = await readJson(file);
  const isOther = isFound && root?.type !== "object" && diagnostics.length === 0;
  return { value: objectOf(root && plainValue(root)), diagnostics: isOther ? [unreadable(file, "it is not an object")] : diagnostics };
}

interface ReadJson extends Pick<ParsedText, "root" | "diagnostics"> {
  readonly isFound: boolean;
}

async function readJson(file: string, within?: Within): Promise<ReadJson> {
  const { texts, diagnostics } = await readConfigFile(file, within);
  const [found] = texts;
  return found ? { ...parseJson(found), isFound: true } : { diagnostics, isFound: false };
}

function objectOf(value: unknown): Json {
  return isObject(value) ? value : {};
}

function own(record: Json, key: string): unknown {
  return Object.hasOwn(record, key) ? record[key] : undefined;
}

interface PluginTexts extends Found {
  readonly id: string;
  readonly inline: readonly { readonly file: string; readonly map: ConfigNode }[];
}

interface Manifest extends ReadJson {
  /** The folder if there is none. */
  readonly file: string;
}

/** The hooks of one plugin folder: its `hooks/hooks.json`, and what its manifest declares: event maps, files, or a list of both. All are added. */
export async function readPluginTexts(folder: string): Promise<PluginTexts> {
  const manifest = await readManifest(folder);
  const name = propertyOf(manifest.root, "name");
  const id = name?.type === "text" && name.value !== "" ? String(name.value) : basename(resolve(folder));
  const hooks = propertyOf(manifest.root, "hooks");
  const declared = hooks === undefined ? [] : hooks.type === "list" ? hooks.items : [hooks];
  const named = namedFiles(
    folder,
    declared.filter(({ type }) => type !== "object"),
    manifest,
  );
  const files = [...new Set([join(folder, "hooks", "hooks.json"), ...named.files])];
  // SECURITY: neither the manifest nor `hooks/hooks.json` may be a link out of the plugin.
  const read = await Promise.all(files.map((file) => readConfigFile(file, insideFolders([folder]))));
  const inline = declared.filter(({ type }) => type === "object").map((map) => ({ file: manifest.file, map }));
  const diagnostics = [...manifest.diagnostics, ...named.diagnostics, ...read.flatMap((found) => found.diagnostics)];
  return { id, texts: read.flatMap(({ texts }) => texts), inline, diagnostics };
}

async function readManifest(folder: string): Promise<Manifest> {
  for (const file of [join(folder, ".claude-plugin", "plugin.json"), join(folder, "plugin.json")]) {
    const read = await readJson(file, insideFolders([folder]));
    if (read.isFound) return { ...read, file };
    if (read.diagnostics.length > 0) return { ...read, file: folder };
  }
  const diagnostics = existsSync(folder) ? noPlugin(folder) : [unreadable(folder, "the plugin's folder does not exist")];
  return { file: folder, diagnostics, isFound: false };
}

function namedFiles(folder: string, nodes: readonly ConfigNode[], manifest: Manifest): { files: string[]; diagnostics: Diagnostic[] } {
  const files: string[] = [];
  const diagnostics: Diagnostic[] = [];
  for (const node of nodes) {
    const path = plainValue(node);
    const file = typeof path === "string" ? resolve(folder, path) : undefined;
    // SECURITY: a manifest must not make us read files outside of its plugin.
    if (file !== undefined && isBelow(realFolder(folder), realFolder(file))) {
      files.push(file);
      if (!existsSync(file))
        diagnostics.push({ ...unreadable(file, "the plugin's manifest names it, and it does not exist"), place: node.place });
    } else diagnostics.push(notInside(manifest.file, path, node));
  }
  return { files, diagnostics };
}

/** Whether a path is below a folder, by its name; of real paths, really. */
function isBelow(root: string, file: string): boolean {
  return file !== root && isInside(root, file);
}

function notInside(file: string, path: unknown, { place }: ConfigNode): Diagnostic {
  const text = `"hooks" of a plugin must be an event map, a file inside the plugin, or a list of these, not ${JSON.stringify(path)?.slice(0, 60)}. It is ignored.`;
  return { code: "HL_CONFIG_WRONG_TYPE", level: "error", text, place: { ...place, file } };
}

function propertyOf(node: ConfigNode | undefined, name: string): ConfigNode | undefined {
  return node?.type === "object" ? node.properties.findLast(({ key }) => key === name)?.value : undefined;
}

// Takes the documents of a session; gives the hooks of the packs they name, from packages that are installed already.
// Refuses: a package that is not there, is no pack, or names files outside of itself. Nothing is fetched, and nothing is run.

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
    { folder: root, within: BELOW_USER.includes(scope) ? within : undefined },
    { folder: cwd, within },
  ];
}

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
  if (file === undefined) return { ...NOTHING, diagnostics };
  const parsed = await readJson(file, insideFolders([root]));
  if (!parsed.isFound) return { ...NOTHING, diagnostics: [...diagnostics, ...parsed.diagnostics] };
  const source: Source = { scope: "plugin", dialect: dialects.for("pack").name, file, root, plugin: { id: name, root } };
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
  readonly hooks?: string | undefined;
  readonly diagnostics: readonly Diagnostic[];
}

/** Files that a pack may declare besides; nothing here reads them, but a wrong path is said at once. */
const OTHER_FILES = ["cases", "docs"];

async function readPackManifest(name: string, root: string): Promise<PackManifest> {
  const file = join(root, "package.json");
  const { root: manifest, diagnostics: odd, isFound } = await readJson(file, insideFolders([root]));
  if (!isFound && odd.length > 0) return { diagnostics: odd };
  const field = propertyOf(manifest, "hookloop");
  if (field === undefined) {
    const text = `The package ${name} is no hookpack: its package.json has no "hookloop": {"hooks": "./hooks.json"}. Remove it from "plugins", or ask its author.`;
    return { diagnostics: [...odd, finding("HL_CONFIG_PACK_INVALID", text, { file })] };
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

async function checkFile(root: string, node: ConfigNode): Promise<{ readonly file: string } | { readonly finding: Diagnostic }> {
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

function finding(code: ErrorCode, text: string, place: Place): Diagnostic {
  return { code, level: "error", text, place };
}
