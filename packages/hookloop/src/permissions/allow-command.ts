import { delimiter, isAbsolute, join, resolve } from "node:path";
import {
  blanked,
  isKnownTo,
  type QuietOptions,
  quietOptions,
  type ShellCommand,
  type ShellReading,
  type ShellWord,
  UNKNOWN,
  wordSet,
} from "../shell/index.ts";
import { isFolder, isThere } from "../state-files.ts";
import { realFolder } from "./paths/project-files.ts";
import { folderPath, isInside, pathViews, viewsStayIn } from "./paths/real-target.ts";
import { pathField, toolKind } from "./rules/matching-rules.ts";
import { toolRow } from "./rules/rule-grammar.ts";
import type { CallFacts, PermissionRule } from "./types.ts";

const SINKS = wordSet("/dev/null /dev/stdout /dev/stderr /dev/tty");

interface Coverage {
  readonly rules: readonly PermissionRule[];
  readonly isReadOnly: (command: ShellCommand) => boolean;
  /** Whether the call may write this file anyway: an Edit rule or the mode says so. */
  readonly mayWrite: (file: string) => boolean;
  /** Whether reading this file needs no question: it lies in the workspace, or a Read rule allows it. */
  readonly mayRead: (file: string) => boolean;
}

/** The rules that together allow every command of a line; nothing if one of them is not allowed. None are needed if all only read. */
export function allowCommand(facts: CallFacts, coverage: Coverage): readonly PermissionRule[] | undefined {
  const line = facts.input["command"];
  if (typeof line !== "string") return undefined;
  const whole = coverage.rules.find((rule) => rule.matches(facts));
  if (whole) return [whole];
  const reading = facts.read(line);
  const { commands, isUncertain } = reading;
  // SECURITY: more may run than was read.
  if (isUncertain || commands.length === 0 || setsVariables(line, reading)) return undefined;
  const used = new Set<PermissionRule>();
  const covered: boolean[] = [];
  for (const [index, command] of commands.entries()) {
    const rule = command.isPlainlyWrapped ? coverage.rules.find((one) => one.covers?.(command)) : undefined;
    const isAllowed =
      rule !== undefined ||
      coverage.isReadOnly(command) ||
      isLookedThrough(commands, index, facts) ||
      isRunByCovered(commands, index, covered);
    if (!isAllowed || !redirectsOnly(command, facts, coverage)) return undefined;
    covered[index] = rule !== undefined || isRunByCovered(commands, index, covered);
    if (rule) used.add(rule);
  }
  return [...used];
}

/** `timeout 5 npm test`: what it runs is judged instead. */
function isLookedThrough(commands: readonly ShellCommand[], index: number, facts: CallFacts): boolean {
  const outer = commands[index];
  // SECURITY: neither `/tmp/timeout` nor `PATH=/tmp timeout` is the program that is looked through.
  const name = outer?.words[0]?.text ?? "/";
  if (!outer || outer.assignments.length > 0 || name.includes("/") || isWorkspaceProgram(name, facts)) return false;
  // What it starts is repeated for other folders too, but always said to be started by the first.
  const starter = outer.repeats ?? index;
  return commands.some((inner) => inner.startedBy === starter && inner.isPlainlyWrapped);
}

/** `sudo npm test` under `Bash(sudo *)`. */
function isRunByCovered(commands: readonly ShellCommand[], index: number, covered: readonly boolean[]): boolean {
  const starter = commands[index]?.startedBy;
  if (starter === undefined || !covered[starter]) return false;
  // `python3.12`, `lua5.4`.
  return isKnownTo((commands[starter]?.words[0]?.text ?? "").replace(/(?<=^(?:python|lua))[\d.]+$/, ""), "covers-started");
}

/** SECURITY: `echo x > ~/.bashrc` is more than an echo, and `npm test < /dev/tcp/host/80` or `< ~/.ssh/id_rsa` more than a test. */
function redirectsOnly(command: ShellCommand, { cwd, home }: CallFacts, { mayWrite, mayRead }: Coverage): boolean {
  const folder = folderPath(command.folder, { cwd, home });
  return command.redirects.every(({ operator, target }) => {
    const isInput = operator.startsWith("<") && operator !== "<>";
    const isDescriptor = operator.endsWith("&") && /^(?:\d+-?|-)$/.test(target.text);
    // A here-document and a here-string are text, whose substitutions are commands of their own.
    if (isDescriptor || HERE.test(operator) || (isInput ? SOURCES : SINKS).has(target.text)) return true;
    if (target.text.includes(UNKNOWN) || folder.includes(UNKNOWN) || !isKnown(target)) return false;
    const file = /^[/~]/.test(target.text) ? target.text : `${folder}/${target.text}`;
    return isInput ? mayRead(file) : mayWrite(file);
  });
}

