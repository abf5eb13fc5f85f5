import { statSync } from "node:fs";
import { resolve } from "node:path";
import { type ShellCommand, type ShellWord, UNKNOWN } from "../../shell/index.ts";
import { toolKind } from "../rules/covered-tools.ts";
import type { CallFacts } from "../types.ts";
import { hasOnlyKnownOptions, isReadingProgram } from "./reading-programs.ts";
import { isWorkspaceFile, isWorkspaceProgram, staysInWorkspace } from "./workspace.ts";

/** Tools that only keep the agent's own books, or start something whose calls are decided themselves. */
const HARMLESS_TOOLS: ReadonlySet<string> = new Set("TodoWrite TaskCreate TaskUpdate TaskList Agent Task Teammate SendMessage".split(" "));

/** Lines of programs that can do more, with which they only show the time, their version or the name of the system. */
const READING_LINES: Readonly<Record<string, RegExp>> = {
  date: /^(?:-u ?|-R ?|-I ?|--utc ?)?(?:\+[^\n]*)?$/,
  node: /^(?:-v|--version)$/,
  uname: /^(?:-[asnrvmpio]+)?$/,
};

/** Needs no question in any mode: it changes nothing, and reads only what lies in the workspace. Shell lines are judged command by command. */
export function isReadOnlyTool(facts: CallFacts, folders: readonly string[]): boolean {
  if (HARMLESS_TOOLS.has(facts.tool)) return true;
  return toolKind(facts.tool) === "file.read" && staysInWorkspace(facts, folders);
}

/** The same of one command of a shell line; what it writes is the caller's part. */
export function isReadOnlyCommand(command: ShellCommand, facts: CallFacts, folders: readonly string[]): boolean {
  const [name, ...rest] = command.words;
  if (!name || command.assignments.length > 0 || !command.isPlainlyWrapped) return false;
  const isKnownLine = isReadingLine(name.text, rest);
  if (!isKnownLine && !isReadingProgram(name.text)) return false;
  if (isWorkspaceProgram(name.text, facts) || printsUnknown(command)) return false;
  const inputs = command.redirects.filter(({ operator }) => operator === "<").map(({ target }) => target);
  if (![...rest, ...inputs].every(isKnown) || command.folder?.includes(UNKNOWN) || !(isKnownLine || hasOnlyKnownOptions(name.text, rest)))
    return false;
  const folder = command.folder ?? ".";
  const placed = (text: string): string => (/^[/~]/.test(text) ? text : `${folder}/${text}`);
  const isInside = (text: string): boolean => isWorkspaceFile(placed(text), facts, folders);
  if (isReadingLine(name.text, rest)) return isInside(".") && inputs.length === 0;
  if (name.text === "diff" && rest.some(({ text }) => isFolder(resolve(facts.cwd, placed(text.replace(/^--\w+-file=/, "")))))) return false;
  return isInside(".") && inputs.every(({ text }) => isInside(text)) && rest.every(({ text }) => staysInside(text, isInside));
}

function isReadingLine(name: string, words: readonly ShellWord[]): boolean {
  return Object.hasOwn(READING_LINES, name) && READING_LINES[name]?.test(words.map(({ text }) => text).join(" ")) === true;
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

/** `diff a b` of two folders, or `diff file folder`, follows the links in them. */
function isFolder(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
  } catch {
    // Not ours to look at: then not to read either.
    return false;
  }
}
