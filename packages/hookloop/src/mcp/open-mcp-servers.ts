/** Connections to MCP servers, on the official client. One manager per session; the agent's tools and its hooks share it. */

import type { Client } from "@modelcontextprotocol/client";
import { toldOf } from "../diagnostic.ts";
import { type McpResult, type McpServers, openPrograms, type Programs, withinLimit } from "../run/index.ts";
import { VERSION } from "../state-files.ts";
import { type AnswerQuestion, allPages, answerQuestions, type ListLimits, listPrompts, type McpPrompt, textOfMessages } from "./prompts.ts";
import type { McpServerConfig } from "./stdio-transport.ts";
import { StdioTransport } from "./stdio-transport.ts";

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
  /** Answers what servers ask; without it, questions are declined. */
  answerWith(answer: AnswerQuestion): () => void;
  close(): Promise<void>;
}

interface McpOptions {
  readonly servers: Readonly<Record<string, McpServerConfig>>;
  readonly cwd: string;
  readonly onProblem: (text: string) => void;
  /** How long a server may take to connect. */
  readonly connectMs?: number | undefined;
  /** Starts servers that are programs; without it they are not noted for the case that this program is killed. */
  readonly programs?: Programs | undefined;
  readonly signal?: AbortSignal | undefined;
}

const CONNECT_MS = 15_000;
/** A server that is a program is ended within this time, whatever it does; one on the network is left then. */
const CLOSE_MS = 4000;

interface Connection {
  readonly client: Client;
  readonly tools: readonly McpTool[];
  readonly prompts: readonly McpPrompt[];
  readonly questions: OpenQuestions;
  readonly problem: () => string | undefined;
}

interface ConnectOptions extends Pick<McpOptions, "cwd" | "onProblem" | "signal"> {
  readonly programs: Programs;
  readonly timeout: number;
  readonly answer: AnswerQuestion;
}

