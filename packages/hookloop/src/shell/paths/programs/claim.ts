import type { Arguments, OptionForms } from "../../arguments/program-arguments.ts";
import type { ShellWord } from "../../types.ts";
import type { Touch } from "../types.ts";

/** What a program does to what one of its words names. */
export interface Claim {
  /** Undefined: the folder it works in. */
  readonly word: ShellWord | undefined;
  readonly how: Touch;
  readonly isRecursive?: boolean;
  /** The source that lands there, under its own name if the word is a folder. */
  readonly source?: ShellWord;
  /** The word is a folder in any case. */
  readonly isFolder?: boolean;
  /** The folder that the program goes to first: `tar -C`, `git -C`. */
  readonly inFolder?: ShellWord | undefined;
  readonly names?: readonly string[];
  readonly sparesGit?: true;
  readonly keepsEntry?: true;
  readonly onlyExisting?: true;
  readonly onlyUntracked?: true;
  /** What lands below it may have any name. */
  readonly hasAnyNames?: true;
  /** Not if it is given something to read on its input: `ls | rg x`. */
  readonly unlessPiped?: true;
  /** The word is only how the names begin: `split`. */
  readonly isPrefix?: true;
}

/** How a program's words are read. */
export interface Program {
  readonly forms: OptionForms;
  /** Everything it is given is read or data: no other word of it can be a file that it writes. */
  readonly onlyReads?: true;
  /** Options whose values are read, or are data. */
  readonly readOptions?: readonly string[];
  /** What it reads from its input is a program of its own language, if its words look like this. */
  readonly runsInput?: RegExp;
  claims(read: Arguments, words: readonly ShellWord[]): readonly Claim[];
}

export const RECURSIVE: readonly string[] = ["r", "R", "recursive"];

/** The same for each of some words. */
export function each(words: readonly ShellWord[] | undefined, how: Touch, more: Partial<Claim> = {}): readonly Claim[] {
  return (words ?? []).map((word) => ({ word, how, ...more }));
}
