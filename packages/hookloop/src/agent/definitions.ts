import { type Dirent, realpathSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { named, parseHead, plainValue } from "../config/index.ts";
import { insideFolders, insideProject, type ProjectPlace, readWithin, type Within } from "../permissions/index.ts";
import { readFolder } from "../state-files.ts";

export interface Definitions {
  readonly agents: ReadonlyMap<string, Definition>;
  readonly skills: ReadonlyMap<string, Definition>;
  readonly commands: ReadonlyMap<string, Definition>;
  /** Those that another one of the same name stands before. */
  readonly shadowed: readonly Definition[];
  readonly problems: readonly string[];
}

interface DefinitionPlaces extends ProjectPlace {
  /** The project is trusted; without that its agents choose no model. */
  readonly isTrusted: boolean;
  readonly plugins: readonly { readonly name: string; readonly root: string }[];
}

interface Place {
  readonly folder: string;
  readonly scope: Definition["scope"];
  readonly prefix: string;
  /** SECURITY: where its files must really be; the user's own may be links to anywhere. */
  readonly within?: Within | undefined;
  /** Of its own: a project must not use up the user's. */
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
  const shadowed: Definition[] = [];
  const collect = (kind: Definition["kind"], find: (folder: string) => readonly Found[]): ReadonlyMap<string, Definition> => {
    const found = new Map<string, Definition>();
    for (const place of places) {
      const { within, scope, budget } = place;
      for (const { file, name } of find(insideOf(path.join(place.folder, kind), within, problems))) {
        try {
          const read = readDefinition(file, { kind, name, scope, within, budget });
          problems.push(...(read.problems ?? []));
          const definition = isTrusted || scope === "user" ? read : withoutModel(read, problems);
          const full = { ...definition, name: `${place.prefix}${definition.name}` };
          if (found.has(full.name)) shadowed.push(full);
          else found.set(full.name, full);
        } catch (error) {
          problems.push((error as Error).message);
        }
      }
    }
    return found;
  };
  const agents = collect("agents", (folder) => markdownFiles(folder));
  const skills = collect("skills", (folder) => skillFiles(folder, problems));
  const commands = collect("commands", (folder) => markdownFiles(folder));
  const definitions = { agents, skills, commands, shadowed, problems };
  const said = [...agents.values(), ...skills.values(), ...commands.values()].flatMap((one) => shadowTexts(one, definitions));
  return { ...definitions, problems: [...problems, ...said] };
}

export function allDefinitions({ agents, skills, commands, shadowed }: Definitions): readonly Definition[] {
  return [...agents.values(), ...skills.values(), ...commands.values(), ...shadowed];
}

/**
 * The other definitions that are meant by the names of this one. SECURITY: a project that brings a head of the same name must not
 * switch off the guards that the user approved, so their heads count wherever it is used.
 */
export function namesakes(definition: Definition, definitions: Definitions): readonly Definition[] {
  const isAgent = definition.kind === "agents";
  const names = namesOf(definition);
  return allDefinitions(definitions).filter(
    (one) => one.file !== definition.file && (one.kind === "agents") === isAgent && namesOf(one).some((name) => names.includes(name)),
  );
}

function namesOf(definition: Definition): readonly string[] {
  return definition.kind === "skills" ? [definition.name, skillFolder(definition)] : [definition.name];
}

function shadowTexts(definition: Definition, definitions: Definitions): readonly string[] {
  const others = definitions.shadowed.includes(definition) ? [] : namesakes(definition, definitions);
  const hidden = others.filter(({ head }) => /^hooks\b/m.test(head));
  return hidden.map(
    ({ file }) =>
      `"${definition.name}" is ${definition.file}, which stands before ${file}: the hooks in the head of that file count with it.`,
  );
}

/** Name of a skill's folder: what is typed after the slash, also if its head has another name. */
export function skillFolder({ name, file, scope }: Pick<Definition, "name" | "file" | "scope">): string {
  const folder = path.basename(path.dirname(file));
  return scope === "plugin" && name.includes(":") ? `${name.slice(0, name.lastIndexOf(":"))}:${folder}` : folder;
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

/** SECURITY: which model is asked, and paid for, is the user's decision. */
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

function skillFiles(folder: string, problems: string[]): readonly Found[] {
  const folders = entriesOf(folder).filter((entry) => entry.isDirectory() || entry.isSymbolicLink());
  return folders.flatMap(({ name }): readonly Found[] => {
    const inside = entriesOf(path.join(folder, name)).map((entry) => entry.name);
    const file = path.join(folder, name, "SKILL.md");
    const hooks = inside.find((one) => /^hooks?\.(?:jsonc?|ya?ml)$/i.test(one));
    if (hooks !== undefined)
      problems.push(
        `${path.join(folder, name, hooks)} is never read, and no hook in it runs: hooks of a skill stand under "hooks" in the head of its SKILL.md.`,
      );
    if (inside.includes("SKILL.md")) return [{ file, name }];
    const misnamed = inside.find((one) => /^skills?\.(?:md|markdown)$/i.test(one));
    if (misnamed !== undefined) problems.push(`${path.join(folder, name, misnamed)} is not read: rename it to SKILL.md.`);
    return [];
  });
}

function entriesOf(folder: string): readonly Dirent[] {
  return folder === NOWHERE ? [] : [...readFolder(folder)].sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** A Markdown file with a head: a subagent's type, a skill or a slash command. */
export interface Definition {
  readonly kind: "agents" | "skills" | "commands";
  readonly name: string;
  readonly description: string;
  readonly body: string;
  readonly file: string;
  readonly scope: "user" | "project" | "plugin";
  /** The head as written, with its `---` lines, for the hooks in it; empty if there is none. */
  readonly head: string;
  readonly fields: Readonly<Record<string, unknown>>;
  readonly problems?: readonly string[] | undefined;
}

const LARGEST_FILE = 1024 * 1024;
/** SECURITY: a parser of YAML takes a second for a megabyte, and there may be any number of files. */
const LARGEST_HEAD = 64 * 1024;
const HEAD = /^\uFEFF?---[ \t]*\r?\n([\s\S]*?)\r?\n---[ \t]*(?:\r?\n|$)/;

/** Letters that all heads of one origin may have together. */
interface HeadBudget {
  left: number;
}

const ALL_HEADS: number = 512 * 1024;

interface ReadDefinition extends Pick<Definition, "kind" | "name" | "scope"> {
  readonly within?: Within | undefined;
  readonly budget: HeadBudget;
}

/** Throws with a message for the user if it cannot be read. */
function readDefinition(file: string, { kind, name, scope, within, budget }: ReadDefinition): Definition {
  const text = readText(file, within);
  const match = HEAD.exec(text);
  const head = match?.[0] ?? "";
  // Its list of tools would be lost, so the file is not used without it.
  if (head.length > LARGEST_HEAD) throw new Error(`${file} is not used: its head is longer than ${LARGEST_HEAD / 1024} KiB`);
  budget.left -= head.length;
  if (budget.left < 0)
    throw new Error(`${file} is not used: the heads of all files there are longer than ${ALL_HEADS / 1024} KiB together`);
  const { fields, problems } = head === "" ? { fields: {}, problems: lostHooks(text, file) } : readHead(match?.[1] ?? "", file);
  const body = match ? text.slice(match[0].length) : text;
  return {
    kind,
    name: stringField(fields, "name") ?? name,
    description: stringField(fields, "description") ?? firstLine(body),
    body: body.trim(),
    file,
    scope,
    head,
    fields,
    problems,
  };
}

/** A guard in a head that is none would be gone without a word. */
function lostHooks(text: string, file: string): readonly string[] {
  const start = text.slice(0, LARGEST_HEAD);
  if (!/^\s*(?:---|[\w-]+[ \t]*:)/.test(start) || !/^hooks[ \t]*:/m.test(start)) return [];
  const missing = /^---[ \t]*\r?\n/.test(start) ? "closing" : "opening";
  return [`The hooks in ${file} are not read: its head has no ${missing} line "---". Add the line.`];
}

function readText(file: string, within: Within | undefined): string {
  const found = readWithin(file, { within, limit: LARGEST_FILE });
  if (found.kind === "read") return found.bytes.toString();
  if (found.kind === "outside") throw new Error(outsideText(file, found.target));
  if (found.kind === "too-large") throw new Error(`${file} is larger than ${LARGEST_FILE} bytes`);
  const why = found.kind === "missing" ? "it is not there" : found.why;
  throw new Error(`${file} cannot be read: ${why}`);
}

function outsideText(file: string, target: string): string {
  return `${file} is not read: it leads outside of the project or plugin it belongs to, to ${target}. Copy what you need into it.`;
}

export function listField(fields: Definition["fields"], name: string): readonly string[] | undefined {
  const value = fields[name];
  if (Array.isArray(value)) return value.map(String);
  if (typeof value !== "string") return undefined;
  return value
    .split(",")
    .map((item) => item.trim())
    .filter(Boolean);
}

export function stringField(fields: Definition["fields"], name: string): string | undefined {
  const value = fields[name];
  return typeof value === "string" && value.trim() !== "" ? value.trim() : undefined;
}

/** The fields of a head, and what is wrong with it. Problems of its hooks are reported when they are attached. */
function readHead(text: string, file: string): { readonly fields: Definition["fields"]; readonly problems: readonly string[] } {
  // Loaded with the first head: most projects have none.
  const yaml = named(createRequire(import.meta.url)("yaml"));
  const { properties, ofOthers } = parseHead(yaml, { text, file, linesBefore: 1 });
  const fields = properties.flatMap(({ key, value }) => (value ? [[key, plainValue(value)] as const] : []));
  const problems = ofOthers.map((one) => `${one.text} (${file}:${one.place?.line ?? 1})`);
  // SECURITY: fromEntries defines own properties, so a `__proto__` key stays data.
  return { fields: Object.fromEntries(fields), problems };
}

function firstLine(body: string): string {
  return (
    body
      .trim()
      .split("\n", 1)[0]
      ?.replace(/^#+\s*/, "") ?? ""
  );
}

export interface LiveDefinitions {
  readonly current: () => Definitions;
  /** Reads the skill of this file again, or all if none is given; the others, agents and commands stay as they are. */
  readonly reloadSkills: (file?: string) => void;
  /** Whether its head was edited since the session began: the workspace was trusted without the edit. */
  readonly isEdited: (file: string) => boolean;
}

export function openDefinitions(places: DefinitionPlaces): LiveDefinitions {
  let current = findDefinitions(places);
  const heads = new Map(allDefinitions(current).map(({ file, head }) => [file, head]));
  const headOf = (wanted: string): string | undefined => allDefinitions(current).find(({ file }) => file === wanted)?.head;
  return {
    current: () => current,
    reloadSkills(wanted) {
      const isWanted = (file: string): boolean => wanted === undefined || wanted === file;
      const { skills, shadowed } = findDefinitions(places);
      const stay = [...current.skills].filter(([, { file }]) => !isWanted(file));
      const come = [...skills].filter(([, { file }]) => isWanted(file));
      current = { ...current, skills: new Map([...stay, ...come]), shadowed };
    },
    isEdited: (file) => headOf(file) !== heads.get(file),
  };
}
