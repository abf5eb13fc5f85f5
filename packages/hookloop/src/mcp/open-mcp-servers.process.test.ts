/** Questions and prompts over a real connection, with a server written by hand that does what it should not. */
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { type McpConnections, openMcpServers } from "./open-mcp-servers.ts";
import type { AnswerQuestion } from "./prompts.ts";

/** Its tool asks; `dying` ends while the answer is awaited, `taking-back` does not want to know any more. */
const SERVER = `
const say = (value) => process.stdout.write(JSON.stringify({ jsonrpc: "2.0", ...value }) + "\\n");
const manner = process.argv[2];
let call;
const methods = {
  initialize: ({ protocolVersion }) => ({ protocolVersion, capabilities: { tools: {}, prompts: {} }, serverInfo: { name: "s", version: "1" } }),
  "tools/list": () => ({ tools: [{ name: "ask", inputSchema: { type: "object" } }] }),
};
if (manner !== "no-list") methods["prompts/list"] = ({ cursor }) => cursor === undefined
  ? { prompts: [{ name: "one", arguments: [{ name: "what", required: true }] }], nextCursor: "2" }
  : { prompts: [{ name: "two" }] };
methods["prompts/get"] = ({ name, arguments: given }) => ({ messages: [
  { role: "user", content: { type: "text", text: name + " " + JSON.stringify(given) } },
  { role: "user", content: { type: "resource", resource: { uri: "file:///notes", text: "noted" } } },
  { role: "user", content: { type: "image", data: "aaaa", mimeType: "image/png" } },
] });
function take({ id, method, params, result }) {
  if (method === "tools/call") {
    call = id;
    say({ id: "question", method: "elicitation/create", params: { message: "Well?", requestedSchema: { type: "object", properties: {} } } });
    if (manner === "dying") setTimeout(() => process.exit(1), 200);
    if (manner === "taking-back") setTimeout(() => {
      say({ method: "notifications/cancelled", params: { requestId: "question", reason: "never mind" } });
      say({ id: call, result: { content: [{ type: "text", text: "taken back" }] } });
    }, 200);
  } else if (id === "question") say({ id: call, result: { content: [{ type: "text", text: JSON.stringify(result) }] } });
  else if (methods[method]) say({ id, result: methods[method](params ?? {}) });
  else if (id !== undefined) say({ id, error: { code: -32601, message: "no such method" } });
}
let rest = "";
process.stdin.on("data", (chunk) => {
  rest += chunk;
  for (let end; (end = rest.indexOf("\\n")) >= 0; rest = rest.slice(end + 1)) take(JSON.parse(rest.slice(0, end)));
});
process.stdin.on("end", () => process.exit(0));
`;

async function connect(manner = "plain"): Promise<{ readonly servers: McpConnections; readonly problems: readonly string[] }> {
  const folder = mkdtempSync(path.join(tmpdir(), "hookloop-mcp-"));
  const file = path.join(folder, "server.mjs");
  writeFileSync(file, SERVER);
  const problems: string[] = [];
  const servers = await openMcpServers({
    servers: { hand: { type: "stdio", command: process.execPath, args: [file, manner], env: {} } },
    cwd: folder,
    onProblem: (text) => problems.push(text),
  });
  onTestFinished(async () => {
    await servers.close();
    rmSync(folder, { recursive: true, force: true });
  });
  return { servers, problems };
}

test("without a user to answer, a question is declined; whoever answers is asked until they stop", async () => {
  const { servers } = await connect();
  const ask = async (): Promise<string> => (await servers.call("hand", "ask", {})).text;
  expect(await ask()).toBe('{"action":"decline"}');
  const stop = servers.answerWith(async ({ server, message, mode }) => ({
    action: "accept",
    content: { said: `${server} ${message} ${mode}` },
  }));
  expect(JSON.parse(await ask())).toEqual({ action: "accept", content: { said: "hand Well? form" } });
  stop();
  expect(await ask()).toBe('{"action":"decline"}');
});

/** Answers only when the answer is not wanted any more. */
function slowly(): { readonly answer: AnswerQuestion; readonly isOver: Promise<unknown> } {
  let over: (value: unknown) => void = () => undefined;
  const isOver = new Promise((done) => {
    over = done;
  });
  const answer: AnswerQuestion = async (_, signal) => {
    await once(signal, "abort");
    over(undefined);
    return { action: "cancel" };
  };
  return { answer, isOver };
}

test("a question that the server takes back is taken from the user", async () => {
  const { servers } = await connect("taking-back");
  const { answer, isOver } = slowly();
  servers.answerWith(answer);
  expect((await servers.call("hand", "ask", {})).text).toBe("taken back");
  await isOver;
});

test("a call that is interrupted while the user thinks takes its question along", async () => {
  const { servers } = await connect();
  const { answer, isOver } = slowly();
  const turn = new AbortController();
  servers.answerWith((question, signal) => {
    setTimeout(() => turn.abort(), 50);
    return answer(question, signal);
  });
  await expect(servers.call("hand", "ask", {}, turn.signal)).rejects.toThrow();
  await isOver;
});

test("a server that dies while the user thinks: the call fails, and the question is taken from them", async () => {
  const { servers } = await connect("dying");
  const { answer, isOver } = slowly();
  servers.answerWith(answer);
  await expect(servers.call("hand", "ask", {})).rejects.toThrow();
  await isOver;
});

test("prompts of all pages are listed, and their messages become one text", async () => {
  const { servers } = await connect();
  expect(servers.prompts.map(({ name, args }) => [name, args])).toEqual([
    ["one", [{ name: "what", isRequired: true }]],
    ["two", []],
  ]);
  const [one] = servers.prompts;
  if (!one) throw new Error("there is no prompt");
  expect(await servers.promptText(one, { what: "x" })).toBe(
    'one {"what":"x"}\n\nfile:///notes:\nnoted\n\n(content of type image, which is not shown here)',
  );
});

test("a server that does not list the prompts it says it has is connected all the same, with a word", async () => {
  const { servers, problems } = await connect("no-list");
  expect(servers.tools.map(({ name }) => name)).toEqual(["ask"]);
  expect(servers.prompts).toEqual([]);
  expect(problems).toEqual([expect.stringContaining('The MCP server "hand" does not list its prompts')]);
});
