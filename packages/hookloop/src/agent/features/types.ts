import type { EventName } from "@hookloop/sdk";
import type { EventInput, ToolCall, ToolOptions } from "../../engine/index.ts";
import { blockTexts, type Verdict } from "../../judge/index.ts";
import type { ToolUseBlock } from "../../run/index.ts";
import type { BackgroundWork, Entry } from "../conversation.ts";
import type { Definitions } from "../definitions.ts";
import type { Heads } from "../heads.ts";
import type { AgentTask } from "../tools/basic-tools.ts";
import { type AgentTool, ToolFailure } from "../tools/types.ts";
import type { AgentOptions, Conversation } from "../types.ts";

/** What the agents of a session and its features share. */
export interface AgentCore
  extends Pick<
    AgentOptions,
    "hooks" | "permissions" | "model" | "programs" | "home" | "sessionId" | "mcp" | "elicit" | "isScripted" | "emit" | "report"
  > {
  readonly root: string;
  readonly isWorkspaceTrusted: boolean;
  readonly definitions: Definitions;
  readonly reloadSkills: (file?: string) => void;
  /** Puts the hooks of an agent's definition in force, until the function it gives is called. */
  readonly attachAgent: Heads["attachAgent"];
  readonly conversation: Conversation & { replaceWith(entries: readonly Entry[]): void };
  readonly cwd: () => string;
  /** The main agent goes to another folder; fires CwdChanged. */
  moveTo(folder: string, signal?: AbortSignal): Promise<void>;
  readonly modelName: () => string;
  /** Another model, ready to be used from now on; or why it cannot be, and what to do about it. */
  readonly modelNamed: (name: string) => { readonly use: () => void } | { readonly problem: string };
  readonly earlierModel: string | undefined;
  readonly addedDirectories: readonly string[];
  /** There is a user to ask, and nothing ends by itself. */
  readonly isInteractive: boolean;
  /** Folder for files of this session; absent where nothing can be written. */
  readonly stateFolder: string | undefined;
  readonly onTranscriptProblem: (text: string) => void;
  readonly promptId: () => string | undefined;
  /** The tools of the session that no rule took away. */
  readonly tools: () => readonly AgentTool[];
  /** Rules, and who can be asked. */
  readonly permission: () => Omit<ToolOptions, "signal">;
  readonly onDenied: (call: ToolUseBlock) => void;
  /** Variables of shell commands: the session's, and what hooks exported. */
  readonly shellEnv: () => Readonly<Record<string, string>>;
  /** Fires an event of the main agent: fills in the common fields and shows the user what hooks said. */
  fire(event: EventName, fields: EventInput, signal?: AbortSignal): Promise<Verdict>;
  /** The same; what hooks say to the model goes with the next message. */
  fireAndRemind(event: EventName, fields: EventInput, signal?: AbortSignal): Promise<Verdict>;
  /** An event of the main agent was fired; features may want to know. */
  onVerdict(verdict: Verdict): void;
  /** Writes to the transcript what is not part of the conversation. */
  readonly note: (type: "attachment" | "system", fields: Readonly<Record<string, unknown>>) => void;
  /** A text for the model, with the next message. */
  remind(text: string): void;
  readonly closing: AbortSignal;
}

export interface BuiltinCommand {
  readonly description: string;
  /** What is typed after the name, for the help: `[instructions]`. */
  readonly usage?: string | undefined;
  run(args: string, signal: AbortSignal): Promise<string>;
}

/** A slash command whose text comes from elsewhere: the prompt of an MCP server. */
export interface PromptCommand {
  readonly description: string;
  readonly usage?: string | undefined;
  /** Where it comes from: `command_source` of the payload. */
  readonly source: string;
  /** What becomes the prompt. Throws if there is none; the message is for the user. */
  text(args: string, signal: AbortSignal): Promise<string>;
}

/** For the user: what happens now. */
export interface Notice {
  readonly text: string;
  /** How long a screen shows it. */
  readonly forMs: number;
}

/** A part of the agent that is attached from outside, as hooks are to the loop. */
export interface Feature {
  readonly tools?: readonly AgentTool[] | undefined;
  /** Names of tools that are not offered beside these. */
  readonly replaces?: readonly string[] | undefined;
  readonly commands?: Readonly<Record<string, BuiltinCommand>> | undefined;
  readonly prompts?: ReadonlyMap<string, PromptCommand> | undefined;
  readonly background?: BackgroundWork | undefined;
  /** Before each model call of the main agent: the conversation may be too long, a file may have changed. */
  beforeRequest?(signal: AbortSignal): Promise<void>;
  /** Makes the conversation short before the next model call. */
  compactSoon?(notice: Notice): void;
  /** The first prompt is still to come; SessionStart has been fired, with this verdict. */
  started?(verdict: Verdict): Promise<void>;
  /** An event of the session was fired; hooks may have answered with more than a decision. */
  onVerdict?(verdict: Verdict): void;
  whileAsking?<Answer>(call: ToolCall, ask: () => Promise<Answer>): Promise<Answer>;
  agentFinished?(task: AgentTask): Promise<void>;
  waitForInput?(): () => void;
  close?(): Promise<void> | void;
}

export type OpenFeature = (core: AgentCore) => Feature;

/** Whether hooks refuse what a feature is about to do. A guard that failed asks, and where there is no question to the user, that is a refusal. */
export function isRefused({ decision }: Pick<Verdict, "decision">): boolean {
  return decision === "deny" || decision === "ask";
}

export function reasonsOf({ reasons }: Pick<Verdict, "reasons">): string {
  return reasons.map(({ text }) => text).join("; ");
}

export function throwIfRefused(verdict: Verdict, input: EventInput): void {
  if (isRefused(verdict)) throw new ToolFailure(blockTexts({ verdict: { ...verdict, decision: "deny" }, input }).join("\n"));
}

/** The workspace of this session. */
export function changeDirectories(
  { permissions, report }: AgentCore,
  type: "addDirectories" | "removeDirectories",
  directory: string,
): void {
  for (const diagnostic of permissions.update([{ type, directories: [directory], destination: "session" }])) report(diagnostic);
}
