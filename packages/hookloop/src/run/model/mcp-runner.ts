/** Takes an mcp_tool hook and an event; calls the tool of a connected server. What it says is read like a command's stdout. */

import { EVENTS, inputFieldsOf } from "../../catalogue/index.ts";
import { canonicalJson } from "../../config/index.ts";
import { withinLimit } from "../limits.ts";
import { parseDocument } from "../strict-json.ts";
import { createRunner, failure, type RawOutcome, type Runner, thrownText } from "../types.ts";

/** What is kept of a command's stdout, too. */
const LONGEST_ANSWER = 1_048_576;

interface ToolFields {
  readonly server: string;
  readonly tool: string;
  readonly input?: Readonly<Record<string, unknown>>;
}

/** `servers`: looked up at each run; the agent may connect them later than it opens its hooks. */
export function createMcpRunner(servers: () => McpServers | undefined): Runner {
  return createRunner("mcp_tool", async ({ hook, target, input, limitMs }) => {
    const { server, tool, input: template = {} } = target.fields as unknown as ToolFields;
    const known = servers();
    if (!known?.connected.includes(server)) return { failure: failure("not-connected", notConnected(server, known)) };
    const isGuard = hook.isGuard || hook.onFailure === "block";
    const empty = isGuard ? emptyTemplate(template, input.input, Object.keys(inputFieldsOf(EVENTS[hook.event]))) : undefined;
    if (empty !== undefined) return { failure: failure("tool-error", emptyText(empty)) };
    const filled = interpolate(template, input.input) as Readonly<Record<string, unknown>>;
    const ended = await withinLimit({
      limitMs,
      signal: input.signal,
      run: ({ signal }) => known.call(server, tool, filled, signal),
      onThrow: (thrown) => failure("unreachable", `the MCP server "${server}" did not answer: ${thrownText(thrown)}`),
    });
    if ("failure" in ended) return { failure: ended.failure };
    return answerOf(ended.value, `${server}/${tool}`, isGuard);
  });
}

function answerOf({ text: shown, said = [shown], isError }: McpResult, tool: string, isGuard: boolean): Partial<RawOutcome> {
  if (isError) return { stderr: shown, failure: failure("tool-error", `${tool} answered with an error: ${shown.slice(0, 500)}`) };
  const text = oneAnswer(said);
  if (text.length > LONGEST_ANSWER) return { failure: failure("flood", `the answer of ${tool} is longer than 1 MiB`) };
  // SECURITY: neither a picture nor an empty result is a guard's consent.
  if (isGuard && text.trim() === "") return { failure: failure("tool-error", `${tool} answered without text`) };
  return { stdout: text, exitCode: 0 };
}

/**
 * The answer of a result that may give it in several places: as text, as a structure, in a resource. What is there twice counts once, and
 * what says nothing counts for nothing beside something. SECURITY: of several that differ none is left out, so one of them cannot hide a
 * denial in another; two documents are no answer.
 */
function oneAnswer(said: readonly string[]): string {
  const telling = new Map(said.filter((text) => !/^\s*(?:\{\s*\}\s*)?$/.test(text)).map((text) => [meaningOf(text), text]));
  return telling.size === 0 ? (said.find((text) => text.trim() !== "") ?? "") : [...telling.values()].join("\n");
}

function meaningOf(text: string): string {
  const document = text.length > LONGEST_ANSWER ? undefined : parseDocument(text);
  return document?.isValid && text.slice(document.end).trim() === "" ? canonicalJson(document.value) : text;
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

/**
 * SECURITY: a tool that is given nothing of the event judges nothing, and its consent is none. Gives a template of a field that the event does
 * not have, or any if all are empty; a field that a call may leave out is fine beside one that is there.
 */
export function emptyTemplate(
  template: unknown,
  payload: Readonly<Record<string, unknown>>,
  fields: readonly string[],
): string | undefined {
  const paths = [...(JSON.stringify(template) ?? "").matchAll(PLACEHOLDER)].map(([, path = ""]) => path);
  const isField = (name = ""): boolean => fields.includes(name) || Object.hasOwn(payload, name);
  const strange = paths.find((path) => !isField(path.split(".")[0]));
  const isFilled = paths.some((path) => textOf(lookUp(payload, path.split("."))) !== "");
  return strange ?? (isFilled ? undefined : paths[0]);
}

function emptyText(path: string): string {
  return `its input has "\${${path}}", which the event does not have, so the tool was not asked`;
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

export interface McpResult {
  readonly text: string;
  readonly isError: boolean;
  readonly content: readonly unknown[];
  /** Every text of the result, wherever it stands; `text` alone if left out. */
  readonly said?: readonly string[] | undefined;
}

/** Connected MCP servers; `mcp/` implements it, and an agent shares its own with the hooks. */
export interface McpServers {
  readonly connected: readonly string[];
  /** Why a server cannot be asked; nothing if it can, or if its name is unknown. */
  problemOf(server: string): string | undefined;
  /** Throws what the connection says. */
  call(server: string, tool: string, input: Readonly<Record<string, unknown>>, signal?: AbortSignal): Promise<McpResult>;
}
