// Takes where the session runs, its environment and its home. Gives every configuration there is, read.
// Refuses managed files that others than root can change, and anything that is not a regular file.

import { lstatSync, readdirSync, readFileSync, realpathSync, statSync } from "node:fs";
import path, { basename, dirname, join, resolve } from "node:path";
import { type DialectFile, type Dialects, OWN_DIALECT } from "../../catalogue/index.ts";
import type { Diagnostic } from "../../diagnostic.ts";
import { insideFolders, isInside, isOwn, ownGitFolders, projectRoot, realFolder, type Within } from "../../permissions/index.ts";
import { isThere } from "../../state-files.ts";
import { documentOf, readDocument } from "../read/read-document.ts";
import { type ConfigDocument, EXTENSION, type Scope, type Source } from "../types.ts";
import {
  filesAbove,
  foldersOf,
  hooksOfOtherAgents,
  misnamedFiles,
  misplacedInPlugin,
  noFolder,
  notOfProject,
  pluginsNotRead,
  readConfigFile,
  readManagedFiles,
  strangerAbove,
  unreadable,
} from "./files-above.ts";
import { findInstalledPlugins, findPacks, readPluginTexts } from "./installed-plugins.ts";

export interface FindOptions {
  /** The project: its files are looked for here, never in a parent. */
  readonly cwd: string;
  readonly home: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly dialects: Dialects;
  readonly settings?: SettingsOption | undefined;
  readonly plugins?: readonly string[] | undefined;
  /** Files that register hooks when the session opens. */
  readonly extensions?: readonly string[] | undefined;
  readonly tools?: readonly string[] | undefined;
  /** Which files are read; all if left out. Managed ones always are, and so is what the program names itself. */
  readonly sources?: readonly SourceName[] | undefined;
  /** The project's own settings may switch plugins on and off. `either`: every plugin that is on with or without that. */
  readonly isWorkspaceTrusted?: boolean | "either" | undefined;
  readonly managedRoot?: string | undefined;
  /** Owner of managed files; root unless a test says otherwise. */
  readonly managedUid?: number | undefined;
}

/** What a program can choose to read. `plugin`: those that settings enable and the user has installed. */
export const SOURCE_NAMES = ["managed", "user", "project", "local", "plugin"] as const;
export type SourceName = (typeof SOURCE_NAMES)[number];

function isRead({ sources }: Pick<FindOptions, "sources">, name: SourceName): boolean {
  return sources?.includes(name) ?? true;
}

/** Every document found, highest source first, and what belongs to no document: files that could not be read. */
export interface FoundSources {
  readonly documents: readonly ConfigDocument[];
  readonly diagnostics: readonly Diagnostic[];
  /** The plugins of the session, with and without hooks. */
  readonly plugins?: readonly { readonly name: string; readonly root: string }[] | undefined;
  /** Names of plugins that are enabled and cannot be found. */
  readonly missingPlugins?: readonly string[] | undefined;
}

const MANAGED_ROOT = "/etc/hookloop";

interface Candidate {
  readonly scope: Scope;
  readonly dialect: string;
  readonly file: string;
  readonly root: string;
}

/** Reads every configuration of a session. A missing file is silent; one that is there and cannot be read is not. */
export async function findSources(options: FindOptions): Promise<FoundSources> {
  const places = unique(candidates(options));
  const files = places.filter(({ scope }) => isRead(options, scope as SourceName));
  const missing = noFolder(options);
  const parts = await Promise.all([
    findManaged(options),
    findFlag(options),
    ...files.map((candidate) => readCandidate(candidate, options)),
  ]);
  const settings = parts.flatMap((part) => part.documents);
  const installed = isRead(options, "plugin") ? await findInstalledPlugins(settings, options) : NO_PLUGINS;
  const folders = [...(options.plugins ?? []).map((folder) => resolve(options.cwd, folder)), ...installed.folders];
  const plugins = await Promise.all([...new Set(folders)].map((folder) => findPlugin(folder, options)));
  const extensions = (options.extensions ?? []).map((name) => extensionDocument(name, options));
  const documents = [...settings, ...plugins.flatMap((plugin) => plugin.documents), ...extensions];
  const packs = await findPacks(documents, options);
  const given = documents.flatMap(({ source }) => (source.file === undefined ? [] : [{ file: source.file }]));
  // Also what this program does not read: it stands where it belongs.
  const read = new Set([...[...places, ...given].map(({ file }) => file), ...plugins.map(hooksOfPlugin)]);
  return {
    documents: [...documents, ...packs.documents],
    plugins: plugins.map(({ name, root }) => ({ name, root })),
    missingPlugins: installed.missing,
    diagnostics: [
      ...[...parts, installed, ...plugins].flatMap(({ diagnostics }) => diagnostics),
      ...packs.diagnostics,
      ...(missing.length > 0 ? missing : [...strangerAbove(options), ...filesAbove(options, new Set(places.map(({ file }) => file)))]),
      ...misnamedFiles(options, read),
      ...plugins.flatMap(({ root, documents: own }) =>
        misplacedInPlugin({ root, dialects: options.dialects, read, hasHooks: own.some(({ hooks }) => hooks.length > 0) }),
      ),
      ...pluginsNotRead({ ...options, read }),
      ...hooksOfOtherAgents({ ...options, read }),
    ],
  };
}

