import type Anthropic from "@anthropic-ai/sdk";
import { ModelError, type ModelReply, type TextBlock, type ToolUseBlock } from "../run/index.ts";

type Usage = Partial<Record<"input_tokens" | "output_tokens" | "cache_read_input_tokens" | "cache_creation_input_tokens", number | null>>;

interface OpenBlock {
  readonly start: Anthropic.RawContentBlockStartEvent["content_block"];
  readonly pieces: string[];
}

/** Puts a streamed answer together. A stream that ends in the middle is an error, never half an answer. */
export async function collectReply(
  events: AsyncIterable<Anthropic.RawMessageStreamEvent>,
  onText: (piece: string) => void,
): Promise<ModelReply> {
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

/** An answer that came in one piece. */
export function replyOf(message: Anthropic.Message): ModelReply {
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
