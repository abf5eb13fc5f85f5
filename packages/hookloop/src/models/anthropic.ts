/** The Messages API behind the model port, on the official client. The client is loaded with the first question: it costs 170 ms. */

import type Anthropic from "@anthropic-ai/sdk";
import {
  type Model,
  ModelError,
  type ModelErrorKind,
  type ModelReply,
  type ModelRequest,
  type TextBlock,
  type ToolUseBlock,
} from "../run/index.ts";

interface AnthropicOptions {
  readonly apiKey?: string | undefined;
  readonly authToken?: string | undefined;
  readonly baseUrl?: string | undefined;
  readonly model: string;
  /** How many times a call is tried again after a limit, an overload or a lost connection. */
  readonly retries?: number | undefined;
}

const DEFAULT_MAX_TOKENS = 8192;

/** Models that have a level of effort, and the one they are asked with. The name may have a date behind it. */
const EFFORT: Readonly<Record<string, string>> = {
  "claude-opus-4-5": "high",
  "claude-opus-4-6": "high",
  "claude-opus-5-5": "medium",
  "claude-sonnet-4-6": "high",
  "claude-sonnet-5": "high",
};
const EFFORT_HEADER = { "anthropic-beta": "effort-2025-11-24" };

function effortOf(model: string): string | undefined {
  const name = model.replace(/-\d{8}$/, "");
  return Object.hasOwn(EFFORT, name) ? EFFORT[name] : undefined;
}

/** A server of the user's own needs no key. The client must believe in one all the same, or it looks for others; it is not sent. */
const NO_KEY = "none";
const WITHOUT_KEY: Readonly<Record<string, null>> = { "X-Api-Key": null, Authorization: null };

export function createAnthropicModel({ apiKey, authToken, baseUrl, model, retries = 2 }: AnthropicOptions): Model {
  let client: Promise<Anthropic> | undefined;
  const connect = async (): Promise<Anthropic> => {
    // SECURITY: given no key at all, the client would look for credentials of its own in files and variables.
    const isKeyless = !apiKey && !authToken;
    if (isKeyless && baseUrl === undefined)
      throw new ModelError("authentication_failed", "No key is set. Set ANTHROPIC_API_KEY or ANTHROPIC_AUTH_TOKEN.");
    const { default: Client } = await loadClient();
    return new Client({
      apiKey: apiKey || (isKeyless ? NO_KEY : null),
      authToken: apiKey ? null : (authToken ?? null),
      baseURL: baseUrl ?? "https://api.anthropic.com",
      defaultHeaders: { ...withoutCustomHeaders(process.env["ANTHROPIC_CUSTOM_HEADERS"]), ...(isKeyless && WITHOUT_KEY) },
      maxRetries: retries,
      // It would print to stdout, which is the protocol's.
      logLevel: "off",
    });
  };
  return {
    defaultModel: model,
    effortOf,
    async ask(request) {
      client ??= connect();
      try {
        return await askOnce(await client, { ...request, model: request.model ?? model });
      } catch (thrown) {
        request.signal?.throwIfAborted();
        throw thrown instanceof ModelError ? thrown : asModelError(thrown, [apiKey, authToken]);
      }
    },
  };
}

/** SECURITY: the client adds the user's own headers to every request; they are not for an address that a project's file names. */
function withoutCustomHeaders(lines = ""): Record<string, null> {
  const names = lines.split("\n").flatMap((line) => (line.includes(":") ? (line.split(":", 1)[0]?.trim() ?? []) : []));
  return Object.fromEntries(names.map((name) => [name, null]));
}

async function loadClient(): Promise<typeof import("@anthropic-ai/sdk")> {
  try {
    return await import("@anthropic-ai/sdk");
  } catch (cause) {
    throw new ModelError("invalid_request", "The package @anthropic-ai/sdk is not installed. Install it beside hookloop to ask a model.", {
      cause,
    });
  }
}

async function askOnce(client: Anthropic, request: ModelRequest & { readonly model: string }): Promise<ModelReply> {
  const { signal, onText } = request;
  const body = bodyOf(request);
  const options = { ...(signal && { signal }), ...("output_config" in body && { headers: EFFORT_HEADER }) };
  if (!onText) return replyOf(await client.messages.create(body, options));
  return await collectReply(await client.messages.create({ ...body, stream: true }, options), onText);
}

