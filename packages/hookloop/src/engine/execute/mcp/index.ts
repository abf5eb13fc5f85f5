export type { McpResult, McpServers } from "./mcp-port.ts";
export { createMcpRunner } from "./mcp-runner.ts";
