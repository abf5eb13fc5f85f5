import { statSync } from "node:fs";
import { resolve } from "node:path";
import { type ShellCommand, type ShellWord, UNKNOWN } from "../../shell/index.ts";
import { toolKind } from "../rules/covered-tools.ts";
import type { CallFacts } from "../types.ts";
import { isWorkspaceFile, isWorkspaceProgram, staysInWorkspace } from "./workspace.ts";

/** Tools that only keep the agent's own books, or start something whose calls are decided themselves. */
const HARMLESS_TOOLS: ReadonlySet<string> = new Set("TodoWrite TaskCreate TaskUpdate TaskList Agent Task Teammate SendMessage".split(" "));

/** Programs that write nothing and start nothing, whatever their options. Not `test`: `test -v 'a[$(…)]'` runs a command. */
const READING_PROGRAMS: ReadonlySet<string> = new Set(
  "basename cat cd cmp diff dirname echo false grep head ls nl pwd stat tail true wc which whoami".split(" "),
);

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
  if (
    !name ||
    !(READING_PROGRAMS.has(name.text) || isReadingLine(name.text, rest)) ||
    command.assignments.length > 0 ||
    !command.isPlainlyWrapped
  )
    return false;
  if (isWorkspaceProgram(name.text, facts) || printsUnknown(command)) return false;
  const inputs = command.redirects.filter(({ operator }) => operator === "<").map(({ target }) => target);
  if (![...rest, ...inputs].every(isKnown) || command.folder?.includes(UNKNOWN) || goesElsewhere(name.text, rest)) return false;
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

/** Options, and their short forms, by which a program reads what no word of it names: through links out of a folder, or from a list of names in a file. */
const ELSEWHERE: Readonly<Record<string, RegExp>> = {
  grep: /^-\w*R|^--de/,
  diff: /^-\w*r|^--rec/,
  ls: /^-\w*[LH]|^--de/,
  wc: /^--f/,
};

/** Long options that only change what is shown. SECURITY: others, and every abbreviation (`--to-f=folder`), may be one that reads elsewhere. */
const SHOWS: ReadonlySet<string> = new Set(
  `after-context all almost-all author basic-regexp before-context binary-files block-size body-numbering brief byte-offset bytes chars classify color colour
  context count directory escape exclude exclude-dir expand-tabs extended-regexp file-type files-with-matches files-without-match fixed-strings format
  from-file full-time group-directories-first help hide human-readable ignore ignore-all-space ignore-blank-lines ignore-case ignore-initial
  ignore-matching-lines ignore-space-change ignore-trailing-space include indicator-style initial-tab inode invert-match kibibytes label left-column
  line-buffered line-increment line-number line-regexp lines literal logical max-count max-line-length minimal multiple no-filename no-group
  no-ignore-case no-messages normal null number number-format number-nonblank number-separator number-width numeric-uid-gid only-matching perl-regexp physical
  print-bytes printf quiet quote-name quoting-style recursive regexp report-identical-files reverse show-all show-c-function show-ends
  show-function-line show-nonprinting show-tabs si side-by-side silent size sort speed-large-files squeeze-blank starting-line-number strip-trailing-cr suffix
  suppress-common-lines terse text time time-style to-file total unified verbose version width with-filename word-regexp words zero zero-terminated`.split(
    /\s+/,
  ),
);
/** Their words are text, or nothing to them. */
const HAS_NO_OPTIONS: ReadonlySet<string> = new Set(["echo", "true", "false"]);

function goesElsewhere(program: string, words: readonly ShellWord[]): boolean {
  const isShown = ({ text }: ShellWord): boolean => !/^--./.test(text) || SHOWS.has(text.slice(2).replace(/=.*/s, ""));
  if (!HAS_NO_OPTIONS.has(program) && !words.every(isShown)) return true;
  const pattern = Object.hasOwn(ELSEWHERE, program) ? ELSEWHERE[program] : undefined;
  return pattern !== undefined && words.some(({ text }) => pattern.test(text));
}

/** `diff a b` of two folders, or `diff file folder`, follows the links in them. */
function isFolder(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
  } catch {
    // Not ours to look at: then not to read either.
    return false;
  }
}
