/** Takes an mcp_tool hook and an event; calls the tool of a connected server. What it says is read like a command's stdout. */

import { withinLimit } from "../limits.ts";
import {
  ABORTED_BEFORE,
  failure,
  limitOf,
  NO_OUTPUT,
  notRun,
  type RawOutcome,
  type RunFailure,
  type Runner,
  thrownText,
} from "../types.ts";

/** What is kept of a command's stdout, too. */
const LONGEST_ANSWER = 1_048_576;

/** The fields of an mcp_tool hook; the configuration reader has looked at them. */
interface ToolFields {
  readonly server: string;
  readonly tool: string;
  readonly input?: Readonly<Record<string, unknown>>;
}

/** `servers`: looked up at each run; the agent may connect them later than it opens its hooks. */
export function createMcpRunner(servers: () => McpServers | undefined): Runner {
  return async ({ hook }, input) => {
    const { target } = hook;
    if (target.kind !== "mcp_tool") return notRun(hook, failure("could-not-start", `it is a ${target.kind} hook, not an mcp_tool hook`));
    if (input.signal?.aborted) return notRun(hook, ABORTED_BEFORE);
    const { server, tool, input: template = {} } = target.fields as unknown as ToolFields;
    const known = servers();
    if (!known?.connected.includes(server)) return notRun(hook, failure("not-connected", notConnected(server, known)));
    const startedAt = performance.now();
    const filled = interpolate(template, input.input) as Readonly<Record<string, unknown>>;
    const ended = await withinLimit({
      limitMs: limitOf(hook, input),
      signal: input.signal,
      run: ({ signal }) => known.call(server, tool, filled, signal),
      onThrow: (thrown) => failure("unreachable", `the MCP server "${server}" did not answer: ${thrownText(thrown)}`),
    });
    const common = { ...NO_OUTPUT, hook, durationMs: performance.now() - startedAt };
    return "failure" in ended
      ? { ...common, failure: ended.failure }
      : { ...common, ...answerOf(ended.value, `${server}/${tool}`, hook.isGuard) };
  };
}

function answerOf(
  { text, isError, content }: McpResult,
  tool: string,
  isGuard: boolean,
): Partial<RawOutcome> & { readonly failure?: RunFailure } {
  if (isError) return { stderr: text, failure: failure("tool-error", `${tool} answered with an error: ${text.slice(0, 500)}`) };
  if (text.length > LONGEST_ANSWER) return { failure: failure("flood", `the answer of ${tool} is longer than 1 MiB`) };
  // SECURITY: a picture is not a guard's consent.
  if (isGuard && text.trim() === "" && content.length > 0) return { failure: failure("tool-error", `${tool} answered without text`) };
  return { stdout: text, exitCode: 0 };
}

function notConnected(server: string, known: McpServers | undefined): string {
  const why = known?.problemOf(server);
  if (why) return `the MCP server "${server}" is not connected: ${why}`;
  const names = known?.connected.join(", ");
  return `no MCP server "${server}" is connected${names ? `; there are: ${names}` : ""}`;
}

const PLACEHOLDER = /\$\{([\w-]+(?:\.[\w-]+)*)\}/g;

/** A hook's `input` with `${a.b}` replaced by that field of the payload, wherever a text stands. What is not there is empty. */
export function interpolate(template: unknown, payload: Readonly<Record<string, unknown>>): unknown {
  if (typeof template === "string") return template.replace(PLACEHOLDER, (_, path: string) => textOf(lookUp(payload, path.split("."))));
  if (Array.isArray(template)) return template.map((item) => interpolate(item, payload));
  if (typeof template !== "object" || template === null) return template;
  return Object.fromEntries(Object.entries(template).map(([name, value]) => [name, interpolate(value, payload)]));
}

// SECURITY: own fields only: a path such as `constructor.name` must not reach into the prototype.
function lookUp(value: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>((inner, name) => {
    const isObject = typeof inner === "object" && inner !== null;
    return isObject && Object.hasOwn(inner, name) ? (inner as Record<string, unknown>)[name] : undefined;
  }, value);
}

function textOf(value: unknown): string {
  if (value === undefined || value === null) return "";
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}

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
  /** Why a server cannot be asked; nothing if it can, or if its name is unknown. */
  problemOf(server: string): string | undefined;
  /** Throws what the connection says. */
  call(server: string, tool: string, input: Readonly<Record<string, unknown>>, signal?: AbortSignal): Promise<McpResult>;
}
