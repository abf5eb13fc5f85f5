export { createAgentRunner, type JudgeTools } from "./agent-runner.ts";
export type { AskUser } from "./ask-user-port.ts";
export {
  type ContentBlock,
  type Model,
  ModelError,
  type ModelErrorKind,
  type ModelMessage,
  type ModelReply,
  type ModelRequest,
  type ModelTool,
  type TextBlock,
  type ToolResultBlock,
  type ToolUseBlock,
} from "./model-port.ts";
export { createPromptRunner } from "./prompt-runner.ts";
