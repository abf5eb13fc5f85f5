import { realpathSync } from "node:fs";
import path from "node:path";
import type { RegisteredHook } from "../../../config/index.ts";
import { usersSearchPath } from "../../../permissions/index.ts";
import { type CommandParts, commandParts } from "./command-parts.ts";
import { familyOf } from "./programs.ts";
import type { PinPlace } from "./types.ts";

/** What a hook names, found once: only where it leads can change while a session lasts. */
export interface Examination extends CommandParts {
  readonly hook: RegisteredHook;
  readonly place: PinPlace;
  /** Patterns of files that the author declares. */
  readonly declared: readonly string[];
  /** The user's own hooks run in every project: what lies inside one cannot be part of them. */
  readonly isOfUser: boolean;
}

const NOTHING: CommandParts = { files: [], programs: [], unresolved: [], interpreted: [], python: [], tasks: [] };

/** Reads what a hook would run. Nothing is started, and no file is opened. */
export function examineHook(hook: RegisteredHook, place: PinPlace): Examination {
  const declared = hook.fields?.["files"];
  const env = { PATH: place.path, HOME: place.home };
  const { PATH: path = place.path } = usersSearchPath(hook.source.scope, { env, root: place.projectRoot });
  return {
    ...partsOf(hook, place),
    hook,
    place: { ...place, path },
    declared: Array.isArray(declared) ? declared.map(String) : [],
    isOfUser: isUsers(hook),
  };
}

function isUsers({ source: { scope } }: RegisteredHook): boolean {
  return scope === "user" || scope === "managed";
}

/** Folders of the Python scripts that a hook names, there or not; a project's own root is for everybody. */
export function moduleFolders({ files, interpreted, place }: Examination): readonly string[] {
  const given = interpreted.filter(({ program }) => familyOf(program) === "python").flatMap(({ scripts }) => scripts.slice(0, 1));
  const started = files.filter(({ role, path: file }) => role === "script" && file.endsWith(".py")).map((file) => file.path);
  const folders = [...given, ...started].map((file) => path.dirname(path.resolve(place.projectRoot, file)));
  return folders.filter((folder) => folder !== place.projectRoot && folder !== place.home);
}

function partsOf(hook: RegisteredHook, place: PinPlace): CommandParts {
  const { target, source } = hook;
  if (target.kind === "command") {
    const parts = commandParts(target, variablesOf(hook, place));
    if (target.args !== undefined) return parts;
    return { ...parts, programs: [target.shell === "sh" ? "/bin/sh" : target.shell, ...parts.programs] };
  }
  if (target.kind === "module") {
    const base = source.file === undefined ? source.root : path.dirname(source.file);
    return { ...NOTHING, files: [{ path: path.resolve(base, String(target.fields["path"])), role: "script", program: "node" }] };
  }
  if (target.kind === "mcp_tool") return { ...NOTHING, unresolved: ["what the MCP server does with the call is not part of the hook"] };
  // The others run nothing on this machine: the definition is all there is.
  return NOTHING;
}

function variablesOf({ source }: RegisteredHook, { projectRoot, home }: PinPlace): Readonly<Record<string, string>> {
  const root = source.plugin?.root ?? source.skill?.root;
  return {
    HOME: home,
    CLAUDE_PROJECT_DIR: projectRoot,
    HOOKLOOP_PROJECT_DIR: projectRoot,
    ...(root !== undefined && { CLAUDE_PLUGIN_ROOT: root }),
  };
}

/** Where a hook is at home: its project, or for the user's own hooks the folder of their configuration. */
export function rootOf({ hook, place, isOfUser }: Examination): string {
  return realPath(isOfUser ? hook.source.root : place.projectRoot);
}

/** SECURITY: what a folder really is, never what `.git` or a link says it belongs to. */
export function realPath(folder: string): string {
  try {
    return realpathSync.native(folder);
  } catch {
    // It is gone: then the plain path is all there is, and nothing in it can be found.
    return path.resolve(folder);
  }
}

/** Whether a path is the folder or in it; both real. */
export function isInside(folder: string, file: string): boolean {
  const relative = path.relative(folder, file);
  return relative === "" || (relative !== ".." && !relative.startsWith("../") && !path.isAbsolute(relative));
}

/** Where an entry of a folder really is, links in its own place not followed. */
export function realEntry(file: string): string {
  return path.join(realPath(path.dirname(file)), path.basename(file));
}

/** Relative to a folder if it lies in it. */
export function shownPath(root: string, file: string): string {
  const real = realEntry(file);
  return isInside(root, real) ? path.relative(root, real) : real;
}
