import type { ShellReading, Span } from "../types.ts";
import type { FactKind } from "./profiles.ts";

/** How dangerous a command is: run it, ask a person first, do not run it. */
export type Risk = "allow" | "ask" | "deny";

/** How strict the judgement is. */
export type Profile = "standard" | "strict" | "paranoid";

/** One thing that a command would do. */
export interface Fact {
  readonly kind: FactKind;
  /** For people: what it would do. */
  readonly text: string;
  readonly risk: Risk;
  /** Where the command says so. */
  readonly span: Span;
}

/** A path outside the workspace that a command deletes or overwrites. */
export interface Crossing {
  /** Absolute; absent when only the running shell knows it. */
  readonly path?: string | undefined;
  readonly how: "delete" | "overwrite";
  readonly span: Span;
}

/** Where a command would run, and how strictly it is judged. */
export interface AssessContext {
  readonly cwd: string;
  readonly home: string;
  /** Default `standard`. */
  readonly profile?: Profile | undefined;
  /** The shell that runs it, as `$SHELL` names it; default bash. */
  readonly shell?: string | undefined;
  /** The folder the work belongs to; default `cwd`. */
  readonly workspace?: string | undefined;
}

/** Two separate answers: how dangerous a command is, and whether it reaches out of the workspace. */
export interface Assessment {
  readonly risk: Risk;
  readonly facts: readonly Fact[];
  readonly boundary: readonly Crossing[];
  readonly reading: ShellReading;
}
