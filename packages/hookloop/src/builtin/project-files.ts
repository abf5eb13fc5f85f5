/** What a project says about its own programs: configuration files by their nearest folder, its package manager, its environment. */

import path from "node:path";
import { OWN_DIALECT } from "../catalogue/index.ts";
import type { SessionPlace } from "../engine/index.ts";
import { isInside } from "../permissions/index.ts";
import { scrubEnvironment, systemProgram } from "../run/index.ts";
import { isExecutable, namesIn, readStart } from "../state-files.ts";

/** From the folder upwards to the root, the nearest first; the root alone if the folder is not in it. */
export function foldersUp(folder: string, root: string): readonly string[] {
  if (!isInside(root, folder)) return [root];
  const folders = [folder];
  for (let at = folder; at !== root; at = path.dirname(at)) folders.push(path.dirname(at));
  return folders;
}

const MOST_BYTES = 256 * 1024;

export function textIn(folder: string, name: string): string {
  return readStart(path.join(folder, name), MOST_BYTES)?.toString() ?? "";
}

export type Json = Readonly<Record<string, unknown>>;

/** The object in a JSON file; nothing of one that cannot be read. */
export function jsonIn(folder: string, name: string): Json {
  try {
    const found: unknown = JSON.parse(textIn(folder, name));
    return typeof found === "object" && found !== null ? (found as Json) : {};
  } catch {
    // Not there, or broken: it configures nothing.
    return {};
  }
}

export function hasName(folder: string, names: RegExp): boolean {
  return namesIn(folder).some((name) => names.test(name));
}

type Manager = "npm" | "pnpm" | "yarn" | "bun";

const LOCKFILES: readonly (readonly [string, Manager])[] = [
  ["pnpm-lock.yaml", "pnpm"],
  ["yarn.lock", "yarn"],
  ["bun.lock", "bun"],
  ["bun.lockb", "bun"],
];

/** By the nearest lockfile. */
export function packageManager(folders: readonly string[]): Manager {
  for (const folder of folders) {
    const names = new Set(namesIn(folder));
    const found = LOCKFILES.find(([file]) => names.has(file));
    if (found) return found[1];
    if (names.has("package-lock.json")) return "npm";
  }
  return "npm";
}

/** How a Python package is added, by the nearest lockfile. */
export function pythonAdd(folders: readonly string[]): string {
  for (const folder of folders) {
    const names = new Set(namesIn(folder));
    if (names.has("uv.lock")) return "uv add --dev";
    if (names.has("poetry.lock")) return "poetry add --group dev";
  }
  return "pip install";
}

const OWN_PROGRAMS = ["node_modules/.bin", ".venv/bin", "venv/bin"];

/** The folders in which a project keeps its own programs, the nearest first. */
export function programFolders(folders: readonly string[]): readonly string[] {
  return folders.flatMap((folder) => OWN_PROGRAMS.map((name) => path.join(folder, name)));
}

/** The project's own copy of a program, else the machine's. Only for a project that may run code. */
export function findProgram(name: string, folders: readonly string[], { env, cwd }: Pick<SessionPlace, "env" | "cwd">): string | undefined {
  const own = programFolders(folders).map((folder) => path.join(folder, name));
  return own.find(isExecutable) ?? systemProgram(name, { env, root: cwd });
}

/** What a program of the project gets: as a hook that comes with a checkout does, no secrets and no key of the model. */
export function projectEnvironment(
  { env, cwd }: Pick<SessionPlace, "env" | "cwd">,
  passEnv: readonly string[] = [],
): Readonly<Record<string, string>> {
  return scrubEnvironment({ base: env, hook: { source: { scope: "project", dialect: OWN_DIALECT, root: cwd }, passEnv } });
}
