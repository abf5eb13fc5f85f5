import { isAbsolute, join, resolve } from "node:path";
import { comparablePath, createRealPath } from "../paths/index.ts";
import { ANYWHERE, IN_HOME, IN_SYSTEM, type NameRow, ZSH } from "./names.ts";
import type { ProtectContext, Protected } from "./types.ts";

/** A protected file or folder of this session. */
export interface ProtectedPlace extends Protected {
  /** As it is called; links not followed. */
  readonly path: string;
  readonly isFolder: boolean;
  /** Only files that Python would load from the folder are protected, there or not. */
  readonly isOfModules?: boolean | undefined;
  /** What paths are compared with: its name, and where it really is. */
  readonly keys: readonly string[];
}

/** Every protected place that has an address of its own: whether it exists does not matter. */
export function protectedPlaces(context: ProtectContext): readonly ProtectedPlace[] {
  const { cwd, root = cwd, home, env, managedRoot = "/etc/hookloop", plugins = [] } = context;
  const state = xdg(env["XDG_STATE_HOME"], join(home, ".local/state"));
  const config = xdg(env["XDG_CONFIG_HOME"], join(home, ".config"));
  const rows: readonly NameRow[] = [
    ...[...new Set([cwd, root, home])].flatMap((folder) => below(folder, ANYWHERE)),
    ...below(home, IN_HOME),
    ...below(xdg(env["ZDOTDIR"], home), ZSH),
    ...IN_SYSTEM,
    { name: `${join(state, "hookloop")}/`, what: "trust store", why: "it records what may run" },
    { name: `${join(config, "hookloop")}/`, what: "hook configuration", why: "it declares hooks for every project" },
    { name: `${managedRoot}/`, what: "managed folder", why: "it holds rules that nobody may loosen" },
    ...plugins.map(
      (folder): NameRow => ({
        name: `${join(resolve(root, folder), "hooks")}/`,
        what: "hook configuration",
        why: "a plugin's hooks are there",
      }),
    ),
    ...(context.files ?? []).map((name): NameRow => ({ name, what: "hook configuration", why: "it declares hooks of this session" })),
    ...(context.scripts ?? []).map((name): NameRow => ({ name, what: "hook script", why: "a registered hook runs it" })),
    ...(context.loaded?.() ?? []).map((name): NameRow => ({ name, what: "hook script", why: "a registered hook names or loads it" })),
  ];
  const realPath = createRealPath(context);
  const place = ({ name, what, why }: NameRow): ProtectedPlace => {
    const path = resolve(root, name);
    const keys = new Set([path, realPath(path)].map((own) => comparablePath(own, context)));
    return { path, isFolder: name.endsWith("/"), keys: [...keys], what, why };
  };
  const why = "Python would load it into a registered hook";
  const modules = (context.moduleFolders ?? []).map((name) => ({
    ...place({ name: `${name}/`, what: "hook script", why }),
    isOfModules: true,
  }));
  return [...rows.map(place), ...modules];
}

/** SECURITY: a relative `XDG_…` counts for nothing, here as where configuration is looked for. */
function xdg(value: string | undefined, otherwise: string): string {
  return value !== undefined && isAbsolute(value) ? value : otherwise;
}

function below(folder: string, rows: readonly NameRow[]): readonly NameRow[] {
  return rows.map((row) => ({ ...row, name: `${folder}/${row.name}` }));
}
