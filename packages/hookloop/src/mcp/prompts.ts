import type { Client } from "@modelcontextprotocol/client";
import { allPages } from "./all-pages.ts";

/** A prompt that a server offers; people type it as a slash command. */
export interface McpPrompt {
  readonly server: string;
  readonly name: string;
  readonly description: string;
  readonly args: readonly { readonly name: string; readonly isRequired: boolean }[];
}

type Messages = Awaited<ReturnType<Client["getPrompt"]>>["messages"];
type Content = Messages[number]["content"];

/** How long one page may take. */
export interface ListLimits {
  readonly timeout: number;
  readonly signal?: AbortSignal;
}

export async function listPrompts(client: Client, server: string, limits: ListLimits): Promise<readonly McpPrompt[]> {
  if (!client.getServerCapabilities()?.prompts) return [];
  const prompts = await allPages(async (params) => {
    const { prompts: items, nextCursor } = await client.listPrompts(params, limits);
    return { items, nextCursor };
  });
  return prompts.map(({ name, description = "", arguments: given = [] }) => ({
    server,
    name,
    description,
    args: given.map((one) => ({ name: one.name, isRequired: one.required === true })),
  }));
}

/** The messages as one text; what the server puts into the assistant's mouth is labelled. */
export function textOfMessages(messages: Messages): string {
  return messages.map(({ role, content }) => (role === "assistant" ? `Assistant: ${textOf(content)}` : textOf(content))).join("\n\n");
}

function textOf(content: Content): string {
  if (content.type === "text") return content.text;
  if (content.type === "resource" && "text" in content.resource) return `${content.resource.uri}:\n${content.resource.text}`;
  if (content.type === "resource_link") return content.uri;
  return `(content of type ${content.type}, which is not shown here)`;
}