const NO_PLUGINS: Awaited<ReturnType<typeof findInstalledPlugins>> = { folders: [], missing: [], diagnostics: [] };

function hooksOfPlugin({ root }: { readonly root: string }): string {
  return join(root, "hooks", "hooks.json");
}

/** Where configuration may stand, whether it does or not; `hooks.d` of managed policy is a folder. */
export async function configFiles(
  options: Place & Pick<FindOptions, "managedRoot" | "sources">,
): Promise<readonly Pick<Candidate, "scope" | "file">[]> {
  const { managedRoot = MANAGED_ROOT } = options;
  const managed = ["hooks.json", "hooks.d"].map((name): Pick<Candidate, "scope" | "file"> => {
    return { scope: "managed", file: join(managedRoot, name) };
  });
  const own = unique(candidates(options)).filter(({ scope }) => isRead(options, scope as SourceName));
  return [...managed, ...own.map(({ scope, file }) => ({ scope, file }))];
}

type Place = Pick<FindOptions, "cwd" | "home" | "env" | "dialects">;

const FILE_SCOPES: readonly DialectFile["scope"][] = ["user", "local", "project"];

function candidates(place: Place): readonly Candidate[] {
  const folders = foldersOf(place);
  const all = place.dialects.all.flatMap(({ name: dialect, files }) =>
    files.read.map(({ scope, at, path }): Candidate => ({ scope, dialect, file: join(folders[at], path), root: folders[at] })),
  );
  return FILE_SCOPES.flatMap((scope) => all.filter((one) => one.scope === scope));
}

export function sessionFiles(place: Place): readonly string[] {
  return unique(candidates(place)).map(({ file }) => file);
}

/** A session in the home folder would read the user's settings again as the project's. */
function unique(files: readonly Candidate[]): readonly Candidate[] {
  return files.filter(({ file }, index) => files.findIndex((other) => other.file === file) === index);
}

async function readCandidate({ file, ...rest }: Candidate, options: FindOptions): Promise<FoundSources> {
  const foreign = rest.root === options.cwd || rest.scope !== "local" ? undefined : foreignPart(file);
  if (foreign !== undefined) return { documents: [], diagnostics: [notOfProject(file, `${foreign} belongs to another user`)] };
  const { texts, diagnostics } = await readConfigFile(file, withinOf(rest, options));
  return {
    documents: texts.map(({ text }) => ofCheckout(readDocument({ ...options, source: { ...rest, file }, text }), file)),
    diagnostics,
  };
}

/** SECURITY: a local file above the session's folder counts only if no other user could have put it there. */
function foreignPart(file: string): string | undefined {
  return [file, dirname(file)].find((part) => isThere(part) && !isOwn(part));
}

/** SECURITY: a local file is the user's own word, unless it came with a pull. Looked up only for the switch that makes a difference. */
function ofCheckout(document: ConfigDocument, file: string): ConfigDocument {
  const { source, switches, diagnostics } = document;
  if (source.scope !== "local" || switches.disableAllHooks !== true || !isCommitted(file)) return document;
  const text = `This local file is kept by git, so it counts as committed: its "disableAllHooks" reaches only hooks of this file. To start without the project's hooks: --no-project-hooks, or "disableAllHooks" in ~/.claude/settings.json.`;
  return {
    ...document,
    isOfCheckout: true,
    diagnostics: [...diagnostics, { code: "HL_CONFIG_COMMITTED", level: "warning", text, place: { file } }],
  };
}

/** SECURITY: a project's own files count only from inside of it; the user's may be links to wherever the user keeps them. */
function withinOf({ scope, root }: Pick<Candidate, "scope" | "root">, options: FindOptions): Within | undefined {
  if (scope === "user") return undefined;
  const own = candidates(options).flatMap((one) => (one.scope === "user" ? dirname(one.file) : []));
  return insideFolders([root, projectRoot(options.cwd, options.home), ...own]);
}

