import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { remembered } from "../../shell/index.ts";
import { absolutePath, fileKind, isFolder, namesIn, ownFolder, Watched } from "../../state-files.ts";
import { notedGitFolders, readWithin, realFolder } from "../paths/project-files.ts";
import { comparablePath, createRealPath, isInside, WatchedLinks } from "../paths/real-target.ts";
import type { ProtectContext, Protected, ProtectedKind } from "./protected-path.ts";

const MAX_BYTES = 1024 * 1024;

/** The text of a regular file, if it is not too long; undefined if there is none. */
export function readText(path: string): string | undefined {
  const found = readWithin(path, { limit: MAX_BYTES });
  return found.kind === "read" ? found.bytes.toString() : undefined;
}

const MAX_INDEX_BYTES = 64 * 1024 * 1024;
/** An entry has its path after two bytes whose lower twelve bits are the length of it, and a NUL after it. */
const LENGTH_BITS = 0xfff;

/**
 * Tells which files the index of a work tree names; a folder counts as named if everything in it is. An index that is not there, is too
 * large, or is written in another way (version 4, or that of a submodule) names nothing.
 */
export function keptByGit(root: string): (path: string) => boolean {
  const index = readIndex(root);
  const isEntry = (path: string): boolean => {
    const name = Buffer.from(`${path}\0`);
    for (let at = index.indexOf(name); at !== -1; at = index.indexOf(name, at + 1))
      if (at > 2 && (index.readUInt16BE(at - 2) & LENGTH_BITS) === Math.min(name.length - 1, LENGTH_BITS)) return true;
    return false;
  };
  const isKept = (path: string): boolean => {
    if (isEntry(path)) return true;
    return (
      index.length > 0 && fileKind(`${root}/${path}`) === "folder" && namesIn(`${root}/${path}`).every((name) => isKept(`${path}/${name}`))
    );
  };
  return isKept;
}

function readIndex(root: string): Buffer {
  const nothing = Buffer.alloc(0);
  try {
    const folder = realFolder(root);
    // SECURITY: a link to the index of another repository names nothing of this one.
    const read = readWithin(`${root}/.git/index`, { within: (real) => isInside(folder, real), limit: MAX_INDEX_BYTES });
    if (read.kind !== "read") return nothing;
    return read.bytes.toString("latin1", 0, 4) === "DIRC" && read.bytes.readUInt32BE(4) <= 3 ? read.bytes : nothing;
  } catch {
    // Not there, or cut short.
    return nothing;
  }
}

/** The files that a patch changes, by the lines that name them. */
export function namesInPatch(path: string): readonly string[] {
  return patchNames(readText(path) ?? "");
}

