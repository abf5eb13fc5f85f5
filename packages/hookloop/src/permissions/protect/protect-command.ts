import { resolve } from "node:path";
import {
  codeTexts,
  mentionedPaths,
  pathsInText,
  readCommand,
  type ShellReading,
  type TouchedPath,
  touchedPaths,
  UNKNOWN,
  unknownOperands,
  workTrees,
} from "../../shell/index.ts";
import { assignedOutputs } from "../paths/assigned-outputs.ts";
import { realTarget } from "../paths/index.ts";
import { mayChange } from "./code-changes.ts";
import { fileKind, patchNames } from "./on-disk.ts";
import { touchedAgent } from "./own-process.ts";
import { protectedPlaces } from "./places.ts";
import { protectedAt } from "./protected-path.ts";
import { headedBy, type Reach, type Reached } from "./reach/candidates.ts";
import { foldersInCode } from "./reach/folders-in-code.ts";
import { below, reachedByNames } from "./reach/named-for-code.ts";
import { reachedBy, reachedByCode, reachedByPatch, reachedByTree } from "./reach/reached-by.ts";
import { changedSettings } from "./shell-settings.ts";
import type { ProtectContext } from "./types.ts";

/** What of the protected a shell command would change. */
export function protectCommand(text: string, context: ProtectContext): readonly Reached[] {
  const reading = readCommand(text);
  const reach = lazyReach(context, hasWideGlobs(reading));
  const touched = touchedPaths(reading, context);
  const found = [
    ...changedSettings(reading, text),
    ...touchedAgent(reading, text, { touched, agent: context.agent }),
    ...touched.flatMap((path) => reachedBy(withSource(path, { reading, touched }), reach)),
    ...workTrees(reading, context).flatMap((tree) => reachedByTree(tree, reach)),
    ...patched(reading, touched, reach),
    ...linked(touched, reach),
    ...mentioned(reading, reach),
    ...givenFolders(reading, reach),
    ...reachedByNames(reading, text, touched, reach),
    ...assigned(text, reading, reach),
    ...takenByCode(reading, reach),
    ...guessed(text, { reading, touched, reach }),
  ];
  return found.filter(({ path }, index) => found.findIndex((other) => other.path === path) === index);
}

const WIDENS_GLOBS = /^(?:no)?(?:dot_?glob|glob_?dots|glob_?star\w*|no_?case_?glob|case_?glob)$|^(?:GLOBIGNORE|BASHOPTS|SHELLOPTS)(?:$|=)/i;

/** `shopt -s dotglob`, `setopt globdots`, `GLOBIGNORE=x`: whichever command of the line says it, and also if it takes it back. */
function hasWideGlobs({ commands }: ShellReading): boolean {
  return commands.some(({ words, assignments }) => {
    const isSetting = /^(?:shopt|setopt|unsetopt|set)$/.test(words[0]?.text ?? "");
    return (
      words.some(({ text }) => WIDENS_GLOBS.test(text) || (isSetting && text.includes(UNKNOWN))) ||
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

/** A patch that a here-document holds. */
function patched({ commands }: ShellReading, touched: readonly TouchedPath[], reach: Reach): readonly Reached[] {
  return touched.flatMap((path) => {
    const command = commands[path.command];
    const stdin = command?.stdin;
    if (path.how !== "write" || !path.isRecursive || path.path === undefined || stdin?.kind !== "text") return [];
    return isPatch(command) ? reachedByPatch(patchNames(stdin.text), { path: path.path }, reach) : [];
  });
}

function isPatch(command: ShellReading["commands"][number] | undefined): boolean {
  return command?.words.some(({ text }) => /(^|\/)(patch|apply|am)$/.test(text)) === true;
}

/** Programs whose doing we do not know, and code of other languages. A hook's script may well be given to a program: that is how it is tried out. */
function mentioned(reading: ShellReading, reach: Reach): readonly Reached[] {
  return mentionedPaths(reading, reach.context).flatMap((found): readonly Reached[] => {
    const { path, isGlob, where, tail } = found;
    const isChange = mayChange(found);
    if (isChange && path === undefined && tail !== undefined)
      return reachedBy({ path, tail, how: "write", span: NOWHERE, command: 0 }, reach);
    if (path === undefined || isGlob || !isChange) return [];
    const isTried = where === "word" && triesOut(reading.commands[found.command]?.words ?? []);
    return namedAt(path, reach, where !== "word" ? "anything" : isTried ? "not-tried" : "files");
  });
}

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

/** What people run by hand. */
const TRIED_OUT: ReadonlySet<string> = new Set(["hook script", "configuration of this run", "hookloop itself"]);

/** What is protected at a path that stands somewhere in the text; `anything`: also if it is only the folder of such things; `not-tried`: not what people run by hand. */
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
  const isBlind = reading.isUncertain || touched.some(({ path, tail, how }) => path === undefined && tail === undefined && how !== "read");
  if (!isBlind) return [];
  const reads = touched.filter(({ how, command }) => how === "read" && !LISTS.has(reading.commands[command]?.words[0]?.text ?? ""));
  let rest = text;
  for (const { span } of reads)
    rest = `${rest.slice(0, span.start)}${" ".repeat(Math.max(0, span.end - span.start))}${rest.slice(span.end)}`;
  return pathsInText(rest, reach.context).flatMap((path) => namedAt(path, reach, "anything"));
}

/** What these read are names, which another program may take up. */
const LISTS: ReadonlySet<string> = new Set(["find", "ls", "dir", "tree", "fd"]);
