import { createHash, randomBytes } from "node:crypto";
import { realpathSync } from "node:fs";
import path from "node:path";
import type { HookKind } from "../../catalogue/index.ts";
import { canonicalJson, folderVariables, type RegisteredHook } from "../../config/index.ts";
import { usersSearchPath } from "../../permissions/index.ts";
import { readCommand, type ShellCommand, UNKNOWN } from "../../shell/index.ts";
import { taskFiles } from "../tasks.ts";
import type { FolderPython } from "./from-folder.ts";
import type { Look } from "./hash-file.ts";
import { scriptOfRun } from "./program-uses.ts";
import {
  assignmentsOf,
  bringsCode,
  familyOf,
  inlineIndex,
  isBuiltin,
  isDataProgram,
  isInterpreter,
  readsCode,
  runsModule,
} from "./programs.ts";

/** What a hook names, found once: only where it leads can change while a session lasts. */
export interface Examination extends CommandParts {
  readonly hook: RegisteredHook;
  readonly place: PinPlace;
  /** Patterns of files that the author declares. */
  readonly declared: readonly string[];
  /** The user's own hooks run in every project: what lies inside one cannot be part of them. */
  readonly isOfUser: boolean;
  /** Folders that a hook is told by a variable. */
  readonly variables: Readonly<Record<string, string>>;
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
    variables: folderVariables(hook.source, { ...place, projectVariable: hook.quirks?.projectVariable }),
  };
}

function isUsers({ source: { scope } }: RegisteredHook): boolean {
  return scope === "user" || scope === "managed";
}

/** Folders of the Python scripts that a hook names, there or not; a project's own root is not among them. */
export function moduleFolders({ files, interpreted, place }: Examination): readonly string[] {
  const given = interpreted.filter(({ program }) => familyOf(program) === "python").flatMap(({ scripts }) => scripts.slice(0, 1));
  const started = files.filter(({ role, path: file }) => role === "script" && file.endsWith(".py")).map((file) => file.path);
  const folders = [...given, ...started].map((file) => path.dirname(path.resolve(place.projectRoot, file)));
  return folders.filter((folder) => folder !== place.projectRoot && folder !== place.home);
}

function partsOf(hook: RegisteredHook, place: PinPlace): CommandParts {
  const { target, source } = hook;
  if (target.kind === "command") {
    const parts = commandParts(target, folderVariables(source, { ...place, projectVariable: hook.quirks?.projectVariable }));
    if (target.args !== undefined) return parts;
    return { ...parts, programs: [target.shell === "sh" ? "/bin/sh" : target.shell, ...parts.programs] };
  }
  if (target.kind === "module") {
    const base = source.file === undefined ? source.root : path.dirname(source.file);
    return { ...NOTHING, files: [{ path: path.resolve(base, String(target.fields["path"])), role: "script", program: "node" }] };
  }
  if (target.kind === "mcp_tool") return { ...NOTHING, unresolved: ["what the MCP server does with the call is not part of the hook"] };
  // SECURITY: of a kind that is not listed it is not known what it runs.
  return RUNS_NOTHING_HERE.includes(target.kind) ? NOTHING : { ...NOTHING, unresolved: [`what a ${target.kind} hook runs is not known`] };
}

/** Of these the definition is all there is. */
const RUNS_NOTHING_HERE: readonly string[] = ["http", "prompt", "agent", "function", "withheld"] satisfies (HookKind | "withheld")[];

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

