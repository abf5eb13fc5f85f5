/** What connected MCP servers want from the person: answers to their questions. And what they offer: prompts, as slash commands. */
import type { AgentCore, Feature } from "../types.ts";
import { answerQuestion } from "./answer-question.ts";
import { promptCommands } from "./prompt-commands.ts";

export function openElicitation(core: AgentCore): Feature {
  const { mcp } = core;
  if (!mcp) return {};
  const stop = mcp.answerWith((question, signal) => answerQuestion(core, question, signal));
  return {
    get prompts() {
      return promptCommands(mcp);
    },
    close: stop,
  };
}
