import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { inspect } from "node:util";
import { afterAll, afterEach, describe, expect, it, test, vi } from "vitest";
import type { ModelError, ModelRequest } from "../run/model/model-port.ts";
import { createAnthropicModel } from "./anthropic.ts";

const KEY = "sk-ant-test-0123456789";

interface Received {
  readonly headers: IncomingMessage["headers"];
  readonly body: Record<string, unknown>;
}
type Answer = (response: ServerResponse, received: Received) => void;

const received: Received[] = [];
let answers: Answer[] = [];
/** Speaks the Messages API; the last answer stays. */
const server = createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on("data", (chunk: Buffer) => chunks.push(chunk));
  request.on("end", () => {
    const one = { headers: request.headers, body: JSON.parse(Buffer.concat(chunks).toString()) as Record<string, unknown> };
    received.push(one);
    (answers.length > 1 ? answers.shift() : answers[0])?.(response, one);
  });
});
server.listen(0, "127.0.0.1");
await once(server, "listening");
const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
afterAll(() => {
  server.closeAllConnections();
  server.close();
});
afterEach(() => {
  received.length = 0;
  vi.unstubAllEnvs();
});

const json =
  (status: number, body: unknown, headers: Record<string, string> = {}): Answer =>
  (response) =>
    response
      .writeHead(status, { "content-type": "application/json", ...headers })
      .end(typeof body === "string" ? body : JSON.stringify(body));