async function findManaged({ managedRoot = MANAGED_ROOT, managedUid = 0, dialects, tools }: FindOptions): Promise<FoundSources> {
  const { texts, diagnostics } = await readManagedFiles({ root: managedRoot, uid: managedUid });
  const { name: dialect } = dialects.for("managed");
  const documents = texts.map(({ file, text }) => {
    return readDocument({ source: { scope: "managed", dialect, file, root: managedRoot }, dialects, text, tools });
  });
  return { documents, diagnostics };
}

/** SECURITY: naming a file of the project on the command line is no word about what is in it, so it needs what its hooks need; any other is the user's own. */
function extensionDocument(name: string, { cwd, home }: Pick<FindOptions, "cwd" | "home">): ConfigDocument {
  const file = resolve(cwd, name);
  const within = insideFolders([cwd, projectRoot(cwd, home)]);
  const isOfProject = [file, realFolder(file), join(realFolder(dirname(file)), basename(file))].some(within);
  const source: Source = { scope: isOfProject ? "project" : "user", dialect: OWN_DIALECT, file, root: isOfProject ? cwd : dirname(file) };
  const fields = { path: file, name: basename(file), setting: EXTENSION };
  const hook = { event: "PreToolUse", kind: "module", fields, source, place: { file }, setting: EXTENSION } as const;
  return { source, hooks: [hook], switches: {}, permissions: { allow: [], ask: [], deny: [] }, diagnostics: [] };
}

async function findFlag({ settings, cwd, dialects, tools }: FindOptions): Promise<FoundSources> {
  if (settings === undefined) return { documents: [], diagnostics: [] };
  const { texts, diagnostics } = await readSettings(settings, cwd);
  const source: Source = { scope: "flag", dialect: dialects.for("settings").name, root: cwd };
  return { documents: texts.map(({ file, text }) => readDocument({ source: { ...source, file }, dialects, text, tools })), diagnostics };
}

async function findPlugin(
  root: string,
  { dialects, tools }: FindOptions,
): Promise<FoundSources & { readonly name: string; readonly root: string }> {
  const { id, texts, inline, diagnostics } = await readPluginTexts(root);
  const { name: dialect } = dialects.for("plugin");
  const sourceOf = (file: string): Source => ({ scope: "plugin", dialect, file, root, plugin: { id, root } });
  const written = texts.map(({ file, text }) => readDocument({ source: sourceOf(file), dialects, text, tools }));
  const own = inline.map(({ file, map }) => {
    const properties = [{ key: "hooks", place: map.place, value: map }];
    const parsed = { root: { type: "object" as const, properties, place: map.place, isBroken: false }, diagnostics: [] };
    return documentOf({ source: sourceOf(file), dialects, tools, parsed });
  });
  return { name: id, root, documents: [...written, ...own], diagnostics };
}

/** What `--settings` or the embedding program passes: JSON text, the path of a file, or the value itself. */
type SettingsOption = string | Readonly<Record<string, unknown>>;

interface FoundSettings {
  readonly texts: readonly { readonly text: string; readonly file?: string }[];
  readonly diagnostics: readonly Diagnostic[];
}

