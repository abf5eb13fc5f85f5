// Takes where the session runs, its environment and its home. Gives every configuration there is, read.
// Refuses managed files that others than root can change, and anything that is not a regular file.

import { dirname, isAbsolute, join, resolve } from "node:path";
import type { DialectFile, Dialects } from "../../catalogue/index.ts";
import type { Diagnostic } from "../../diagnostic.ts";
import { insideFolders, isOwn, isThere, projectRoot, type Within } from "../../permissions/index.ts";
import { documentOf, readDocument } from "../read/read-document.ts";
import type { ConfigDocument, Scope, Source } from "../types.ts";
import {
  filesAbove,
  foldersOf,
  misnamedFiles,
  noFolder,
  notOfProject,
  readConfigFile,
  readManagedFiles,
  strangerAbove,
  unreadable,
} from "./files-above.ts";
import { isCommitted } from "./git-index.ts";
import { findInstalledPlugins, readPluginTexts } from "./installed-plugins.ts";
import { findPacks } from "./packs.ts";

export interface FindOptions {
  /** The project: its files are looked for here, never in a parent. */
  readonly cwd: string;
  readonly home: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Whose files are looked for. */
  readonly dialects: Dialects;
  readonly settings?: SettingsOption | undefined;
  /** Folders of the enabled plugins. */
  readonly plugins?: readonly string[] | undefined;
  /** Tools the agent has besides the known ones. */
  readonly tools?: readonly string[] | undefined;
  /** The project's own settings may switch plugins on and off. `either`: every plugin that is on with or without that. */
  readonly isWorkspaceTrusted?: boolean | "either" | undefined;
  readonly managedRoot?: string | undefined;
  /** Owner of managed files; root unless a test says otherwise. */
  readonly managedUid?: number | undefined;
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
  const files = unique(candidates(options));
  const missing = noFolder(options);
  const parts = await Promise.all([
    findManaged(options),
    findFlag(options),
    ...files.map((candidate) => readCandidate(candidate, options)),
  ]);
  const settings = parts.flatMap((part) => part.documents);
  const installed = await findInstalledPlugins(settings, options);
  const folders = [...(options.plugins ?? []).map((folder) => resolve(options.cwd, folder)), ...installed.folders];
  const plugins = await Promise.all([...new Set(folders)].map((folder) => findPlugin(folder, options)));
  const documents = [...settings, ...plugins.flatMap((plugin) => plugin.documents)];
  const packs = await findPacks(documents, options);
  const given = documents.flatMap(({ source }) => (source.file === undefined ? [] : [{ file: source.file }]));
  return {
    documents: [...documents, ...packs.documents],
    plugins: plugins.map(({ name, root }) => ({ name, root })),
    missingPlugins: installed.missing,
    diagnostics: [
      ...[...parts, installed, ...plugins].flatMap(({ diagnostics }) => diagnostics),
      ...packs.diagnostics,
      ...(missing.length > 0 ? missing : [...strangerAbove(options), ...filesAbove(options, new Set(files.map(({ file }) => file)))]),
      ...misnamedFiles(options, new Set([...files, ...given].map(({ file }) => file))),
    ],
  };
}

/** Where configuration may stand, whether it does or not; `hooks.d` of managed policy is a folder. */
export async function configFiles(
  options: Place & Pick<FindOptions, "managedRoot">,
): Promise<readonly Pick<Candidate, "scope" | "file">[]> {
  const { managedRoot = MANAGED_ROOT } = options;
  const managed = ["hooks.json", "hooks.d"].map((name): Pick<Candidate, "scope" | "file"> => {
    return { scope: "managed", file: join(managedRoot, name) };
  });
  return [...managed, ...unique(candidates(options)).map(({ scope, file }) => ({ scope, file }))];
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

/** The files of a session's dialects, there or not. */
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
  const found = await readConfigFile(file, withinOf(rest, options));
  if ("missing" in found) return { documents: [], diagnostics: [] };
  if ("diagnostic" in found) return { documents: [], diagnostics: [found.diagnostic] };
  return {
    documents: [ofCheckout(readDocument({ ...options, source: { ...rest, file }, text: found.text }), file)],
    diagnostics: [],
  };
}

/** SECURITY: a local file above the session's folder counts only if nobody else could have put it there. */
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

async function findFlag({ settings, cwd, dialects, tools }: FindOptions): Promise<FoundSources> {
  if (settings === undefined) return { documents: [], diagnostics: [] };
  const found = await readSettings(settings, cwd);
  if ("diagnostic" in found) return { documents: [], diagnostics: [found.diagnostic] };
  const source: Source = { scope: "flag", dialect: dialects.for("settings").name, file: found.file, root: cwd };
  return { documents: [readDocument({ source, dialects, text: found.text, tools })], diagnostics: [] };
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

/** The text of passed settings and the file it is from, if it is from one. */
async function readSettings(
  settings: SettingsOption,
  cwd: string,
): Promise<{ readonly text: string; readonly file?: string } | { readonly diagnostic: Diagnostic }> {
  if (typeof settings !== "string") return stringify(settings);
  if (/^\s*[{[]/.test(settings)) return { text: settings };
  const file = isAbsolute(settings) ? settings : join(cwd, settings);
  const found = await readConfigFile(file);
  if ("text" in found) return { text: found.text, file };
  // Somebody asked for this file, so its absence is not silent.
  return { diagnostic: "diagnostic" in found ? found.diagnostic : unreadable(file, "the file does not exist") };
}

function stringify(settings: Readonly<Record<string, unknown>>): { readonly text: string } | { readonly diagnostic: Diagnostic } {
  try {
    return { text: JSON.stringify(settings, null, 2) };
  } catch (error) {
    return { diagnostic: unreadable("--settings", error instanceof Error ? error.message : String(error)) };
  }
}
