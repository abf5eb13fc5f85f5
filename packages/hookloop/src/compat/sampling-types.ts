/** What a program that registers sampling hooks sees of them. */

import type { HookResult } from "@hookloop/sdk";
import type { ToolResult } from "../engine/index.ts";
import type { Verdict } from "../judge/index.ts";

type Subject = "tool" | "edit" | "bash" | "git" | "agent" | "compact";

export type HookType = `${"pre" | "post"}_${Subject}_sample` | "session_start" | "session_end" | "query_start" | "query_end";

/** One per operation, shared by its pre hooks, the tool and its post hooks; what one puts there, the next finds. */
export interface HookContext {
  tool: { readonly name: string };
  toolUseId?: string;
  /** What the tool gets. */
  // biome-ignore lint/suspicious/noExplicitAny: every tool has fields of its own
  input: Record<string, any>;
  /** What the tool gave. */
  result?: unknown;
  /** What the tool threw. */
  error?: unknown;
  /** How long the tool took, in milliseconds. */
  duration?: number;
  /** What the user asked, for query hooks. */
  prompt?: string;
  // biome-ignore lint/suspicious/noExplicitAny: hooks agree among themselves what they put there
  [field: string]: any;
}

/** What a caller knows of it; hooks about a tool have `tool` and `input`, those about a session need neither. */
export type GivenContext = Partial<HookContext>;

/** What is happening, for a handler. */
export interface HookEvent {
  readonly type: HookType;
  /** Milliseconds since 1970. */
  readonly timestamp: number;
  readonly sessionId: string;
  readonly toolUseId?: string | undefined;
}

export type HookAnswer =
  | { readonly status: "continue"; readonly data?: unknown }
  | { readonly status: "cancel"; readonly reason?: string | undefined }
  /** A whole context: `{ tool, input, context }`. */
  | { readonly status: "modify"; readonly data: unknown }
  /** The answer comes later. Not the engine's `defer`, which leaves a call to the resumed run. */
  | { readonly status: "defer"; readonly promise: PromiseLike<HookAnswer | undefined> };

/** Nothing means continue. A result of the SDK (`ask("…")`) is handed to the engine as it is. */
// biome-ignore lint/suspicious/noConfusingVoidType: a handler may have no return statement
type Returned = HookAnswer | HookResult | undefined | void;

export type SamplingHandler = (context: HookContext, event: HookEvent) => Returned | PromiseLike<Returned>;

export interface HookRegistration {
  /** Higher first, ties in order of registration; 0 if left out. */
  readonly priority?: number;
  /** For logs, `listHooks` and the variables that switch hooks off. */
  readonly name?: string;
  /** If it throws, that is a no; otherwise it is reported and the others decide. */
  readonly guard?: boolean;
  readonly timeoutMs?: number;
}

/** A registered hook, as `listHooks` shows it. */
export interface ListedHook {
  readonly name: string;
  readonly type: HookType;
  readonly priority: number;
  /** Why it does not run; absent if it does. */
  readonly switchedOff?: string | undefined;
}

/** The answer of all hooks of one type together. */
export type ExecutedHooks = (
  | { readonly status: "continue"; readonly data: GivenContext }
  | { readonly status: "cancel"; readonly reason: string }
) & {
  /** The engine's; not enumerable. */
  readonly verdict: Verdict;
};

export interface SamplingTool {
  readonly name: string;
  // biome-ignore lint/suspicious/noExplicitAny: every tool has fields and a context of its own
  readonly execute: (input: any, context: any) => unknown;
}

/** A block for the model. */
export interface SamplingToolResult {
  readonly type: "tool_result";
  /** What the tool gave, what a post hook put in its place, or why there is nothing. */
  readonly content: unknown;
  readonly is_error: boolean;
  /** How it came about; not enumerable, because it is not for the model. */
  readonly run: SamplingToolRun;
}

export interface SamplingToolRun extends Pick<ToolResult<unknown>, "status" | "texts" | "halt" | "verdicts"> {
  readonly toolUseId: string;
  readonly context: GivenContext;
}