/** A folder and those above it, up to `top`. */
export function foldersUp(folder: string, top = "/"): readonly string[] {
  return folder === top || folder === path.dirname(folder) ? [folder] : [folder, ...foldersUp(path.dirname(folder), top)];
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

// Takes a command line as a hook declares it; gives the files and programs it names, as far as reading can tell, and what reading cannot tell.
// Refuses to guess: a word that only the running shell knows is said to be so.

/** A word that may be a file. */
interface NamedFile {
  /** As the hook's own folder sees it; relative unless a variable or the author made it absolute. */
  readonly path: string;
  /** `script`: it is what runs, so it should be there. `program`: an interpreter by its path. `brought`: code that a variable may bring in. */
  readonly role: "script" | "argument" | "program" | "brought";
  /** The interpreter it is given to, where that is not for its first line to say. */
  readonly program?: string | undefined;
}

/** An interpreter and the words behind it that may be its script. */
interface Interpreted {
  readonly program: string;
  readonly scripts: readonly string[];
  /** Those of `scripts` that stand behind an option and may be its value. */
  readonly values: readonly string[];
}

interface CommandParts {
  readonly files: readonly NamedFile[];
  /** Names that are looked up in `PATH`. */
  readonly programs: readonly string[];
  readonly unresolved: readonly string[];
  /** Interpreters whose script is one of the words behind them: at least one of `scripts` should be there. */
  readonly interpreted: readonly Interpreted[];
  /** Python without a script: it looks for modules in the folder it runs in. */
  readonly python: readonly FolderPython[];
  /** Files and folders that say what a program such as `make` runs. */
  readonly tasks: readonly string[];
}

type Variables = Readonly<Record<string, string>>;

interface Parts {
  readonly files: NamedFile[];
  readonly programs: Set<string>;
  readonly interpreted: Interpreted[];
  readonly python: FolderPython[];
  readonly tasks: string[];
}

/** What a shell line, or with `args` a program and its arguments, names. */
export function commandParts(
  line: { readonly command: string; readonly args?: readonly string[] | undefined },
  known: Variables,
): CommandParts {
  const parts: Parts = { files: [], programs: new Set(), interpreted: [], python: [], tasks: [] };
  const text = line.args === undefined ? line.command : [line.command, ...line.args].map(quoted).join(" ");
  const { marked, unmark } = markVariables(text, known, line.args !== undefined);
  const { commands } = readCommand(marked);
  // A file that is not where a `cd` goes has changed: where it would run if the `cd` failed need not be known.
  for (const command of commands) if (command.repeats === undefined) readParts(parts, command, unmark);
  return { ...parts, programs: [...parts.programs], unresolved: [] };
}

function quoted(word: string): string {
  return `'${word.replaceAll("'", `'\\''`)}'`;
}

/** Puts a mark where the value of a known variable will stand: the value itself could be read as shell syntax. */
function markVariables(
  text: string,
  known: Variables,
  isArgv: boolean,
): { readonly marked: string; readonly unmark: (text: string) => string } {
  // SECURITY: a command that sets such a name itself means another value by it.
  const names = Object.keys(known).filter((name) => !new RegExp(`(?<![\\w$]|\\$\\{)${name}\\b`).test(text));
  const mark = `HLV${randomBytes(8).toString("hex")}x`;
  const place = (name: string): string => `${mark}${names.indexOf(name)}x`;
  const pattern = isArgv ? /\$\{(\w+)\}/g : /\$(?:\{(\w+)\}|(\w+))/g;
  const replaced = text.replace(pattern, (whole, braced?: string, bare?: string) => {
    const name = braced ?? bare ?? "";
    return names.includes(name) ? place(name) : whole;
  });
  const withHome =
    isArgv || !names.includes("HOME")
      ? replaced
      : replaced.replace(/(^|[\s=:;&|(])~(?=\/)/g, (_, before: string) => `${before}${place("HOME")}`);
  const unmark = (word: string): string =>
    word.replace(new RegExp(`${mark}(\\d+)x`, "g"), (_, index: string) => known[names[Number(index)] ?? ""] ?? "");
  return { marked: withHome, unmark };
}

function readParts(parts: Parts, command: ShellCommand, unmark: (text: string) => string): void {
  const words = command.words.map((word) => ({ source: unmark(word.source), text: isHome(word.source) ? UNKNOWN : unmark(word.text) }));
  const [name, ...operands] = words.map(({ text }) => text);
  const folder = command.folder === undefined ? "" : unmark(command.folder);
  const at = (word: string): string => (folder === "" || path.isAbsolute(word) ? word : path.join(folder, word));
  readEnvironment(parts, command, (word) => at(unmark(word)));
  if (name === undefined || name.includes(UNKNOWN)) return;
  const program = path.basename(name);
  if (name === "." || name === "source")
    return void parts.files.push(...literal(operands).map((word) => ({ path: at(word), role: "script", program: "bash" }) as const));
  if (name.includes("/")) parts.files.push({ path: at(name), role: isInterpreter(program) ? "program" : "script" });
  else if (!isBuiltin(name)) parts.programs.add(name);
  if (isDataProgram(program)) return;
  const run = literal([scriptOfRun(program, operands) ?? ""])[0];
  if (run !== undefined) parts.files.push({ path: at(run), role: "script", program: /\.[cm]?[jt]s$/.test(run) ? "node" : undefined });
  parts.tasks.push(...taskFiles(program).map(at));
  readOperands(parts, { command, words: words.slice(1), at, unmark });
  if (isInterpreter(program))
    readInterpreter(parts, { program, operands, at, input: command.stdin?.kind === "text" ? command.stdin.text : undefined });
}

interface Operands {
  readonly command: ShellCommand;
  readonly words: readonly { readonly text: string; readonly source: string }[];
  readonly at: (word: string) => string;
  readonly unmark: (text: string) => string;
}

/** Another user's home, or one's own after the command has changed what that means. */
function isHome(source: string): boolean {
  return source.startsWith("~");
}

function readOperands(parts: Parts, { command, words, at, unmark }: Operands): void {
  const inputs = command.redirects.filter(({ operator }) => operator === "<").map(({ target }) => unmark(target.text));
  for (const word of literal([...words.map(({ text }) => text), ...inputs])) {
    for (const one of valuesIn(word)) parts.files.push({ path: at(one), role: "argument" });
  }
}

/** An option longer than this is not taken apart. */
const MAX_GLUED = 256;

/** `--require=./x.js` names a file, and so does `-qfpatterns`: any end of a short option may be its value. */
function valuesIn(word: string): readonly string[] {
  const value = /^-[\w-]+=(.+)$/s.exec(word)?.[1];
  if (!/^-[^-]/.test(word)) return [value ?? word];
  return word.length > MAX_GLUED ? [word] : [word, ...Array.from({ length: word.length - 2 }, (_, at) => word.slice(at + 2))];
}

function readEnvironment(parts: Parts, command: ShellCommand, at: (word: string) => string): void {
  for (const { name, value } of assignmentsOf(command)) {
    if (value === "" || value.includes(UNKNOWN)) continue;
    // NODE_OPTIONS, LD_PRELOAD and their like bring code by a variable.
    const role = bringsCode(name) ? "brought" : "argument";
    for (const word of value.split(/[\s:]+/)) parts.files.push({ path: at(word.replace(/^-[\w-]+=/, "")), role });
  }
}

interface Interpreter {
  readonly program: string;
  readonly operands: readonly string[];
  readonly at: (word: string) => string;
  /** What stands on its input, where that is known. */
  readonly input: string | undefined;
}

function readInterpreter(parts: Parts, given: Interpreter): void {
  const { program, operands, at } = given;
  if (readInline(parts, given) || runsModule(program, operands)) return;
  // `deno run x.ts`, `bun run x.ts`.
  const words = literal(operands).filter((word, index) => !(index === 0 && word === "run" && familyOf(program) === "javascript"));
  const scripts = words.filter((word) => !/^[-+]/.test(word));
  const values = words.filter((word, index) => !/^[-+]/.test(word) && /^[-+][^=]*$/.test(words[index - 1] ?? ""));
  parts.interpreted.push({ program, scripts: scripts.map(at), values: values.map(at) });
}

/** Code that is part of the definition: on the command line, or on the input. Whether that is all there is. */
function readInline(parts: Parts, { program, operands, at, input }: Interpreter): boolean {
  const family = familyOf(program);
  const isInline = inlineIndex(program, operands) !== -1;
  const role = readsCode(program, operands);
  const code = role === "no" ? undefined : input;
  if (family === "python" && (isInline || role === "yes" || code !== undefined || runsModule(program, operands)))
    parts.python.push({ folder: at(""), code: [...operands, input ?? ""].join("\n") });
  return isInline || family === "awk" || role === "yes";
}

function literal(words: readonly string[]): readonly string[] {
  return words.filter((word) => word !== "" && !word.includes(UNKNOWN));
}

// The record of a hook.

/** One file whose bytes are part of a hook. */
export interface FilePin {
  /** Relative to the hook's root, absolute if it lies outside. */
  readonly path: string;
  /** Where it really is. */
  readonly realpath: string;
  readonly isExecutable: boolean;
  readonly sha256: string;
  /** It lies neither in the project nor in the hook's own folder: its bytes count, but neither they nor their digest are shown. */
  readonly isOutside?: true | undefined;
}

/** `closed`: everything it runs was followed to its end by readers that know all of what they accept, or that was said. */
export const RULES = "closed" as const;

/** Everything that trust in a hook is bound to. */
export interface HookRecord {
  /** Which rules said what belongs to it. Absent in approvals of older versions. */
  readonly rules?: typeof RULES | "proven" | undefined;
  readonly root: string;
  readonly source: Readonly<Record<string, string>>;
  readonly event: string;
  readonly matcher?: string | undefined;
  readonly kind: string;
  readonly sequential: boolean;
  /** The entry's own fields as declared, without those that are only shown. */
  readonly fields: Readonly<Record<string, unknown>>;
  /** Programs it starts by name, and where each was found. */
  readonly programs: Readonly<Record<string, string>>;
  readonly files: readonly FilePin[];
  /** What decides how its scripts are read without being named: modules in the folder of a Python script, `type` of a `package.json`. Absent in approvals of older versions. */
  readonly surroundings?: Readonly<Record<string, unknown>> | undefined;
}

/** What looking at a hook gave. Nothing of it was run. */
export interface HookPins {
  readonly digest: string;
  readonly record: HookRecord;
  /** What it runs that could not be pinned, in words. */
  readonly unresolved: readonly string[];
  /** Code of the project that a hook of the user would run, in words: whose project it is decides what the hook does. */
  readonly foreign?: readonly string[] | undefined;
  /** Patterns of its `files` that fit nothing. */
  readonly unmatched?: readonly string[] | undefined;
  /** What it names that is not there. */
  readonly missing: readonly string[];
  /** It cannot be trusted at all, and why. */
  readonly untrustable?: string | undefined;
  /** Texts of the small files among `files`, by digest: for a diff. */
  readonly texts: ReadonlyMap<string, string>;
  /** Files that only its scripts name, there or not: what appears or changes there changes the hook. */
  readonly implied: readonly string[];
  /** Folders in which a new file would be loaded in place of another; the agent's tools may not put one there. */
  readonly moduleFolders: readonly string[];
}

/** Where a hook will run. */
export interface PinPlace {
  readonly projectRoot: string;
  readonly home: string;
  /** `PATH` of the session. */
  readonly path: string;
}

// What an approval is bound to: everything that looking at a hook found, and the digest of it.

/** Only shown, never run. */
const DISPLAY_FIELDS: readonly string[] = ["name", "statusMessage", "description"];

/** What is found of a hook while it is pinned. */
export interface Pinning {
  readonly look: Look;
  readonly examination: Examination;
  readonly root: string;
  readonly projectRoot: string;
  /** The folder that git keeps, which may be above the session's. */
  readonly checkout: string;
  readonly cwd: string;
  readonly files: Map<string, FilePin>;
  readonly programs: Record<string, string>;
  readonly unresolved: Set<string>;
  readonly missing: Set<string>;
  readonly texts: Map<string, string>;
  readonly implied: Set<string>;
  readonly surroundings: Record<string, unknown>;
  readonly moduleFolders: Set<string>;
  readonly foreign: Set<string>;
  /** Names in its scripts that are files of the current folder, if of any. */
  readonly names: Set<string>;
  /** Names of files that its scripts read, there or not. */
  readonly data: Set<string>;
  /** Scripts that were looked through, with what runs them. */
  readonly read: Set<string>;
  isOver: boolean;
  bytes: number;
  textBytes: number;
}

export function recordOf({ examination, root, projectRoot, files, programs, surroundings, foreign }: Pinning): HookRecord {
  const { event, matcher, target, source, sequence, fields = {} } = examination.hook;
  return {
    rules: RULES,
    root,
    source: { ...sourceOf(source), ...(foreign.size > 0 && { project: projectRoot, runs: [...foreign].sort().join("; ") }) },
    event,
    ...(matcher !== undefined && { matcher }),
    kind: target.kind,
    sequential: sequence !== undefined,
    fields: Object.fromEntries(Object.entries(fields).filter(([name]) => !DISPLAY_FIELDS.includes(name))),
    programs,
    files: [...files.values()].sort((a, b) => (a.path < b.path ? -1 : 1)),
    surroundings,
  };
}

function sourceOf({ scope, dialect, plugin, skill }: RegisteredHook["source"]): Readonly<Record<string, string>> {
  return {
    scope,
    dialect,
    ...(plugin && { plugin: plugin.id, pluginRoot: realPath(plugin.root) }),
    ...(skill && { skill: skill.name, skillRoot: realPath(skill.root) }),
  };
}

/** SECURITY: the one definition of what an approval is bound to; the first line keeps it apart from every other digest. */
export function digestOf(record: HookRecord): string {
  return digestAs("hookloop-trust-v4", record);
}

/** What approvals of older versions are bound to: they are shown as what was approved before, and trust nothing. */
export function digestsOfOldForms(record: HookRecord): readonly string[] {
  return ["hookloop-trust-v3", "hookloop-trust-v2"].map((form) => digestAs(form, record));
}

function digestAs(form: string, record: HookRecord): string {
  return `sha256:${createHash("sha256")
    .update(`${form}\n${canonicalJson(record)}`)
    .digest("hex")}`;
}
