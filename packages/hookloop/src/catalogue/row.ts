import type { EventName } from "@hookloop/sdk";
import type { Fields } from "./field.ts";

/** What can run when an event fires. `module` and `function` are ours; the rest are Claude Code's. */
export type HookKind = "command" | "http" | "mcp_tool" | "prompt" | "agent" | "module" | "function";

/** How a hook says "no" in this event's own output. */
export type BlockMechanism =
  /** `hookSpecificOutput.permissionDecision: "deny"` */
  | "permission"
  /** `hookSpecificOutput.decision.behavior: "deny"` */
  | "request"
  /** top-level `decision: "block"` */
  | "decision"
  /** `hookSpecificOutput.action: "decline"` */
  | "action"
  /** only exit code 2 with the reason on stderr */
  | "exit";

/** What exit code 2 brings about. */
export type Exit2Effect =
  /** the thing does not happen; stderr is the reason */
  | "block"
  /** it already happened; stderr goes to the model beside the result */
  | "feedback"
  /** stderr is shown to the user, nothing else */
  | "tell"
  /** stderr is kept in the log, nothing else */
  | "ignore";

/** Where plain (non-JSON) stdout of a successful hook goes. */
export type StdoutTarget = "context" | "log" | "path";

/** Why people hang hooks on this event. */
export type EventRole = "gate" | "rewrite" | "loop" | "observe";

/** What happens to the loop when a hook of this event fails and says nothing else. */
export type FailureDirection = "continue" | "ask" | "block";

/** How the outcomes of several hooks become one verdict. */
export type MergeRule =
  /** none < allow < ask < defer < deny: the strictest decision wins, all reasons are kept */
  | "strictest"
  /** one block is enough, all reasons are kept */
  | "any-block"
  /** nothing to decide: contexts and messages are collected */
  | "collect"
  /** a refusal wins; otherwise the answer of the highest source, the last declared inside it */
  | "answer";

export interface Matcher {
  /** The input field a matcher is compared with. */
  readonly field: string;
  /** Values the field is known to take; empty when they are names we cannot know. */
  readonly values: readonly string[];
  /** The field holds a path and only its last part is compared. */
  readonly basename?: true;
}

/** Every per-event fact. Nothing outside the catalogue branches on an event's name. */
export interface EventRow {
  /** Whose event it is: measured in Claude Code, or added by hookloop. */
  readonly origin: "claude" | "hookloop";
  /** Completes the sentence "It fires …". */
  readonly fires: string;
  /** Common fields that only some events carry. */
  readonly carries: readonly ("permission_mode" | "effort")[];
  readonly input: Fields;
  readonly matcher: Matcher | null;
  readonly kinds: readonly HookKind[];
  readonly block: BlockMechanism | null;
  /** What a no becomes: exit code 2, a top-level block and a deny all mean this. Null where nothing can be said. */
  readonly blockEffect: "deny" | "continueTurn" | "halt" | "feedback" | null;
  /** What a block does here; for events that cannot block, what to use instead. */
  readonly blockMeans: string;
  /** How a reason is put beside a result that cannot be undone; null where there is no such result. */
  readonly feedback: "decision" | "exit" | null;
  readonly exit2: Exit2Effect;
  readonly exit2Means: string;
  readonly stdout: StdoutTarget;
  /** Whether `continue: false`, `stopReason` and `systemMessage` have any effect. */
  readonly honoursContinue: boolean;
  /** Fields of `hookSpecificOutput`, besides `hookEventName`. */
  readonly output: Fields;
  /** Default limit of a command, http or mcp_tool hook. */
  readonly timeoutSeconds: number;
  readonly role: EventRole;
  readonly onFailure: FailureDirection;
  /** False where blocking means "go on": there `onFailure: "block"` would loop and is ignored. */
  readonly failureCanBlock: boolean;
  readonly merge: MergeRule;
  readonly pitfalls: readonly string[];
  /** The event's own fields in a true payload. */
  readonly sample: Readonly<Record<string, unknown>>;
}

/** Some rows of the catalogue, by event name. */
export type EventRows<Names extends EventName = EventName> = Readonly<Record<Names, EventRow>>;

export const ALL_KINDS: readonly HookKind[] = ["command", "http", "mcp_tool", "prompt", "agent", "module", "function"];
/** Events without a judgement to make: asking a model there is refused. */
export const KINDS_WITHOUT_MODEL: readonly HookKind[] = ["command", "http", "mcp_tool", "module", "function"];
/** Events that fire before the session can reach anything: no http either. */
export const LOCAL_KINDS: readonly HookKind[] = ["command", "mcp_tool", "module", "function"];

/** Limit of a command, http or mcp_tool hook where the row says nothing else. */
export const DEFAULT_TIMEOUT_SECONDS = 600;
/** Limits of the kinds that call a model. */
export const MODEL_KIND_TIMEOUT_SECONDS: Readonly<Record<"prompt" | "agent", number>> = { prompt: 30, agent: 60 };

/** What most observing events have in common; a row spreads it and says only what differs. */
export const OBSERVER: Omit<EventRow, "fires" | "input" | "blockMeans" | "exit2" | "exit2Means" | "sample"> = {
  origin: "claude",
  carries: [],
  matcher: null,
  kinds: KINDS_WITHOUT_MODEL,
  block: null,
  blockEffect: null,
  feedback: null,
  stdout: "log",
  honoursContinue: false,
  output: {},
  timeoutSeconds: DEFAULT_TIMEOUT_SECONDS,
  role: "observe",
  onFailure: "continue",
  failureCanBlock: false,
  merge: "collect",
  pitfalls: [],
};

/** What most events that can say "no" have in common. */
export const GATE: Omit<EventRow, "fires" | "input" | "blockMeans" | "exit2Means" | "sample"> = {
  origin: "claude",
  carries: ["permission_mode"],
  matcher: null,
  kinds: ALL_KINDS,
  block: "decision",
  blockEffect: "deny",
  feedback: null,
  exit2: "block",
  stdout: "log",
  honoursContinue: true,
  output: {},
  timeoutSeconds: DEFAULT_TIMEOUT_SECONDS,
  role: "gate",
  onFailure: "ask",
  failureCanBlock: true,
  merge: "any-block",
  pitfalls: [],
};
