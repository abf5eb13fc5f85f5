/** The Messages API behind the model port, on the official client. The client is loaded with the first question: it costs 170 ms. */
import type Anthropic from "@anthropic-ai/sdk";
import { type Model, ModelError, type ModelReply, type ModelRequest } from "../run/index.ts";
import { asModelError } from "./anthropic-errors.ts";
import { collectReply, replyOf } from "./collect-reply.ts";

export interface AnthropicOptions {
  readonly apiKey?: string | undefined;
  readonly authToken?: string | undefined;
  readonly baseUrl?: string | undefined;
  /** The model when a request names none. */
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

export function createAnthropicModel({ apiKey, authToken, baseUrl, model, retries = 2 }: AnthropicOptions): Model {
  let client: Promise<Anthropic> | undefined;
  const connect = async (): Promise<Anthropic> => {
    // SECURITY: without a key the client would look for credentials of its own in files and variables.
    if (!apiKey && !authToken)
      throw new ModelError("authentication_failed", "No key is set. Set ANTHROPIC_API_KEY or ANTHROPIC_AUTH_TOKEN.");
    const { default: Client } = await loadClient();
    return new Client({
      apiKey: apiKey || null,
      authToken: apiKey ? null : (authToken ?? null),
      baseURL: baseUrl ?? "https://api.anthropic.com",
      defaultHeaders: withoutCustomHeaders(process.env["ANTHROPIC_CUSTOM_HEADERS"]),
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
