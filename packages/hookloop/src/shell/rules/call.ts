import { posix } from "node:path";
import { type Arguments, findOption, type GivenOption, type OptionForms, programOf, readArguments } from "../arguments.ts";
import { folderOf, liesIn } from "../paths/claims.ts";
import { withoutDash } from "../programs/git.ts";
import { optionForms } from "../programs/program.ts";
import { type ShellCommand, type ShellReading, type ShellWord, type Span, UNKNOWN, type WordPart } from "../types.ts";
import type { FactKind } from "./rule.ts";

/** What every rule may ask about the place a command runs in. */
export interface Scene {
  readonly text: string;
  readonly cwd: string;
  readonly home: string;
  readonly workspace: string;
  readonly reading: ShellReading;
  /** Judges shell text that was found inside another language or a variable. */
  readonly judgeText: (text: string, span: Span) => void;
  /** Judges words that one of the commands would start. */
  readonly judgeWords: (words: readonly ShellWord[], command: ShellCommand) => void;
  /** Commands in which reading has seen another one start. */
  readonly starters: ReadonlySet<ShellCommand>;
  /** What a command of the reading would be to the rules; made once. */
  readonly callOf: (command: ShellCommand) => Call;
  /** Names of files that the command downloads itself. */
  readonly downloads: () => ReadonlySet<string>;
}

/** One command, prepared for the rules. */
export interface Call {
  /** Lower case, without folder, `.exe` and version: `python3.12` is `python`. */
  readonly name: string;
  readonly command: ShellCommand;
  readonly words: readonly ShellWord[];
  readonly given: Arguments;
  readonly scene: Scene;
  /** Where the commands before it in its pipe are, transitively. */
  readonly sources: () => readonly ShellCommand[];
}

/** Notes a fact; `at` is what shows it, else the whole command. */
export type Report = (kind: FactKind, text: string, at?: { readonly span: Span }) => void;

/** `family`: the program whose sub-command the words are. */
export function callOf(command: ShellCommand, given: readonly ShellWord[], scene: Scene, family?: string): Call {
  const words = family ? given : withoutDash(given);
  const name = family ? (words[0]?.text.toLowerCase() ?? "") : programOf(words[0]);
  const options = optionForms(family ? `${family} ${name}` : name);
  return { name, command, words, given: readGiven(words, options), scene, sources: () => sourcesOf(command, scene.reading) };
}

/**
 * A program's words as rules compare them: whole words and long names in lower case. SECURITY: what follows an unknown part of a word may be
 * its value, so that it must not pass for an option that makes the command harmless.
 */
export function readGiven(words: readonly ShellWord[], forms: OptionForms): Arguments {
  const given = readArguments(words, forms);
  const options = given.options.filter(({ isDoubtful, name }) => !isDoubtful && name !== `-${UNKNOWN}`);
  return { ...given, options: options.map((option) => (option.name.length > 2 ? { ...option, name: option.name.toLowerCase() } : option)) };
}

/** A pipe longer than this is looked at from its end only; every shell in it still makes the reading uncertain. */
const MAX_SOURCES = 32;

function sourcesOf(command: ShellCommand, reading: ShellReading): readonly ShellCommand[] {
  const found = new Set<ShellCommand>();
  const waiting = [command];
  for (let next = waiting.pop(); next && found.size < MAX_SOURCES; next = waiting.pop()) {
    if (next.stdin?.kind !== "pipe") continue;
    for (const index of next.stdin.from.slice(0, MAX_SOURCES)) {
      const source = reading.commands[index];
      if (!source || found.has(source)) continue;
      found.add(source);
      waiting.push(source);
    }
  }
  return [...found];
}

/** Whether one of these options is given. */
export function has({ given }: Call, ...names: readonly string[]): boolean {
  return findOption(given, names) !== undefined;
}

/** As `has`, for options that make a command harmless: SECURITY: a short abbreviation could mean another option. */
export function clearlyHas({ given }: Call, ...names: readonly string[]): boolean {
  return findOption(given, names, 6) !== undefined;
}

export function option({ given }: Call, ...names: readonly string[]): GivenOption | undefined {
  return findOption(given, names);
}

/** The operand's text in lower case: sub-commands are compared with it. */
export function operand({ given }: Call, at: number): string {
  return given.operands[at]?.text.toLowerCase() ?? "";
}

/** Whether its arguments come from another command's output: `… | xargs rm`. */
export function isFed({ command }: Call): boolean {
  return command.wrappers.some((wrapper) => wrapper === "xargs" || wrapper === "parallel");
}

export function isUnknown(word: ShellWord | undefined): boolean {
  return word?.text.includes(UNKNOWN) ?? false;
}

