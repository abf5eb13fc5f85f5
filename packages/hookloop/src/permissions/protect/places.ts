import { dirname, isAbsolute, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { comparablePath, createRealPath, gitRoot, isInside, notedGitFolders } from "../paths/index.ts";
import { ANYWHERE, GIT_RUNS_IT, IN_HOME, IN_SYSTEM, INSTALLED, type NameRow, ZSH } from "./names.ts";
import { fileKind, readText } from "./on-disk.ts";
import type { ProtectContext, Protected } from "./types.ts";

/** A protected file or folder of this session. */
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

/** Every protected place that has an address of its own: whether it exists does not matter. */
export function protectedPlaces(context: ProtectContext): readonly ProtectedPlace[] {
  const { cwd, root = cwd, home, env, managedRoot = "/etc/hookloop", plugins = [] } = context;
  const state = xdg(env["XDG_STATE_HOME"], join(home, ".local/state"));
  const config = xdg(env["XDG_CONFIG_HOME"], join(home, ".config"));
  const rows: readonly NameRow[] = [
    ...below(home, ANYWHERE).map((row): NameRow => ({ ...row, guards: "above" })),
    ...[...new Set([cwd, root])].filter((folder) => folder !== home).flatMap((folder) => below(folder, ANYWHERE)),
    ...below(home, IN_HOME),
    ...[...new Set([cwd, root])].flatMap((folder) => gitHooks(gitRoot(folder), home)),
    ...below(xdg(env["ZDOTDIR"], home), ZSH),
    ...IN_SYSTEM,
    { name: `${join(state, "hookloop")}/`, what: "trust store", why: "it records what may run", guards: "whole" },
    { name: `${join(config, "hookloop")}/`, what: "hook configuration", why: "it declares hooks for every project", guards: "whole" },
    { name: `${managedRoot}/`, what: "managed folder", why: "it holds rules that must not be loosened", guards: "whole" },
    ...plugins.flatMap((folder) => below(resolve(root, folder), OF_PLUGINS)),
    ...(context.files ?? []).map((name): NameRow => ({ name, what: "hook configuration", why: "it declares hooks of this session" })),
    ...(context.scripts ?? []).map((name): NameRow => ({ name, what: "hook script", why: "a registered hook runs it" })),
    ...(context.loaded?.() ?? []).map((name): NameRow => ({ name, what: "hook script", why: "a registered hook names or loads it" })),
    ...(context.given ?? []).map(
      (name): NameRow => ({ name, what: "configuration of this run", why: "it decides which programs this run starts" }),
    ),
    ...ownCode(context.packageRoot ?? PACKAGE_ROOT),
  ];
  const realPath = createRealPath(context);
  const place = ({ name, what, why, guards }: NameRow): ProtectedPlace => {
    const path = resolve(root, name);
    const keys = new Set([path, realPath(path)].map((own) => comparablePath(own, context)));
    return { path, isFolder: name.endsWith("/"), keys: [...keys], what, why, guards };
  };
  // Where a link leads does not count: in hookloop's own checkout that is the source, which people work on.
  const installed = [...new Set([cwd, root].flatMap(withParents))]
    .filter((folder) => fileKind(`${folder}/node_modules`) === "folder")
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
function gitHooks(tree: string, home: string): readonly NameRow[] {
  const { gitDir, commonDir } = notedGitFolders(tree);
  const files = [`${commonDir}/config`, `${gitDir}/config.worktree`, `${home}/.gitconfig`, `${home}/.config/git/config`];
  return hooksPaths(files, home).flatMap((named): readonly NameRow[] => {
    const folder = resolve(tree, named);
    const names = isInside(folder, tree) ? HOOK_NAMES.map((name) => join(folder, name)) : [`${folder}/`];
    return names.map((name) => ({ name, what: "git hooks", why: GIT_RUNS_IT }));
  });
}

const MAX_SETTINGS = 16;

/** Every value counts, also one that another takes the place of, or whose condition does not hold: git is not asked. */
function hooksPaths(files: readonly string[], home: string): readonly string[] {
  const found: string[] = [];
  const waiting = new Set(files);
  let left = MAX_SETTINGS;
  for (const file of waiting) {
    if (left-- === 0) break;
    let section = "";
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

const PACKAGE_ROOT = packageRoot(dirname(fileURLToPath(import.meta.url)));

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

/** SECURITY: a relative `XDG_…` counts for nothing, here as where configuration is looked for. */
function xdg(value: string | undefined, otherwise: string): string {
  return value !== undefined && isAbsolute(value) ? value : otherwise;
}

function below(folder: string, rows: readonly NameRow[]): readonly NameRow[] {
  return rows.map((row) => ({ ...row, name: `${folder}/${row.name}` }));
}
