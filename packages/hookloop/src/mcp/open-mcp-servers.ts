/** Connections to MCP servers, on the official client. One manager per session; the agent's tools and its hooks share it. */
import type { Client } from "@modelcontextprotocol/client";
import type { McpResult, McpServers } from "../engine/execute/index.ts";
import { VERSION } from "../version.ts";
import { allPages } from "./all-pages.ts";
import { withinLimit } from "./call-limit.ts";
import { type AnswerQuestion, answerQuestions } from "./elicitation.ts";
import { createOpenQuestions, type OpenQuestions } from "./open-questions.ts";
import { listPrompts, type McpPrompt, textOfMessages } from "./prompts.ts";
import type { McpServerConfig } from "./server-config.ts";

export interface McpTool {
  readonly server: string;
  readonly name: string;
  readonly description: string;
  readonly inputSchema: Readonly<Record<string, unknown>>;
}

export interface McpConnections extends McpServers {
  readonly tools: readonly McpTool[];
  readonly prompts: readonly McpPrompt[];
  /** The text of a server's prompt. Throws what the connection says. */
  promptText(prompt: McpPrompt, args: Readonly<Record<string, string>>, signal?: AbortSignal): Promise<string>;
  /** Who answers what servers ask; without anybody, questions are declined. */
  answerWith(answer: AnswerQuestion): () => void;
  close(): Promise<void>;
}

export interface McpOptions {
  readonly servers: Readonly<Record<string, McpServerConfig>>;
  readonly cwd: string;
  readonly onProblem: (text: string) => void;
  /** How long a server may take to say hello. */
  readonly connectMs?: number | undefined;
}

const CONNECT_MS = 15_000;

interface Connection {
  readonly client: Client;
  readonly tools: readonly McpTool[];
  readonly prompts: readonly McpPrompt[];
  readonly questions: OpenQuestions;
}

interface ConnectOptions extends Pick<McpOptions, "cwd" | "onProblem"> {
  readonly timeout: number;
  readonly answer: AnswerQuestion;
}

/** Connects all of them at once. One that cannot be reached is reported; the others work. */
export async function openMcpServers({ servers, cwd, onProblem, connectMs = CONNECT_MS }: McpOptions): Promise<McpConnections> {
  const connections = new Map<string, Connection>();
  const problems = new Map<string, string>();
  let answerer: AnswerQuestion | undefined;
  const answer: AnswerQuestion = async (question, signal) => (await answerer?.(question, signal)) ?? { action: "decline" };
  await Promise.all(
    Object.entries(servers).map(async ([name, config]) => {
      try {
        const connection = await connect(name, config, { cwd, onProblem, timeout: connectMs, answer });
        connections.set(name, connection);
        connection.client.onclose = () => {
          connections.delete(name);
          problems.set(name, "the connection was closed");
        };
      } catch (error) {
        const text = error instanceof Error ? error.message : String(error);
        problems.set(name, text);
        onProblem(`The MCP server "${name}" could not be connected: ${text}`);
      }
    }),
  );
  const reached = (server: string): Connection => {
    const connection = connections.get(server);
    if (!connection) throw new Error(problems.get(server) ?? `no server "${server}" is connected`);
    return connection;
  };
  return {
    get connected() {
      return [...connections.keys()];
    },
    get tools() {
      return [...connections.values()].flatMap(({ tools }) => tools);
    },
    get prompts() {
      return [...connections.values()].flatMap(({ prompts }) => prompts);
    },
    problemOf: (server) => problems.get(server),
    async call(server, tool, input, signal) {
      const connection = reached(server);
      return resultOf(await ask(connection, signal, (client, limits) => client.callTool({ name: tool, arguments: { ...input } }, limits)));
    },
    async promptText({ server, name }, args, signal) {
      const connection = reached(server);
      const prompt = await ask(connection, signal, (client, limits) => client.getPrompt({ name, arguments: { ...args } }, limits));
      return textOfMessages(prompt.messages);
    },
    answerWith(given) {
      answerer = given;
      return () => {
        if (answerer === given) answerer = undefined;
      };
    },
    async close() {
      await Promise.allSettled([...connections.values()].map(({ client }) => client.close()));
      connections.clear();
    },
  };
}

/** A request that may take its time, because a person may be asked meanwhile. */
async function ask<Result>(
  { client, questions }: Connection,
  signal: AbortSignal | undefined,
  request: (client: Client, limits: { signal: AbortSignal; timeout: number }) => Promise<Result>,
): Promise<Result> {
  return await questions.during(() => withinLimit((limits) => request(client, limits), { isWaiting: questions.areOpen, signal }));
}

async function connect(server: string, config: McpServerConfig, { cwd, onProblem, timeout, answer }: ConnectOptions): Promise<Connection> {
  const { Client } = await loadClient();
  const client = new Client({ name: "hookloop", version: VERSION }, { capabilities: { elicitation: { form: {}, url: {} } } });
  const questions = createOpenQuestions(answer);
  answerQuestions(client, server, questions.answer);
  try {
    await client.connect(await transportOf(config, cwd), { timeout });
    const prompts = await listPrompts(client, server).catch((error: unknown) => {
      onProblem(`The MCP server "${server}" does not list its prompts: ${error instanceof Error ? error.message : String(error)}`);
      return [];
    });
    return { client, tools: await listTools(client, server), prompts, questions };
  } catch (error) {
    await client.close().catch(() => undefined);
    throw error;
  }
}

async function loadClient(): Promise<typeof import("@modelcontextprotocol/client")> {
  try {
    return await import("@modelcontextprotocol/client");
  } catch (cause) {
    throw new Error("the package @modelcontextprotocol/client is not installed; install it beside hookloop", { cause });
  }
}

async function transportOf(config: McpServerConfig, cwd: string): Promise<Parameters<Client["connect"]>[0]> {
  if (config.type === "http") {
    const { StreamableHTTPClientTransport } = await loadClient();
    return new StreamableHTTPClientTransport(new URL(config.url), { requestInit: { headers: { ...config.headers } } });
  }
  const { StdioClientTransport, getDefaultEnvironment } = await import("@modelcontextprotocol/client/stdio");
  const { command, args, env } = config;
  // SECURITY: not our own environment: a server gets what its entry names, and what no program can do without.
  return new StdioClientTransport({
    command,
    args: [...args],
    env: { ...getDefaultEnvironment(), ...env },
    cwd: config.cwd ?? cwd,
    stderr: "ignore",
  });
}

async function listTools(client: Client, server: string): Promise<readonly McpTool[]> {
  if (!client.getServerCapabilities()?.tools) return [];
  const tools = await allPages(async (params) => {
    const { tools: items, nextCursor } = await client.listTools(params);
    return { items, nextCursor };
  });
  return tools.map(({ name, description = "", inputSchema }) => ({ server, name, description, inputSchema }));
}

function resultOf(result: { readonly content?: unknown; readonly isError?: unknown; readonly structuredContent?: unknown }): McpResult {
  const content = Array.isArray(result.content) ? result.content : [];
  const texts = content.flatMap((part: { readonly type?: unknown; readonly text?: unknown }) =>
    typeof part?.text === "string" ? part.text : [],
  );
  const structured = result.structuredContent === undefined ? "" : JSON.stringify(result.structuredContent);
  return { content, text: texts.length > 0 ? texts.join("\n") : structured, isError: result.isError === true };
}
