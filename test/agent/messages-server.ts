/** A Messages API on loopback that answers as a test says, well or badly. */
import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";
import type { Block, Json } from "./agent-lab.ts";

/** Answers one request; the body has been read. */
export type Answer = (response: ServerResponse) => void;

export interface MessagesServer {
  /** Bodies of the requests so far. */
  readonly requests: readonly Json[];
  /** Their headers. */
  readonly headers: readonly IncomingHttpHeaders[];
  /** Variables that lead the agent here. */
  readonly env: Readonly<Record<string, string>>;
}

/** Gives one answer per request; the last one again if there are more requests. */
export async function openMessagesServer(answers: readonly Answer[]): Promise<MessagesServer> {
  const requests: Json[] = [];
  const headers: IncomingHttpHeaders[] = [];
  const server = createServer((request, response) => {
    const pieces: Buffer[] = [];
    request.on("data", (piece: Buffer) => pieces.push(piece));
    request.on("end", () => {
      headers.push(request.headers);
      requests.push(JSON.parse(Buffer.concat(pieces).toString()));
      (answers[requests.length - 1] ?? answers.at(-1))?.(response);
    });
  });
  await new Promise<void>((ready) => server.listen(0, "127.0.0.1", ready));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return { requests, headers, env: { ANTHROPIC_BASE_URL: `http://127.0.0.1:${port}`, ANTHROPIC_API_KEY: "sk-not-a-key" } };
}

export const fails =
  (status: number, type: string, message: string, headers: Readonly<Record<string, string>> = {}): Answer =>
  (response) => {
    response.writeHead(status, { "content-type": "application/json", ...headers });
    response.end(JSON.stringify({ type: "error", error: { type, message } }));
  };

/** An answer as a stream of events; `json` is sent as the tool call's input as it is. */
export const answers =
  (...blocks: readonly (Block & { readonly json?: string })[]): Answer =>
  (response) => {
    response.writeHead(200, { "content-type": "text/event-stream" });
    for (const event of eventsOf(blocks)) response.write(event);
    response.end();
  };

/** A text that was not asked for as a stream, as what judges for a hook gets it. */
export const answersWhole =
  (text: string): Answer =>
  (response) => {
    const usage = { input_tokens: 1, output_tokens: 1 };
    const message = { id: "msg", type: "message", role: "assistant", model: "m", stop_reason: "end_turn", stop_sequence: null, usage };
    response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify({ ...message, content: [{ type: "text", text }] }));
  };

/** The first events of an answer, then whatever else a test wants to send. */
export const breaksOff =
  (count: number, end: (response: ServerResponse) => void): Answer =>
  (response) => {
    response.writeHead(200, { "content-type": "text/event-stream" });
    for (const event of eventsOf([{ type: "text", text: "half an ans" }]).slice(0, count)) response.write(event);
    end(response);
  };

function eventsOf(blocks: readonly (Block & { readonly json?: string })[]): readonly string[] {
  const stop_reason = blocks.some(({ type }) => type === "tool_use") ? "tool_use" : "end_turn";
  const usage = { input_tokens: 1, output_tokens: 1 };
  const message = { id: "msg", type: "message", role: "assistant", model: "m", content: [], stop_reason: null, stop_sequence: null, usage };
  return [
    event("message_start", { message }),
    ...blocks.flatMap((block, index) => [
      event("content_block_start", { index, content_block: block.type === "text" ? { type: "text", text: "" } : { ...block, input: {} } }),
      event("content_block_delta", { index, delta: deltaOf(block) }),
      event("content_block_stop", { index }),
    ]),
    event("message_delta", { delta: { stop_reason, stop_sequence: null }, usage: { output_tokens: 2 } }),
    event("message_stop", {}),
  ];
}

function deltaOf(block: Block & { readonly json?: string }): Json {
  if (block.type === "text") return { type: "text_delta", text: block.text };
  return { type: "input_json_delta", partial_json: block.json ?? JSON.stringify(block.input) };
}

function event(type: string, data: Json): string {
  return `event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`;
}
