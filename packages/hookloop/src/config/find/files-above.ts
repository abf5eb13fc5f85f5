// Takes where a session runs. Says if that is no folder, and which configuration above it is not read: that of the project it is a part of, and that of strangers. So with files of the project
// and of plugins that hold hooks and that nothing reads: at the wrong place, in a plugin that no setting names, or written for another agent.

import { opendirSync, readdirSync, statSync } from "node:fs";
import { lstat, readdir, realpath } from "node:fs/promises";
import path, { dirname, join } from "node:path";
import { type DialectFacts, type DialectFile, type Dialects, isEventName } from "../../catalogue/index.ts";
import { type Diagnostic, nearestName } from "../../diagnostic.ts";
import { gitRoot, insideFolders, isInside, isOwn, projectRoot, readWithin, type Within } from "../../permissions/index.ts";
import { isThere, ownFolder } from "../../state-files.ts";
import { MAX_BYTES, tooLarge } from "../parse-json.ts";
import { PUT_ASIDE } from "../reading.ts";

interface Place {
  readonly cwd: string;
  readonly home: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly dialects: Dialects;
}

type SessionFolder = Pick<Place, "cwd" | "home" | "dialects">;

export function foldersOf({ cwd, home, env }: Place): Readonly<Record<DialectFile["at"], string>> {
  return { project: cwd, repository: projectRoot(cwd, home), home, config: ownFolder("config", { home, env }) };
}

function pathsAt(at: DialectFile["at"], dialects: readonly DialectFacts[]): readonly string[] {
  return dialects.flatMap(({ files }) => files.read.flatMap((file) => (file.at === at ? file.path : [])));
}

function userFiles({ all }: Dialects): readonly string[] {
  return [...pathsAt("home", all).map((name) => `~/${name}`), ...pathsAt("config", all).map((name) => `~/.config/hookloop/${name}`)];
}

const MOST_FOLDERS = 64;

/** One finding for all files; `read`: those that are. Above the home folder no project lies. */
export function filesAbove({ cwd, home, dialects }: SessionFolder, read: ReadonlySet<string>): readonly Diagnostic[] {
  const own = path.resolve(home);
  const [first, ...others] = foldersAbove(cwd, home).flatMap((folder) => {
    // In the home folder those of a dialect that has files there are the user's, and read or named anyway; the others count only for a session there.
    const looked = dialects.all.filter((dialect) => folder !== own || pathsAt("home", [dialect]).length === 0);
    const files = pathsAt("project", looked).map((name) => path.join(folder, name));
    // What other users put into a shared folder does not count.
    return files.filter((file) => !read.has(file) && isThere(file) && isOwn(file)).map((file) => ({ file, folder }));
  });
  if (first === undefined) return [];
  const { file, folder } = first;
  const more = others.length === 0 ? "" : ` The same goes for ${others.map((other) => other.file).join(", ")}.`;
  const cure =
    folder === own
      ? `To have them everywhere, move them to ${userFiles(dialects).join(" or ")}.`
      : `To have them, start there: cd ${folder}`;
  const text = `The hooks and rules of ${folder} do not count here: configuration is read only from the folder a session starts in, ${cwd}. ${cure}${more}`;
  return [{ code: "HL_CONFIG_ABOVE", level: "warning", text, place: { file } }];
}

/** SECURITY: where there is no folder there is no configuration, and a session without its guards must not look like one that has none. */
export function noFolder({ cwd }: Pick<SessionFolder, "cwd">): readonly Diagnostic[] {
  const problem = folderProblem(cwd);
  if (problem === undefined) return [];
  const text = `The project ${cwd} ${problem}, so no hook or rule of it was read. Open the session with an existing folder as cwd.`;
  return [{ code: "HL_CONFIG_NO_FOLDER", level: "error", text, place: { file: cwd } }];
}

function folderProblem(cwd: string): string | undefined {
  try {
    return statSync(cwd).isDirectory() ? undefined : "is not a folder";
  } catch (thrown) {
    const { code } = thrown as NodeJS.ErrnoException;
    return code === "ENOENT" || code === "ENOTDIR" ? "does not exist" : `cannot be looked at (${code})`;
  }
}

