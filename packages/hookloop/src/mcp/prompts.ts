import type { Client } from "@modelcontextprotocol/client";

/** A prompt that a server offers; people type it as a slash command. */
export interface McpPrompt {
  readonly server: string;
  readonly name: string;
  readonly description: string;
  readonly args: readonly { readonly name: string; readonly isRequired: boolean }[];
}

type Messages = Awaited<ReturnType<Client["getPrompt"]>>["messages"];
export interface ListLimits {
  readonly timeout: number;
  readonly signal?: AbortSignal;
}

export async function listPrompts(client: Client, server: string, limits: ListLimits): Promise<readonly McpPrompt[]> {
  if (!client.getServerCapabilities()?.prompts) return [];
  const pages = await allPages((params) => client.listPrompts(params, limits));
  return pages.flatMap(({ prompts }) =>
    prompts.map(({ name, description = "", arguments: given = [] }) => ({
      server,
      name,
      description,
      args: given.map((one) => ({ name: one.name, isRequired: one.required === true })),
    })),
  );
}

/** The messages as one text; what the server puts into the assistant's mouth is labelled. */
export function textOfMessages(messages: Messages): string {
  return messages.map(({ role, content }) => (role === "assistant" ? `Assistant: ${textOf(content)}` : textOf(content))).join("\n\n");
}

function textOf(content: Messages[number]["content"]): string {
  if (content.type === "text") return content.text;
  if (content.type === "resource" && "text" in content.resource) return `${content.resource.uri}:\n${content.resource.text}`;
  if (content.type === "resource_link") return content.uri;
  return `(content of type ${content.type}, which is not shown here)`;
}

/** What a server wants to know from the user. */
export interface McpQuestion {
  readonly server: string;
  readonly message: string;
  readonly mode: "form" | "url";
  readonly url?: string | undefined;
  readonly id?: string | undefined;
  readonly schema?: Readonly<Record<string, unknown>> | undefined;
}

export interface McpAnswer {
  readonly action: "accept" | "decline" | "cancel";
  readonly content?: Readonly<Record<string, unknown>> | undefined;
}

/** The signal: the server does not want to know any more. */
export type AnswerQuestion = (question: McpQuestion, signal: AbortSignal) => Promise<McpAnswer>;

/** Hands a server's questions on. Whatever goes wrong there, the server gets an answer. */
export function answerQuestions(client: Client, server: string, answer: AnswerQuestion): void {
  client.setRequestHandler("elicitation/create", async ({ params }, { mcpReq }) => {
    const question: McpQuestion =
      params.mode === "url"
        ? { server, message: params.message, mode: "url", url: params.url, id: params.elicitationId }
        : { server, message: params.message, mode: "form", schema: params.requestedSchema };
    const { action, content } = await answer(question, mcpReq.signal);
    // The client checks what is in it.
    return { action, ...(action === "accept" && content && { content: { ...content } as Record<string, string> }) };
  });
}

const MOST_PAGES = 100;

/** Everything a server lists, in its pages; one that never comes to an end is cut off. */
export async function allPages<Page extends { readonly nextCursor?: string | undefined }>(
  list: (params: { cursor?: string }) => Promise<Page>,
): Promise<readonly Page[]> {
  const pages: Page[] = [];
  for (let page: Page | undefined; pages.length < MOST_PAGES; ) {
    page = await list(page?.nextCursor === undefined ? {} : { cursor: page.nextCursor });
    pages.push(page);
    if (page.nextCursor === undefined) break;
  }
  return pages;
}
