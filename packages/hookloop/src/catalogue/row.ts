import type { EventName } from "@hookloop/sdk";
import type { Fields } from "./field.ts";

/** What can run when an event fires. `module` and `function` are ours; the rest are Claude Code's. */
export type HookKind = "command" | "http" | "mcp_tool" | "prompt" | "agent" | "module" | "function";

/** How a hook denies in this event's own output. */
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

/** How the values several hooks give one output field become one. Where nothing is said, the highest source wins, inside it the last declared. */
export type FieldRule =
  /** lists: every item, once */
  | "union"
  /** texts: all of them, one per line */
  | "join"
  /** flags: true if one hook sets it */
  | "any"
  /** objects: key by key, the winning hook's last */
  | "assign";

/** How a denial is worded, and for whom. */
export type BlockWording =
  /** `PreToolUse:Bash hook error: …`, to the model as the tool's result */
  | "error"
  /** `PostToolUse:Bash hook blocking error: …`, to the model beside the result */
  | "beside"
  /** `Stop hook feedback:` and the reason on a new line, to the model */
  | "feedback"
  /** `UserPromptSubmit operation blocked by hook:` and the reason on a new line, to the user */
  | "operation";

export interface Matcher {
  /** The input field a matcher is compared with. */
  readonly field: string;
  /** Values the field is known to take; empty when they are names we cannot know. */
  readonly values: readonly string[];
  /** The field holds a path and its last part is compared, unless a matcher's part is a path itself. */
  readonly basename?: true;
  /** The field holds a tool's name: former names count, and a dialect may spell it its own way. */
  readonly isTool?: true;
  /** Characters that make a matcher a list of names: letters, digits, `_` and `|` only. Absent: also `-`, space and comma. */
  readonly exactCharset?: "narrow";
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
  /** What a denial becomes: exit code 2, a top-level block and a deny all mean this. Null where nothing can be said. */
  readonly blockEffect: "deny" | "continueTurn" | "halt" | "feedback" | null;
  /** What a block does here; for events that cannot block, what to use instead. */
  readonly blockMeans: string;
  /** How a reason is put beside a result that cannot be undone; null where there is no such result. */
  readonly feedback: "decision" | "exit" | null;
  readonly exit2: Exit2Effect;
  readonly exit2Means: string;
  /** Where a no means nothing: with these values in the field that matchers are compared with. */
  readonly neverBlocked?: readonly string[];
  /** Every exit code but 0 blocks, not only 2. */
  readonly anyExitBlocks: boolean;
  readonly stdout: StdoutTarget;
  /** The output field that a plain path on stdout sets; only where `stdout` is `path`. */
  readonly pathField?: string;
  /** Context also keeps the agent going, under the same cap as a block. */
  readonly contextContinues: boolean;
  /** Hooks get `CLAUDE_ENV_FILE`: what they export there reaches later shell calls. */
  readonly hasEnvFile: boolean;
  /** Whether `continue: false`, `stopReason` and `systemMessage` have any effect. */
  readonly honoursContinue: boolean;
  /** Fields of `hookSpecificOutput`, besides `hookEventName`. */
  readonly output: Fields;
  /** Default limit of a command, http or mcp_tool hook. */
  readonly timeoutSeconds: number;
  /** Default limit of a hook in a native file, where the limit of its kind and role would not fit. */
  readonly nativeTimeoutSeconds?: number;
  /** Hooks without a limit of their own share one, counted from when the event fired. */
  readonly sharesTimeLimit?: true;
  /** A model that judges the event may put one question to the user first. */
  readonly asksUser: boolean;
  /** What a hook of this event listens to if a subagent declares it. */
  readonly insideSubagent?: EventName;
  readonly role: EventRole;
  readonly onFailure: FailureDirection;
  /**
   * False where a block keeps the agent at work: there only a guard, or a hook with `onFailure: "block"`, blocks by failing, which the stop cap
   * bounds, and a hook that cannot run holds nothing.
   */
  readonly failureCanBlock: boolean;
  readonly merge: MergeRule;
  /** Output fields whose values are combined when several hooks set them. */
  readonly combine: Readonly<Record<string, FieldRule>>;
  /** `continue: false` also means that the thing asked about does not happen. */
  readonly haltDenies: boolean;
  readonly wording: BlockWording;
  /** The name that opens the feedback text, where it is not the event's own. */
  readonly feedbackLabel?: string;
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

/** What a row has that says nothing else. */
const PLAIN = {
  origin: "claude",
  carries: [],
  matcher: null,
  feedback: null,
  anyExitBlocks: false,
  stdout: "log",
  contextContinues: false,
  hasEnvFile: false,
  output: {},
  timeoutSeconds: DEFAULT_TIMEOUT_SECONDS,
  combine: {},
  haltDenies: false,
  asksUser: false,
  pitfalls: [],
} as const satisfies Partial<EventRow>;

/** What most observing events have in common; a row spreads it and says only what differs. */
export const OBSERVER: Omit<EventRow, "fires" | "input" | "blockMeans" | "exit2" | "exit2Means" | "sample"> = {
  ...PLAIN,
  kinds: KINDS_WITHOUT_MODEL,
  block: null,
  blockEffect: null,
  honoursContinue: false,
  role: "observe",
  onFailure: "continue",
  failureCanBlock: false,
  merge: "collect",
  wording: "beside",
};

/** What most events that can deny have in common. */
export const GATE: Omit<EventRow, "fires" | "input" | "blockMeans" | "exit2Means" | "sample"> = {
  ...PLAIN,
  carries: ["permission_mode"],
  kinds: ALL_KINDS,
  block: "decision",
  blockEffect: "deny",
  exit2: "block",
  honoursContinue: true,
  role: "gate",
  onFailure: "ask",
  failureCanBlock: true,
  merge: "any-block",
  wording: "operation",
};
