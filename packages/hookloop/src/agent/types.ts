import type { EventName } from "@hookloop/sdk";
import type { EventInput, HookEngine, ToolResult } from "../engine/index.ts";
import type { Verdict } from "../judge/index.ts";
import type { McpConnections } from "../mcp/index.ts";
import type { Permissions } from "../permissions/index.ts";
import type { Model, ModelMessage, ModelReply, ModelTool, Programs, TextBlock, ToolResultBlock, ToolUseBlock } from "../run/index.ts";
import type { SessionHost } from "./open-session.ts";
import type { AgentTool } from "./tools/types.ts";
import type { EarlierSession } from "./transcript.ts";

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
  | { readonly type: "tell"; readonly text: string }
  /** Hooks have judged; before what they have to say. */
  | { readonly type: "verdict"; readonly verdict: Verdict }
  /** A tool call has ended, or was not run; with every verdict on it. */
  | { readonly type: "call"; readonly call: ToolUseBlock; readonly result: ToolResult<unknown> };

export interface LoopParts {
  readonly hooks: HookEngine;
  readonly model: Model;
  readonly conversation: Conversation;
  readonly toolbox: Toolbox;
  readonly stopEvent: "Stop" | "SubagentStop";
  /** Fields that payloads of this agent have besides those of the session: `agent_id`, `agent_type`, `cwd`, `permission_mode`, … */
  readonly identity: (event: EventName) => EventInput;
  readonly stopInput?: (() => EventInput) | undefined;
  /** Looked at before each model call: the model may change in between. */
  readonly request: () => { readonly model: string; readonly system: string; readonly params: Readonly<Record<string, unknown>> };
  readonly display?: ((reply: ModelReply) => Promise<string | undefined>) | undefined;
  readonly keepParams?: ((params: EventInput) => void) | undefined;
  readonly beforeRequest?: ((signal: AbortSignal) => Promise<void>) | undefined;
  readonly emit: (step: LoopStep) => void;
  readonly maxTurns?: number | undefined;
  readonly signal: AbortSignal;
}

export interface AgentOptions extends Pick<SessionHost, "ask" | "confirm" | "elicit" | "emit" | "report"> {
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
  /** Slash commands of the host, to suggest for an unknown one. */
  readonly hostCommands?: readonly string[] | undefined;
  readonly isInteractive?: boolean | undefined;
  readonly directories: readonly string[];
  readonly cwd: string;
  readonly home: string;
  readonly managedRoot: string;
  /** What the project's files say is trusted for this run; otherwise they can only tighten. */
  readonly isWorkspaceTrusted?: boolean | undefined;
  /** Variables for shell commands, besides what hooks exported. */
  readonly env: Readonly<Record<string, string>>;
  readonly sessionId: string;
  /** Folder of transcripts; absent: none is written. */
  readonly transcripts: string | undefined;
  readonly earlier?: EarlierSession | undefined;
  readonly plugins: readonly { readonly name: string; readonly root: string }[];
  readonly moreTools: () => readonly AgentTool[];
  readonly mcp?: McpConnections | undefined;
  readonly agentType?: string | undefined;
  readonly maxTurns?: number | undefined;
  /** A head with a gate that may not run is not used. */
  readonly requireHooks?: boolean | undefined;
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
