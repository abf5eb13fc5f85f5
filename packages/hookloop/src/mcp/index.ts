export { type McpConnections, type McpTool, openMcpServers } from "./open-mcp-servers.ts";
export type { AnswerQuestion, McpAnswer, McpPrompt, McpQuestion } from "./prompts.ts";
export { type McpConfig, readMcpConfig, serverFiles } from "./stdio-transport.ts";