export type PlaceKind =
  /** `/`, a folder of the system or of all homes, a whole home. */
  | "vital"
  /** Inside a folder of the system. */
  | "system"
  | "device"
  /** A folder for temporary files itself. */
  | "temporary-root"
  | "temporary"
  /** The whole workspace, a folder above it, or its repository. */
  | "workspace-root"
  | "workspace"
  | "outside"
  /** Starts in a temporary folder; a part that only the running shell knows could lead out of it. */
  | "outside-perhaps"
  | "unknown";

export interface Place {
  readonly kind: PlaceKind;
  /** Absolute and without `..`; absent when unknown. */
  readonly path?: string | undefined;
}

const TEMPORARY = ["/tmp", "/var/tmp", "/private/tmp", "/private/var/tmp", "/var/folders", "/private/var/folders", "/dev/shm"];
const SYSTEM =
  /^\/(?:bin|boot|dev|etc|lib(?:32|64|x32)?|opt|proc|root|run|sbin|snap|srv|sys|usr|var|Library|System|Applications|private|Volumes|mnt|media|nix|cores)(?:\/|$)/;
const VITAL = /^\/(?:[^/]+\/?)?$|^\/(?:home|Users)\/[^/]+$|^\/usr\/[^/]+$|^\/var\/(?:lib|log|www|db)$/;
const HARMLESS_DEVICE = /^\/dev\/(?:null|zero|full|random|urandom|stdin|stdout|stderr|tty|ptmx|fd\/.*|pts\/.*|shm\/.*)$/;
const WILD = /^[*?.]*[*?][*?.]*$/;

/**
 * Takes a word of a command. Gives the place it names, by its text alone (no disk is touched): the risk of deleting a temporary
 * folder, the workspace or `/` differs. What only the running shell knows is `unknown`.
 */
export function placeOf(word: ShellWord, call: Call): Place {
  const text = pathText(word, call);
  if (text === undefined) return { kind: "unknown" };
  const folder = folderOf(call.command, call.scene);
  if (folder === undefined && !text.startsWith("/")) return { kind: "unknown" };
  const place = placeOfPath(posix.resolve(folder ?? "/", text), call.scene);
  // The folder is the user's own; where the variable is not set, nothing is named.
  if (place.kind === "temporary-root" && isOwnTemporary(word)) return { kind: "outside-perhaps", path: place.path };
  // SECURITY: an unknown piece may hold `..`: what starts in a temporary folder need not end there.
  return place.kind === "temporary" && text.includes(UNKNOWN) ? { kind: "outside-perhaps", path: place.path } : place;
}

