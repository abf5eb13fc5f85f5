// Takes the folders of plugins and of the project. Says which files hold hooks that nothing reads: at the wrong place of a plugin, in a
// plugin that nobody named, or written for another agent.

import { readdirSync } from "node:fs";
import path from "node:path";
import type { Dialects } from "../../catalogue/index.ts";
import type { Diagnostic } from "../../diagnostic.ts";
import { insideFolders, readWithin } from "../../permissions/index.ts";
import { isThere } from "../../state-files.ts";
import { agentFolders, holdsConfiguration, misnamedIn } from "./files-above.ts";

const MAX_EXAMINED = 8;
const MAX_BYTES = 256 * 1024;

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
    return entries.flatMap((entry) => (entry.isDirectory() ? entry.name : [])).slice(0, MAX_EXAMINED);
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
      const text = readWithin(file, { within, limit: MAX_BYTES });
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
    return names.slice(0, MAX_EXAMINED).map((name) => path.join(folder, name));
  } catch {
    // Not there, or not ours to list.
    return [];
  }
}

function holdsHooks(file: string, root: string): boolean {
  const found = readWithin(file, { within: insideFolders([root]), limit: MAX_BYTES });
  return found.kind === "read" && holdsConfiguration(found.bytes.toString("utf8"), false);
}
