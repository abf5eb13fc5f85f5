/** What connected MCP servers offer: tools, and prompts as slash commands. And what they ask: questions to the user. */

import { visibleLine } from "../../diagnostic.ts";
import type { EventInput } from "../../engine/index.ts";
import type { Verdict } from "../../judge/index.ts";
import type { McpAnswer, McpConfig, McpConnections, McpPrompt, McpQuestion, McpTool } from "../../mcp/index.ts";
import type { ServerTools } from "../../select/index.ts";
import { inputCheck } from "../toolbox.ts";
import { type AgentTool, shownOutput, ToolFailure } from "../tools/types.ts";
import { type AgentCore, type Feature, type PromptCommand, reasonsOf } from "./types.ts";

export function openElicitation(core: AgentCore): Feature {
  const { mcp } = core;
  if (!mcp) return {};
  const stop = mcp.answerWith((question, signal) => answerQuestion(core, question, signal));
  return {
    get prompts() {
      return promptCommands(mcp);
    },
    close: stop,
  };
}

const DECLINED: McpAnswer = { action: "decline" };

/**
 * A question of an MCP server on its way to an answer:
 *   Elicitation (hooks may answer or decline) → the user, if there is one → ElicitationResult (hooks may change it) → the server
 * Without an answer it is declined, and the user is told. ElicitationResult is fired for every answer.
 */
async function answerQuestion(core: AgentCore, question: McpQuestion, signal: AbortSignal): Promise<McpAnswer> {
  const verdict = await core.fire("Elicitation", questionFields(question), signal);
  const answer = hookAnswer(core, question, verdict) ?? (await userAnswer(core, question, signal));
  const { server: mcp_server_name, mode, id } = question;
  const fields = { mcp_server_name, ...answer, mode, ...(id !== undefined && { elicitation_id: id }) };
  return changedAnswer(core, question, answer, await core.fire("ElicitationResult", fields, signal));
}

function questionFields({ server, message, mode, url, id, schema }: McpQuestion): EventInput {
  return {
    mcp_server_name: server,
    message,
    mode,
    ...(url !== undefined && { url }),
    ...(id !== undefined && { elicitation_id: id }),
    ...(schema && { requested_schema: schema }),
  };
}

/** The hooks' answer; undefined if they leave it to the user. A guard that failed leaves it to the user as well. */
function hookAnswer(core: AgentCore, question: McpQuestion, verdict: Verdict): McpAnswer | undefined {
  const { decision, fields } = verdict;
  const { action, content } = fields;
  if (decision === "deny") {
    core.emit({ type: "tell", text: `${askedText(question)} A hook declined it: ${reasonsOf(verdict)}` });
    return action === "cancel" ? { action } : DECLINED;
  }
  if (decision !== "none" && decision !== "allow") return undefined;
  if (action !== "accept") return undefined;
  const answer = accepted(question, content);
  if (typeof answer !== "string") return answer;
  reportUnused(core, question, answer);
  return undefined;
}

/** SECURITY: the message is the server's; it must not move the cursor. */
function askedText({ server, message }: McpQuestion): string {
  return `The MCP server "${server}" asks: ${visibleLine(message)}`;
}

async function userAnswer(core: AgentCore, question: McpQuestion, signal: AbortSignal): Promise<McpAnswer> {
  const { server, mode } = question;
  if (signal.aborted) return { action: "cancel" };
  if (!core.elicit) {
    const text = `${askedText(question)} There is no user to ask here, so it was declined; a hook on Elicitation can answer.`;
    core.emit({ type: "tell", text });
    return DECLINED;
  }
  const notification_type = mode === "url" ? "elicitation_url_dialog" : "elicitation_dialog";
  // Not waited for: a hook that plays a sound must not keep the question from the screen.
  void core.fireAndRemind("Notification", { message: `The MCP server ${server} needs your input`, notification_type });
  const { action, content } = await core.elicit(question, signal);
  if (action !== "accept") return { action };
  const answer = accepted(question, content);
  if (typeof answer !== "string") return answer;
  const text = `The answer to the MCP server "${server}" is not used, because it does not fit its form: ${answer}`;
  core.report({ code: "HL_AGENT_MCP", level: "warning", text });
  return DECLINED;
}

