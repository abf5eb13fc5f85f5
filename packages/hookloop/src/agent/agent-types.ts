import type { Diagnostic } from "../diagnostic.ts";
import type { HookEngine, ToolOptions } from "../engine/index.ts";
import type { Outcome, Verdict } from "../judge/index.ts";
import type { AnswerQuestion, McpConnections } from "../mcp/index.ts";
import type { Permissions } from "../permissions/index.ts";
import type { Model, Programs } from "../run/index.ts";
import type { Definitions } from "./definitions/index.ts";
import type { BuiltinCommand, PromptCommand } from "./features/index.ts";
import type { SettingsCommands } from "./features/settings-commands/settings-commands.ts";
import type { PermissionDenial, TurnEnd } from "./headless/result.ts";
import type { LoopStep } from "./loop-types.ts";
import type { AgentTool } from "./tools/index.ts";
import type { EarlierSession } from "./transcript/read-transcript.ts";

export interface AgentOptions {
  readonly hooks: HookEngine;
  readonly permissions: Permissions;
  readonly model: Model;
  readonly modelName: string;
  /** Starts programs; whoever opened it closes it after the agent. */
  readonly programs: Programs;
  /** Makes the model answer under another name; throws if that cannot be. Whatever name is fine if left out. */
  readonly prepareModel?: ((name: string) => () => void) | undefined;
  /** A script answers, whatever name the model has. */
  readonly isScripted?: boolean | undefined;
  /** Slash commands that whatever shows the agent has besides the agent's own: an unknown one may be meant to be one of these. */
  readonly hostCommands?: readonly string[] | undefined;
  readonly isInteractive?: boolean | undefined;
  /** Folders of `--add-dir`. */
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
  /** Tools of connected servers. */
  readonly moreTools: () => readonly AgentTool[];
  readonly mcp?: McpConnections | undefined;
  readonly ask?: ToolOptions["ask"] | undefined;
  /** Puts a server's question to the person. */
  readonly elicit?: AnswerQuestion | undefined;
  /** Asks whether a prompt goes on that a hook asks about. */
  readonly confirm?: ((verdict: Verdict) => Promise<boolean>) | undefined;
  /** Type of the main agent. */
  readonly agentType?: string | undefined;
  readonly maxTurns?: number | undefined;
  readonly emit: (step: LoopStep, agentId?: string) => void;
  readonly report: (diagnostic: Diagnostic) => void;
}

/** How a shell line of the person ended. */
export interface LineEnd {
  readonly text: string;
  readonly isError: boolean;
}

export interface Agent {
  readonly transcriptPath: string;
  readonly tools: () => readonly AgentTool[];
  /** Of the model that is asked now. */
  readonly modelName: () => string;
  /** Where it works now: `cd` and worktrees change it. */
  readonly folder: () => string;
  readonly definitions: Definitions;
  /** Slash commands of the agent itself. */
  readonly builtins: ReadonlyMap<string, BuiltinCommand>;
  /** Slash commands whose text comes from elsewhere. */
  readonly prompts: ReadonlyMap<string, PromptCommand>;
  /** Calls that were not allowed, in this session. */
  readonly denials: readonly PermissionDenial[];
  /** Fires Setup if asked to, loads the instructions, and fires SessionStart. */
  start(options: {
    readonly source: "startup" | "resume" | "clear";
    readonly setup?: "init" | "maintenance" | undefined;
    readonly signal?: AbortSignal | undefined;
  }): Promise<void>;
  /** One prompt, until the agent has nothing more to do. */
  submit(prompt: string, signal: AbortSignal): Promise<TurnEnd>;
  /**
   * A shell line of the person's own, with every hook around it. What it printed is part of the conversation; the model is not asked.
   * Gives what it printed, or why it did not run.
   */
  runLine(command: string, signal: AbortSignal): Promise<LineEnd>;
  /** The person has the word; the function it returns: they used it. A terminal calls it, so that waiting too long is noticed. */
  waitForInput(): () => void;
  /** `statusLine` and `fileSuggestion` of the settings. */
  readonly settings: SettingsCommands;
  /** A background hook wants attention: the user is told at once, the model with its next request. */
  woken(outcome: Outcome): void;
  /** Fires SessionEnd and ends what still runs. */
  close(reason: string): Promise<void>;
}
