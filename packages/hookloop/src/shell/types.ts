/** Stands in a word's text for what only the running shell knows: `$x`, `$(…)`, a glob. It can be any text, also none. */
export const UNKNOWN = "\uFFFF";

/** A range of the text that was read. What stands in a nested script (`sh -c '…'`) has the range of the whole nested script. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** A piece of a word. */
export type WordPart =
  /** Known text, without its quoting. */
  | { readonly kind: "text"; readonly text: string; readonly isQuoted: boolean }
  /** An unquoted pattern such as `*` or `[ab]`, as written. */
  | { readonly kind: "glob"; readonly text: string }
  /** An unquoted `~` or `~name` at the start. */
  | { readonly kind: "home"; readonly text: string }
  /** `$NAME` or `${NAME…}`. `instead`: what it may stand for by what the line itself says; other things, too. */
  | { readonly kind: "variable"; readonly name: string; readonly source: string; readonly instead?: readonly (readonly WordPart[])[] }
  /** `$(…)`, backticks, `<(…)`, arithmetic and whatever else only the running shell knows. `instead`: what the commands in it plainly print; `isPartial`: not all of them do. */
  | {
      readonly kind: "computed";
      readonly source: string;
      readonly instead?: readonly (readonly WordPart[])[];
      readonly isPartial?: true;
    };

/** A word of a command. */
export interface ShellWord {
  /** Without its quoting; every part that is known only at run time is one `UNKNOWN`. */
  readonly text: string;
  /** As written. */
  readonly source: string;
  readonly span: Span;
  readonly parts: readonly WordPart[];
}

/** `> file`, `2>> file`, `< file`, `>& file`. Here-documents are not among them: see `stdin`. */
export interface ShellRedirect {
  readonly operator: string;
  readonly descriptor?: number | undefined;
  readonly target: ShellWord;
}

/** Where a command's input comes from, as far as it matters. */
export type ShellStdin =
  /** A here-document or here-string, or the known output of `echo` or `printf`; `span`: where the text stands. */
  | { readonly kind: "text"; readonly text: string; readonly span: Span }
  /** Another command's output; `from` are indexes into `commands`. */
  | { readonly kind: "pipe"; readonly from: readonly number[] };

/** One simple command that would run. */
export interface ShellCommand {
  /** Name and arguments; assignments before the name and redirections are left out. */
  readonly words: readonly ShellWord[];
  /** The programs that start this one, outermost first: `sudo env git push` gives `git push` with `sudo` and `env`. */
  readonly wrappers: readonly string[];
  /** `NAME=value` before the name, also those of `env`. */
  readonly assignments: readonly { readonly name: string; readonly value: ShellWord }[];
  readonly redirects: readonly ShellRedirect[];
  readonly stdin?: ShellStdin | undefined;
  /** The folder a `cd` before it goes to, as written without quoting; holds `UNKNOWN` where only the running shell knows. Absent: that of the caller. */
  readonly folder?: string | undefined;
  readonly span: Span;
  /** The command that starts this one, an index into `commands`; absent without wrappers. */
  readonly startedBy?: number | undefined;
  /** The same command as the one with this index, in another `folder`: where it runs if a `cd` before it fails, or in another branch. */
  readonly repeats?: number | undefined;
  /** Allow rules may look through every wrapper: timeout, time, nice, nohup, stdbuf, command, builtin, noglob, xargs, without options that do more than start it. True without wrappers. */
  readonly isPlainlyWrapped: boolean;
}

/** Why more may run than was seen. */
export type DoubtCode =
  /** The text is longer than what is analysed. */
  | "too-long"
  /** More wrappers or nested scripts than are followed. No real command needs that many: deny. */
  | "too-deep"
  /** More commands than are followed. */
  | "too-many"
  /** The parser found an error, or failed. */
  | "unparsable"
  /** The parser is known to read such a text differently from the shell. */
  | "misread"
  /** Control characters or unusual blanks outside quotes. */
  | "odd-characters"
  /** A command's name is known only at run time. */
  | "dynamic-name"
  /** Part of a script that a shell runs is known only at run time. */
  | "dynamic-script"
  /** A shell reads its commands from another command's output, or from its caller. */
  | "piped-script"
  /** A wrapper's option that may or may not take the next word as its value. */
  | "unknown-option"
  /** zsh may read it differently. */
  | "zsh";

/** One thing that reading could not tell. */
export interface ShellDoubt {
  readonly code: DoubtCode;
  /** For messages. */
  readonly text: string;
  /** Where; absent: the whole text. */
  readonly span?: Span | undefined;
}

/** What a shell command would run, as far as reading can tell. */
export interface ShellReading {
  /** Every command, also inside substitutions, bodies, wrappers and nested scripts. */
  readonly commands: readonly ShellCommand[];
  /** More may run than `commands` says. A guard must treat it as if it did. */
  readonly isUncertain: boolean;
  /** Why it is uncertain. */
  readonly doubts: readonly ShellDoubt[];
  /** What could not be told of code in other languages and of texts that programs hand on. It does not make the reading uncertain. */
  readonly foreignDoubts: readonly ShellDoubt[];
  /** A command's words hold `$(…)` or backticks: what they print becomes part of a command. */
  readonly hasSubstitution: boolean;
  /** Variables that the line sets, by whatever means, other than `NAME=value` before a command. `UNKNOWN` among them: it may be any. */
  readonly sets: readonly string[];
  /** Words that `[[ … ]]` takes for files, and the folder they count from, as `folder` of a command. */
  readonly tests: readonly { readonly word: ShellWord; readonly operator: string; readonly folder?: string | undefined }[];
  /** Words that loops go through and arrays are made of: a pattern among them becomes the names of files. */
  readonly lists: readonly ShellWord[];
  /** Text that is only data: comments, quoted here-documents that no shell reads, quoted arguments of programs that start nothing. */
  readonly data: readonly Span[];
}
