/**
 * Takes what a shell command would run. Gives what its commands list for others: the names that `find`, `grep -l`, `ls` or `git ls-files` print,
 * if they are handed on. A command of the line that changes names which only the running shell knows may change these.
 */

import { formsIn, hasAny, readArguments, valuesOf } from "../arguments.ts";
import { readFind } from "../programs/find.ts";
import { withoutDash } from "../programs/git.ts";
import { isKnownTo, optionForms, type Part, partsOf } from "../programs/program.ts";
import { programName } from "../programs/started.ts";
import { takesOnlyData } from "../script/simple-command.ts";
import { type ShellCommand, type ShellReading, type ShellWord, UNKNOWN, type WordPart } from "../types.ts";
import { remembered, wordSet } from "../words.ts";
import type { Claim } from "./claims.ts";
import { claimsOf } from "./claims-of.ts";
import { readGit } from "./git-paths.ts";

interface Listing {
  /** What it starts from; none: the folder it runs in. */
  readonly roots: readonly ShellWord[];
  /** Only what has one of these names or fits one of these patterns; none: all. */
  readonly names: readonly string[];
  /** What it leaves out. */
  readonly spares?: Claim["spares"];
  readonly inFolder?: ShellWord | undefined;
}

const EXEC = wordSet("-exec -execdir -ok -okdir -x -X --exec --exec-batch");

/** What a command lists, if that is its work. */
export function listingOf(given: readonly ShellWord[]): Listing | undefined {
  const words = withoutDash(given);
  const [part] = partsOf(programName(words), "lists");
  const [kind = ""] = part?.flags ?? [];
  return part && LISTS[kind]?.(words, part);
}

function findListing(words: readonly ShellWord[]): Listing {
  const { roots, bounds } = readFind(words);
  return { roots, names: bounds };
}

/** `fd pattern folder… -x command`: a plain extension bounds it, a pattern is an expression. */
function fdListing(words: readonly ShellWord[]): Listing {
  const end = words.findIndex(({ text }) => EXEC.has(text));
  const read = readArguments(
    end === -1 ? words : words.slice(0, end),
    formsIn(
      "-eEtdSojc: --extension: --exclude: --type: --max-depth: --search-path: --base-directory: --size: --owner: --threads: --color:",
    ),
  );
  const extensions = valuesOf(read, ["e", "extension"]).map(({ text }) => `*.${text}`);
  const roots = [...read.operands.slice(1), ...valuesOf(read, ["search-path"])];
  const [inFolder] = valuesOf(read, ["base-directory"]);
  return { roots, names: extensions, inFolder, ...(hasAny(read, ["H", "hidden", "u", "unrestricted"]) ? {} : { spares: "hidden" }) };
}

const LISTS_FILES: readonly string[] = ["l", "L", "files-with-matches", "files-without-match", "files"];

/** `grep -l`, `rg -l`, `rg --files`: the pattern comes first, unless an option gave it. */
function grepListing(words: readonly ShellWord[], isVisible: boolean): Listing | undefined {
  const read = readArguments(words, optionForms(programName(words)));
  if (!hasAny(read, LISTS_FILES)) return undefined;
  const hasPattern = hasAny(read, ["e", "regexp", "f", "file", "files"]);
  const globs = valuesOf(read, ["include", "g", "glob", "iglob"]).map(spelled);
  const isBounded = globs.every((glob) => !glob.startsWith("!") && !glob.includes("/"));
  const isShown = hasAny(read, ["hidden", ".", "u", "unrestricted"]);
  return {
    roots: read.operands.slice(hasPattern ? 0 : 1),
    names: isBounded ? globs : [],
    ...(isVisible && !isShown ? { spares: "hidden" as const } : {}),
  };
}

/** As it is written: to the program an unquoted pattern is one, too, if nothing fits it. */
export function spelled({ parts, text }: ShellWord): string {
  return parts.some(({ kind }) => kind === "glob") ? parts.map((part) => ("text" in part ? part.text : "*")).join("") : text;
}

function lsListing(words: readonly ShellWord[]): Listing {
  const read = readArguments(words, formsIn("-ITwLPo: --ignore: --hide: --sort: --time:"));
  return { roots: read.operands, names: [], ...(hasAny(read, ["a", "A", "all", "almost-all", "f"]) ? {} : { spares: "hidden" }) };
}

