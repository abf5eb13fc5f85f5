import { posix } from "node:path";
import { type DoubtCode, type ShellCommand, type ShellStdin, type ShellWord, type Span, UNKNOWN } from "../types.ts";

/** How a program that starts another program reads its own options. An option that is not listed makes the reading uncertain. */
export interface Wrapper {
  /** The program, with its sub-command. */
  readonly name?: string;
  /** Its options, as `formsIn` reads them. */
  readonly options?: string;
  /** An option that is not listed is no doubt: what follows is read as the program, and once more as if it were the option's value. */
  readonly isLenient?: boolean;
  /** A first word that is no option stands before the options and says nothing about the program. */
  readonly hasFirstOperand?: boolean;
  /** The program follows the first of these words, wherever it stands. */
  readonly after?: readonly string[] | undefined;
  /** Options may follow operands, up to `--`. */
  readonly permutes?: boolean;
  /** `NAME=value` words before the program are its environment. */
  readonly assignments?: boolean;
  /** Words between the options and the program. */
  readonly operands?: number;
  /** With one of these options it starts nothing. */
  readonly startsNothing?: string;
  /** What follows is shell text, joined by blanks; or, with the option letter given, a program after all. */
  readonly isScript?: { readonly unless: string } | undefined;
  /** Adds words of its own to the program's: those it reads from stdin. */
  readonly addsWords?: boolean;
  /** Option whose value is split into words that take its place. */
  readonly split?: readonly string[] | undefined;
  /** Options whose value is shell text. */
  readonly scripts?: readonly string[] | undefined;
  /** Options whose value is the folder it starts the program in. */
  readonly folder?: readonly string[] | undefined;
  /** The program starts on another machine or in another file system. */
  readonly isElsewhere?: boolean;
  /**
   * Allow rules look through it, if it has no other options than these letters and long names.
   * SECURITY: what is listed writes no file, reads none and runs nothing, whatever its value.
   */
  readonly plain?: readonly string[] | undefined;
  /** Options whose value is a file that it writes. */
  readonly writes?: readonly string[] | undefined;
  /** Options whose value is a file that it reads. */
  readonly reads?: readonly string[] | undefined;
  /** It writes, or makes, the file that its first operand names. */
  readonly writesOperand?: boolean;
  /** Without a program it starts a shell that reads stdin. */
  readonly isShell?: boolean;
  /** Only its sub-commands start something; the options above stand before them. */
  readonly hasSubcommands?: boolean;
}

interface Inside {
  /** Allow rules look through the program that starts it. */
  readonly isPlain?: boolean | undefined;
  /** It runs in the shell itself: what it changes stays. */
  readonly isSameShell?: boolean | undefined;
  /** The folder it starts in. */
  readonly folder?: ShellWord | undefined;
  /** On another machine or in another file system. */
  readonly isElsewhere?: boolean | undefined;
  readonly assignments?: ShellCommand["assignments"] | undefined;
  /** The shell that runs the script may not be bash. Absent: as where it stands. */
  readonly isPosix?: boolean | undefined;
  /** Found in code of another language, or in a text that a program hands on: what cannot be read there is no doubt of the whole. */
  readonly isForeign?: boolean | undefined;
  /** `$0`, `$1`, … of a script. */
  readonly positionals?: readonly ShellWord[] | undefined;
}

/** What a command starts: another program with its words, a shell script, or something that reading cannot tell. */
export type Started =
  | (Inside & { readonly kind: "words"; readonly words: readonly ShellWord[]; readonly readsStdin?: boolean | undefined })
  | (Inside & { readonly kind: "script"; readonly script: string; readonly span: Span; readonly isStdin?: boolean | undefined })
  /** The words of this text, then more words. */
  | (Inside & { readonly kind: "split"; readonly split: string; readonly span: Span; readonly after: readonly ShellWord[] })
  | { readonly kind: "doubt"; readonly code: DoubtCode; readonly text: string; readonly isPlain?: undefined };

/** A program's input, as far as it is known. */
export type Input = ShellStdin | { readonly kind: "file"; readonly target?: ShellWord | undefined } | undefined;

/** Shell text that words hold, with a doubt if not all of it is known. */
export function scriptIn(words: readonly ShellWord[], inside: Inside = {}): readonly Started[] {
  const span = { start: words[0]?.span.start ?? 0, end: words.at(-1)?.span.end ?? 0 };
  return scriptText(words.map(({ text }) => text).join(" "), span, inside);
}

export function scriptText(script: string, span: Span, inside: Inside & { readonly isStdin?: boolean } = {}): readonly Started[] {
  const started: Started = { kind: "script", script, span, ...inside };
  return script.includes(UNKNOWN) ? [started, dynamicScript()] : [started];
}

export function dynamicScript(): Started {
  return { kind: "doubt", code: "dynamic-script", text: "Part of a nested script is known only when it runs." };
}

/** `/dev/stdin`, `//dev/fd/3`, and `stdin` after `cd /dev`: what stands in it comes from elsewhere. */
export function isSpecialFile(path: string): boolean {
  return /^(?:\/|(?:\.\.\/)+)(?:dev|proc)\/|^(?:dev\/)?(?:stdin|fd\/\d+)$|^(?:proc\/)?self\/fd\/\d+$|^\d+$/.test(posix.normalize(path));
}

export function readsItsCommands(name: string): Started {
  return { kind: "doubt", code: "piped-script", text: `${name} reads its commands from its input.` };
}

export function unknownOption(name: string, option: string): Started {
  return { kind: "doubt", code: "unknown-option", text: `${name} has an option ${option} that may take a value.` };
}

/** A word in which a program fills something in for `mark`. */
export function fillIn(word: ShellWord, mark = "{}"): ShellWord {
  if (!word.text.includes(mark)) return word;
  return { ...word, text: word.text.replaceAll(mark, UNKNOWN), parts: [{ kind: "computed", source: word.source }] };
}

/** A word that a program adds, of which nothing is known. */
export function addedWord(span: Span): ShellWord {
  return { text: UNKNOWN, source: "", span, parts: [{ kind: "computed", source: "" }] };
}

/** The last part of a command's name: `/usr/bin/env` is `env`, `C:\\Git\\git.exe` is `git`. */
export function programName(words: readonly ShellWord[]): string {
  const word = words[0];
  const name = word?.text ?? "";
  const [part] = word?.parts ?? [];
  // The user's shell, whichever it is.
  if (word?.parts.length === 1 && part?.kind === "variable" && /^\$\{?(?:SHELL|BASH)\}?$/.test(part.source)) return "sh";
  return name.slice(Math.max(name.lastIndexOf("/"), name.lastIndexOf("\\")) + 1).replace(/\.exe$/i, "");
}
