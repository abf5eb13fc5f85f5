export { type McpConnections, type McpTool, openMcpServers } from "./open-mcp-servers.ts";
export { type McpServerConfig, readMcpConfig } from "./server-config.ts";
