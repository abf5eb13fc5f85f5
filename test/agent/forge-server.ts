/** A real MCP server that asks questions (a form, a page) and offers prompts. */
import { fileURLToPath } from "node:url";

const installed = (name: string): string => JSON.stringify(fileURLToPath(new URL(`../../node_modules/${name}`, import.meta.url)));

const SERVER = `
import { McpServer } from ${installed("@modelcontextprotocol/server/dist/index.mjs")};
import { StdioServerTransport } from ${installed("@modelcontextprotocol/server/dist/stdio.mjs")};
import { z } from ${installed("zod/index.js")};
const server = new McpServer({ name: "forge", version: "1.0.0" });
const text = (value) => ({ content: [{ type: "text", text: JSON.stringify(value) }] });
const requestedSchema = { type: "object", properties: { name: { type: "string" }, copies: { type: "integer", minimum: 1 } }, required: ["name"] };
server.registerTool("ask", { description: "Asks.", inputSchema: z.object({}) }, async (_, { mcpReq }) =>
  text(await mcpReq.elicitInput({ mode: "form", message: "Which repository?", requestedSchema })));
server.registerTool("login", { description: "Sends to a page.", inputSchema: z.object({}) }, async (_, { mcpReq }) =>
  text(await mcpReq.elicitInput({ mode: "url", message: "Log in, please.", url: "https://forge.invalid/login", elicitationId: "e1" })));
server.registerPrompt("review", { description: "Reviews.", argsSchema: z.object({ file: z.string(), how: z.string().optional() }) }, ({ file, how }) => ({
  messages: [
    { role: "user", content: { type: "text", text: "Review " + file + " " + (how ?? "as usual") + "." } },
    { role: "assistant", content: { type: "text", text: "I will." } },
  ],
}));
server.registerPrompt("broken", { description: "Fails." }, () => { throw new Error("out of order"); });
await server.connect(new StdioServerTransport());
`;

/** Files of a lab, beside the project. */
export const FORGE_FILES: Readonly<Record<string, unknown>> = {
  "server.mjs": SERVER,
  "mcp.json": { mcpServers: { forge: { command: process.execPath, args: ["../server.mjs"] } } },
};

export const FORGE_FLAGS: readonly string[] = ["--mcp-config", "../mcp.json", "--allowedTools", "mcp__forge__ask,mcp__forge__login"];
