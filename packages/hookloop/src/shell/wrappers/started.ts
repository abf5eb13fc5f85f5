import { posix } from "node:path";
import { type DoubtCode, type ShellCommand, type ShellStdin, type ShellWord, type Span, UNKNOWN } from "../types.ts";

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
