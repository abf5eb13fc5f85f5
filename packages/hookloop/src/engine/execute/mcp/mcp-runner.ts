/** Takes an mcp_tool hook and an event; calls the tool of a connected server. What it says is read like a command's stdout. */
import { failure, NO_OUTPUT, notRun, thrownText } from "../failures.ts";
import type { RawOutcome, RunFailure, Runner } from "../types.ts";
import { limitOf, withinLimit } from "../within-limit.ts";
import { interpolate } from "./interpolate.ts";
import type { McpResult, McpServers } from "./mcp-port.ts";

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
    if (input.signal?.aborted) return notRun(hook, failure("aborted", "it was cancelled before it started"));
    const { server, tool, input: template = {} } = target.fields as unknown as ToolFields;
    const known = servers();
    if (!known?.connected.includes(server)) return notRun(hook, failure("not-connected", notConnected(server, known)));
    const startedAt = performance.now();
    const filled = interpolate(template, input.input) as Readonly<Record<string, unknown>>;
    const ended = await withinLimit({
      limitMs: limitOf(hook, input),
      signal: input.signal,
      run: (signal) => known.call(server, tool, filled, signal),
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
