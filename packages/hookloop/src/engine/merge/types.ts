import type { EventName } from "@hookloop/sdk";
import type { Outcome } from "../interpret/types.ts";

/** Strictest last: a join over all hooks, so order never matters. */
export type Decision = "none" | "allow" | "ask" | "defer" | "deny";

/** A text and the hook it came from. */
export interface Attributed {
  readonly text: string;
  /** The hook's id. */
  readonly hook: string;
  /** It was plain stdout, not a field of an answer. */
  readonly fromStdout?: true | undefined;
  /** It answers another event than the verdict's: a background hook said it. */
  readonly event?: EventName | undefined;
}

/** The outcomes of one event, merged: what the loop must do now. */
export interface Verdict {
  readonly event: EventName;
  readonly decision: Decision;
  /** Every reason of the decision that won. */
  readonly reasons: readonly Attributed[];
  /** End the agent's work after this step. */
  readonly halt: Attributed | undefined;
  /** Stop only: the agent goes on, with these reasons as its next message. */
  readonly continueWith: readonly Attributed[];
  readonly contexts: readonly Attributed[];
  readonly feedback: readonly Attributed[];
  readonly tells: readonly Attributed[];
  readonly updatedInput: Readonly<Record<string, unknown>> | undefined;
  readonly updatedOutput: { readonly value: unknown } | undefined;
  readonly updatedPrompt: string | undefined;
  readonly permissionUpdates: readonly unknown[];
  /** Output fields that only this event has. */
  readonly fields: Readonly<Record<string, unknown>>;
  /** In registry order; empty when only functions spoke and nobody listened. */
  readonly outcomes: readonly Outcome[];
}