function bodyOf(request: ModelRequest & { readonly model: string }): Anthropic.MessageCreateParamsNonStreaming {
  const { model, system, messages, tools, toolChoice, maxTokens, signal: _signal, onText: _onText, ...more } = request;
  const effort = effortOf(model);
  const body = {
    model,
    ...(effort !== undefined && { output_config: { effort } }),
    max_tokens: maxTokens ?? DEFAULT_MAX_TOKENS,
    messages: messages.map(({ role, content }) => ({ role, content: typeof content === "string" ? content : content.map(withoutBroken) })),
    ...(system && { system }),
    ...(tools && tools.length > 0 && { tools }),
    ...(toolChoice !== undefined && { tool_choice: { type: "tool" as const, name: toolChoice } }),
    // What hooks set through `updatedParams`: temperature, stop sequences, …
    ...more,
  };
  return body as Anthropic.MessageCreateParamsNonStreaming;
}

function withoutBroken<Block extends object>(block: Block): Block {
  const { brokenInput: _broken, ...sent } = block as Block & { brokenInput?: string };
  return sent as Block;
}

/** What an answer's status means; the words are those of StopFailure. */
const KINDS: Readonly<Record<number, ModelErrorKind>> = {
  400: "invalid_request",
  401: "authentication_failed",
  402: "billing_error",
  403: "authentication_failed",
  404: "model_not_found",
  413: "invalid_request",
  422: "invalid_request",
  429: "rate_limit",
  529: "overloaded",
};

const NO_CONNECTION = "Check the network, and ANTHROPIC_BASE_URL if it is set.";

const CURES: Readonly<Partial<Record<ModelErrorKind, string>>> = {
  authentication_failed: "Check ANTHROPIC_API_KEY or ANTHROPIC_AUTH_TOKEN.",
  billing_error: "Check the account's plan and credit.",
  rate_limit: "Wait a moment, or ask less at once.",
  overloaded: "Try again in a moment.",
  model_not_found: "Check the model's name (--model, MODEL_ID).",
};

/**
 * Whatever the client threw, as a model error that says what to do.
 * SECURITY: a server may repeat the key it was sent, and the client's own error holds the request: neither is passed on.
 */
function asModelError(thrown: unknown, secrets: readonly (string | undefined)[] = []): ModelError {
  const status = statusOf(thrown);
  const kind = kindOf(status, thrown);
  const cure = status === undefined && kind === "server_error" ? NO_CONNECTION : CURES[kind];
  const words = secrets.reduce<string>((text, secret) => (secret ? text.replaceAll(secret, "[key]") : text), wordsOf(thrown));
  return new ModelError(kind, `${words}${cure ? ` ${cure}` : ""}`, status === undefined ? {} : { status });
}

function statusOf(thrown: unknown): number | undefined {
  const status = (thrown as { readonly status?: unknown } | undefined)?.status;
  return typeof status === "number" ? status : undefined;
}

function kindOf(status: number | undefined, thrown: unknown): ModelErrorKind {
  // An error inside a stream that began well has no status of its own, but a type.
  const type = (thrown as { readonly type?: unknown } | undefined)?.type;
  if (type === "overloaded_error") return "overloaded";
  if (type === "rate_limit_error") return "rate_limit";
  if (type === "billing_error") return "billing_error";
  if (status === undefined) return "server_error";
  return KINDS[status] ?? (status >= 500 ? "server_error" : "unknown");
}

/** A server's page of HTML is no help. */
const LONGEST_WORDS = 2000;

function wordsOf(thrown: unknown): string {
  const { apiMessage, message, cause } = thrown as { readonly apiMessage?: unknown; readonly message?: unknown; readonly cause?: unknown };
  const whole = typeof apiMessage === "string" ? apiMessage : typeof message === "string" ? message : String(thrown);
  const words = whole.length > LONGEST_WORDS ? `${whole.slice(0, LONGEST_WORDS)}…` : whole;
  const because = cause instanceof Error && !words.includes(cause.message) ? ` (${cause.message})` : "";
  return `${words.replace(/[\s.]*$/, "")}${because}.`;
}

