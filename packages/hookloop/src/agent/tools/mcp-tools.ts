import type { McpConnections, McpTool } from "../../mcp/index.ts";
import { shownOutput } from "./shown-output.ts";
import { type AgentTool, ToolFailure } from "./types.ts";

/** The tools of connected servers, as `mcp__<server>__<tool>`. */
export function mcpTools(servers: McpConnections): readonly AgentTool[] {
  return servers.tools.map((tool) => mcpTool(servers, tool));
}

function mcpTool(servers: McpConnections, { server, name, description, inputSchema }: McpTool): AgentTool {
  return {
    name: `mcp__${plain(server)}__${plain(name)}`,
    description,
    inputSchema,
    payload: { mcp_server: { name: server, source: "flag" } },
    async run(input, { signal }) {
      const { content, text, isError } = await servers.call(server, name, input, signal);
      if (isError) throw new ToolFailure(text || "The tool answered with an error.");
      return { response: content, text: shownOutput(text) || "(no output)" };
    },
  };
}

function plain(name: string): string {
  return name.replace(/[^\w-]/g, "_");
}
