export type { AnswerQuestion, McpAnswer, McpQuestion } from "./elicitation.ts";
export { type McpConnections, type McpTool, openMcpServers } from "./open-mcp-servers.ts";
export type { McpPrompt } from "./prompts.ts";
export { type McpConfig, readMcpConfig, serverFiles } from "./server-config.ts";