const HERE = /^<<[-<]?$/;
const SOURCES = wordSet("/dev/null /dev/stdin /dev/zero");

/** `NAME=`, `NAME+=`, `NAME[0]=` where a word could start. */
const ASSIGNMENT = /(?<![^\s;&|(){}`])\w+(?:\[[^\]]*\])?\+?=/g;
/** Usual names of loop variables, which neither a shell nor a program looks at. */
const INDIFFERENT =
  /^(?!(?:npm|pnpm|yarn|git|pip|uv|cargo|bundle|ssl|curl)_|\w*_proxy$|(?:path|cdpath|fpath|manpath|mailpath|module_path|argv|prompt|histchars|psvar|status|watch|fignore)$)[a-z]?[a-z\d_]*$/;
/** Those that cannot change which program runs or what it loads. */
const HARMLESS = /^(?:CI|NODE_ENV|NO_COLOR|FORCE_COLOR|TZ|TERM|COLUMNS|LINES|REPLY|OPTIND|OPTARG)$/;

/**
 * SECURITY: `PATH=/tmp; npm test`, `((PATH = 1)); npm test` and `npm test {PATH}>&1` are not `npm test`. Besides what was read as setting a variable,
 * what is left of the line without the plain words of its commands is searched for what looks like an assignment.
 */
function setsVariables(line: string, { commands, sets }: Pick<ShellReading, "commands" | "sets">): boolean {
  if (sets.some((name) => !INDIFFERENT.test(name) && !HARMLESS.test(name))) return true;
  const written = commands.filter(({ startedBy, repeats }) => startedBy === undefined && repeats === undefined);
  const plain = written.flatMap(({ words }) => words).filter(({ parts }) => parts.every(({ kind }) => kind === "text"));
  const rest = blanked(
    line,
    plain.map(({ span }) => span),
  );
  const prefixes = written.filter(({ words }) => words.length > 0).flatMap(({ assignments }) => assignments);
  return (rest.match(ASSIGNMENT)?.length ?? 0) > prefixes.length;
}

/** Tools that only keep the agent's own books, or start something whose calls are decided themselves. */
const HARMLESS_TOOLS = wordSet("TodoWrite TaskCreate TaskUpdate TaskList Agent Task Teammate SendMessage");

/** Needs no question in any mode: it changes nothing, and reads only what lies in the workspace. Shell lines are judged command by command. */
export function isReadOnlyTool(facts: CallFacts, folders: readonly string[]): boolean {
  if (HARMLESS_TOOLS.has(facts.tool)) return true;
  return toolKind(facts.tool) === "file.read" && staysInWorkspace(facts, folders);
}

/** The same of one command of a shell line; what it writes is the caller's part. */
export function isReadOnlyCommand(command: ShellCommand, facts: CallFacts, folders: readonly string[]): boolean {
  const [name, ...rest] = command.words;
  const options = name && quietOptions(name.text);
  if (!options || command.assignments.length > 0 || !command.isPlainlyWrapped) return false;
  if (isWorkspaceProgram(name.text, facts) || printsUnknown(command)) return false;
  const inputs = command.redirects.filter(({ operator }) => operator === "<").map(({ target }) => target);
  if (![...rest, ...inputs].every(isKnown) || command.folder?.includes(UNKNOWN) || !hasOnlyQuiet(options, rest)) return false;
  const folder = command.folder ?? ".";
  const placed = (text: string): string => (/^[/~]/.test(text) ? text : `${folder}/${text}`);
  const isInside = (text: string): boolean => isWorkspaceFile(placed(text), facts, folders);
  if (options.isAlone) return isInside(".") && inputs.length === 0;
  if (name.text === "diff" && rest.some(({ text }) => isFolder(resolve(facts.cwd, placed(text.replace(/^--\w+-file=/, "")))))) return false;
  return isInside(".") && inputs.every(({ text }) => isInside(text)) && rest.every(({ text }) => staysInside(text, isInside));
}

/** SECURITY: `cat <<< "$TOKEN"` shows what `echo "$TOKEN"` does. Nor is it known what the commands of a group before it left of a text. */
function printsUnknown({ stdin }: ShellCommand): boolean {
  return stdin?.kind === "text" ? stdin.text.includes(UNKNOWN) : stdin?.from.length === 0;
}

/** SECURITY: what is known only at run time may be a path outside of the workspace, and so may `~name` and `~+`. */
function isKnown({ text, parts: [first] }: ShellWord): boolean {
  return !text.includes(UNKNOWN) && (first?.kind !== "home" || first.text === "~");
}

/** An option's value may be a link out of the workspace: `--from-file=link`, `-flink`. */
function staysInside(text: string, isInside: (text: string) => boolean): boolean {
  if (!text.startsWith("-")) return isInside(text);
  if (/[/~]/.test(text)) return false;
  const value = text.startsWith("--") ? text.split(/=(.*)/s)[1] : text;
  if (value === undefined) return true;
  // Several letters may stand before the value: `-nrflink`.
  const ends = text.startsWith("--") ? [value] : [...value.slice(0, MAX_LETTERS)].map((_, at) => value.slice(at + 2));
  return ends.every((end) => end === "" || isInside(end));
}

const MAX_LETTERS = 16;

/** Whether every option among the words is one with which the program needs no question. */
function hasOnlyQuiet(options: QuietOptions, words: readonly ShellWord[]): boolean {
  const { isAnything, isAlone, hasPlus, needsOption } = options;
  if (isAnything) return true;
  if (needsOption && words.length === 0) return false;
  // What follows `--` is no option, and neither is the value of one; taken for options they only lead to a question.
  return words.every(({ text }) => {
    if (text !== "--" && /^-./.test(text)) return isQuiet(text, options);
    return !isAlone || (hasPlus && text.startsWith("+"));
  });
}

function isQuiet(text: string, { flags, valued, long }: QuietOptions): boolean {
  if (text.startsWith("--")) return long.has(text.slice(2).replace(/=.*/s, ""));
  for (const letter of text.slice(1)) {
    if (valued.includes(letter)) return true;
    if (!flags.includes(letter)) return false;
  }
  return true;
}

/** Whether a file lies in the project or an additional directory, by name and by real target. */
export function isWorkspaceFile(file: string, facts: Pick<CallFacts, "cwd" | "home" | "target">, folders: readonly string[]): boolean {
  return viewsStayIn(pathViews(file, facts.cwd, facts), folders, facts);
}

/** The folders of a PATH that lie in one of these, relative ones too: what is in them comes with the project. */
export function workspaceFolders(searchPath: string, folders: readonly string[]): readonly string[] {
  const roots = folders.map(realFolder);
  // The parts of PATH rarely change, and most commands ask about none.
  return searchPath.split(delimiter).filter((entry) => !isAbsolute(entry) || roots.some((root) => isInside(root, realFolder(entry))));
}

/** SECURITY: whether a bare name means a program of the workspace: `node_modules/.bin/ls` under `npm run`. */
function isWorkspaceProgram(name: string, { programFolders = () => [], cwd }: Pick<CallFacts, "programFolders" | "cwd">): boolean {
  return programFolders().some((folder) => isThere(join(resolve(cwd, folder), name)));
}

/** Whether a tool that works on one file works inside the workspace. A search without a folder is about the working directory. */
export function staysInWorkspace(facts: CallFacts, folders: readonly string[]): boolean {
  const field = pathField(facts.tool);
  const isSearch = field === "path" && facts.input[field] === undefined && toolKind(facts.tool) === "file.read";
  const file = isSearch ? facts.cwd : facts.input[field];
  return typeof file === "string" && isWorkspaceFile(file, facts, folders) && searchStays(facts);
}

/** `Glob("/etc/*")` and `Glob("../*")` leave the folder that `path` names. */
function searchStays({ tool, input }: CallFacts): boolean {
  const row = toolRow(tool);
  if (row?.kind !== "file.read" || row.rule?.field !== "path") return true;
  const patterns = tool === "Glob" ? [input["pattern"], input["glob"]] : [input["glob"]];
  return patterns.every((pattern) => typeof pattern !== "string" || !/^(?:[/~])|(?:^|\/)\.\.(?:\/|$)/.test(pattern));
}