/** Git lists what it keeps. Of `git diff --name-only a b` it is not known which words are files. */
function gitListing(words: readonly ShellWord[]): Listing | undefined {
  const { words: rest, inFolder } = readGit(words);
  const name = rest[0]?.text ?? "";
  const read = readArguments(rest, name === "grep" ? optionForms("grep") : formsIn("-xX: --exclude: --exclude-from:"));
  const spares = hasAny(read, ["o", "others", "untracked", "no-index"]) || name === "status" ? {} : { spares: "untracked" as const };
  if (name === "grep") {
    const listing = grepListing(rest, false);
    return listing && { roots: pathsAfter(rest), names: [], inFolder, ...spares };
  }
  if (!isKnownTo(`git ${name}`, "lists-files")) return undefined;
  if (name !== "ls-files") return { roots: pathsAfter(rest), names: [], inFolder, ...spares };
  // Its patterns also stand for what is in folders.
  const isPattern = ({ text }: ShellWord): boolean => /^[^/]*[*?[][^/]*$/.test(text);
  const isNamed = read.operands.length > 0 && read.operands.every(isPattern);
  return { roots: isNamed ? [] : read.operands, names: isNamed ? read.operands.map(spelled) : [], inFolder, ...spares };
}

function pathsAfter(words: readonly ShellWord[]): readonly ShellWord[] {
  const at = words.findIndex(({ text }) => text === "--");
  return at === -1 ? [] : words.slice(at + 1);
}

/** By the name that rows have for it. */
const LISTS: Readonly<Record<string, (words: readonly ShellWord[], part: Part) => Listing | undefined>> = {
  find: findListing,
  fd: fdListing,
  matching: (words, { flags }) => grepListing(words, flags.has("visible")),
  folder: lsListing,
  deep: (words) => ({ roots: readArguments(words, formsIn("-d:")).operands, names: [] }),
  git: gitListing,
  printed: printedListing,
};

/** `printf -v f %s file; rm "$f"`. */
function printedListing(words: readonly ShellWord[]): Listing | undefined {
  return words[1]?.text.startsWith("-v") ? { roots: words.slice(words[1].text === "-v" ? 3 : 2), names: [] } : undefined;
}

/** Whether what a command lists is handed to one that does more than show the names. */
export function isHandedOn(index: number, reading: ShellReading): boolean {
  const { commands, sets } = reading;
  const command = commands[index];
  if (!command) return false;
  const name = programName(command.words);
  if (/^g?find$|^fd(?:find)?$/.test(name) && command.words.some(({ text }) => EXEC.has(text))) return true;
  if (sets.length > 0) return true;
  const flow = flowOf(reading.commands);
  if (command.redirects.some((redirect) => isKept(redirect) && flow.isTakenUp(redirect.target.text, index))) return true;
  return flow.isPiped[index] === true || flow.isNamedBy(name).some((at) => at !== index);
}

/** Where the output of a line's commands goes. SECURITY: found once for the line; a line can list names a thousand times. */
interface Flow {
  /** By index: it goes through a pipe to a command that may do more with it than show it. */
  readonly isPiped: readonly boolean[];
  /** The commands in whose substitutions a program of this name stands, and that do more than show what it prints. */
  readonly isNamedBy: (name: string) => readonly number[];
  /** `find src > list; xargs cat < list`: whether another command than this one may read the names in a file. */
  readonly isTakenUp: (file: string, index: number) => boolean;
}

const flowOf = remembered((commands: readonly ShellCommand[]): Flow => {
  const isData = commands.map(({ words, wrappers }) => wrappers.length === 0 && takesOnlyData(programName(words), words));
  const isPiped = commands.map(() => false);
  // A pipe leads to a later command.
  for (let at = commands.length - 1; at >= 0; at--) {
    const stdin = commands[at]?.stdin;
    if (stdin?.kind === "pipe") for (const from of stdin.from) isPiped[from] ||= !isData[at] || isPiped[at] === true;
  }
  const takers = commands.map(({ words }) => !SHOWS.has(programName(words)));
  const inside = commands.map(({ words, redirects }, at) => {
    const computed = words.flatMap(({ parts }) => parts.flatMap((part) => (part.kind === "computed" ? [part.source] : [])));
    // What is redirected into a list changes it, whatever the command.
    return [...(takers[at] ? computed : []), ...redirects.map(({ target }) => target.source)].join("\n");
  });
  return {
    isPiped,
    isNamedBy: remembered((name) => {
      const pattern = new RegExp(`(?<![\\w-])${name.replace(/\W/g, "\\$&")}(?=[\\s)\`;|&]|$)`, "m");
      return inside.flatMap((source, at) => (source !== "" && pattern.test(source) ? [at] : []));
    }),
    isTakenUp: findTaken(commands, isData),
  };
}, new WeakMap());

/** What stands in the words of commands that may read a file of that name, as one text. */
function findTaken(commands: readonly ShellCommand[], isData: readonly boolean[]): Flow["isTakenUp"] {
  let all = "";
  const open: number[] = [];
  const ranges = commands.map(({ words, redirects, repeats }, at) => {
    const start = all.length;
    if (repeats !== undefined || SHOWS.has(programName(words))) return { start, end: start };
    const named = [...words.slice(1), ...redirects.map(({ target }) => target)];
    if (named.some(({ text }) => text.includes(UNKNOWN))) open.push(at);
    if (!isData[at]) all += named.map(({ text }) => `${text}\0`).join("");
    return { start, end: all.length };
  });
  return (file, index) => {
    const { start, end } = ranges[commands[index]?.repeats ?? index] ?? { start: 0, end: 0 };
    if (open.some((at) => at !== index)) return true;
    const first = all.indexOf(file);
    return (first !== -1 && first < start) || all.includes(file, end);
  };
}

const SHOWS = wordSet("echo printf test [ [[ true false : export declare local readonly typeset");

/** What a substitution or another command prints: `$(…)`, backticks; not arithmetic, nor a file of its own. */
const PRINTED = /^(?:\$\((?!\()|`)/;
/** Numbers, dates, and files that are made for the purpose. */
const HARMLESS = /^(?:\$\(|`)\s*(?:wc\s+-[clmwL]\s*<\s*\S+|nproc|date(?:\s+["']?\+[%\w-]+["']?)?|mktemp(?:\s+-[dtu])*)\s*[)`]$/;

/**
 * Whether a line reads, or changes, a file whose name a command prints that can be neither computed nor is a list of files:
 * `cat $(rev <<< vne.)`. What only names files, or runs them, shows nothing of them.
 */
export function touchesUncomputed({ commands }: ShellReading, isWrite: boolean): boolean {
  const { reads, writes } = uncomputed(commands);
  return isWrite ? writes : reads;
}

const uncomputed = remembered((commands: readonly ShellCommand[]) => {
  const lists = commands.flatMap(({ words }) => (listingOf(words) ? [programName(words)] : []));
  const isOpen = (part: WordPart): boolean => {
    if (part.kind === "variable") return part.instead?.some((parts) => isOpenName(parts)) === true;
    if (part.kind !== "computed" || (part.instead && !part.isPartial)) return false;
    // What xargs adds comes from another command, too.
    if (part.source === "") return lists.length === 0;
    return PRINTED.test(part.source) && !HARMLESS.test(part.source) && !lists.some((name) => part.source.includes(name));
  };
  /** The name at the end, behind the last slash that is known. */
  const isOpenName = (parts: readonly WordPart[]): boolean => {
    const slash = parts.findLastIndex((part) => part.kind === "text" && part.text.includes("/"));
    return parts.slice(slash + 1).some(isOpen);
  };
  const named = (isWrite: boolean): boolean =>
    commands.some(({ words, redirects }) => {
      const claims = isWrite || isShown(programName(words)) ? claimsOf(words) : [];
      const operands = claims.flatMap(({ word, how }) => ((how === "read") !== isWrite && word ? [word] : []));
      const targets = redirects.flatMap(({ operator, target }) =>
        (operator === "<") !== isWrite && !operator.endsWith("&") ? [target] : [],
      );
      return [...operands, ...targets].some(({ parts }) => isOpenName(parts));
    });
  return { reads: named(false), writes: named(true) };
}, new WeakMap());

/** What programs do to files that shows what is in them, by the names that their rows have for it. */
const SHOWING = wordSet("copies syncs tar zip cpio awk sed perl ruby split xxd dd edits");

function isShown(name: string): boolean {
  if (isKnownTo(name, "names-folders")) return false;
  return partsOf(name, "reads").length > 0 || partsOf(name, "files").some(({ flags }) => [...flags].some((kind) => SHOWING.has(kind)));
}

/** `find src > list`: the names are kept. */
export function isKept({ operator, target }: ShellCommand["redirects"][number]): boolean {
  return operator.startsWith(">") && !operator.endsWith("&") && !/^\/dev\//.test(target.text);
}
