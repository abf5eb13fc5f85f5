import { visibleLine } from "../../diagnostic.ts";

/** What the engine and the agent ask a model through. `models/` implements it; the words are those of the Messages API, without its vendor. */

export interface TextBlock {
  readonly type: "text";
  readonly text: string;
}

export interface ToolUseBlock {
  readonly type: "tool_use";
  readonly id: string;
  readonly name: string;
  readonly input: Readonly<Record<string, unknown>>;
  /** The model's arguments were not valid JSON; this is what it wrote. Never sent back to a model. */
  readonly brokenInput?: string | undefined;
}

export interface ToolResultBlock {
  readonly type: "tool_result";
  readonly tool_use_id: string;
  readonly content: string | readonly TextBlock[];
  readonly is_error?: boolean | undefined;
}

export type ContentBlock = TextBlock | ToolUseBlock | ToolResultBlock;

export interface ModelMessage {
  readonly role: "user" | "assistant";
  readonly content: string | readonly ContentBlock[];
}

/** A tool the model may use; `input_schema` is JSON Schema. */
export interface ModelTool {
  readonly name: string;
  readonly description: string;
  readonly input_schema: Readonly<Record<string, unknown>>;
}

export interface ModelRequest {
  /** The model to ask; its own default if left out. */
  readonly model?: string | undefined;
  readonly system?: string | undefined;
  readonly messages: readonly ModelMessage[];
  readonly tools?: readonly ModelTool[] | undefined;
  /** The model must use this tool. */
  readonly toolChoice?: string | undefined;
  readonly maxTokens?: number | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Gets the text piece by piece as it comes; without it the answer is not streamed. */
  readonly onText?: ((piece: string) => void) | undefined;
}

export interface ModelUsage {
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cacheReadTokens?: number | undefined;
  readonly cacheWriteTokens?: number | undefined;
}

export interface ModelReply {
  readonly id: string;
  readonly model: string;
  readonly content: readonly (TextBlock | ToolUseBlock)[];
  /** `end_turn`, `tool_use`, `max_tokens`, `refusal`, … */
  readonly stopReason: string;
  readonly usage: ModelUsage;
}

/** Why a model did not answer; the words of `StopFailure`. */
export type ModelErrorKind =
  | "authentication_failed"
  | "billing_error"
  | "rate_limit"
  | "overloaded"
  | "invalid_request"
  | "model_not_found"
  | "server_error"
  | "max_output_tokens"
  | "unknown";

/** The only thing a model throws, besides the reason of an aborted signal. */
export class ModelError extends Error {
  override readonly name = "ModelError";
  readonly kind: ModelErrorKind;
  readonly status: number | undefined;

  constructor(kind: ModelErrorKind, message: string, { status, cause }: { readonly status?: number; readonly cause?: unknown } = {}) {
    super(message, cause === undefined ? {} : { cause });
    this.kind = kind;
    this.status = status;
  }
}

export interface Model {
  /** Asked when a request names no model. */
  readonly defaultModel: string;
  /** The level of effort that a model of this name is asked with; nothing where it has none. */
  effortOf?(model: string): string | undefined;
  /** Throws a `ModelError`, or the signal's reason. */
  ask(request: ModelRequest): Promise<ModelReply>;
}

/** A question of a hook to the user. */
export interface UserQuestion {
  readonly hook: string;
  /** What the agent is about to do, in one line. */
  readonly summary: string;
  readonly question: string;
  readonly signal?: AbortSignal | undefined;
}

/** Asks; nothing if the user gave no answer. Absent where there is no user to ask. */
export type AskUser = (question: UserQuestion) => Promise<string | undefined>;

const LONGEST_SUMMARY = 120;
const LONGEST_QUESTION = 500;

/** One line about a tool call or prompt, for people. */
export function summaryOf(input: Readonly<Record<string, unknown>>): string {
  const { tool_name: tool, tool_input: call, prompt } = input;
  const fields = typeof call === "object" && call !== null ? (call as Record<string, unknown>) : {};
  const main = fields["command"] ?? fields["file_path"] ?? fields["url"] ?? fields["pattern"] ?? (tool === undefined ? prompt : call);
  const text = typeof main === "string" ? main : JSON.stringify(main ?? "");
  return oneLine(`${typeof tool === "string" ? `${tool}: ` : ""}${text}`, LONGEST_SUMMARY);
}

/** SECURITY: a model wrote it, maybe after something it read: nothing in it may steer a terminal or look like more than one line. */
export function questionText(question: string): string {
  return oneLine(question, LONGEST_QUESTION);
}

function oneLine(text: string, limit: number): string {
  const line = visibleLine(text.slice(0, limit * 4).replace(/\s+/g, " ")).trim();
  return line.length > limit ? `${line.slice(0, limit - 1)}…` : line;
}

/** About four characters make a token; a count by the vendor would be a call of its own. */
const CHARACTERS_PER_TOKEN = 4;

/** How much of the model's window a conversation takes, roughly. */
export function contextTokens(messages: readonly { readonly content: unknown }[]): number {
  const characters = messages.reduce(
    (sum, { content }) => sum + (typeof content === "string" ? content.length : JSON.stringify(content).length),
    0,
  );
  return Math.ceil(characters / CHARACTERS_PER_TOKEN);
}
