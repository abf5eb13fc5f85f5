import { writeFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";
import { type McpConnections, openMcpServers } from "../../../packages/hookloop/src/mcp/open-mcp-servers.ts";
import { temporaryFolder } from "../execute/processes.ts";

/** Speaks just enough of the protocol; what its tools do is below. `pid` tells who it is. */
const BY_HAND = `
const say = (value) => process.stdout.write(JSON.stringify(value) + "\\n");
const text = (id, text, more) => say({ jsonrpc: "2.0", id, result: { content: [{ type: "text", text }], ...more } });
const tools = {
  guard: (id, { command }) => text(id, /rm -rf/.test(command) ? JSON.stringify({ hookSpecificOutput: { hookEventName: "PreToolUse", permissionDecision: "deny", permissionDecisionReason: "no rm" } }) : "{}"),
  answer: (id) => text(id, "answer"),
  echo: (id, input) => text(id, JSON.stringify(input)),
  measure: (id, { text: given }) => text(id, String(given.length)),
  long: (id) => text(id, "x".repeat(900000)),
  toolong: (id) => text(id, "x".repeat(2000000)),
  hang: () => {},
  die: () => process.exit(1),
  fail: (id) => text(id, "it broke", { isError: true }),
  flood: () => { const more = () => { while (process.stdout.write("x".repeat(65536))); process.stdout.once("drain", more); }; more(); },
  pid: (id) => text(id, String(process.pid)),
  env: (id) => text(id, JSON.stringify(process.env)),
};
if (process.argv[2] === "stubborn") { process.on("SIGTERM", () => {}); setInterval(() => {}, 1000); }
let rest = "";
process.stdin.on("data", (chunk) => {
  rest += chunk;
  for (let end; (end = rest.indexOf("\\n")) >= 0; rest = rest.slice(end + 1)) {
    const { id, method, params } = JSON.parse(rest.slice(0, end));
    if (method === "initialize") say({ jsonrpc: "2.0", id, result: { protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: "s", version: "1" } } });
    else if (method === "tools/list") say({ jsonrpc: "2.0", id, result: { tools: Object.keys(tools).map((name) => ({ name, inputSchema: { type: "object" } })) } });
    else if (method === "tools/call") (tools[params.name] ?? ((id) => say({ jsonrpc: "2.0", id, error: { code: -32602, message: "no such tool" } })))(id, params.arguments ?? {});
    else if (id !== undefined) say({ jsonrpc: "2.0", id, error: { code: -32601, message: "no such method" } });
  }
});
process.stdin.on("end", () => { if (process.argv[2] !== "stubborn") process.exit(0); });
`;

const installed = (name: string): string => fileURLToPath(new URL(`../../../node_modules/${name}`, import.meta.url));

const OFFICIAL = `
import { McpServer } from ${JSON.stringify(installed("@modelcontextprotocol/server/dist/index.mjs"))};
import { StdioServerTransport } from ${JSON.stringify(installed("@modelcontextprotocol/server/dist/stdio.mjs"))};
import { z } from ${JSON.stringify(installed("zod/index.js"))};
const server = new McpServer({ name: "official", version: "1.0.0" });
server.registerTool("echo", { description: "Echoes.", inputSchema: z.object({ command: z.string() }) }, async ({ command }) => ({
  content: [{ type: "text", text: JSON.stringify({ command }) }],
}));
await server.connect(new StdioServerTransport());
`;

function script(name: string, text: string): string {
  const file = path.join(temporaryFolder(), name);
  writeFileSync(file, text);
  return file;
}

export const handScript = (): string => script("server.mjs", BY_HAND);

export interface Connected {
  readonly servers: McpConnections;
  readonly problems: string[];
}

/** Connects real servers: `hand` and what else is named. */
export async function connect(
  more: Parameters<typeof openMcpServers>[0]["servers"] = {},
  args: readonly string[] = [],
): Promise<Connected> {
  const problems: string[] = [];
  const servers = await openMcpServers({
    servers: { hand: stdio(handScript(), args), ...more },
    cwd: temporaryFolder(),
    connectMs: 3000,
    onProblem: (text) => problems.push(text),
  });
  onTestFinished(() => servers.close());
  return { servers, problems };
}

export function stdio(
  file: string,
  args: readonly string[] = [],
): { type: "stdio"; command: string; args: readonly string[]; env: Record<string, string> } {
  return { type: "stdio", command: process.execPath, args: [file, ...args], env: {} };
}

export const official = (): ReturnType<typeof stdio> => stdio(script("official.mjs", OFFICIAL));
export const mute = (): ReturnType<typeof stdio> => stdio(script("mute.mjs", "setInterval(() => {}, 1000);"));
