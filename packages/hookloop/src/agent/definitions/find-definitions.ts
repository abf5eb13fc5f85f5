import { readdirSync } from "node:fs";
import path from "node:path";
import { type Definition, readDefinition } from "./read-definition.ts";

export interface Definitions {
  readonly agents: ReadonlyMap<string, Definition>;
  readonly skills: ReadonlyMap<string, Definition>;
  readonly commands: ReadonlyMap<string, Definition>;
  /** Files that could not be read, for people. */
  readonly problems: readonly string[];
}

export interface DefinitionPlaces {
  readonly cwd: string;
  readonly home: string;
  /** Roots of plugins, with their names. */
  readonly plugins: readonly { readonly name: string; readonly root: string }[];
}

interface Place {
  readonly folder: string;
  readonly scope: Definition["scope"];
  /** Before each name: `plugin:`. */
  readonly prefix: string;
}

/** Types of subagents, skills and slash commands. The project's come before the user's, both before those of plugins. */
export function findDefinitions({ cwd, home, plugins }: DefinitionPlaces): Definitions {
  const places: readonly Place[] = [
    { folder: path.join(cwd, ".claude"), scope: "project", prefix: "" },
    { folder: path.join(home, ".claude"), scope: "user", prefix: "" },
    ...plugins.map(({ name, root }): Place => ({ folder: root, scope: "plugin", prefix: `${name}:` })),
  ];
  const problems: string[] = [];
  const collect = (find: (place: Place) => readonly Found[]): ReadonlyMap<string, Definition> => {
    const found = new Map<string, Definition>();
    for (const place of places) {
      for (const { file, name } of find(place)) {
        try {
          const definition = readDefinition(file, { name, scope: place.scope });
          const full = `${place.prefix}${definition.name}`;
          if (!found.has(full)) found.set(full, { ...definition, name: full });
        } catch (error) {
          problems.push((error as Error).message);
        }
      }
    }
    return found;
  };
  const agents = collect(({ folder }) => markdownFiles(path.join(folder, "agents")));
  const skills = collect(({ folder }) => skillFiles(path.join(folder, "skills")));
  const commands = collect(({ folder }) => markdownFiles(path.join(folder, "commands")));
  return { agents, skills, commands, problems };
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
  try {
    return readdirSync(folder, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1));
  } catch {
    // Most folders of this kind do not exist.
    return [];
  }
}
