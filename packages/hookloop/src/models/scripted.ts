/** A model that replays answers, for tests and rehearsals: a list of turns, each a list of content blocks, as in the conformance cases. */
import { readFileSync } from "node:fs";
import { type Model, ModelError, type ModelReply, type ModelRequest, type TextBlock, type ToolUseBlock } from "../engine/execute/index.ts";

export interface Script {
  /** One answer per request that offers tools. */
  readonly turns: readonly (readonly (TextBlock | ToolUseBlock)[])[];
  /** The answer to a request without tools. */
  readonly sideReply?: string | undefined;
}

const OUT_OF_TURNS: readonly TextBlock[] = [{ type: "text", text: "done" }];

/** Answers in order; when the script is over, it says "done". */
export function createScriptedModel({ turns, sideReply = "ok" }: Script): Model {
  let next = 0;
  let answers = 0;
  return {
    defaultModel: "scripted",
    async ask(request: ModelRequest): Promise<ModelReply> {
      request.signal?.throwIfAborted();
      const isMain = (request.tools?.length ?? 0) > 0;
      const content = isMain ? (turns[next++] ?? OUT_OF_TURNS) : [{ type: "text" as const, text: sideReply }];
      for (const block of content) if (block.type === "text") request.onText?.(block.text);
      const usesTools = content.some(({ type }) => type === "tool_use");
      return {
        id: `msg_${++answers}`,
        model: request.model ?? "scripted",
        content,
        stopReason: usesTools ? "tool_use" : "end_turn",
        usage: { inputTokens: 0, outputTokens: 0 },
      };
    },
  };
}

/** Reads `{"turns": [[…], …], "sideReply": "…"}`, or just the turns. */
export function readScript(file: string): Script {
  let value: unknown;
  try {
    value = JSON.parse(readFileSync(file, "utf8"));
  } catch (cause) {
    throw new ModelError("invalid_request", `The script ${file} cannot be read: ${(cause as Error).message}`, { cause });
  }
  const script = (Array.isArray(value) ? { turns: value } : value) as Script;
  if (!Array.isArray(script?.turns) || !script.turns.every(Array.isArray)) {
    throw new ModelError("invalid_request", `The script ${file} has no turns. Write {"turns": [[{"type": "text", "text": "…"}]]}.`);
  }
  return script;
}
