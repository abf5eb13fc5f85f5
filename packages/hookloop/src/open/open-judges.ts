import { createAgentRunner, createMcpRunner, createPromptRunner, type Runner } from "../run/index.ts";
import type { Ports } from "./options.ts";

/** The runners of hooks that ask a model or a server which the embedding program has connected. */
export function openJudges({
  model,
  askUser,
  messages,
  judgeTools,
  mcp,
}: Ports = {}): Readonly<Record<"mcp_tool" | "prompt" | "agent", Runner>> {
  return {
    mcp_tool: createMcpRunner(() => mcp?.()),
    prompt: createPromptRunner({ model, askUser, messages }),
    agent: createAgentRunner({ model, tools: judgeTools }),
  };
}
