/** Takes the words of a `find`. Gives what they say: where it starts, which names it looks for, what it deletes, writes and runs. The one reader of its expression. */

import type { ShellWord } from "../types.ts";
import { wordSet } from "../words.ts";

/** A command that `find` runs. */
interface FindRun {
  /** `-exec` and its kin. */
  readonly option: ShellWord;
  readonly words: readonly ShellWord[];
}

export interface FindReading {
  /** None: the folder it runs in. */
  readonly roots: readonly ShellWord[];
  readonly deletes: ShellWord | undefined;
  /** Files that `-fprint` and its kin write. */
  readonly writes: readonly ShellWord[];
  readonly runs: readonly FindRun[];
  /** The names and patterns that it looks for, without those it leaves out. */
  readonly wanted: readonly ShellWord[];
  /** It looks for names at all. */
  readonly hasNames: boolean;
  /** The names that bound what it finds; none: anything. */
  readonly bounds: readonly string[];
}

/** Tests whose value could look like an action. */
const VALUED = wordSet(
  "-name -iname -path -ipath -wholename -iwholename -regex -iregex -lname -ilname -type -xtype -size -user -group -uid -gid -perm -newer -anewer " +
    "-cnewer -mtime -atime -ctime -mmin -amin -cmin -maxdepth -mindepth -inum -links -samefile -fstype -printf -used -context -regextype -D -Bmin -Bnewer -Btime -flags",
);
const NAMES = wordSet("-name -iname -path -ipath -wholename -regex -iregex");
const BOUNDING: ReadonlySet<string> = new Set(["-name", "-iname"]);
/** With these the names do not bound what is found. */
const WIDENING = wordSet("! -not -o -or ,");
const WRITING = wordSet("-fprint -fprint0 -fls -fprintf");
const RUNNING = wordSet("-exec -execdir -ok -okdir");

type Found = { -readonly [Key in keyof FindReading]: FindReading[Key] extends readonly (infer Item)[] ? Item[] : FindReading[Key] };

/** Reads the expression: the value of a test (`-name -delete`) is no action, and neither is what stands in a command that it runs. */
export function readFind(words: readonly ShellWord[]): FindReading {
  const { roots, start } = readRoots(words);
  const found: Found = { roots: [...roots], deletes: undefined, writes: [], runs: [], wanted: [], hasNames: false, bounds: [] };
  let isWide = false;
  for (let at = start; at < words.length; at++) {
    const text = words[at]?.text ?? "";
    isWide ||= WIDENING.has(text) && !(text.startsWith("-o") && BOUNDING.has(words[at + 1]?.text ?? ""));
    at = readTest(words, at, found);
  }
  return isWide ? { ...found, bounds: [] } : found;
}

/** Reads one test or action; gives its last word. */
function readTest(words: readonly ShellWord[], at: number, found: Found): number {
  const [option, next] = words.slice(at, at + 2);
  const text = option?.text ?? "";
  if (WRITING.has(text)) {
    if (next) found.writes.push(next);
    return at + (text === "-fprintf" ? 2 : 1);
  }
  if (option && RUNNING.has(text)) {
    const end = endOfRun(words, at);
    found.runs.push({ option, words: words.slice(at + 1, end) });
    return end;
  }
  if (text.toLowerCase() === "-delete") found.deletes = option;
  if (!VALUED.has(text) && !/^-newer[aBcmt]{2}$/.test(text)) return at;
  if (NAMES.has(text)) found.hasNames = true;
  if (next && NAMES.has(text) && !/^(?:!|-not)$/.test(words[at - 1]?.text ?? "")) found.wanted.push(next);
  if (BOUNDING.has(text)) found.bounds.push(next?.text ?? "");
  return at + 1;
}

/** What stands before the first test, and where that is. */
function readRoots(words: readonly ShellWord[]): { readonly roots: readonly ShellWord[]; readonly start: number } {
  const roots: ShellWord[] = [];
  for (let at = 1; at < words.length; at++) {
    const word = words[at] as ShellWord;
    if (word.text === "-f") roots.push(...words.slice(++at, at + 1));
    else if (/^-[HLPX]$|^-O\d?$/.test(word.text)) continue;
    else if (/^[-(!,]/.test(word.text)) return { roots, start: at };
    else roots.push(word);
  }
  return { roots, start: words.length };
}

/** SECURITY: what one -exec has taken is not looked at again; else nested ones would multiply. */
function endOfRun(words: readonly ShellWord[], start: number): number {
  const end = words.findIndex(({ text }, at) => at > start && (text === ";" || (text === "+" && words[at - 1]?.text === "{}")));
  return end === -1 ? words.length : end;
}
