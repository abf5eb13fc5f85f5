import type { ShellRedirect, ShellStdin, Span } from "../types.ts";
import type { WordScope } from "../words/read-word.ts";
import type { ShellState } from "./state/shell-state.ts";

/** The programs that start what is being read. */
export interface Wrapping {
  /** Outermost first. */
  readonly names: readonly string[];
  readonly startedBy?: number | undefined;
  readonly isPlain: boolean;
}

/** Where a node stands, and what it inherits. */
export interface Place {
  /** The text that positions of nodes point into. */
  readonly source: string;
  /** The range that stands for all of them, where that text is not the one that was given. */
  readonly fixed?: Span | undefined;
  readonly wrapping: Wrapping;
  readonly state: ShellState;
  readonly stdin?: ShellStdin | undefined;
  /** How many commands there were when `stdin` was set: later ones read only what those before them left. */
  readonly inputFrom: number;
  /** Redirections of the groups it stands in. */
  readonly redirects: readonly ShellRedirect[];
  /** Whatever it prints ends as text that nothing runs. */
  readonly printsData: boolean;
  /** In an assignment: what a substitution prints becomes no part of a command. */
  readonly isAssignment: boolean;
  /** The text has control characters or unusual blanks somewhere. */
  readonly mayBeOdd: boolean;
  /** A shell runs it that may not be bash: `sh`. */
  readonly isPosix: boolean;
}

export function spanIn(place: Place, { pos, end }: { readonly pos: number; readonly end: number }): Span {
  return place.fixed ?? { start: pos, end };
}

/** What is known to the words that stand here. */
export function scopeOf(place: Place): WordScope {
  const { state } = place;
  return {
    spanOf: (node) => spanIn(place, node),
    valueOf: (name) => state.valueOf(name),
    patternOf: (name) => state.patterns.get(name),
    mayExpand: (count) => state.mayExpand(count),
    isIfsPlain: state.isIfsPlain,
    isPosix: place.isPosix,
  };
}

/** What a command that is not redirected reads. */
export function inputAt({ state, stdin, inputFrom }: Place, commandCount: number): ShellStdin | undefined {
  if (state.hasOwnInput) return undefined;
  return stdin?.kind === "text" && commandCount !== inputFrom ? { kind: "pipe", from: [] } : stdin;
}
