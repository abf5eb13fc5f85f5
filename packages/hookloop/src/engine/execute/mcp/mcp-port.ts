/** What a tool of an MCP server gave. */
export interface McpResult {
  /** The text parts, joined. */
  readonly text: string;
  readonly isError: boolean;
  /** Every part as the server sent it. */
  readonly content: readonly unknown[];
}

/** Connected MCP servers; `mcp/` implements it, and an agent shares its own with the hooks. */
export interface McpServers {
  /** Names of the servers that can be asked. */
  readonly connected: readonly string[];
  /** Why a server cannot be asked; nothing if it can, or if nobody knows it. */
  problemOf(server: string): string | undefined;
  /** Throws what the connection says. */
  call(server: string, tool: string, input: Readonly<Record<string, unknown>>, signal?: AbortSignal): Promise<McpResult>;
}
