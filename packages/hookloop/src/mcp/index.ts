export type { AnswerQuestion, McpAnswer, McpQuestion } from "./elicitation.ts";
export { type McpConnections, type McpTool, openMcpServers } from "./open-mcp-servers.ts";
export type { McpPrompt } from "./prompts.ts";
export { readMcpConfig } from "./server-config.ts";