function foldersAbove(cwd: string, home: string): readonly string[] {
  const folders: string[] = [];
  for (let folder = path.dirname(path.resolve(cwd)); folders.length < MOST_FOLDERS; folder = path.dirname(folder)) {
    const isHome = folder === path.resolve(home);
    if ((!isHome && isInside(folder, path.resolve(home))) || folder === path.dirname(folder)) break;
    folders.push(folder);
    if (isHome) break;
  }
  return folders;
}

/** The local file of a repository that is not the project: it lies above the home folder, or is another user's. */
export function strangerAbove({ cwd, home, dialects }: SessionFolder): readonly Diagnostic[] {
  const root = gitRoot(cwd);
  if (root === path.resolve(cwd) || root === projectRoot(cwd, home)) return [];
  const files = pathsAt("repository", dialects.all).map((name) => path.join(root, name));
  const isAbove = isInside(root, path.resolve(home));
  return files
    .filter(isThere)
    .map((file) =>
      notOfProject(file, isAbove ? "it lies in the home folder or above it" : "its folder or its .git belongs to another user"),
    );
}

export function notOfProject(file: string, why: string): Diagnostic {
  const text = `This local configuration does not count here: ${why}. To use it, start in its folder, or put it into the project's.`;
  return { code: "HL_CONFIG_NOT_OF_PROJECT", level: "warning", text, place: { file } };
}

// Takes where a session runs. Says which files hold hooks or rules and are never read, because they have nearly the name of one that is.

interface Folder {
  readonly folder: string;
  /** The names that are read there; empty where none is. */
  readonly names: readonly string[];
  readonly right: (name: string) => string;
  /** The whole folder is for configuration of agents: rules alone are enough to be one. */
  readonly isOwn: boolean;
}

/** Where hooks are looked for, for people. */
export function lookedFor(dialects: Dialects): string {
  const list = new Intl.ListFormat("en-GB");
  return `${list.format(pathsAt("project", dialects.all))} of this folder, and ${list.format(userFiles(dialects))}`;
}

/** A listing is cut here: a folder that others fill must not delay the start. */
const MAX_ENTRIES = 2000;
const MAX_EXAMINED_FILES = 8;
const MAX_EXAMINED_BYTES = 256 * 1024;
/** `settings.json` in the ways that it gets written by hand; copies such as `settings.json.bak` are none. `agents`: `claude|hookloop`. */
function nearNames(agents: string): RegExp {
  return new RegExp(
    `^\\.?(?:(?:${agents}|local)[._-]?)?(?:hooks?|settings?|config|${agents})(?:[._-]?(?:local|hooks?|settings?))?(?:\\.(?:jsonc?|json5|ya?ml|toml|json\\.txt))?$`,
    "i",
  );
}

/** One finding per file. */
export function misnamedFiles(place: Place, read: ReadonlySet<string>): readonly Diagnostic[] {
  const within = insideFolders([place.cwd, place.home, ownFolder("config", place)]);
  return misnamedIn(lookedThrough(place), { dialects: place.dialects, within, read });
}

interface Misnamed {
  readonly dialects: Dialects;
  readonly within: Within;
  readonly read: ReadonlySet<string>;
}

function misnamedIn(folders: readonly Folder[], { dialects, within, read }: Misnamed): readonly Diagnostic[] {
  const agents = agentFolders(dialects)
    .map(({ folder }) => folder.replace(/\W/g, ""))
    .join("|");
  const near = nearNames(agents);
  return folders.flatMap((one) => {
    const files = namesIn(one.folder)
      .filter((name) => !one.names.includes(name) && (near.test(name) || (one.isOwn && isSlip(name, one.names))))
      .slice(0, MAX_EXAMINED_FILES)
      .map((name) => path.join(one.folder, name))
      .filter((file) => !read.has(file) && !isSameAsRead(file, read));
    return files.flatMap((file) => {
      const found = readWithin(file, { within, limit: MAX_EXAMINED_BYTES });
      const isMeant = found.kind === "read" && holdsConfiguration(found.bytes.toString("utf8"), one.isOwn);
      return isMeant ? [misnamed(file, one.right(path.basename(file)))] : [];
    });
  });
}