async function readSettings(settings: SettingsOption, cwd: string): Promise<FoundSettings> {
  if (typeof settings === "string" && !/^\s*[{[]/.test(settings)) {
    const file = resolve(cwd, settings);
    const found = await readConfigFile(file);
    // The file was asked for, so its absence is reported.
    const isMissing = found.texts.length + found.diagnostics.length === 0;
    return isMissing ? { texts: [], diagnostics: [unreadable(file, "the file does not exist")] } : found;
  }
  try {
    return { texts: [{ text: typeof settings === "string" ? settings : JSON.stringify(settings, null, 2) }], diagnostics: [] };
  } catch (error) {
    return { texts: [], diagnostics: [unreadable("--settings", error instanceof Error ? error.message : String(error))] };
  }
}

// Takes a file. Says whether a repository around it keeps it: then it came, or may come, with a pull and is not the user's own.
// Git is not started: its configuration could make it run something. What cannot be read counts as kept.

const LARGEST_INDEX = 512 * 1024 * 1024;
/** Before the object id: times, device, inode, mode, owner, size. */
const STAT_BYTES = 40;
const HASH_BYTES = [20, 32];
const EXTENDED = 0x4000;
const NAME_LENGTH = 0xfff;

/** Whether git keeps this file, one of its folders (a link, a submodule), or what it is a link to. */
export function isCommitted(file: string): boolean {
  const names = new Set([path.resolve(file), realFolder(file)]);
  return [...names].some((name) => repositoriesAround(name).some((root) => isKept(root, name)));
}

function repositoriesAround(file: string): readonly string[] {
  const roots: string[] = [];
  for (let folder = path.dirname(file); ; folder = path.dirname(folder)) {
    if (lstatSync(path.join(folder, ".git"), { throwIfNoEntry: false })) roots.push(folder);
    if (folder === path.dirname(folder)) return roots;
  }
}

function isKept(root: string, file: string): boolean {
  const wanted = folded(path.relative(root, file).split(path.sep).join("/"));
  try {
    const folder = gitFolder(root);
    return indexFiles(folder).some((index) => {
      const names = readNames(index);
      // SECURITY: an index that cannot be read may list it.
      return names === undefined || names.some((name) => wanted === name || wanted.startsWith(name.endsWith("/") ? name : `${name}/`));
    });
  } catch (thrown) {
    // No index: nothing was ever added. A folder that is no repository keeps nothing.
    return !["ENOENT", "ENOTDIR"].includes((thrown as NodeJS.ErrnoException).code ?? "");
  }
}

/** Where the volume takes other spellings for the same name, git may keep it under another one. */
function folded(name: string): string {
  return name.normalize("NFC").toLowerCase();
}

/** SECURITY: a `.git` that leads to a repository which does not know this folder says nothing about it. */
function gitFolder(root: string): string {
  statSync(path.join(root, ".git"));
  const found = ownGitFolders(root);
  if (found.kind === "foreign") throw new Error(found.why);
  return found.gitDir;
}

/** The index, and those it shares with others (`core.splitIndex`). */
function indexFiles(folder: string): readonly Buffer[] {
  const shared = readdirSync(folder).filter((name) => name.startsWith("sharedindex."));
  return ["index", ...shared].map((name) => {
    const file = path.join(folder, name);
    const stat = statSync(file);
    // SECURITY: a pipe in its place would hold up the start for good, a link leads to another index; what cannot be read counts as committed.
    if (!stat.isFile() || stat.size > LARGEST_INDEX || !isInside(folder, realpathSync(file))) return Buffer.alloc(0);
    return readFileSync(file);
  });
}

/** The names in an index, folded; nothing if it is none that is known. Object ids have one of two lengths, and the file does not say which. */
function readNames(index: Buffer): readonly string[] | undefined {
  if (index.length < 12 || index.toString("latin1", 0, 4) !== "DIRC") return undefined;
  const version = index.readUInt32BE(4);
  if (version < 2 || version > 4) return undefined;
  for (const hashBytes of HASH_BYTES) {
    const names = namesWith(index, version, hashBytes);
    if (names) return names;
  }
  return undefined;
}

function namesWith(index: Buffer, version: number, hashBytes: number): readonly string[] | undefined {
  const count = index.readUInt32BE(8);
  const names: string[] = [];
  let before = Buffer.alloc(0);
  let at = 12;
  for (let entry = 0; entry < count; entry++) {
    const flagsAt = at + STAT_BYTES + hashBytes;
    if (flagsAt + 2 > index.length) return undefined;
    const flags = index.readUInt16BE(flagsAt);
    let nameAt = flagsAt + ((flags & EXTENDED) !== 0 ? 4 : 2);
    let kept = Buffer.alloc(0);
    if (version === 4) {
      const strip = readOffset(index, nameAt);
      if (strip.value > before.length) return undefined;
      kept = before.subarray(0, before.length - strip.value);
      nameAt = strip.next;
    }
    const end = index.indexOf(0, nameAt);
    if (end < 0) return undefined;
    const name = Buffer.concat([kept, index.subarray(nameAt, end)]);
    // A wrong guess about the ids reads names where none are. A split index leaves names empty that the shared one has.
    if ((flags & NAME_LENGTH) !== Math.min(name.length, NAME_LENGTH)) return undefined;
    if (name.length > 0) names.push(folded(name.toString("utf8")));
    before = name;
    // Versions 2 and 3 fill up with one to eight zeros.
    at = version === 4 ? end + 1 : at + Math.floor((end - at + 8) / 8) * 8;
  }
  return names;
}

/** How many bytes of the name before are left out: git's offset encoding, seven bits a byte. */
function readOffset(index: Buffer, from: number): { readonly value: number; readonly next: number } {
  let at = from;
  let byte = index[at++] ?? 0;
  let value = byte & 0x7f;
  while ((byte & 0x80) !== 0 && at < index.length) {
    byte = index[at++] ?? 0;
    value = (value + 1) * 128 + (byte & 0x7f);
  }
  return { value, next: at };
}