export function patchNames(text: string): readonly string[] {
  const names = [...text.matchAll(/^(?:\+\+\+|---|rename to|rename from|copy to|diff --git a\/\S+) "?([^\t\n"]+)/gm)].map(([, name = ""]) =>
    name.trim(),
  );
  // `a/x` and `x`: how much is stripped is up to the program's options.
  return [...new Set(names.flatMap((name) => [name, name.replace(/^[^/]+\//, "")]))].filter((name) => name !== "/dev/null");
}

export interface ProtectedPlace extends Protected {
  /** As it is called; links not followed. */
  readonly path: string;
  readonly isFolder: boolean;
  /** Only files that Python would load from the folder are protected, there or not. */
  readonly isOfModules?: boolean | undefined;
  /** It guards every project of the user, so no folder above it may go: `whole` also nothing that is kept in it. */
  readonly guards?: "whole" | "above" | undefined;
  /** What paths are compared with: its name, and where it really is. */
  readonly keys: readonly string[];
}

interface KnownPlaces extends PlaceLook {
  readonly key: string;
  readonly places: readonly ProtectedPlace[];
}

interface PlaceLook {
  /** What stands at every name on the way to a place. */
  readonly links: WatchedLinks;
  /** Files that say where places are. */
  readonly files: Watched;
}

const known = new WeakMap<ProtectContext, KnownPlaces>();

/**
 * Every protected place that has an address of its own: whether it exists does not matter. SECURITY: which files these are is found out on the
 * disk, and remembered only as long as nothing that was looked at has changed.
 */
export function protectedPlaces(context: ProtectContext): readonly ProtectedPlace[] {
  const { XDG_STATE_HOME, XDG_CONFIG_HOME, ZDOTDIR } = context.env;
  const loaded = context.loaded?.() ?? [];
  const key = [XDG_STATE_HOME, XDG_CONFIG_HOME, ZDOTDIR, ...loaded].join("\0");
  const before = known.get(context);
  if (before?.key === key && !before.links.isStale() && !before.files.isStale()) return before.places;
  const look = { links: new WatchedLinks(), files: new Watched() };
  const places = findPlaces(context, loaded, look);
  known.set(context, { key, ...look, places });
  return places;
}

function findPlaces(context: ProtectContext, loaded: readonly string[], look: PlaceLook): readonly ProtectedPlace[] {
  const { cwd, root = cwd, home, env, managedRoot = "/etc/hookloop", plugins = [] } = context;
  const folders = [...new Set([cwd, root])];
  const above = [...new Set(folders.flatMap(withParents))];
  const rows: readonly NameRow[] = [
    ...below(home, ANYWHERE).map((row): NameRow => ({ ...row, guards: "above" })),
    ...folders.filter((folder) => folder !== home).flatMap((folder) => below(folder, ANYWHERE)),
    ...below(home, IN_HOME),
    ...folders.flatMap((folder) => gitHooks(folder, home, look)),
    ...below(absolutePath(env["ZDOTDIR"]) ?? home, ZSH),
    ...IN_SYSTEM,
    { name: `${ownFolder("state", context)}/`, what: "trust store", why: "it records what may run", guards: "whole" },
    { name: `${ownFolder("config", context)}/`, what: "hook configuration", why: "it declares hooks for every project", guards: "whole" },
    { name: `${managedRoot}/`, what: "managed folder", why: "it holds rules that must not be loosened", guards: "whole" },
    ...plugins.flatMap((folder) => below(resolve(root, folder), OF_PLUGINS)),
    ...(context.files ?? []).map((name): NameRow => ({ name, what: "hook configuration", why: "it declares hooks of this session" })),
    ...(context.scripts ?? []).map((name): NameRow => ({ name, what: "hook script", why: "a registered hook runs it" })),
    ...loaded.map((name): NameRow => ({ name, what: "hook script", why: "a registered hook names or loads it" })),
    ...(context.given ?? []).map(
      (name): NameRow => ({ name, what: "configuration of this run", why: "it decides which programs this run starts" }),
    ),
    ...ownCode(context.packageRoot ?? ownRoot(dirname(fileURLToPath(import.meta.url)))),
  ];
  const realPath = createRealPath(context, look.links);
  const place = ({ name, what, why, guards }: NameRow): ProtectedPlace => {
    const path = resolve(root, name);
    const keys = new Set([path, realPath(path)].map((own) => comparablePath(own, context)));
    return { path, isFolder: name.endsWith("/"), keys: [...keys], what, why, guards };
  };
  // Where a link leads does not count: in hookloop's own checkout that is the source, which is worked on.
  const installed = above
    .filter((folder) => watchFile(`${folder === "/" ? "" : folder}/node_modules`, look) && isFolder(`${folder}/node_modules`))
    .flatMap((folder) => below(folder === "/" ? "" : folder, INSTALLED))
    .map(({ name, what, why }): ProtectedPlace => {
      const path = resolve(name);
      return { path, isFolder: name.endsWith("/"), keys: [comparablePath(path, context)], what, why };
    });
  const why = "Python would load it into a registered hook";
  const modules = (context.moduleFolders ?? []).map((name) => ({
    ...place({ name: `${name}/`, what: "hook script", why }),
    isOfModules: true,
  }));
  return [...rows.map(place), ...installed, ...modules];
}

/** Where a plugin keeps what can declare or run hooks. */
const OF_PLUGINS: readonly NameRow[] = ["hooks", "agents", "skills", "commands"].map((name) => ({
  name: `${name}/`,
  what: "hook configuration",
  why: name === "hooks" ? "a plugin's hooks are there" : "what a plugin has there can declare hooks",
}));

/** The names that git starts; a folder that holds the whole work tree is not protected for them. */
const HOOK_NAMES =
  "applypatch-msg pre-applypatch post-applypatch pre-commit pre-merge-commit prepare-commit-msg commit-msg post-commit pre-rebase post-checkout post-merge pre-push pre-receive update proc-receive post-receive post-update reference-transaction push-to-checkout pre-auto-gc post-rewrite sendemail-validate fsmonitor-watchman post-index-change".split(
    " ",
  );

/** The folders that `core.hooksPath` names, in the settings of a work tree's repository and in those of the user. */
function gitHooks(start: string, home: string, look: PlaceLook): readonly NameRow[] {
  const tree = withParents(resolve(start)).find((folder) => watchFile(join(folder, ".git"), look)) ?? resolve(start);
  const { gitDir, commonDir } = notedGitFolders(tree);
  watchFile(`${gitDir}/commondir`, look);
  const files = [`${commonDir}/config`, `${gitDir}/config.worktree`, `${home}/.gitconfig`, `${home}/.config/git/config`];
  return hooksPaths(files, home, look).flatMap((named): readonly NameRow[] => {
    const folder = resolve(tree, named);
    const names = isInside(folder, tree) ? HOOK_NAMES.map((name) => join(folder, name)) : [`${folder}/`];
    return names.map((name) => ({ name, what: "git hooks", why: GIT_RUNS_IT }));
  });
}

/** Whether something has this name, be it a link that leads nowhere. Both show when that changes. */
function watchFile(file: string, { links, files }: PlaceLook): boolean {
  if (links.read(file) === null) return false;
  files.add(file);
  return true;
}

const MAX_SETTINGS = 16;

/** Every value counts, also one that another takes the place of, or whose condition does not hold: git is not asked. */
function hooksPaths(files: readonly string[], home: string, look: PlaceLook): readonly string[] {
  const found: string[] = [];
  const waiting = new Set(files);
  let left = MAX_SETTINGS;
  for (const file of waiting) {
    if (left-- === 0) break;
    let section = "";
    if (!watchFile(file, look)) continue;
    for (const line of readText(file)?.split("\n") ?? []) {
      const [, header, entry = line] = /^\s*\[\s*([^\]]*?)\s*\](.*)$/s.exec(line) ?? [];
      section = header?.toLowerCase() ?? section;
      const [, name = "", quoted, plain = ""] = /^\s*(hookspath|path)\s*=\s*(?:"([^"]*)"|([^;#\r\n]*))/i.exec(entry) ?? [];
      const value = (quoted ?? plain).trim().replace(/^~(?=\/)/, home);
      const isPath = name.toLowerCase() === "path";
      if (value !== "" && section === "core" && !isPath) found.push(value);
      if (value !== "" && section.startsWith("include") && isPath) waiting.add(resolve(dirname(file), value));
    }
  }
  return found;
}

const ownRoot = remembered(packageRoot);

/** The folder of this package; undefined if it was bundled into another program. */
function packageRoot(from: string): string | undefined {
  return withParents(from).find((folder) => /"name":\s*"hookloop"/.test(readText(`${folder}/package.json`) ?? ""));
}

/** SECURITY: what runs of the package and of what it loads. Its source is not run: hookloop is developed with agents too. */
function ownCode(root: string | undefined): readonly NameRow[] {
  if (root === undefined) return [];
  const row = { what: "hookloop itself", why: "it is the program that guards this session" } as const;
  return ["bin/", "dist/", "package.json", "node_modules/"].map((name) => ({ ...row, name: `${root}/${name}` }));
}

function withParents(folder: string): readonly string[] {
  const above = dirname(folder);
  return above === folder ? [folder] : [folder, ...withParents(above)];
}

function below(folder: string, rows: readonly NameRow[]): readonly NameRow[] {
  return rows.map((row) => ({ ...row, name: `${folder}/${row.name}` }));
}

/** A name that is protected; one that ends in `/` is a folder with everything in it. */
export interface NameRow extends Protected {
  readonly name: string;
  readonly guards?: "whole" | "above" | undefined;
}

function rows(what: ProtectedKind, why: string, names: string): readonly NameRow[] {
  return names.split(" ").map((name) => ({ name, what, why }));
}

const DECLARES_HOOKS = "it declares hooks, which run by themselves";
const STARTS_PROGRAMS = "it makes an agent start programs or skip its questions";
const GIT_RUNS_IT = "git runs what is in it";
export const OPENING_RUNS_IT = "opening the folder can run it";
const EVERY_SHELL = "every new shell runs it";

/** Protected wherever they stand: a session may be started in any folder. */
export const ANYWHERE: readonly NameRow[] = [
  ...rows(
    "hook configuration",
    DECLARES_HOOKS,
    ".hookloop/hooks.json .hookloop/hooks.local.json .claude/settings.json .claude/settings.local.json .hooks.json hooks/hooks.json .claude-plugin/plugin.json .cursor/hooks.json .gemini/settings.json .codex/hooks.json .codex/config.toml .windsurf/hooks.json .kiro/hooks/",
  ),
  ...rows("hook configuration", "its frontmatter can declare hooks", ".claude/agents/ .claude/skills/ .claude/commands/"),
  ...rows("hook configuration", "plugins in it can declare hooks", ".claude/plugins/"),
  ...rows("hook script", "hooks run what is in it", ".claude/hooks/ .hookloop/hooks/"),
  ...rows("agent configuration", STARTS_PROGRAMS, ".mcp.json .cursor/mcp.json .vscode/mcp.json .opencode/plugin/ .opencode/plugins/"),
  ...rows("git hooks", GIT_RUNS_IT, ".git/hooks/ .husky/ .githooks/"),
  ...rows("git configuration", "it can make git run programs", ".git/config .git/config.worktree .git/commondir .git/info/attributes"),
  ...rows(
    "git repository",
    "it decides what git takes for the history, and where it finds it",
    ".git/HEAD .git/index .git/packed-refs .git/refs/ .git/objects/ .git/info/",
  ),
  // A file of this name says where the configuration is.
  ...rows("git configuration", "it decides where git finds its configuration and hooks", ".git"),
  ...rows(
    "environment file",
    "entering the folder runs it",
    ".envrc mise.toml .mise.toml mise.local.toml .mise.local.toml .mise/config.toml .config/mise.toml .config/mise/config.toml",
  ),
  ...rows(
    "editor configuration",
    OPENING_RUNS_IT,
    ".vscode/tasks.json .vscode/settings.json .vscode/launch.json .devcontainer/ .devcontainer.json .zed/tasks.json .zed/settings.json .idea/runConfigurations/ .idea/workspace.xml .run/ .nvim.lua .nvimrc .exrc",
  ),
  ...rows("package manager configuration", "installing or running a script runs it", ".yarnrc.yml .pnpmfile.cjs .pnpmfile.mjs"),
];

/** SECURITY: the program that guards the session, as package managers install it. Its name counts wherever it stands. */
export const INSTALLED: readonly NameRow[] = rows(
  "hookloop itself",
  "it is the program that guards sessions, or part of it",
  "node_modules/hookloop/ node_modules/@hookloop/ node_modules/.bin/hookloop node_modules/.bin/hookloop.cmd node_modules/.bin/hookloop.ps1",
);

export const IN_HOME: readonly NameRow[] = [
  ...rows(
    "shell start file",
    EVERY_SHELL,
    ".bashrc .bash_profile .bash_login .bash_logout .bash_aliases .profile .kshrc .mkshrc .cshrc .tcshrc .login .logout .inputrc .pam_environment .xprofile .xinitrc .xsession .config/fish/ .config/environment.d/ .config/nushell/",
  ),
  ...rows("agent configuration", STARTS_PROGRAMS, ".claude.json .config/claude/"),
  ...rows("git configuration", "it can make git run programs", ".gitconfig .config/git/config .config/git/attributes"),
  ...rows(
    "scheduled job",
    "it runs by itself",
    ".config/systemd/user/ .local/share/systemd/user/ .config/autostart/ Library/LaunchAgents/",
  ),
  ...rows(
    "login key",
    "it decides who can log in and what runs then",
    ".ssh/authorized_keys .ssh/authorized_keys2 .ssh/rc .ssh/config .ssh/environment",
  ),
];

/** Start files of zsh: in the home folder, or where `ZDOTDIR` says. */
export const ZSH: readonly NameRow[] = rows("shell start file", EVERY_SHELL, ".zshrc .zshenv .zprofile .zlogin .zlogout");

const IN_SYSTEM: readonly NameRow[] = [
  ...rows(
    "shell start file",
    EVERY_SHELL,
    "/etc/profile /etc/profile.d/ /etc/bash.bashrc /etc/bashrc /etc/zsh/ /etc/zshenv /etc/zshrc /etc/fish/ /etc/environment /etc/ld.so.preload",
  ),
  ...rows("git configuration", "it can make git run programs", "/etc/gitconfig"),
  ...rows(
    "scheduled job",
    "it runs by itself",
    "/etc/crontab /etc/cron.d/ /etc/cron.hourly/ /etc/cron.daily/ /etc/cron.weekly/ /etc/cron.monthly/ /var/spool/cron/ /etc/systemd/",
  ),
  ...rows("managed folder", "it holds rules that must not be loosened", "/etc/hookloop/ /etc/claude-code/"),
];