const message = (content: unknown, more: object = {}) => ({
  id: "msg_1",
  type: "message",
  role: "assistant",
  model: "m",
  content,
  stop_reason: "end_turn",
  usage: { input_tokens: 7, output_tokens: 3, cache_read_input_tokens: 5 },
  ...more,
});
const problem = (type: string, text: string) => ({ type: "error", error: { type, message: text } });
const frame = (event: { type: string }): string => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`;
const sse =
  (frames: readonly string[], end: (response: ServerResponse) => void = (response) => response.end()): Answer =>
  (response) => {
    response.writeHead(200, { "content-type": "text/event-stream" });
    for (const one of frames) response.write(one);
    setTimeout(() => end(response), 30);
  };
const START = frame({ type: "message_start", message: message([], { stop_reason: null }) } as never);
const END = [
  frame({ type: "message_delta", delta: { stop_reason: "tool_use" }, usage: { output_tokens: 9 } } as never),
  frame({ type: "message_stop" }),
];
const block = (index: number, start: object, deltas: readonly object[]): string[] => [
  frame({ type: "content_block_start", index, content_block: start } as never),
  ...deltas.map((delta) => frame({ type: "content_block_delta", index, delta } as never)),
  frame({ type: "content_block_stop", index } as never),
];

const QUESTION: ModelRequest = { messages: [{ role: "user", content: "hi" }] };
const ask = (given: Answer | Answer[], request: Partial<ModelRequest> = {}, options = {}) => {
  answers = Array.isArray(given) ? given : [given];
  return createAnthropicModel({ apiKey: KEY, baseUrl, model: "default", retries: 0, ...options }).ask({ ...QUESTION, ...request });
};
const failing = async (running: Promise<unknown>): Promise<ModelError> => {
  const thrown = await running.then(
    () => undefined,
    (error: ModelError) => error,
  );
  expect(thrown).toBeDefined();
  expect(inspect(thrown, { depth: 10, showHidden: true })).not.toContain(KEY);
  return thrown as ModelError;
};

describe("an answer in one piece", () => {
  it("gives its blocks, why it ended and what it used", async () => {
    const content = [
      { type: "thinking", thinking: "…", signature: "" },
      { type: "text", text: "hello" },
      { type: "tool_use", id: "t", name: "Bash", input: { command: "ls" } },
    ];
    expect(await ask(json(200, message(content)))).toEqual({
      id: "msg_1",
      model: "m",
      content: content.slice(1),
      stopReason: "end_turn",
      usage: { inputTokens: 7, outputTokens: 3, cacheReadTokens: 5 },
    });
  });

  it("is asked for with the key, the model, the tools and nothing of ours", async () => {
    const tools = [{ name: "T", description: "d", input_schema: { type: "object" } }];
    const broken = { type: "tool_use" as const, id: "t", name: "T", input: {}, brokenInput: "{" };
    await ask(json(200, message([])), {
      model: "big",
      system: "S",
      tools,
      toolChoice: "T",
      messages: [{ role: "assistant", content: [broken] }],
    });
    expect(received[0]?.headers["authorization"]).toBe(`Bearer ${KEY}`);
    expect(received[0]?.body).toMatchObject({ model: "big", system: "S", tools, tool_choice: { type: "tool", name: "T" } });
    expect(JSON.stringify(received[0]?.body)).not.toContain("brokenInput");
    expect(received[0]?.body).not.toHaveProperty("stream");
  });

  it("is asked for with a token where there is no key", async () => {
    await ask(json(200, message([])), {}, { apiKey: undefined, authToken: "tok" });
    expect([received[0]?.headers["authorization"], received[0]?.headers["x-api-key"]]).toEqual(["Bearer tok", undefined]);
  });

  it("does not come with headers or keys of the environment", async () => {
    vi.stubEnv("ANTHROPIC_CUSTOM_HEADERS", "x-secret: mine\nX-Other: too");
    vi.stubEnv("ANTHROPIC_AUTH_TOKEN", "other");
    await ask(json(200, message([])));
    expect([received[0]?.headers["x-secret"], received[0]?.headers["x-other"]]).toEqual([undefined, undefined]);
    expect(received[0]?.headers["authorization"]).toBe(`Bearer ${KEY}`);
  });

  test.each(["<html>hello</html>", "{}", "null"])("that is %s is an error that says so", async (body) => {
    expect(await failing(ask(json(200, body)))).toMatchObject({ kind: "server_error" });
  });
});

describe("a streamed answer", () => {
  const pieces: string[] = [];
  const onText = (piece: string): void => void pieces.push(piece);
  const stream = (given: Answer, request: Partial<ModelRequest> = {}) => {
    pieces.length = 0;
    return ask(given, { onText, ...request });
  };

  it("comes piece by piece and is whole in the end", async () => {
    const text = block(0, { type: "text", text: "" }, [
      { type: "text_delta", text: "he" },
      { type: "text_delta", text: "llo" },
    ]);
    const tool = block(1, { type: "tool_use", id: "t", name: "Bash", input: {} }, [
      { type: "input_json_delta", partial_json: '{"comm' },
      { type: "input_json_delta", partial_json: 'and":"ls"}' },
    ]);
    const reply = await stream(sse([START, ...text, frame({ type: "ping" }), ...tool, ...END]));
    expect(pieces).toEqual(["he", "llo"]);
    expect(reply.content).toEqual([
      { type: "text", text: "hello" },
      { type: "tool_use", id: "t", name: "Bash", input: { command: "ls" } },
    ]);
    expect([reply.stopReason, reply.usage.outputTokens, reply.usage.inputTokens]).toEqual(["tool_use", 9, 7]);
  });

  test.each(['{"command": "l', "[1]", '"x"'])(
    "keeps the input %s of a tool call, which is no object, as what was written",
    async (written) => {
      const tool = block(0, { type: "tool_use", id: "t", name: "Bash", input: {} }, [{ type: "input_json_delta", partial_json: written }]);
      const { content } = await stream(sse([START, ...tool, ...END]));
      expect(content).toEqual([{ type: "tool_use", id: "t", name: "Bash", input: {}, brokenInput: written }]);
    },
  );

  test.each([
    ["ends too early", (response: ServerResponse) => response.end()],
    ["is cut off", (response: ServerResponse) => response.destroy()],
  ])("that %s is an error, never half an answer", async (_, end) => {
    const text = block(0, { type: "text", text: "" }, [{ type: "text_delta", text: "half" }]);
    expect(await failing(stream(sse([START, ...text], end)))).toMatchObject({ kind: "server_error" });
  });

  it("that is malformed is an error, and nothing is printed", async () => {
    const out = vi.spyOn(console, "error");
    expect(await failing(stream(sse([START, "event: content_block_delta\ndata: {oops\n\n", ...END])))).toMatchObject({
      kind: "server_error",
    });
    expect(out).not.toHaveBeenCalled();
  });

  it("with an error inside has that error's kind", async () => {
    const error = frame(problem("overloaded_error", "Overloaded") as never);
    expect(await failing(stream(sse([START, error])))).toMatchObject({ kind: "overloaded" });
  });

  it("ends at once when it is aborted in the middle, with the reason of the signal", async () => {
    const controller = new AbortController();
    const text = block(0, { type: "text", text: "" }, [{ type: "text_delta", text: "he" }]);
    const running = stream(
      sse([START, ...text.slice(0, 2)], () => {}),
      { signal: controller.signal, onText: () => controller.abort(new Error("stop")) },
    );
    await expect(running).rejects.toThrow("stop");
  });
});

describe("a refusal", () => {
  test.each([
    [401, "authentication_failed", "ANTHROPIC_API_KEY"],
    [403, "authentication_failed", "ANTHROPIC_API_KEY"],
    [402, "billing_error", "credit"],
    [404, "model_not_found", "MODEL_ID"],
    [400, "invalid_request", "bad"],
    [413, "invalid_request", "bad"],
    [429, "rate_limit", "Wait"],
    [500, "server_error", "bad"],
    [529, "overloaded", "again"],
  ] as const)("with status %i is %s and says what to do; the key is never in it", async (status, kind, cure) => {
    const error = await failing(ask(json(status, problem("x_error", `bad key ${KEY}`))));
    expect([error.kind, error.status]).toEqual([kind, status]);
    expect(error.message).toContain(cure);
  });

  test.each([429, 500, 529])("with status %i is tried again, as often as told", async (status) => {
    const no = json(status, problem("x", "later"), { "retry-after-ms": "5" });
    expect((await ask([no, no, json(200, message([]))], {}, { retries: 2 })).id).toBe("msg_1");
    expect(received).toHaveLength(3);
    expect((await failing(ask(no, {}, { retries: 1 }))).status).toBe(status);
    expect(received).toHaveLength(5);
  });

  it("with status 401 is not tried again", async () => {
    await failing(ask(json(401, problem("x", "no")), {}, { retries: 2 }));
    expect(received).toHaveLength(1);
  });

  it("of the connection is an error of the server", async () => {
    expect(await failing(ask([], {}, { baseUrl: "http://127.0.0.1:1" }))).toMatchObject({ kind: "server_error", status: undefined });
  });
});

it("says that no key is set instead of looking for one", async () => {
  vi.stubEnv("ANTHROPIC_API_KEY", KEY);
  const error = await failing(ask(json(200, message([])), {}, { apiKey: undefined, baseUrl: undefined }));
  expect([error.kind, received.length]).toEqual(["authentication_failed", 0]);
});
