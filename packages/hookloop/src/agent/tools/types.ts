import { randomUUID } from "node:crypto";
import { rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import type { ToolInputs, ToolName } from "@hookloop/sdk";
import type { RealTarget } from "../../permissions/index.ts";
import { makePrivateFolder } from "../../state-files.ts";
import { processRedactor } from "../../trace/index.ts";

export interface ToolContext {
  /** Where relative paths belong and shell commands run. */
  readonly cwd: string;
  /** The project: it does not change when the agent moves to another folder. */
  readonly root: string;
  readonly home: string;
  /** The workspace: the project and the folders added to it. */
  readonly directories: readonly string[];
  readonly env: () => Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
  readonly toolUseId: string;
  /** Absent on the main thread. */
  readonly agentId?: string | undefined;
  readonly agentType?: string | undefined;
  /** Where a path led when the call was allowed. A tool that writes must still find it there. */
  readonly targetOf: (path: string) => Pick<RealTarget, "path" | "problem">;
  /** Whether rules allow to read the file without a question; a search does not show what it finds in others. */
  readonly mayRead: (file: string) => boolean;
  /** Moves the agent to another folder; fires CwdChanged. */
  readonly moveTo: (folder: string) => void;
}

export interface ToolOutput {
  /** `tool_response` of the payload, as hooks get it. */
  readonly response: unknown;
  /** The same for the model. */
  readonly text: string;
  /** Goes to the model after the results of the turn, as a text of its own: the instructions of a skill. */
  readonly after?: string | undefined;
  readonly ends?: string | undefined;
}

/** The tool ran and could not do it. The message is `error` of PostToolUseFailure, and for the model unless `text` says more. */
export class ToolFailure extends Error {
  override readonly name = "ToolFailure";
  readonly text: string;
  readonly ends: string | undefined;

  constructor(message: string, text: string = message, ends?: string) {
    super(message);
    this.text = text;
    this.ends = ends;
  }
}

export interface AgentTool<Input extends object = Readonly<Record<string, unknown>>> {
  readonly name: string;
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
  isFailure?(response: unknown): boolean;
}

/** A tool that the catalogue knows: its input is what the catalogue says. */
export type CatalogueTool<Name extends ToolName> = AgentTool<ToolInputs[Name]> & { readonly name: Name };

/** Each tool has its own type of input; the toolbox has checked the input before the tool gets it. */
export function toolList(...tools: readonly { readonly name: string }[]): readonly AgentTool[] {
  return tools as readonly unknown[] as readonly AgentTool[];
}

export function agentFields({ agentId, agentType }: Pick<ToolContext, "agentId" | "agentType">): Readonly<Record<string, string>> {
  return { ...(agentId !== undefined && { agent_id: agentId }), ...(agentType !== undefined && { agent_type: agentType }) };
}

/** The path a tool means: absolute, with `~` for the home folder, without `..`. */
export function toolPath(given: string, { cwd, home }: Pick<ToolContext, "cwd" | "home">): string {
  const expanded = given === "~" || given.startsWith("~/") ? path.join(home, given.slice(1)) : given;
  return path.resolve(cwd, expanded);
}

/** The same input with the path in one of its fields made absolute; a missing field stays missing. */
export function withPath<Field extends string>(
  field: Field,
): <Input extends { readonly [Name in Field]?: string }>(input: Input, context: ToolContext) => Input {
  return (input, context) => {
    const given = input[field];
    return typeof given === "string" ? { ...input, [field]: toolPath(given, context) } : input;
  };
}

/** More than this of one result would crowd out the conversation. */
const SHOWN_CHARACTERS = 30_000;

let make = resultFolder;
let folder: string | undefined;

/** Where results are saved from now on: a folder that goes with the session, even if this program is killed. The function it gives ends that. */
export function keepResultsIn(makeFolder: () => string): () => void {
  make = makeFolder;
  folder = undefined;
  return () => {
    if (make !== makeFolder) return;
    make = resultFolder;
    folder = undefined;
  };
}

/** A result as the model sees it: what is too long is saved whole, and its beginning and end are shown. */
export function shownOutput(text: string): string {
  if (text.length <= SHOWN_CHARACTERS) return text;
  const half = SHOWN_CHARACTERS / 2;
  const left = text.length - SHOWN_CHARACTERS;
  return `${text.slice(0, half)}\n… [${left} characters left out${saved(text)}] …\n${text.slice(-half)}`;
}

/** Private to this user, and removed with this process. */
function resultFolder(): string {
  const own = path.join(tmpdir(), `hookloop-results-${randomUUID()}`);
  process.once("exit", () => rmSync(own, { recursive: true, force: true }));
  return own;
}

function saved(text: string): string {
  try {
    folder ??= make();
    makePrivateFolder(folder);
    const file = path.join(folder, `${randomUUID()}.txt`);
    // SECURITY: on disk it may outlive the session, whatever happens to this process: without secrets.
    writeFileSync(file, processRedactor().text(text), { mode: 0o600, flag: "wx" });
    return `; the whole text is in ${file} until the session ends`;
  } catch (error) {
    return `; the whole text could not be saved: ${(error as Error).message}`;
  }
}