/** `$TMPDIR`, `"${TMPDIR}/"`, but not `${TMPDIR:-/tmp}`. */
function isOwnTemporary({ parts }: ShellWord): boolean {
  const [first, ...rest] = parts;
  const isVariable = first?.kind === "variable" && first.name === "TMPDIR" && !first.source.includes(":-");
  return isVariable && rest.every((part) => part.kind === "text" && /^\/*$/.test(part.text));
}

/** The place a path names that stands in other code, or was resolved before. */
export function placeOfText(text: string, call: Call): Place {
  const path = text === "~" || text.startsWith("~/") ? `${call.scene.home}${text.slice(1)}` : text;
  if (path.startsWith(UNKNOWN)) return { kind: "unknown" };
  return placeOfPath(posix.resolve(folderOf(call.command, call.scene) ?? "/", path), call.scene);
}

/** A word's text as a path; absent when it starts with something unknown or leaves the known part with `..`. */
export function pathText(word: ShellWord, call: Call): string | undefined {
  let text = "";
  for (const part of word.parts) {
    const known = partText(part, call);
    if (known !== undefined) text += known;
    else if (text === "" || text.endsWith("/..")) return undefined;
    else text += UNKNOWN;
  }
  if (word.parts.length === 0) text = word.text;
  if (/^[A-Za-z]:[\\/]/.test(text)) return `/${text.replaceAll("\\", "/")}`;
  // SECURITY: an unknown piece may be `..` itself or hold one; what follows it could lead anywhere.
  return text.includes(`${UNKNOWN}/..`) ? undefined : text;
}

function partText(part: WordPart, { scene, command }: Call): string | undefined {
  switch (part.kind) {
    case "text":
      return part.text.includes(UNKNOWN) && part.text.startsWith(UNKNOWN) ? undefined : part.text;
    case "glob":
      return part.text;
    case "home":
      return part.text === "~" ? scene.home : part.text === "~root" ? "/root" : `/home/${part.text.slice(1)}`;
    case "variable":
      return variableText(part.name, part.source, scene, command.folder);
    default:
      return /^(?:\$\(\s*pwd\s*\)|`\s*pwd\s*`)$/.test(part.source) && command.folder === undefined ? scene.cwd : undefined;
  }
}

function variableText(name: string, source: string, scene: Scene, folder: string | undefined): string | undefined {
  if (!/^\$(?:\w+|\{\w+(?::?-\/(?:var\/)?tmp\/?|:\?[^{}$`]*)?\})$/.test(source)) return undefined;
  if (!/^(?:HOME|TMPDIR|PWD)$/.test(name) || isNamedOtherwise(name, scene)) return undefined;
  if (name === "HOME") return scene.home;
  if (name === "TMPDIR") return "/tmp";
  return name === "PWD" && folder === undefined ? scene.cwd : undefined;
}

const namedOtherwise = new WeakMap<Scene, Map<string, boolean>>();

/** SECURITY: a command that names the variable otherwise (to set, unset or read it) may mean any place. Looked for once in a line. */
function isNamedOtherwise(name: string, scene: Scene): boolean {
  const known = namedOtherwise.get(scene) ?? new Map<string, boolean>();
  namedOtherwise.set(scene, known);
  const found = known.get(name) ?? new RegExp(`(?<![$\\w{])${name}\\b|\\{${name}:?=|\\benv\\s+-`).test(scene.text);
  known.set(name, found);
  return found;
}

function placeOfPath(resolved: string, { workspace, home }: Scene): Place {
  const { path, isContents } = withoutWildcard(resolved);
  const kind = kindOf(path, { workspace, home });
  // Everything in a folder is as much as the folder, save for temporary ones, which outlive being emptied.
  return { kind: kind === "temporary-root" && isContents ? "temporary" : kind, path: resolved };
}

function withoutWildcard(resolved: string): { readonly path: string; readonly isContents: boolean } {
  const last = posix.basename(resolved);
  return WILD.test(last) ? { path: posix.dirname(resolved), isContents: true } : { path: resolved, isContents: false };
}

function kindOf(path: string, { workspace, home }: { readonly workspace: string; readonly home: string }): PlaceKind {
  if (liesIn(path, workspace)) return path === workspace || path !== home ? workspaceAncestor(path) : "vital";
  if (path === `${workspace}/.git`) return "workspace-root";
  if (liesIn(workspace, path)) return "workspace";
  // A home may lie in a temporary folder, as in a container or a test: it is a home all the same.
  if (path === home && !isUnfamiliarTop(path)) return "vital";
  if (TEMPORARY.includes(path)) return "temporary-root";
  if (TEMPORARY.some((folder) => liesIn(folder, path))) return "temporary";
  if (path.startsWith("/dev/")) return HARMLESS_DEVICE.test(path) ? "temporary" : "device";
  if (path === home || VITAL.test(path)) return isUnfamiliarTop(path) ? "outside" : "vital";
  return SYSTEM.test(path) ? "system" : "outside";
}

function workspaceAncestor(path: string): PlaceKind {
  return VITAL.test(path) ? "vital" : "workspace-root";
}

/** `/data`: a folder at the top that is no part of the system. */
function isUnfamiliarTop(path: string): boolean {
  return /^\/[^/]+$/.test(path) && !SYSTEM.test(path) && !/^\/(?:home|Users)$/.test(path);
}

const HOMES = /^(?:\/home\/[^/]+|\/Users\/[^/]+|\/root|\/var\/root)\/(.*)$/;

/** What of a path lies below a home, whosever. */
export function belowHome(path: string, { scene: { home } }: Call): string | undefined {
  return path.startsWith(`${home}/`) ? path.slice(home.length + 1) : HOMES.exec(path)?.[1];
}

/** Folders of the workspace that a build, an installation or a test run makes again. */
const REBUILT =
  /(?:^|\/)(?:node_modules|bower_components|jspm_packages|dist|build|builds|_build|out|output|target|bin|obj|coverage|htmlcov|logs?|te?mp|cache|vendor|Pods|DerivedData|venv|env|site-packages|__pycache__|[\w.-]+\.egg-info|cmake-build[\w-]*|test-results|playwright-report|storybook-static|\.(?:next|nuxt|output|svelte-kit|astro|vite|turbo|parcel-cache|cache|angular|expo|build|gradle|dart_tool|venv|tox|nox|eggs|pytest_cache|mypy_cache|ruff_cache|nyc_output|terraform|serverless|vercel|docusaurus|eslintcache|tmp|temp)|tmp[\w.-]*)(?:\/|$)/;

/** Whether a path in the workspace is, or lies in, something that is made again. */
export function isRebuilt(path: string): boolean {
  return REBUILT.test(path);
}
