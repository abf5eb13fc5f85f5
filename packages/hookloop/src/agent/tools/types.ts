import type { ToolInputs, ToolName } from "@hookloop/sdk";
import type { RealTarget } from "../../permissions/index.ts";

/** What a tool may know of the agent that runs it. */
export interface ToolContext {
  /** Where relative paths belong and shell commands run. */
  readonly cwd: string;
  /** The project: it stays when the agent goes elsewhere. */
  readonly root: string;
  readonly home: string;
  /** The workspace: the project and the folders added to it. */
  readonly directories: readonly string[];
  /** Variables for shell commands. */
  readonly env: () => Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
  readonly toolUseId: string;
  /** Absent on the main thread. */
  readonly agentId?: string | undefined;
  readonly agentType?: string | undefined;
  /** Where a path led when the call was allowed. A tool that writes must still find it there. */
  readonly targetOf: (path: string) => Pick<RealTarget, "path" | "problem">;
  /** No rule keeps the file from being read without a question: what a search finds in others is not shown. */
  readonly mayRead: (file: string) => boolean;
  /** The agent goes to another folder; CwdChanged is fired by whoever listens. */
  readonly moveTo: (folder: string) => void;
}

/** What a tool gave. */
export interface ToolOutput {
  /** `tool_response` of the payload, as hooks get it. */
  readonly response: unknown;
  /** The same for the model. */
  readonly text: string;
  /** Goes to the model after the results of the turn, as a text of its own: the instructions of a skill. */
  readonly after?: string | undefined;
  /** The agent's turn ends here; why. */
  readonly ends?: string | undefined;
}

/** The tool ran and could not do it. The message is `error` of PostToolUseFailure, and for the model unless `text` says more. */
export class ToolFailure extends Error {
  override readonly name = "ToolFailure";
  readonly text: string;
  /** The agent's turn ends here; why. */
  readonly ends: string | undefined;

  constructor(message: string, text: string = message, ends?: string) {
    super(message);
    this.text = text;
    this.ends = ends;
  }
}

/** One tool of the agent. */
export interface AgentTool<Input extends object = Readonly<Record<string, unknown>>> {
  readonly name: string;
  /** For the model. */
  readonly description: string;
  /** JSON Schema of the input; absent: the catalogue's fields of the tool's name. */
  readonly inputSchema?: Readonly<Record<string, unknown>> | undefined;
  /** More fields of its payloads, such as `mcp_server`. */
  readonly payload?: Readonly<Record<string, unknown>> | undefined;
  /** The input as hooks see it: with absolute paths. Called before any hook, on every input, also on a rewritten one. */
  resolve?(input: Input, context: ToolContext): Input;
  /** Throws a `ToolFailure` if it could not do it. Every other throw counts as one, too. */
  run(input: Input, context: ToolContext): Promise<ToolOutput>;
  /** What the model sees when a hook put another response in the place of the tool's; JSON if left out. */
  textOf?(response: unknown): string;
  /** Whether such a response means that the call failed. */
  isFailure?(response: unknown): boolean;
}

/** A tool that the catalogue knows: its input is what the catalogue says. */
export type CatalogueTool<Name extends ToolName> = AgentTool<ToolInputs[Name]> & { readonly name: Name };
