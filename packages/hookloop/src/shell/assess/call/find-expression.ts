import type { ShellWord } from "../../types.ts";
import type { Call } from "./call.ts";

/** What the words of a `find` say. */
export interface FindExpression {
  readonly roots: readonly ShellWord[];
  readonly deletes: ShellWord | undefined;
  /** Files that `-fprint` and its kin write. */
  readonly writes: readonly ShellWord[];
  /** `-exec` and its kin. */
  readonly runs: readonly ShellWord[];
}

const VALUED = new Set(
  (
    "-name -iname -path -ipath -wholename -iwholename -regex -iregex -lname -ilname -type -xtype -size -user -group -uid -gid -perm -newer -anewer " +
    "-cnewer -mtime -atime -ctime -mmin -amin -cmin -maxdepth -mindepth -inum -links -samefile -fstype -printf -used -context -regextype -D -Bmin -Bnewer -Btime -flags"
  ).split(" "),
);
const WRITING = new Set(["-fprint", "-fprint0", "-fls", "-fprintf"]);
const RUNNING = new Set(["-exec", "-execdir", "-ok", "-okdir"]);

interface Found {
  readonly roots: ShellWord[];
  readonly writes: ShellWord[];
  readonly runs: ShellWord[];
  deletes: ShellWord | undefined;
}

/** Reads the expression: the value of a test (`-name -delete`) is no action. */
export function findExpression({ words }: Call): FindExpression {
  const found: Found = { roots: [], writes: [], runs: [], deletes: undefined };
  let at = readRoots(words, found);
  for (; at < words.length; at++) at = readTest(words, at, found);
  return found;
}

/** What stands before the first test; gives where that is. */
function readRoots(words: readonly ShellWord[], { roots }: Found): number {
  for (let at = 1; at < words.length; at++) {
    const word = words[at] as ShellWord;
    if (word.text === "-f") roots.push(...words.slice(++at, at + 1));
    else if (/^-[HLPX]$|^-O\d?$/.test(word.text)) continue;
    else if (/^[-(!,]/.test(word.text)) return at;
    else roots.push(word);
  }
  return words.length;
}

/** Reads one test or action; gives its last word. */
function readTest(words: readonly ShellWord[], at: number, found: Found): number {
  const word = words[at] as ShellWord;
  const { text } = word;
  if (VALUED.has(text) || /^-newer[aBcmt]{2}$/.test(text)) return at + 1;
  if (WRITING.has(text)) {
    found.writes.push(...words.slice(at + 1, at + 2));
    return at + (text === "-fprintf" ? 2 : 1);
  }
  if (RUNNING.has(text)) {
    found.runs.push(word);
    return endOfRun(words, at);
  }
  if (text.toLowerCase() === "-delete") found.deletes = word;
  return at;
}

function endOfRun(words: readonly ShellWord[], start: number): number {
  const end = words.findIndex(({ text }, at) => at > start && (text === ";" || (text === "+" && words[at - 1]?.text === "{}")));
  return end === -1 ? words.length : end;
}
