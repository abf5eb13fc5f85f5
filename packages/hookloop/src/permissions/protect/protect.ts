/**
 * Takes a call of one of the agent's tools. Gives a question if it would create, change, rename, link over or delete what decides
 * which hooks and programs run by themselves; undefined if not. Reading is always allowed.
 */

import { resolve } from "node:path";
import { calledElsewhere, otherSpelling, TOOLS } from "../../catalogue/index.ts";
import { diffHunks } from "../../line-diff.ts";
import {
  blanked,
  codeOnLine,
  codeTexts,
  filledPlaces,
  mentionedPaths,
  pathsInText,
  readingOf,
  type ShellReading,
  type TouchedPath,
  touchedPaths,
  UNKNOWN,
  unknownOperands,
  workTrees,
} from "../../shell/index.ts";
import { fileKind } from "../../state-files.ts";
import { COMMAND_FIELD, commandText, PATH_FIELD, pathTexts } from "../call-facts.ts";
import { isPatch, patchesIn, stashedFiles } from "../paths/changed-files.ts";
import { realTarget } from "../paths/real-target.ts";
import { assignedOutputs } from "../paths/touched-files.ts";
import { below, foldersInCode, mayChange, printsNames, reachedByNames, writesSomething } from "./code-changes.ts";
import { ANYWHERE, IN_HOME, protectedPlaces, readText, ZSH } from "./places.ts";
import { type ProtectContext, type ProtectedCall, type Protection, protectedAt } from "./protected-path.ts";
import { headedBy, type Reach, type Reached, reachedBy, reachedByCode, reachedByPatch, reachedByTree } from "./reached-by.ts";
import { changedSettings, touchedAgent } from "./shell-settings.ts";

const MAX_NAMED = 5;

/** SECURITY: the agent's own tools against what guards it; no project setting reaches this. */
export function protect(call: ProtectedCall, context: ProtectContext): Protection | undefined {
  const row = Object.hasOwn(TOOLS, call.tool) ? TOOLS[call.tool as keyof typeof TOOLS] : undefined;
  const meant = otherSpelling(call.tool) ?? calledElsewhere(call.tool);
  const kind = row ? row.kind : (call.kind ?? (meant && TOOLS[meant].kind));
  if (kind === "shell") return protectShell(call, context);
  return kind === "file.write" ? protectFile(call, context, row?.rule?.field) : undefined;
}

function protectShell(call: ProtectedCall, context: ProtectContext): Protection | undefined {
  const commands = Object.entries(call.input).flatMap(([name, value]) => (COMMAND_FIELD.test(name) ? commandText(value) : []));
  const found = commands.flatMap((command) => protectCommand(command, context));
  return found.length === 0 ? undefined : { isProtected: true, decision: "ask", reason: reasonFor(call.tool, found), paths: found };
}

function protectFile(call: ProtectedCall, context: ProtectContext, field: string | undefined): Protection | undefined {
  const places = protectedPlaces(context);
  const named = Object.entries(call.input).flatMap(([name, value]) => (name === field || PATH_FIELD.test(name) ? pathTexts(value) : []));
  const found = named.flatMap((path): readonly Reached[] => {
    const at = protectedAt(realTarget(path, context), places, context);
    return at ? [{ ...at, path }] : [];
  });
  const [first] = found;
  if (!first) return undefined;
  const diff = proposedChange(realTarget(first.path, context).path, call.input);
  return { isProtected: true, decision: "ask", reason: reasonFor(call.tool, found), paths: found, ...(diff ? { diff } : {}) };
}

function reasonFor(tool: string, found: readonly Reached[]): string {
  const named = found.slice(0, MAX_NAMED).map(({ path, what, why }) => `${path} (${what}: ${why})`);
  const more = found.length > MAX_NAMED ? ` and ${found.length - MAX_NAMED} more` : "";
  return `${tool} would change ${named.join(", ")}${more}. The agent may change this only if you allow it; without a user to ask it is denied.`;
}

function protectCommand(text: string, context: ProtectContext): readonly Reached[] {
  const reading = readingOf(text);
  const reach = lazyReach(context, hasWideGlobs(reading));
  const touched = touchedPaths(reading, context);
  const found = [
    ...changedSettings(reading, text),
    ...touchedAgent(reading, text, { touched, agent: context.agent }),
    ...touched.flatMap((path) => reachedBy(withSource(path, { reading, touched }), reach)),
    ...workTrees(reading, context).flatMap((tree) => reachedByTree(tree, reach)),
    ...patched(reading, touched, reach),
    ...filled(reading, touched, reach),
    ...linked(touched, reach),
    ...mentioned(reading, reach),
    ...givenFolders(reading, reach),
    ...reachedByNames(reading, text, touched, reach),
    ...assigned(text, reading, reach),
    ...takenByCode(reading, reach),
    ...guessed(text, { reading, touched, reach }),
    ...disguised(text, { reading, touched, reach }),
    ...stashedFiles(reading, context).flatMap((path) => (fileKind(path) === "missing" ? [] : namedAt(path, reach, "files"))),
  ];
  return found.filter(({ path }, index) => found.findIndex((other) => other.path === path) === index);
}

