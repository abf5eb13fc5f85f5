import type { EventName } from "@hookloop/sdk";
import type { EventInput, HookEngine, ToolResult } from "../engine/index.ts";
import type { Verdict } from "../judge/index.ts";
import type { McpConnections } from "../mcp/index.ts";
import type { Permissions } from "../permissions/index.ts";
import type {
  ContentBlock,
  Model,
  ModelMessage,
  ModelReply,
  ModelTool,
  Programs,
  TextBlock,
  ToolResultBlock,
  ToolUseBlock,
} from "../run/index.ts";
import type { AgentCore } from "./features/types.ts";
import type { SessionHost, SessionPlace } from "./open-session.ts";
import type { AgentFlags } from "./session-options.ts";
import type { AgentTool } from "./tools/types.ts";

export type EndReason =
  | "completed"
  /** a hook ended it */
  | "hook_stopped"
  /** a Stop hook ended it */
  | "stop_hook_prevented"
  /** a hook deferred a tool call */
  | "tool_deferred"
  /** a refused permission ended it */
  | "aborted_tools"
  | "max_turns"
  | "model_error"
  | "aborted";

export interface LoopEnd {
  readonly reason: EndReason;
  /** The agent's last text; empty if a hook or the cap ended the turn. */
  readonly text: string;
  /** What a hook shows instead of it. */
  readonly shown?: string | undefined;
  /** For the user: why a hook ended it, or what the model's error was. */
  readonly detail?: string | undefined;
  readonly deferred?: ToolUseBlock | undefined;
  readonly turns: number;
}

export interface Conversation {
  readonly messages: readonly ModelMessage[];
  addUser(content: string | readonly (TextBlock | ToolResultBlock)[]): void;
  addAssistant(reply: ModelReply): void;
}

export interface CallEnd {
  /** For the model; absent if the call was put off or its turn is over. */
  readonly result?: ToolResultBlock | undefined;
  /** For the model, after the results of all calls. */
  readonly after?: string | undefined;
  readonly ends?: Extract<EndReason, "hook_stopped" | "tool_deferred" | "aborted_tools"> | undefined;
  readonly detail?: string | undefined;
}

export interface Toolbox {
  readonly offered: () => readonly ModelTool[];
  /** Runs one call with every hook and rule around it. Never throws. */
  readonly run: (call: ToolUseBlock, signal: AbortSignal) => Promise<CallEnd>;
}

export type LoopStep =
  | { readonly type: "text"; readonly piece: string }
  /** `shown`: what a hook shows instead of the text; the stored text does not change. */
  | { readonly type: "reply"; readonly reply: ModelReply; readonly shown?: string | undefined }
  | { readonly type: "results"; readonly results: readonly ToolResultBlock[] }
  /** `forMs`: it is about what happens now, and need not stay on a screen longer. */
  | { readonly type: "tell"; readonly text: string; readonly forMs?: number | undefined }
  /** A hook ended the work; the same is in the transcript. */
  | { readonly type: "attachment"; readonly attachment: HookStopped }
  /** Hooks have judged; before what they have to say. */
  | { readonly type: "verdict"; readonly verdict: Verdict }
  /** A tool call has ended, or was not run; with every verdict on it. */
  | { readonly type: "call"; readonly call: ToolUseBlock; readonly result: ToolResult<unknown> };

/** With the names of Claude Code's transcripts. */
export interface HookStopped {
  readonly type: "hook_stopped_continuation";
  readonly message: string;
  /** The event and what its matcher is compared with: `PostToolUse:Bash`. */
  readonly hookName: string;
  readonly hookEvent: EventName;
  /** Of the call; an id of its own where there is none. */
  readonly toolUseID: string;
}

/** One agent at work: the main one, or a subagent. */
export interface Thread {
  readonly core: AgentCore;
  /** Absent: the main agent. */
  readonly agentId?: string | undefined;
  readonly agentType?: string | undefined;
  readonly conversation: Conversation;
  readonly system: () => string;
  /** Tools this kind of agent may use; all if left out. */
  readonly allowedTools?: readonly string[] | undefined;
  readonly model?: string | undefined;
  /** Where it works; `cd` of the shell changes it. */
  cwd: string;
  /** Parameters of its model calls that hooks have set. */
  params?: EventInput | undefined;
  readonly stopInput?: (() => EventInput) | undefined;
  readonly maxTurns?: number | undefined;
  readonly beforeRequest?: ((signal: AbortSignal) => Promise<void>) | undefined;
  /** Writes to a transcript of its own; absent: to the session's. */
  readonly note?: AgentCore["note"] | undefined;
}

export interface FiredEvent {
  readonly verdict: Verdict;
  /** With the fields that all payloads of the agent have. */
  readonly input: EventInput;
}

/** What the loop is handed. */
export interface LoopParts {
  readonly thread: Thread;
  readonly toolbox: Toolbox;
  /** Fires an event of this agent, and shows the user what hooks said. */
  readonly fire: (event: EventName, fields: EventInput, signal?: AbortSignal) => Promise<FiredEvent>;
  /** What hooks show instead of an answer. */
  readonly display: (reply: ModelReply) => Promise<string | undefined>;
  readonly signal: AbortSignal;
}

export interface AgentOptions
  extends Pick<SessionHost, "ask" | "confirm" | "elicit" | "emit" | "report" | "commands">,
    Pick<SessionPlace, "cwd" | "home" | "transcripts" | "directories">,
    Partial<Pick<SessionPlace, "earlier"> & Pick<AgentFlags, "agentType" | "maxTurns" | "requireHooks" | "trustWorkspace">> {
  readonly hooks: HookEngine;
  readonly permissions: Permissions;
  readonly model: Model;
  readonly modelName: string;
  /** Starts programs; its opener closes it after the agent. */
  readonly programs: Programs;
  /** Switches to another model; throws if there is none of that name. Absent: every name is accepted. */
  readonly prepareModel?: ((name: string) => () => void) | undefined;
  /** A script answers, whatever name the model has. */
  readonly isScripted?: boolean | undefined;
  readonly managedRoot: string;
  /** Variables for shell commands, besides what hooks exported. */
  readonly env: Readonly<Record<string, string>>;
  readonly sessionId: string;
  readonly mcp?: McpConnections | undefined;
  /** Of the embedding program; one with the name of a tool of the agent takes its place. */
  readonly ownTools?: readonly AgentTool[] | undefined;
}

export interface LineEnd {
  readonly text: string;
  readonly isError: boolean;
}

export type { SessionAgent as Agent } from "./open-agent.ts";

/** Text that hooks or the agent itself put beside what a user or a tool said; the frame tells the model whose words these are not. */
export function reminder(text: string): TextBlock {
  return { type: "text", text: `<system-reminder>\n${text}\n</system-reminder>` };
}

export function textOf(content: readonly ContentBlock[]): string {
  return content.flatMap((block) => (block.type === "text" ? block.text : [])).join("\n");
}

/** What was thrown, in words. */
export function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}
