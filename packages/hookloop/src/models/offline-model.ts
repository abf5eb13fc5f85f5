/**
 * A model without a network: a small grammar of plain sentences, so that hooks can be tried without a key.
 * It has no memory: every answer follows from the conversation alone. It says what it is, and what it did not understand.
 */

import type { Model, ModelReply, ModelRequest, TextBlock, ToolUseBlock } from "../run/index.ts";

const OFFLINE_MODEL = "offline";
/** The same grammar in fewer words: there is another model to switch to without a key. */
const BRIEF_MODEL = "offline-brief";

export function isOfflineModel(name: string): boolean {
  return name === OFFLINE_MODEL || name === BRIEF_MODEL;
}

export function createOfflineModel(name: string = OFFLINE_MODEL): Model {
  return {
    defaultModel: name,
    async ask(request) {
      request.signal?.throwIfAborted();
      // Loaded here: a session with another model starts without it.
      const { answer } = await import("./offline/answer.ts");
      const content = answer(request, { isBrief: name === BRIEF_MODEL });
      for (const block of content) if (block.type === "text") request.onText?.(block.text);
      return { ...replyOf(request, content), model: name };
    },
  };
}

function replyOf(request: ModelRequest, content: readonly (TextBlock | ToolUseBlock)[]): Omit<ModelReply, "model"> {
  const usesTools = content.some(({ type }) => type === "tool_use");
  return {
    id: `offline_${request.messages.length}`,
    content,
    stopReason: usesTools ? "tool_use" : "end_turn",
    usage: { inputTokens: 0, outputTokens: 0 },
  };
}
