/**
 * A model without a network: a small grammar of plain sentences, so that hooks can be tried without a key.
 * It has no memory: every answer follows from the conversation alone. It says what it is, and what it did not understand.
 */
import type { Model, ModelReply, ModelRequest, TextBlock, ToolUseBlock } from "../../engine/execute/index.ts";

export const OFFLINE_MODEL = "offline";

export function createOfflineModel(): Model {
  return {
    defaultModel: OFFLINE_MODEL,
    async ask(request) {
      request.signal?.throwIfAborted();
      // Loaded here: a session with another model starts without it.
      const { answer } = await import("./answer.ts");
      const content = answer(request);
      for (const block of content) if (block.type === "text") request.onText?.(block.text);
      return replyOf(request, content);
    },
  };
}

function replyOf(request: ModelRequest, content: readonly (TextBlock | ToolUseBlock)[]): ModelReply {
  const usesTools = content.some(({ type }) => type === "tool_use");
  return {
    id: `offline_${request.messages.length}`,
    model: OFFLINE_MODEL,
    content,
    stopReason: usesTools ? "tool_use" : "end_turn",
    usage: { inputTokens: 0, outputTokens: 0 },
  };
}
