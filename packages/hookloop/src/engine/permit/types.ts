import type { PermissionDecision, Permissions, Protect } from "../../permissions/index.ts";
import type { Verdict } from "../merge/index.ts";

export interface ToolCall {
  readonly tool_name: string;
  readonly tool_input: Readonly<Record<string, unknown>>;
  readonly tool_use_id: string;
  /** More fields of the payload: `cwd`, `permission_mode`, `agent_id`, … */
  readonly [field: string]: unknown;
}

/** A call as programs have it: `tool_input` may be of an interface. */
export type GivenCall = ToolCall | { readonly tool_name: string; readonly tool_input: object; readonly tool_use_id: string };

export type Permission = "allow" | "ask" | "deny";

/** What the user said; a no may have a reason, for the model. `isImpossible`: nobody was asked, since the call cannot be done, and the reason says why. */
export type Answer = boolean | { readonly isAllowed: false; readonly reason: string; readonly isImpossible?: boolean | undefined };

export interface ToolOptions {
  /** Rules, mode and directories of the session. */
  readonly rules?: Permissions | undefined;
  /** Guards the agent's own configuration; beats allow rules, a hook's allow and bypassPermissions. */
  readonly protect?: Protect | undefined;
  /** The program's own rules, asked after the hooks; they can tighten what `rules` say. Without both, only what hooks said counts. */
  readonly permission?: (call: ToolCall, verdict: Verdict) => Permission | Promise<Permission>;
  /** Asks the user; without it a question is a refusal. `why` says what asks, if rules do. */
  readonly ask?: (call: ToolCall, verdict: Verdict, why?: PermissionDecision) => Answer | Promise<Answer>;
  /** Fields of the payload that the tool may have changed, such as `cwd`; looked at when it has run. */
  readonly afterwards?: (() => Readonly<Record<string, unknown>>) | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface Refusal {
  readonly status: "denied" | "deferred";
  /** Why, as the model is told. */
  readonly error: string;
}

/** Whether a call may run, and with which input. */
export interface Permit {
  /** As it runs: a PermissionRequest hook may have rewritten it. */
  readonly call: ToolCall;
  /** Absent: it may. */
  readonly refusal?: Refusal | undefined;
  /** What rules and modes said last. */
  readonly permission?: PermissionDecision | undefined;
  /** Of the hooks that were asked on the way. */
  readonly verdicts: readonly Verdict[];
}
