import type { EventName } from "@hookloop/sdk";
import type { HookKind } from "../catalogue/index.ts";
import type { DialectName } from "../config/index.ts";
import type { Diagnostic } from "../diagnostic.ts";
import type { RunFailure, Runner } from "../run/index.ts";
import type { Planner } from "../select/index.ts";
import type { AdmittedHook } from "../trust/index.ts";
import type { Background } from "./background.ts";
import type { Dialect, Outcome } from "./interpret/index.ts";
import type { SpillOptions, Verdict } from "./merge/index.ts";
import type { PayloadCopier } from "./payload-copy.ts";
import type { TraceStep } from "./trace-sink.ts";

/** Fields of an event's payload; the engine adds what every payload has. */
export type EventInput = Readonly<Record<string, unknown>>;

/** Something that happened while an event was worked on. */
export type Step =
  | { readonly type: "started"; readonly hook: AdmittedHook }
  | { readonly type: "outcome"; readonly hook: AdmittedHook; readonly outcome: Outcome }
  | { readonly type: "verdict"; readonly verdict: Verdict };

/** Looks at what decides which hooks run, before and after a tool of the agent does something. */
export interface ToolWatch {
  /** Gives what is called when the tool is done; `isKnown`: a person allowed it to change such a file. */
  before(): (tool: string, isKnown: boolean) => void;
  close(): void;
}

export interface FireOptions {
  readonly signal?: AbortSignal | undefined;
  /** A limit for every hook of this firing, if shorter than its own. */
  readonly timeoutMs?: number | undefined;
  readonly onStep?: ((step: Step) => void) | undefined;
  /** The input is what a hook made of another one: the verdict says only what tightens, and holds no rewrite. */
  readonly isRewrite?: boolean | undefined;
}

/** What one engine works with. Everything that touches the world is in here. */
export interface Session {
  readonly id: string;
  readonly projectRoot: string;
  /** In every payload, unless the caller says otherwise. */
  readonly commonInput: EventInput;
  /** Makes an event's whole payload for functions, in a copy of their own. */
  readonly payloadCopier: (event: EventName, onNewFields: (input: EventInput) => void) => PayloadCopier;
  planner: Planner;
  readonly dialects: Readonly<Record<DialectName, Dialect>>;
  readonly runners: Readonly<Partial<Record<HookKind, Runner>>>;
  readonly background: Background;
  /** Aborted when the session closes: nothing outlives it. */
  readonly closing: AbortSignal;
  /** The second argument of functions on the fast path. */
  readonly run: { readonly signal: AbortSignal };
  /** Ids of the hooks that ran and run only once. */
  readonly spent: Set<string>;
  /** What is said once in a session, and has been. */
  readonly told: Set<string>;
  readonly spill: SpillOptions | undefined;
  /** Path of the session's env file, made on first use. */
  readonly envFile: () => string;
  /** Right before each run: why the hook is not what was trusted any more, or nothing. It reports by itself. */
  readonly recheck: (hook: AdmittedHook, cwd: string) => RunFailure | undefined;
  /** Right before a stand-in blocks: the gate itself if it may run by now, `gone` if nothing is left to block for, or why it blocks. */
  readonly reconsider: (hook: AdmittedHook) => AdmittedHook | "gone" | RunFailure;
  readonly report: (diagnostic: Diagnostic) => void;
  /** Milliseconds the hooks of an event should need together, at most; nothing if nobody said so. */
  readonly budgetOf?: ((event: EventName) => number | undefined) | undefined;
  /** Absent when nobody listens: then no step is built. */
  readonly record: ((step: TraceStep) => void) | undefined;
}

/** One event on its way through the stages. */
export interface Firing {
  readonly event: EventName;
  readonly input: EventInput;
  readonly options: FireOptions;
  /** When its hooks were started, where they share a limit. */
  readonly startedAt?: number | undefined;
  /** It looks a second time, at a rewritten input. */
  readonly again?: SecondLook | undefined;
}

export interface SecondLook {
  /** Milliseconds that a hook took the first time. */
  readonly tookMs: (hook: string) => number;
  /** What counts of an outcome. */
  readonly revise: (outcome: Outcome) => Outcome;
}