type Usage = Partial<Record<"input_tokens" | "output_tokens" | "cache_read_input_tokens" | "cache_creation_input_tokens", number | null>>;

interface OpenBlock {
  readonly start: Anthropic.RawContentBlockStartEvent["content_block"];
  readonly pieces: string[];
}

/** Puts a streamed answer together. A stream that ends in the middle is an error, never half an answer. */
async function collectReply(events: AsyncIterable<Anthropic.RawMessageStreamEvent>, onText: (piece: string) => void): Promise<ModelReply> {
  const open = new Map<number, OpenBlock>();
  const content: (TextBlock | ToolUseBlock)[] = [];
  let message: Anthropic.Message | undefined;
  let stopReason: string | null = null;
  let usage: Usage = {};
  let isWhole = false;
  for await (const event of events) {
    if (event.type === "message_start") message = event.message;
    else if (event.type === "content_block_start") open.set(event.index, { start: event.content_block, pieces: [] });
    else if (event.type === "content_block_delta") addPiece(open.get(event.index), event.delta, onText);
    else if (event.type === "content_block_stop") content.push(...closed(open.get(event.index)));
    else if (event.type === "message_delta") {
      stopReason = event.delta.stop_reason;
      usage = { ...usage, ...event.usage };
    } else if (event.type === "message_stop") isWhole = true;
  }
  if (!message || !isWhole) throw new ModelError("server_error", "The answer broke off before it was complete. Try again.");
  return {
    id: message.id,
    model: message.model,
    content,
    stopReason: stopReason ?? "end_turn",
    usage: tokens({ ...message.usage, ...usage }),
  };
}

function replyOf(message: Anthropic.Message): ModelReply {
  if (!Array.isArray(message?.content)) throw new ModelError("server_error", "The answer is no message. Check ANTHROPIC_BASE_URL.");
  const { id, model, content, stop_reason, usage } = message;
  const blocks = content.flatMap((block): readonly (TextBlock | ToolUseBlock)[] => {
    if (block.type === "text") return [{ type: "text", text: block.text }];
    return block.type === "tool_use" ? [toolUse(block.id, block.name, block.input)] : [];
  });
  return { id, model, content: blocks, stopReason: stop_reason ?? "end_turn", usage: tokens(usage) };
}

function addPiece(
  block: OpenBlock | undefined,
  delta: Anthropic.RawContentBlockDeltaEvent["delta"],
  onText: (piece: string) => void,
): void {
  if (delta.type === "text_delta") {
    block?.pieces.push(delta.text);
    onText(delta.text);
  } else if (delta.type === "input_json_delta") block?.pieces.push(delta.partial_json);
}

/** Blocks of other types (thinking, citations) are not part of the conversation that hooks and tools see. */
function closed(block: OpenBlock | undefined): readonly (TextBlock | ToolUseBlock)[] {
  if (block?.start.type === "text") return [{ type: "text", text: `${block.start.text}${block.pieces.join("")}` }];
  if (block?.start.type !== "tool_use") return [];
  const { id, name, input } = block.start;
  const written = block.pieces.join("");
  if (written === "") return [toolUse(id, name, input)];
  try {
    return [toolUse(id, name, JSON.parse(written))];
  } catch {
    // The model's mistake: it is told so in the tool's result.
    return [{ type: "tool_use", id, name, input: {}, brokenInput: written }];
  }
}

function toolUse(id: string, name: string, input: unknown): ToolUseBlock {
  const isObject = typeof input === "object" && input !== null && !Array.isArray(input);
  if (!isObject) return { type: "tool_use", id, name, input: {}, brokenInput: JSON.stringify(input) ?? "nothing" };
  return { type: "tool_use", id, name, input: input as Record<string, unknown> };
}

function tokens(usage: Usage = {}): ModelReply["usage"] {
  const { cache_read_input_tokens: read, cache_creation_input_tokens: written } = usage;
  return {
    inputTokens: usage.input_tokens ?? 0,
    outputTokens: usage.output_tokens ?? 0,
    ...(read && { cacheReadTokens: read }),
    ...(written && { cacheWriteTokens: written }),
  };
}
