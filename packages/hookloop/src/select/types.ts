import type { DialectName } from "../config/index.ts";
import type { Diagnostic } from "../diagnostic.ts";
import type { ShellReading } from "../shell/index.ts";
import type { AdmittedHook } from "../trust/index.ts";

/** An admitted hook whose matcher and condition fit the event at hand. */
export interface SelectedHook {
  readonly hook: AdmittedHook;
  /** Every declaration that this run stands for, its own too; left out where there is one. */
  readonly copies?: readonly AdmittedHook[] | undefined;
}

/** The payload of the event that fires. */
export type EventInput = Readonly<Record<string, unknown>>;

/** A matcher of one configuration, ready to be compared. */
export interface CompiledMatcher {
  /** `all`: every query. `exact`: one of `names`. `pattern`: a regular expression. `never`: an invalid one. */
  readonly kind: "all" | "exact" | "pattern" | "never";
  /** The names of an exact list; empty for the other kinds. */
  readonly names: readonly string[];
  /** `timeout`: the pattern took too long. It counts as a match, and must be reported. */
  matches(query: string): boolean | "timeout";
}

/** A hook's `if`: one permission rule. */
export interface CompiledCondition {
  /** `read` parses a shell command; hand in one that remembers, so that several conditions parse it once. */
  matches(input: EventInput, read?: (command: string) => ShellReading): boolean;
  readonly diagnostics: readonly Diagnostic[];
}

/** What calling a function needs, without looking into its hook each time. */
export interface Seat {
  /** Of its hook. */
  readonly id: string;
  readonly handler: (input: EventInput, run: { readonly signal: AbortSignal }) => unknown;
  /** What it said last; kept for the fold. */
  lastText: string | undefined;
  lastAbility: string | undefined;
  lastSayer: unknown;
}

/** The hooks whose matcher fits one (event, query), compiled once. */
export interface Plan {
  /** In registry order: highest source first, then as declared; functions by priority. */
  readonly hooks: readonly AdmittedHook[];
  /** Every hook is a function that always runs, in parallel and in the foreground: the fast path needs nothing else. */
  readonly isFunctionsOnly: boolean;
  /** Beside `hooks` if they are functions only; else empty. */
  readonly seats: readonly Seat[];
  /** Beside `hooks`: what is handed on when the hook runs. */
  readonly selected: readonly SelectedHook[];
  /** Beside `hooks`: what must hold for the hook to run. */
  readonly conditions: readonly (CompiledCondition | undefined)[];
  /** All hooks run on every firing: nothing depends on the input. */
  readonly isFixed: boolean;
  /** The input does not say what matchers are compared with, so they all fit. */
  readonly lacksQuery: boolean;
  /** The failure of some hook blocks. */
  readonly hasGuards: boolean;
}

export interface PlannerOptions {
  /** What a dialect calls a tool of the agent; without it, all call it the same. */
  readonly nameOf?: ((dialect: DialectName, tool: string) => string) | undefined;
  readonly onDiagnostic?: ((diagnostic: Diagnostic) => void) | undefined;
  /** The user's home folder, for conditions such as `Read(~/.ssh/**)`. */
  readonly home?: string | undefined;
  /** Where the session started, for conditions such as `Read(./.env)`. */
  readonly root?: string | undefined;
  /** Tools the agent has besides the known ones. */
  readonly tools?: readonly string[] | undefined;
  /** What has been said about names; shared by all planners of a session. */
  readonly told?: Set<string> | undefined;
}