function isSlip(name: string, names: readonly string[]): boolean {
  if (name.length > 40 || !name.endsWith(".json") || PUT_ASIDE.test(name)) return false;
  const stem = (one: string): string => one.replace(/\.json$/, "");
  return nearestName(stem(name), names.map(stem)) !== undefined;
}

interface AgentFolder {
  readonly folder: string;
  readonly files: readonly string[];
}

function agentFolders({ all }: Dialects): readonly AgentFolder[] {
  const files = pathsAt("project", all).filter((file) => path.dirname(file) !== ".");
  const folders = [...new Set(files.map((file) => path.dirname(file)))];
  return folders.map((folder) => ({ folder, files: files.filter((file) => path.dirname(file) === folder) }));
}

function lookedThrough(place: Place): readonly Folder[] {
  const { cwd, dialects } = place;
  const folders = agentFolders(dialects);
  const right = ({ files }: AgentFolder, name: string): string =>
    (/local/i.test(name) ? files.find((file) => /local/i.test(file)) : undefined) ?? files[0] ?? "";
  const own = folders.flatMap((one): readonly Folder[] => {
    const names = one.files.map((file) => path.basename(file));
    const folder = path.join(cwd, one.folder);
    const of = { right: (name: string) => right(one, name), isOwn: true };
    return [
      { folder, names, ...of },
      { folder: path.join(folder, "hooks"), names: [], ...of },
    ];
  });
  const { home, config } = foldersOf(place);
  const ofUser = (file: string, shown: string): Folder => {
    return { folder: path.dirname(file), names: [path.basename(file)], right: () => shown, isOwn: true };
  };
  const bare = pathsAt("project", dialects.all).filter((file) => path.dirname(file) === ".");
  const ofProject = { right: (name: string) => folders.map((one) => right(one, name)).join(" or "), isOwn: false };
  // Where the project is a plugin, its hooks are for those who install it.
  const isPlugin = [".claude-plugin", "plugin.json"].some((name) => isThere(path.join(cwd, name)));
  const all: Folder[] = [
    ...own,
    { folder: cwd, names: bare, ...ofProject },
    ...(isPlugin ? [] : [{ folder: path.join(cwd, "hooks"), names: [], ...ofProject }]),
    ...pathsAt("home", dialects.all).map((name) => ofUser(path.join(home, name), `~/${name}`)),
    ...pathsAt("config", dialects.all).map((name) => ofUser(path.join(config, name), path.join(config, name))),
  ];
  const misspelt = namesIn(cwd).flatMap((name) => {
    const meant = folders.find(({ folder }) => name !== folder && name.toLowerCase().replace(/^\.?/, ".") === folder);
    return meant ? [{ name, meant }] : [];
  });
  for (const { name, meant } of misspelt.slice(0, MAX_EXAMINED_FILES))
    all.push({ folder: path.join(cwd, name), names: [], right: (one) => right(meant, one), isOwn: name.startsWith(".") });
  return all.filter(({ folder }, index) => all.findIndex((other) => other.folder === folder) === index);
}

function namesIn(folder: string): readonly string[] {
  const names: string[] = [];
  try {
    const listing = opendirSync(folder);
    try {
      for (let entry = listing.readSync(); entry && names.length < MAX_ENTRIES; entry = listing.readSync()) names.push(entry.name);
    } finally {
      listing.closeSync();
    }
  } catch {
    // Not there, or not ours to list: what is read from it is reported by who reads it.
  }
  return names;
}

/** Where case makes no difference, or a link leads to the right file, it is read by its right name. */
function isSameAsRead(file: string, read: ReadonlySet<string>): boolean {
  const own = identityOf(file);
  return own !== undefined && [...read].some((other) => identityOf(other) === own);
}

