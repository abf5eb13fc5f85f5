import type { HookResult } from "@hookloop/sdk";
import type { ToolResult } from "../../engine/index.ts";
import type { Verdict } from "../../judge/index.ts";

type Subject = "tool" | "edit" | "bash" | "git" | "agent" | "compact";

export type HookType = `${"pre" | "post"}_${Subject}` | "session_start" | "session_end" | "query_start" | "query_end";

/** One per operation, shared by its pre hooks, the tool and its post hooks; what one puts there, the next finds. */
export interface HookContext {
  /** Name of the tool. */
  tool?: string;
  toolUseId?: string;
  /** What the tool gets; a pre hook's `modify` replaces it. */
  input?: Readonly<Record<string, unknown>>;
  /** What the tool gave; a post hook's `modify` replaces it. */
  result?: unknown;
  /** What the tool threw. */
  error?: unknown;
  durationMs?: number;
  /** What the user asked, for query hooks. */
  prompt?: string;
  // biome-ignore lint/suspicious/noExplicitAny: hooks agree among themselves what they put there
  [field: string]: any;
}

/** What is happening, for a handler. */
export interface HookMoment {
  readonly type: HookType;
  /** Milliseconds since 1970. */
  readonly timestamp: number;
  readonly sessionId: string;
  readonly toolUseId?: string | undefined;
}

export type HookDecision =
  | { readonly action: "continue"; readonly data?: unknown }
  | { readonly action: "cancel"; readonly reason: string }
  | { readonly action: "modify"; readonly data: unknown }
  /** The decision comes later. Not the engine's `defer`, which leaves a call to whoever resumes the run. */
  | { readonly action: "defer"; readonly promise: PromiseLike<HookDecision | undefined> };

/** Nothing means continue. A result of the SDK (`ask("…")`) is handed to the engine as it is. */
// biome-ignore lint/suspicious/noConfusingVoidType: a handler may have no return statement
type HandlerResult = HookDecision | HookResult | undefined | void;

export type SamplingHandler = (context: HookContext, event: HookMoment) => HandlerResult | PromiseLike<HandlerResult>;

export interface HookRegistration {
  /** Higher first, ties in order of registration; 0 if left out. */
  readonly priority?: number;
  /** For logs, `listHooks` and the variables that switch hooks off. */
  readonly name?: string;
  /** If it fails, that is a no; otherwise it is reported and the others decide. */
  readonly guard?: boolean;
  readonly timeoutMs?: number;
}

/** A registered hook, for people. */
export interface ListedHook {
  readonly name: string;
  readonly type: HookType;
  readonly priority: number;
  /** Why it does not run; absent if it does. */
  readonly switchedOff?: string | undefined;
}

/** A decision of all hooks of one type together. */
export type Decided =
  | { readonly action: "continue" /** What hooks that continued carried. */; readonly data: readonly unknown[] }
  | { readonly action: "cancel"; readonly reason: string }
  | { readonly action: "modify"; readonly data: unknown };

/** The same, with the operation's context and the engine's own word. */
export type ExecutedHooks = Decided & { readonly context: HookContext; readonly verdict: Verdict };

export interface SamplingTool {
  readonly name: string;
  readonly execute: (input: Readonly<Record<string, unknown>>, context: HookContext) => unknown;
}

/** What goes back to the model, and how it came about. */
export interface SamplingToolResult extends Pick<ToolResult<unknown>, "status" | "texts" | "halt" | "verdicts"> {
  readonly toolUseId: string;
  /** What the tool gave, what a post hook put in its place, or why there is nothing. */
  readonly content: unknown;
  readonly isError: boolean;
  /** How long the tool itself took; absent if it did not run. */
  readonly durationMs?: number | undefined;
  readonly context: HookContext;
}
