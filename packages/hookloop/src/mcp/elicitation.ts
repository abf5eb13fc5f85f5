import type { Client } from "@modelcontextprotocol/client";

/** What a server wants to know from the person. */
export interface McpQuestion {
  readonly server: string;
  readonly message: string;
  /** A form to fill in, or a page to open. */
  readonly mode: "form" | "url";
  readonly url?: string | undefined;
  readonly id?: string | undefined;
  /** JSON Schema of the form. */
  readonly schema?: Readonly<Record<string, unknown>> | undefined;
}

export interface McpAnswer {
  readonly action: "accept" | "decline" | "cancel";
  /** The filled-in form. */
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
