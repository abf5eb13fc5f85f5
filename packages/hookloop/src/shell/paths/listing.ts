/**
 * Takes what a shell command would run. Gives what its commands list for others: the names that `find`, `grep -l`, `ls` or `git ls-files` print,
 * if they are handed on. A command of the line that changes names which only the running shell knows may change these.
 */

import { formsIn, hasAny, readArguments, valuesOf } from "../arguments.ts";
import { optionForms } from "../programs/option-table.ts";
import { programName } from "../programs/wrapper-table.ts";
import { takesOnlyData } from "../script/simple-command.ts";
import { type ShellCommand, type ShellReading, type ShellWord, UNKNOWN } from "../types.ts";
import type { Claim } from "./claims.ts";
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

const EXEC: ReadonlySet<string> = new Set(["-exec", "-execdir", "-ok", "-okdir", "-x", "-X", "--exec", "--exec-batch"]);

/** What a command lists, if that is its work. */
export function listingOf(words: readonly ShellWord[]): Listing | undefined {
  const name = programName(words);
  const list = Object.hasOwn(LISTS, name) ? LISTS[name] : undefined;
  return list?.(words);
}

function findListing(words: readonly ShellWord[]): Listing {
  const { roots, rest } = splitFind(words);
  return { roots, names: namesOfFind(rest) };
}

/** The folders that `find` starts in, and its expression. */
export function splitFind(words: readonly ShellWord[]): { readonly roots: readonly ShellWord[]; readonly rest: readonly ShellWord[] } {
  let start = 1;
  while (/^-[HLP]$/.test(words[start]?.text ?? "")) start++;
  const end = words.findIndex(({ text }, at) => at >= start && /^[-(!]/.test(text));
  return end === -1 ? { roots: words.slice(start), rest: [] } : { roots: words.slice(start, end), rest: words.slice(end) };
}

const FIND_NAMES: ReadonlySet<string> = new Set(["-name", "-iname"]);
/** With these the names do not bound what is found. */
const WIDENING: ReadonlySet<string> = new Set(["!", "-not", "-o", "-or", ","]);

/** The names that bound what `find` finds. */
export function namesOfFind(rest: readonly ShellWord[]): readonly string[] {
  const values = rest.flatMap(({ text }, at) => (FIND_NAMES.has(text) ? [rest[at + 1]?.text ?? ""] : []));
  const hasOtherChoice = rest.some(
    ({ text }, at) => WIDENING.has(text) && !(text.startsWith("-o") && FIND_NAMES.has(rest[at + 1]?.text ?? "")),
  );
  return hasOtherChoice ? [] : values;
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
function spelled({ parts, text }: ShellWord): string {
  return parts.some(({ kind }) => kind === "glob") ? parts.map((part) => ("text" in part ? part.text : "*")).join("") : text;
}

function lsListing(words: readonly ShellWord[]): Listing {
  const read = readArguments(words, formsIn("-ITwLPo: --ignore: --hide: --sort: --time:"));
  return { roots: read.operands, names: [], ...(hasAny(read, ["a", "A", "all", "almost-all", "f"]) ? {} : { spares: "hidden" }) };
}

const GIT_LISTS = /^(?:ls-files|diff|diff-tree|diff-index|diff-files|status|show|log|whatchanged|ls-tree)$/;

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
  if (!GIT_LISTS.test(name)) return undefined;
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

const GREPS = "grep egrep fgrep rgrep zgrep".split(" ");
const SEARCHES = "rg ag ack ugrep".split(" ");
const LISTS: Readonly<Record<string, (words: readonly ShellWord[]) => Listing | undefined>> = {
  find: findListing,
  gfind: findListing,
  fd: fdListing,
  fdfind: fdListing,
  ...Object.fromEntries(GREPS.map((name) => [name, (words: readonly ShellWord[]) => grepListing(words, false)])),
  ...Object.fromEntries(SEARCHES.map((name) => [name, (words: readonly ShellWord[]) => grepListing(words, true)])),
  ls: lsListing,
  dir: lsListing,
  tree: lsListing,
  du: (words) => ({ roots: readArguments(words, formsIn("-d:")).operands, names: [] }),
  git: gitListing,
  printf: printedListing,
};

/** `printf -v f %s file; rm "$f"`. */
function printedListing(words: readonly ShellWord[]): Listing | undefined {
  return words[1]?.text.startsWith("-v") ? { roots: words.slice(words[1].text === "-v" ? 3 : 2), names: [] } : undefined;
}

/** Whether what a command lists is handed to one that does more than show the names. */
export function isHandedOn(index: number, { commands, sets }: ShellReading): boolean {
  const command = commands[index];
  if (!command) return false;
  const name = programName(command.words);
  if (/^g?find$|^fd(?:find)?$/.test(name) && command.words.some(({ text }) => EXEC.has(text))) return true;
  if (sets.length > 0 || command.redirects.some((redirect) => isKept(redirect) && isTakenUp(redirect.target, index, commands))) return true;
  const isNamed = ({ source }: { readonly source: string }): boolean =>
    new RegExp(`(?<![\\w-])${name.replace(/\W/g, "\\$&")}(?=[\\s)\`;|&]|$)`).test(source);
  const downstream = new Set([index]);
  return commands.some(({ words, wrappers, redirects, stdin }, at) => {
    const computed = words.flatMap(({ parts }) => parts.flatMap((part) => (part.kind === "computed" ? [part] : [])));
    if (at !== index && [...computed, ...redirects.map(({ target }) => target)].some(isNamed)) return !SHOWS.has(programName(words));
    if (stdin?.kind !== "pipe" || !stdin.from.some((from) => downstream.has(from))) return false;
    downstream.add(at);
    return wrappers.length > 0 || !takesOnlyData(programName(words), words);
  });
}

/** `find src > list; xargs cat < list`: whether another command may read the names in a file. */
function isTakenUp({ text }: ShellWord, index: number, commands: readonly ShellCommand[]): boolean {
  return commands.some(({ words, redirects, wrappers }, at) => {
    const name = programName(words);
    if (at === index || SHOWS.has(name)) return false;
    const named = [...words.slice(1), ...redirects.map(({ target }) => target)];
    const isData = wrappers.length === 0 && takesOnlyData(name, words);
    return named.some((word) => word.text.includes(UNKNOWN) || (!isData && word.text.includes(text)));
  });
}

const SHOWS: ReadonlySet<string> = new Set("echo printf test [ [[ true false : export declare local readonly typeset".split(" "));

/** `find src > list`: the names are kept. */
export function isKept({ operator, target }: ShellCommand["redirects"][number]): boolean {
  return operator.startsWith(">") && !operator.endsWith("&") && !/^\/dev\//.test(target.text);
}