function changedAnswer(core: AgentCore, question: McpQuestion, answer: McpAnswer, { decision, fields }: Verdict): McpAnswer {
  const { action = answer.action, content = answer.content } = fields;
  if (decision === "deny") return action === "cancel" ? { action } : DECLINED;
  // A guard that failed asks; after the answer there is no question any more.
  if (decision !== "none" && decision !== "allow") return DECLINED;
  if (action !== "accept") return answer;
  const changed = accepted(question, content);
  if (typeof changed !== "string") return changed;
  reportUnused(core, question, changed);
  return DECLINED;
}

/** A filled-in form that fits; otherwise what is wrong with it. A page to open has no form. */
function accepted({ mode, schema }: McpQuestion, content: unknown): McpAnswer | string {
  if (mode === "url") return { action: "accept" };
  const problem = schema && inputCheck({ name: "", inputSchema: schema }).problemOf(content ?? {});
  return problem ?? { action: "accept", content: (content ?? {}) as Readonly<Record<string, unknown>> };
}

function reportUnused({ report }: AgentCore, { server }: McpQuestion, problem: string): void {
  const text = `A hook's answer to the MCP server "${server}" is not used, because it does not fit its form: ${problem}`;
  report({ code: "HL_OUTPUT_NOT_HONOURED", level: "warning", text });
}

/** The prompts of connected servers, as `/mcp__<server>__<prompt>`. */
export function promptCommands(mcp: Pick<McpConnections, "prompts" | "promptText">): ReadonlyMap<string, PromptCommand> {
  return new Map(mcp.prompts.map((prompt) => [`mcp__${plain(prompt.server)}__${plain(prompt.name)}`, commandOf(mcp, prompt)]));
}

function commandOf(mcp: Pick<McpConnections, "promptText">, prompt: McpPrompt): PromptCommand {
  const { description, server, args } = prompt;
  const usage = args.map(({ name, isRequired }) => (isRequired ? name.toUpperCase() : `[${name.toUpperCase()}]`)).join(" ");
  return {
    description,
    usage: usage || undefined,
    source: server,
    text: async (typed, signal) => await mcp.promptText(prompt, namedArguments(prompt, typed), signal),
  };
}

/** One word for each argument; the last one gets the rest. Words in double quotes are one. */
export function namedArguments({ args }: Pick<McpPrompt, "args">, typed: string): Readonly<Record<string, string>> {
  const words = [...typed.matchAll(/"([^"]*)"|(\S+)/g)];
  const texts = args.map((_, at) => {
    const word = words[at];
    const isRest = at === args.length - 1 && words.length > args.length;
    return isRest ? typed.slice(word?.index).trim() : (word?.[1] ?? word?.[2]);
  });
  const missing = args.filter(({ isRequired }, at) => isRequired && texts[at] === undefined).map(({ name }) => name);
  if (missing.length > 0) throw new Error(`it needs ${missing.join(", ")}.`);
  return Object.fromEntries(args.flatMap(({ name }, at) => (texts[at] === undefined ? [] : [[name, texts[at]]])));
}

/** What is known of tools of servers: those of the connected ones. */
export function knownServers(servers: McpConnections, configs: readonly Pick<McpConfig, "servers">[]): ServerTools {
  const configured = configs.flatMap((config) => Object.keys(config.servers));
  const missing = configured.filter((name) => !servers.connected.includes(name));
  return {
    tools: mcpTools(servers).map(({ name }) => name),
    connected: servers.connected.map(plain),
    missing: missing.map(plain),
  };
}

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
