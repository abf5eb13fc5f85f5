import { readdirSync, realpathSync } from "node:fs";
import path from "node:path";
import { insideFolders, insideProject, type ProjectPlace, type Within } from "../../permissions/index.ts";
import { ALL_HEADS, type Definition, type HeadBudget, outsideText, readDefinition, stringField } from "./read-definition.ts";

export interface Definitions {
  readonly agents: ReadonlyMap<string, Definition>;
  readonly skills: ReadonlyMap<string, Definition>;
  readonly commands: ReadonlyMap<string, Definition>;
  /** Files that could not be read, for people. */
  readonly problems: readonly string[];
}

export interface DefinitionPlaces extends ProjectPlace {
  /** The project is trusted; without that its agents choose no model. */
  readonly isTrusted: boolean;
  /** Roots of plugins, with their names. */
  readonly plugins: readonly { readonly name: string; readonly root: string }[];
}

interface Place {
  readonly folder: string;
  readonly scope: Definition["scope"];
  /** Before each name: `plugin:`. */
  readonly prefix: string;
  /** SECURITY: where its files must really lie; the user's own may be links to wherever the user keeps them. */
  readonly within?: Within | undefined;
  /** Its own: a project must not use up what is there for the user's. */
  readonly budget: HeadBudget;
}

/** Types of subagents, skills and slash commands. The project's come before the user's, both before those of plugins. */
export function findDefinitions({ cwd, home, env, plugins, isTrusted }: DefinitionPlaces): Definitions {
  const ofPlugins = plugins.map(({ name, root }) => ({
    folder: root,
    scope: "plugin" as const,
    prefix: `${name}:`,
    within: insideFolders([root]),
  }));
  const places: readonly Place[] = [
    { folder: path.join(cwd, ".claude"), scope: "project" as const, prefix: "", within: insideProject({ cwd, home, env }) },
    { folder: path.join(home, ".claude"), scope: "user" as const, prefix: "" },
    ...ofPlugins,
  ].map((place) => ({ ...place, budget: { left: ALL_HEADS } }));
  const problems: string[] = [];
  const collect = (kind: string, find: (folder: string) => readonly Found[]): ReadonlyMap<string, Definition> => {
    const found = new Map<string, Definition>();
    for (const place of places) {
      const { within, scope, budget } = place;
      for (const { file, name } of find(insideOf(path.join(place.folder, kind), within, problems))) {
        try {
          const read = readDefinition(file, { name, scope, within, budget });
          problems.push(...(read.problems ?? []));
          const definition = isTrusted || scope === "user" ? read : withoutModel(read, problems);
          const full = `${place.prefix}${definition.name}`;
          if (!found.has(full)) found.set(full, { ...definition, name: full });
        } catch (error) {
          problems.push((error as Error).message);
        }
      }
    }
    return found;
  };
  const agents = collect("agents", (folder) => markdownFiles(folder));
  const skills = collect("skills", skillFiles);
  const commands = collect("commands", (folder) => markdownFiles(folder));
  return { agents, skills, commands, problems };
}

/** SECURITY: a folder that is a link elsewhere is not even listed. */
function insideOf(folder: string, within: Within | undefined, problems: string[]): string {
  if (!within) return folder;
  try {
    const real = realpathSync(folder);
    if (within(path.join(real, "any.md"))) return folder;
    problems.push(outsideText(folder, real));
    return NOWHERE;
  } catch {
    // Most folders of this kind do not exist.
    return NOWHERE;
  }
}

const NOWHERE = "";

/** SECURITY: which model is asked, and paid for, is the user's to say. */
function withoutModel(definition: Definition, problems: string[]): Definition {
  const { model, ...fields } = definition.fields;
  if (model === undefined || stringField({ model }, "model") === "inherit") return definition;
  problems.push(`The model ${JSON.stringify(model)} of ${definition.file} is not used until the workspace is trusted (--trust-workspace).`);
  return { ...definition, fields };
}

interface Found {
  readonly file: string;
  readonly name: string;
}

/** `frontend/review.md` is `frontend:review`. */
function markdownFiles(folder: string, prefix = "", depth = 0): readonly Found[] {
  return entriesOf(folder).flatMap((entry): readonly Found[] => {
    const file = path.join(folder, entry.name);
    if (entry.isDirectory()) return depth < 3 ? markdownFiles(file, `${prefix}${entry.name}:`, depth + 1) : [];
    return entry.name.endsWith(".md") ? [{ file, name: `${prefix}${entry.name.slice(0, -3)}` }] : [];
  });
}

function skillFiles(folder: string): readonly Found[] {
  return entriesOf(folder)
    .filter((entry) => entry.isDirectory() || entry.isSymbolicLink())
    .filter(({ name }) => entriesOf(path.join(folder, name)).some((entry) => entry.name === "SKILL.md"))
    .map(({ name }) => ({ file: path.join(folder, name, "SKILL.md"), name }));
}

function entriesOf(folder: string): readonly import("node:fs").Dirent[] {
  if (folder === NOWHERE) return [];
  try {
    return readdirSync(folder, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1));
  } catch {
    // Most folders of this kind do not exist.
    return [];
  }
}
