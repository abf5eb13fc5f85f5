import type { McpConnections, McpPrompt } from "../../../mcp/index.ts";
import type { PromptCommand } from "../types.ts";

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

function plain(name: string): string {
  return name.replace(/[^\w-]/g, "_");
}