function identityOf(file: string): string | undefined {
  try {
    const { dev, ino } = statSync(file);
    return `${dev}:${ino}`;
  } catch {
    // Not there, or a link that leads nowhere.
    return undefined;
  }
}

/** An event as a key; in a folder that anything may stand in, beside the word `hooks`. Text that is no JSON counts: its syntax may be the next mistake. */
function holdsConfiguration(text: string, isOwn: boolean): boolean {
  const keys = text.matchAll(/(?<![\w.])["']?([A-Z][A-Za-z]{3,24})["']?\s{0,20}[:=]/g);
  const hasHooks = /(?<![\w.])["']?hooks["']?\s{0,20}[:=]|\[+hooks\b/.test(text);
  if ((isOwn || hasHooks) && [...keys].some(([, key = ""]) => isEventName(key))) return true;
  return isOwn && (hasHooks || /["']permissions["']\s{0,20}:\s{0,20}\{\s{0,200}["'](?:allow|deny|ask)["']/.test(text));
}

function misnamed(file: string, right: string): Diagnostic {
  const text = `This file looks like hooks or permission rules and is never read: nothing in it counts. Move what it says to ${right}.`;
  return { code: "HL_CONFIG_MISNAMED", level: "warning", text, place: { file } };
}

interface FoundText {
  readonly file: string;
  readonly text: string;
}

/** The texts of files that are there, and why others were not read. */
export interface Found {
  readonly texts: readonly FoundText[];
  readonly diagnostics: readonly Diagnostic[];
}

interface ManagedPlace {
  readonly root: string;
  /** The only user besides root whose files count; tests set it. */
  readonly uid: number;
}

const WRITABLE_BY_OTHERS = 0o022;
const STICKY = 0o1000;
const MAX_MANAGED_FILES = 256;

/** The texts of managed policy: `hooks.json`, then `hooks.d/*.json` by name. Only what root alone can change is read. */
export async function readManagedFiles(place: ManagedPlace): Promise<Found> {
  const dropIns = await listDropIns(join(place.root, "hooks.d"));
  const files = [join(place.root, "hooks.json"), ...dropIns.files];
  const read = await Promise.all(files.map((file) => readManaged(file, place)));
  return {
    texts: read.flatMap(({ texts }) => texts),
    diagnostics: [...dropIns.diagnostics, ...read.flatMap(({ diagnostics }) => diagnostics)],
  };
}

async function listDropIns(folder: string): Promise<{ readonly files: readonly string[]; readonly diagnostics: readonly Diagnostic[] }> {
  try {
    const names = (await readdir(folder)).filter((name) => name.endsWith(".json") && !name.startsWith(".")).sort();
    const diagnostics =
      names.length > MAX_MANAGED_FILES ? [unreadable(folder, `it holds more than ${MAX_MANAGED_FILES} files; the rest is left out`)] : [];
    return { files: names.slice(0, MAX_MANAGED_FILES).map((name) => join(folder, name)), diagnostics };
  } catch (error) {
    const code = error instanceof Error && "code" in error ? String(error.code) : String(error);
    return { files: [], diagnostics: code === "ENOENT" ? [] : [unreadable(folder, code)] };
  }
}

async function readManaged(file: string, place: ManagedPlace): Promise<Found> {
  const { owner, ...found } = await readConfigFile(file);
  const open = owner && (isChangeable(owner, place.uid) ? file : await findChangeableFolder(file, place));
  return open === undefined ? found : { texts: [], diagnostics: [refused(file, open)] };
}

/** SECURITY: who can write the file, or replace it in any folder on the way to it, would be the authority over everyone's hooks. */
async function findChangeableFolder(file: string, { uid }: ManagedPlace): Promise<string | undefined> {
  const starts = [dirname(file), dirname(await realpath(file))];
  for (const start of starts) {
    for (let folder = await realpath(start), isFirst = true; ; folder = dirname(folder), isFirst = false) {
      const { uid: owner, mode } = await lstat(folder);
      // In a sticky folder (/tmp) users cannot rename each other's files; the folder of the file itself must be closed.
      const isSafeSticky = !isFirst && (mode & STICKY) !== 0 && (owner === 0 || owner === uid);
      if (!isSafeSticky && isChangeable({ uid: owner, mode }, uid)) return folder;
      if (folder === dirname(folder)) break;
    }
  }
  return undefined;
}

function isChangeable({ uid: owner, mode }: { readonly uid: number; readonly mode: number }, uid: number): boolean {
  return (owner !== 0 && owner !== uid) || (mode & WRITABLE_BY_OTHERS) !== 0;
}

function refused(file: string, path: string): Diagnostic {
  const text = `Managed policy is not read, because ${path} can be changed by others than root. Run: chown root "${path}" && chmod go-w "${path}"`;
  return { code: "HL_CONFIG_MANAGED_WRITABLE", level: "error", text, place: { file } };
}

interface FoundFile extends Found {
  /** Set if it was read. */
  readonly owner?: { readonly uid: number; readonly mode: number };
}

/** Reads a small regular file as UTF-8; one that is not there gives nothing. `within`: where it may really lie, for files that come with a project or a plugin. */
export async function readConfigFile(file: string, within?: Within): Promise<FoundFile> {
  const found = readWithin(file, { within, limit: MAX_BYTES });
  const failed = (...diagnostics: readonly Diagnostic[]): Found => ({ texts: [], diagnostics });
  if (found.kind === "missing") return failed();
  if (found.kind === "too-large") return failed(tooLarge(file));
  if (found.kind === "unreadable") return failed(unreadable(file, found.why));
  if (found.kind === "outside")
    return failed(unreadable(file, `it leads outside of the project or plugin it belongs to, to ${found.target}`));
  try {
    const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(found.bytes);
    return { texts: [{ file, text }], diagnostics: [], owner: found };
  } catch {
    return failed(unreadable(file, "it is not UTF-8 text"));
  }
}

export function unreadable(file: string, why: string): Diagnostic {
  const text = `The configuration cannot be read: ${why}. None of its hooks run; fix or remove it.`;
  return { code: "HL_CONFIG_UNREADABLE", level: "error", text, place: { file } };
}

interface PluginSpot {
  readonly root: string;
  readonly dialects: Dialects;
  readonly read: ReadonlySet<string>;
  readonly hasHooks: boolean;
}

/** Files of a plugin that look like its hooks. What a plugin's own authors use (`.claude`) counts only if it has no other hooks. */
export function misplacedInPlugin({ root, dialects, read, hasHooks }: PluginSpot): readonly Diagnostic[] {
  const right = (): string => path.join(root, "hooks", "hooks.json");
  const own = ["hooks", ".claude-plugin", path.join(".claude-plugin", "hooks")];
  const ofAuthors = hasHooks ? [] : agentFolders(dialects).map(({ folder }) => folder);
  const folders = [
    { folder: root, names: [], right, isOwn: false },
    ...[...own, ...ofAuthors].map((name) => ({ folder: path.join(root, name), names: [], right, isOwn: true })),
  ];
  return misnamedIn(folders, { dialects, within: insideFolders([root]), read });
}

const MANIFESTS = [path.join(".claude-plugin", "plugin.json"), "plugin.json"];
/** What makes a folder a plugin without a manifest. */
const PARTS = ["hooks", "commands", "agents", "skills", "output-styles", "monitors", "themes", "bin", ".mcp.json", ".lsp.json"];

function isPlugin(folder: string): boolean {
  return [...MANIFESTS, ...PARTS].some((name) => isThere(path.join(folder, name)));
}

/** A folder that was named as a plugin and is none; its plugins, if it holds some. */
export function noPlugin(folder: string): readonly Diagnostic[] {
  if (isPlugin(folder)) return [];
  const inside = foldersIn(folder).filter((name) => isPlugin(path.join(folder, name)));
  const cure =
    inside.length === 0
      ? "Name a folder with .claude-plugin/plugin.json or hooks/hooks.json."
      : `Name each plugin by itself: ${inside.map((name) => path.join(folder, name)).join(", ")}.`;
  const text = `There is no plugin in this folder, so no hook of it runs. ${cure}`;
  return [{ code: "HL_CONFIG_PLUGIN_MISSING", level: "error", text, place: { file: folder } }];
}

function foldersIn(folder: string): readonly string[] {
  try {
    const entries = readdirSync(folder, { withFileTypes: true });
    return entries.flatMap((entry) => (entry.isDirectory() ? entry.name : [])).slice(0, MAX_EXAMINED_FILES);
  } catch {
    // Not there, or not ours to list.
    return [];
  }
}

interface ProjectSpot {
  readonly cwd: string;
  readonly home: string;
  readonly dialects: Dialects;
  readonly read: ReadonlySet<string>;
}

/** Plugins with hooks in `.claude/plugins` of the project: Claude Code keeps installed ones there, but in the home folder. */
export function pluginsNotRead({ cwd, home, dialects, read }: ProjectSpot): readonly Diagnostic[] {
  if (path.resolve(cwd) === path.resolve(home)) return [];
  const plugins = agentFolders(dialects).flatMap(({ folder }) => {
    const all = path.join(folder, "plugins");
    return foldersIn(path.join(cwd, all)).map((name) => path.join(all, name));
  });
  return plugins.flatMap((plugin) => {
    const files = [path.join("hooks", "hooks.json"), ...MANIFESTS].map((name) => path.join(cwd, plugin, name));
    const file = files.find((one) => !read.has(one) && holdsHooks(one, cwd));
    const text = `This plugin is never read: a folder of the project is not where plugins are looked for, and none of its hooks run. Start with --plugin-dir ${plugin}, or move its hooks to .hookloop/hooks.json.`;
    return file === undefined ? [] : [{ code: "HL_CONFIG_MISNAMED", level: "warning", text, place: { file } }];
  });
}

/** Where other agents keep hooks; `*` stands for any name. */
const OTHER_AGENTS: Readonly<Record<string, string>> = {
  ".cursor/hooks.json": "Cursor",
  ".gemini/settings.json": "Gemini CLI",
  ".codex/hooks.json": "Codex",
  ".github/hooks/*.json": "GitHub Copilot",
};

/** Hooks of the project that only another agent runs: their author may take them for guards of this one, too. */
export function hooksOfOtherAgents({ cwd, read }: ProjectSpot): readonly Diagnostic[] {
  const within = insideFolders([cwd]);
  return Object.entries(OTHER_AGENTS).flatMap(([pattern, agent]) => {
    const files = filesOf(path.join(cwd, pattern)).filter((file) => !read.has(file));
    const found = files.find((file) => {
      const text = readWithin(file, { within, limit: MAX_EXAMINED_BYTES });
      return text.kind === "read" && /"hooks"\s*:\s*[{[]\s*["{]/.test(text.bytes.toString("utf8"));
    });
    const text = `These hooks are ${agent}'s and do not run here. What is to hold here, too, belongs into .hookloop/hooks.json or .claude/settings.json.`;
    return found === undefined ? [] : [{ code: "HL_CONFIG_OTHER_AGENT", level: "notice", text, place: { file: found } }];
  });
}

function filesOf(pattern: string): readonly string[] {
  const folder = path.dirname(pattern);
  if (!path.basename(pattern).startsWith("*")) return isThere(pattern) ? [pattern] : [];
  try {
    const names = readdirSync(folder).filter((name) => name.endsWith(".json"));
    return names.slice(0, MAX_EXAMINED_FILES).map((name) => path.join(folder, name));
  } catch {
    // Not there, or not ours to list.
    return [];
  }
}

function holdsHooks(file: string, root: string): boolean {
  const found = readWithin(file, { within: insideFolders([root]), limit: MAX_EXAMINED_BYTES });
  return found.kind === "read" && holdsConfiguration(found.bytes.toString("utf8"), false);
}
