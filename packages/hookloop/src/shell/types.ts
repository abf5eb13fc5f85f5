/** Stands in a word's text for what only the running shell knows: `$x`, `$(…)`, a glob, `{a,b}`. It can be any text, also none. */
export const UNKNOWN = "\uFFFF";

/** A word of a command. */
export interface ShellWord {
  /** Without its quoting; every part that is known only at run time is one `UNKNOWN`. */
  readonly text: string;
  /** As written. */
  readonly source: string;
}

/** One simple command that would run. */
export interface ShellCommand {
  /** Name and arguments; assignments before the name and redirections are left out. */
  readonly words: readonly ShellWord[];
  /** The programs that start this one, outermost first: `sudo env git push` gives `git push` with `sudo` and `env`. */
  readonly wrappers: readonly string[];
}

/** What a shell command would run, as far as reading can tell. */
export interface ShellReading {
  /** Every command, also inside substitutions, bodies, wrappers and nested scripts. */
  readonly commands: readonly ShellCommand[];
  /** More may run than `commands` says. Whoever guards something must treat it as if it did. */
  readonly isUncertain: boolean;
  /** Why it is uncertain, for people. */
  readonly doubts: readonly string[];
  /** A command's words hold `$(…)` or backticks: what they print becomes part of a command. */
  readonly hasSubstitution: boolean;
}