const WIDENS_GLOBS = /^(?:no)?(?:dot_?glob|glob_?dots|glob_?star\w*|no_?case_?glob|case_?glob)$|^(?:GLOBIGNORE|BASHOPTS|SHELLOPTS)(?:$|=)/i;

/** `@(.git|x)` may stand for hidden names. */
const EXTENDED = /[@!+*?]\(/;

/** `shopt -s dotglob`, `setopt globdots`, `GLOBIGNORE=x`: whichever command of the line says it, and also if it takes it back. */
function hasWideGlobs({ commands }: ShellReading): boolean {
  return commands.some(({ words, assignments }) => {
    const isSetting = /^(?:shopt|setopt|unsetopt|set)$/.test(words[0]?.text ?? "");
    return (
      words.some(({ text, source }) => WIDENS_GLOBS.test(text) || (isSetting && text.includes(UNKNOWN)) || EXTENDED.test(source)) ||
      assignments.some(({ name }) => WIDENS_GLOBS.test(name))
    );
  });
}

/** Most commands change nothing: the places are looked up only for one that does. */
function lazyReach(context: ProtectContext, hasWideGlobs: boolean): Reach {
  let places: Reach["places"] | undefined;
  return {
    context,
    hasWideGlobs,
    get places() {
      places ??= protectedPlaces(context);
      return places;
    },
  };
}

/** `patch -p1 < file`: what is read beside is what lands. What an archive holds is not known. */
function withSource(path: TouchedPath, { reading, touched }: Pick<Known, "reading" | "touched">): TouchedPath {
  if (path.how !== "write" || !path.isRecursive || path.from !== undefined || !isPatch(reading.commands[path.command])) return path;
  const source = touched.find((other) => other.how === "read" && other.command === path.command && !other.isRecursive && !other.isGlob);
  return source?.path === undefined ? path : { ...path, from: source.path };
}

/** SECURITY: a link to what is protected gives it a name that the rest of the line, which is read before the link is there, can write to. */
function linked(touched: readonly TouchedPath[], reach: Reach): readonly Reached[] {
  return touched.flatMap(({ how, from }) => (how === "create-link" && from !== undefined ? namedAt(from, reach, "anything") : []));
}

function patched(reading: ShellReading, touched: readonly TouchedPath[], reach: Reach): readonly Reached[] {
  return patchesIn(reading, touched).flatMap(({ folder, names }) => reachedByPatch(names, { path: folder }, reach));
}

/** `docker cp x:/y hooks`, `eslint --fix hooks`: what is copied to, and a folder in which a program chooses what it changes. */
function filled(reading: ShellReading, touched: readonly TouchedPath[], reach: Reach): readonly Reached[] {
  const copied = filledPlaces(reading, reach.context).filter(({ by }) => by === "copy");
  return [...copied, ...touched.filter(({ isChosen }) => isChosen)].flatMap(({ path, isGlob }) => {
    if (path === undefined || isGlob) return [];
    return fileKind(path) === "folder" ? below(path, reach) : namedAt(path, reach, "files");
  });
}

/** Programs whose effect is not known, and code of other languages. A hook's script may be given to a program: that is how it is tried out. */
function mentioned(reading: ShellReading, reach: Reach): readonly Reached[] {
  return mentionedPaths(reading, reach.context).flatMap((found): readonly Reached[] => {
    const { path, isGlob, where, tail } = found;
    const isChange = mayChange(found);
    if (isChange && path === undefined && tail !== undefined)
      return reachedBy({ path, tail, how: "write", span: NOWHERE, command: 0 }, reach);
    if (path === undefined || isGlob || !isChange) return [];
    const isTried = where === "word" && triesOut(reading.commands[found.command]?.words ?? []);
    const isGivenWhole = where !== "word" || MOUNTS.test(found.option ?? "");
    return namedAt(path, reach, isGivenWhole ? "anything" : isTried ? "not-tried" : "files");
  });
}

/** What is in a folder that a container is given can be changed there, whatever runs in it. */
const MOUNTS = /^(?:-v|--volume|--mount)$/;

/** A folder on the way to what is protected, for a program that may fill it, empty it or take its rights away. */
function givenFolders(reading: ShellReading, reach: Reach): readonly Reached[] {
  return unknownOperands(reading, reach.context).flatMap(({ path, command }) => {
    const words = reading.commands[command]?.words ?? [];
    return triesOut(words) || fileKind(path) !== "folder" ? [] : below(path, reach);
  });
}

/** Programs that run, check, show or measure what they are given, and programs that start such ones, whose words are read once more. */
const TRIES =
  /^(?:ava|bandit|bats|batcat|black|biome|bun|bunx|c8|cloc|cmp|colordiff|concurrently|coverage|cspell|delta|deno|dprint|dust|entr|env|eslint|exa|eza|fd|fdfind|exec|flake8|gh|glab|glow|go|hadolint|hexyl|hookloop|hyperfine|isort|jest|just|knip|ldd|lsattr|lsof|lsd|luacheck|make|markdownlint|mocha|mypy|ncdu|nice|node|nodemon|nohup|npm|npx|nyc|objdump|oxlint|perlcritic|phpcs|php-cs-fixer|pnpm|pnpx|poetry|prettier|publint|pygmentize|pylint|pyright|pytest|readelf|rubocop|ruff|scc|semgrep|shfmt|size|stylelint|tap|test|time|timeout|tokei|tox|ts-node|tsc|tsx|ugrep|uv|uvx|vitest|watch|watchexec|xargs|yamllint|yarn|(?:b2|sha\d*)sum|get(?:facl|fattr|cap)|command|setsid|stdbuf|sudo|doas|ionice|chrt|taskset|strace|ltrace|gdb|valgrind|perf|docker|podman|ssh)$/;
/** With one of these a program that checks also changes what it is given. */
const CHANGES_IT =
  /^(?:-[A-Za-z]*[wi][A-Za-z]*|--?(?:fix|write|in-?place|apply|overwrite|update|correct|autocorrect|autofix|unsafe)(?:-.*|=.*)?|format|fmt)$/;

function triesOut(words: ShellReading["commands"][number]["words"]): boolean {
  const [name, ...rest] = words.map(({ text }) => text);
  // A script of the project, by its name: what it does is its own business.
  if (/^(?!\/|.*\.\.).*\//s.test(name ?? "")) return true;
  const program = (name ?? "").replace(/^.*\//s, "");
  // A formatter changes files unless it is told not to.
  const isFormatter =
    /^(?:black|isort|rubocop|php-cs-fixer)$/.test(program) && !rest.some((text) => /^--?(?:check|diff|dry-run|lint|c)/.test(text));
  return TRIES.test(program) && !isFormatter && !rest.some((text) => CHANGES_IT.test(text));
}

/** What a variable of the line says is written to. */
function assigned(text: string, reading: ShellReading, reach: Reach): readonly Reached[] {
  return assignedOutputs(text, reading)
    .flatMap((value) => pathsInText(value, reach.context))
    .flatMap((path) => namedAt(path, reach, "anything"));
}

/** Code that takes away a folder above what is protected. */
function takenByCode(reading: ShellReading, reach: Reach): readonly Reached[] {
  const { home, cwd } = reach.context;
  return codeTexts(reading, reach.context).flatMap(({ code, folder = cwd }) =>
    foldersInCode(code, home).flatMap(({ path, isDirect }) => {
      const full = /^~(?:\/|$)/.test(path) ? `${home}${path.slice(1)}` : resolve(folder, path);
      return reachedByCode(full, isDirect, reach);
    }),
  );
}

const NOWHERE = { start: 0, end: 0 };

/** What is often run by hand. */
const TRIED_OUT: ReadonlySet<string> = new Set(["hook script", "configuration of this run", "hookloop itself"]);

/** What is protected at a path that stands somewhere in the text; `anything`: also if it is only the folder of such things; `not-tried`: not what is often run by hand. */
function namedAt(path: string, { places, context }: Reach, counts: "anything" | "files" | "not-tried"): readonly Reached[] {
  const target = realTarget(path, context);
  const found = protectedAt(target, places, context) ?? (counts === "anything" ? headedBy(target.path)[0]?.row : undefined);
  if (!found || (TRIED_OUT.has(found.what) && counts === "not-tried")) return [];
  return [{ what: found.what, why: found.why, path }];
}

interface Known {
  readonly reading: ShellReading;
  readonly touched: readonly TouchedPath[];
  readonly reach: Reach;
}

/** SECURITY: where reading cannot tell what is changed, a protected name anywhere in the text is enough to ask. What is known to be only read does not count. */
function guessed(text: string, { reading, touched, reach }: Known): readonly Reached[] {
  const isBlind =
    reading.isUncertain ||
    touched.some(({ path, tail, how }) => path === undefined && tail === undefined && how !== "read") ||
    patchesIn(reading, touched).some(({ isUnread }) => isUnread);
  if (!isBlind) return [];
  const reads = touched.filter(({ how, command }) => how === "read" && !printsNames(reading.commands[command]));
  const rest = blanked(
    text,
    reads.map(({ span }) => span),
  );
  return pathsInText(rest, reach.context).flatMap((path) => namedAt(path, reach, "anything"));
}

const TOKEN = /[\w+/=.-]{8,400}/g;
const MAX_TOKENS = 200;
/** Calls that turn text which is not a name into one. */
const DECODES =
  /\b(?:rev|base64|base32|basenc|xxd|openssl|tr|od|uudecode|b64decode|fromhex|unhexlify|atob|Buffer|unpack|reversed?|decode\w*|pack)\b|\[::-1\]/;
/** Hidden names that protected paths begin with. */
const HIDDEN = new RegExp(
  `(?:^|/)(?:${[...new Set([...ANYWHERE, ...IN_HOME, ...ZSH].flatMap(({ name }) => /^\.[\w.-]+/.exec(name)?.[0] ?? []))].join("|").replaceAll(".", "\\.")})(?:/|$)`,
);

/** SECURITY: `> $(rev <<< nosj.sgnittes/edualc.)`: a line that changes something and turns texts into others may have a protected name in disguise. */
function disguised(text: string, { reading, touched, reach }: Known): readonly Reached[] {
  if (!DECODES.test(text)) return [];
  const names = (text.match(TOKEN) ?? []).slice(0, MAX_TOKENS).flatMap(undisguised);
  const hidden = names.filter((name) => HIDDEN.test(name) && /^[\w./~-]+$/.test(name));
  const isChange = touched.some(({ how }) => how !== "read") || codeOnLine(reading, reach.context).some(writesSomething);
  return isChange ? hidden.flatMap((name) => pathsInText(name, reach.context)).flatMap((path) => namedAt(path, reach, "files")) : [];
}

/** What a text may stand for: read from behind, in base64, in hexadecimal, with its letters shifted. */
function undisguised(token: string): readonly string[] {
  const shifted = Array.from({ length: 25 }, (_, by) =>
    token.replace(/[a-z]/g, (letter) => String.fromCharCode(97 + ((letter.charCodeAt(0) - 97 + by + 1) % 26))),
  );
  const isHex = /^(?:[\da-f]{2})+$/i.test(token);
  return [
    [...token].reverse().join(""),
    Buffer.from(token, "base64").toString(),
    ...(isHex ? [Buffer.from(token, "hex").toString()] : []),
    ...shifted,
  ];
}

const MAX_LINES = 2000;

interface Replacement {
  readonly old_string: string;
  readonly new_string: string;
  readonly replace_all?: unknown;
}

/** What a file tool's input would change, as a diff with this name in its head; undefined if it does not say. */
export function proposedChange(path: string, input: Readonly<Record<string, unknown>>, name: string = path): string | undefined {
  const before = readText(path);
  if (typeof input["content"] === "string") return unifiedDiff(name, before, input["content"]);
  const edits = [input, ...(Array.isArray(input["edits"]) ? input["edits"] : [])].filter(isReplacement);
  if (edits.length === 0) return undefined;
  // A file that cannot be shown, or one in which the text does not stand: the pieces themselves are what there is to see.
  const isApplicable = before !== undefined && edits.every(({ old_string }, index) => index > 0 || before.includes(old_string));
  if (!isApplicable) return edits.map((edit) => unifiedDiff(name, edit.old_string, edit.new_string)).join("\n");
  return unifiedDiff(name, before, edits.reduce(replaced, before));
}

function isReplacement(value: unknown): value is Replacement {
  if (typeof value !== "object" || value === null) return false;
  const { old_string, new_string } = value as Record<string, unknown>;
  return typeof old_string === "string" && typeof new_string === "string";
}

/** Not `String.replace` with a text: `$&` in it would mean something. */
function replaced(text: string, { old_string, new_string, replace_all }: Replacement): string {
  if (old_string === "") return text === "" ? new_string : text;
  return replace_all === true ? text.replaceAll(old_string, () => new_string) : text.replace(old_string, () => new_string);
}

/** The usual form; long ones are cut. Empty if nothing changes. */
function unifiedDiff(path: string, before: string | undefined, after: string): string {
  const hunks = diffHunks(before ?? "", after);
  if (hunks.length === 0) return before === undefined ? `--- /dev/null\n+++ ${path}\n(a new, empty file)` : "";
  const body = hunks.flatMap(({ oldStart, oldLines, newStart, newLines, lines }) => [
    `@@ -${oldStart},${oldLines} +${newStart},${newLines} @@`,
    ...lines,
  ]);
  const shown = body.length <= MAX_LINES ? body : [...body.slice(0, MAX_LINES), `… ${body.length - MAX_LINES} more lines`];
  return [before === undefined ? "--- /dev/null" : `--- ${path}`, `+++ ${path}`, ...shown].join("\n");
}