/** Connects all of them at once. One that cannot be reached is reported; the others work. */
export async function openMcpServers({
  servers,
  cwd,
  onProblem,
  connectMs = CONNECT_MS,
  programs = openPrograms(),
  signal,
}: McpOptions): Promise<McpConnections> {
  const connections = new Map<string, Connection>();
  const problems = new Map<string, string>();
  let answerer: AnswerQuestion | undefined;
  const answer: AnswerQuestion = async (question, signal) => (await answerer?.(question, signal)) ?? { action: "decline" };
  await Promise.all(
    Object.entries(servers).map(async ([name, config]) => {
      // One for each: the official client listens to it, and Node prints a warning about more than ten listeners.
      const own = signal && AbortSignal.any([signal]);
      try {
        const connection = await connect(name, config, { cwd, onProblem, timeout: connectMs, answer, programs, signal: own });
        connections.set(name, connection);
        connection.client.onclose = () => {
          connections.delete(name);
          const why = connection.problem();
          problems.set(name, `the connection was closed${why === undefined ? "" : `: ${why}`}`);
        };
      } catch (error) {
        const text = error instanceof Error ? error.message : String(error);
        problems.set(name, text);
        if (!signal?.aborted) onProblem(`The MCP server "${name}" could not be connected: ${text}`);
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
      await Promise.all([...connections.values()].map(({ client }) => closeInTime(client)));
      connections.clear();
    },
  };
}

/** A request that may take its time, because the user may be asked meanwhile. */
async function ask<Result>(
  { client, questions }: Connection,
  signal: AbortSignal | undefined,
  request: (client: Client, limits: { signal: AbortSignal; timeout: number }) => Promise<Result>,
): Promise<Result> {
  return await questions.during(() => boundCall((limits) => request(client, limits), { isPaused: questions.areOpen, signal }));
}

async function connect(server: string, config: McpServerConfig, options: ConnectOptions): Promise<Connection> {
  const { onProblem, timeout, answer, signal } = options;
  const { Client } = await loadClient();
  const client = new Client({ name: "hookloop", version: VERSION }, { capabilities: { elicitation: { form: {}, url: {} } } });
  const questions = createOpenQuestions(answer);
  answerQuestions(client, server, questions.answer);
  const transport = await transportOf(server, config, options);
  const problem = (): string | undefined => (transport instanceof StdioTransport ? transport.problem : undefined);
  const limits = { timeout, ...(signal && { signal }) };
  try {
    signal?.throwIfAborted();
    await client.connect(transport, limits);
    onlyOwnAnswers(transport);
    const prompts = await listPrompts(client, server, limits).catch((error: unknown) => {
      onProblem(`The MCP server "${server}" does not list its prompts: ${error instanceof Error ? error.message : String(error)}`);
      return [];
    });
    return { client, tools: await listTools(client, server, limits), prompts, questions, problem };
  } catch (error) {
    await closeInTime(client);
    // The client may have dropped it already, when it did not answer in time.
    await transport.close().catch(() => undefined);
    const why = problem();
    throw why === undefined ? error : new Error(why, { cause: error });
  }
}

/** SECURITY: our requests have numbers. The client takes the text "3" for 3, and such an answer would come before the one that is meant. */
function onlyOwnAnswers(transport: Parameters<Client["connect"]>[0]): void {
  const deliver = transport.onmessage;
  transport.onmessage = (message, extra) => {
    const isStrange = !("method" in message) && typeof message.id !== "number";
    if (!isStrange) deliver?.(message, extra);
  };
}

async function closeInTime(client: Client): Promise<void> {
  await withinLimit({ limitMs: CLOSE_MS, run: () => client.close() });
}

async function loadClient(): Promise<typeof import("@modelcontextprotocol/client")> {
  try {
    return await import("@modelcontextprotocol/client");
  } catch (cause) {
    throw new Error("the package @modelcontextprotocol/client is not installed; install it beside hookloop", { cause });
  }
}

async function transportOf(
  server: string,
  config: McpServerConfig,
  { cwd, programs }: Pick<ConnectOptions, "cwd" | "programs">,
): Promise<Parameters<Client["connect"]>[0]> {
  const { StreamableHTTPClientTransport, ...codec } = await loadClient();
  if (config.type === "http") {
    return new StreamableHTTPClientTransport(new URL(config.url), { requestInit: { headers: { ...config.headers } } });
  }
  return new StdioTransport({ server, config, cwd, programs, codec });
}

async function listTools(client: Client, server: string, limits: ListLimits): Promise<readonly McpTool[]> {
  if (!client.getServerCapabilities()?.tools) return [];
  const pages = await allPages((params) => client.listTools(params, limits));
  return pages.flatMap(({ tools }) => tools.map(({ name, description = "", inputSchema }) => ({ server, name, description, inputSchema })));
}

/** `toolResult` is how an older form of the protocol answers. */
type ToolAnswer = Readonly<Partial<Record<"content" | "isError" | "structuredContent" | "toolResult", unknown>>>;

function resultOf({ content: given, isError, structuredContent, toolResult }: ToolAnswer): McpResult {
  const content = Array.isArray(given) ? given : [];
  const texts = content.flatMap((part: { readonly text?: unknown } | null) => (typeof part?.text === "string" ? part.text : []));
  const resources = content.flatMap((part: { readonly resource?: { readonly text?: unknown } } | null) =>
    typeof part?.resource?.text === "string" ? part.resource.text : [],
  );
  const [structured = "", ...others] = [structuredContent, toolResult].map((value) =>
    value === undefined || typeof value === "string" ? value : JSON.stringify(value),
  );
  const said = [...texts, ...resources, structured, ...others].flatMap((text) => text ?? []);
  return { content, text: texts.length > 0 ? texts.join("\n") : structured, said, isError: isError === true };
}

const CALL_MS = 60_000;
/** The longest a timer can be: the client's own limit is not used, it knows nothing of questions. */
const NEVER_MS = 2 ** 31 - 1;

/** A call with a limit that does not run out while the server waits for the user, who may take minutes to answer. */
export async function boundCall<Result>(
  call: (options: { signal: AbortSignal; timeout: number }) => Promise<Result>,
  limit: { readonly isPaused: () => boolean; readonly signal?: AbortSignal | undefined; readonly limitMs?: number },
): Promise<Result> {
  const ended = await withinLimit({ limitMs: CALL_MS, ...limit, run: ({ signal }) => call({ signal, timeout: NEVER_MS }) });
  if ("value" in ended) return ended.value;
  limit.signal?.throwIfAborted();
  throw ended.thrown ?? new Error(toldOf("the server", ended.failure.text));
}

interface OpenQuestions {
  readonly areOpen: () => boolean;
  readonly answer: AnswerQuestion;
  /** A call that may lead to questions. Once no call runs any more, their answers are not waited for: they are taken back. */
  during<Result>(call: () => Promise<Result>): Promise<Result>;
}

function createOpenQuestions(answer: AnswerQuestion): OpenQuestions {
  let open = 0;
  let calls = 0;
  const ofCalls = new Set<AbortController>();
  return {
    areOpen: () => open > 0,
    async answer(question, signal) {
      const over = new AbortController();
      if (calls > 0) ofCalls.add(over);
      open++;
      try {
        return await answer(question, AbortSignal.any([signal, over.signal]));
      } finally {
        open--;
        ofCalls.delete(over);
      }
    },
    async during(call) {
      calls++;
      try {
        return await call();
      } finally {
        calls--;
        if (calls === 0) for (const over of ofCalls) over.abort();
      }
    },
  };
}
