import { once } from "node:events";
import http from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, describe, expect, onTestFinished, test, vi } from "vitest";
import { openMcpServers } from "../../../packages/hookloop/src/mcp/open-mcp-servers.ts";
import { runnerContract } from "../../../packages/hookloop/src/run/contract.test-suite.ts";
import { createMcpRunner } from "../../../packages/hookloop/src/run/model/mcp-runner.ts";
import { sampleHook } from "../../../packages/hookloop/src/run/sample-hook.test-suite.ts";
import { isLive, until } from "../execute/processes.ts";
import { bash, openProject } from "../open-project.ts";
import { connect, handScript, mute, official, stdio } from "./servers.ts";

const hookFor = (tool: string, more: object = {}): object => ({
  hooks: { PreToolUse: [{ hooks: [{ type: "mcp_tool", server: "hand", tool, input: { command: "${tool_input.command}" }, ...more }] }] },
});
const fire = async (files: Parameters<typeof openProject>[0], { servers }: Pick<Awaited<ReturnType<typeof connect>>, "servers">) => {
  const project = openProject(files);
  const hooks = await project.open({ ports: { mcp: () => servers } });
  return { verdict: await hooks.fire("PreToolUse", bash("rm -rf /")), codes: project.codes() };
};

describe("the contract of runners", async () => {
  const servers = await openMcpServers({ servers: { hand: stdio(handScript()) }, cwd: "/", onProblem: () => {} });
  afterAll(() => servers.close());
  const hook = (tool: string, input = {}) => sampleHook({ target: { kind: "mcp_tool", fields: { server: "hand", tool, input } } });
  runnerContract({
    runner: createMcpRunner(() => servers),
    hooks: {
      answers: hook("answer"),
      measures: hook("measure", { text: "${tool_input.command}" }),
      answersLong: hook("long"),
      hangs: hook("hang"),
      breaks: hook("fail"),
      foreign: sampleHook(),
    },
    answerOf: ({ stdout }) => stdout,
    breaksWith: "tool-error",
  });
});

describe("an mcp_tool hook", () => {
  test("asks the tool with what the payload says, and its text is read like stdout", async () => {
    const { verdict, codes } = await fire({ project: hookFor("guard") }, await connect());
    expect([verdict.decision, verdict.reasons.map(({ text }) => text), codes]).toEqual(["deny", ["no rm"], []]);
  });

  test("reaches every field of the payload; what is missing is empty, an object is JSON", async () => {
    const { servers } = await connect();
    const input = { a: "${session_id}", b: "${hook_event_name}", c: "[${nope.nope}]", d: "${tool_input}" };
    const steps: Record<string, unknown>[] = [];
    const project = openProject({ project: hookFor("echo", { input }) });
    const hooks = await project.open({ ports: { mcp: () => servers, trace: { write: (record) => steps.push({ ...record }) } } });
    await hooks.fire("PreToolUse", bash("ls"));
    const said = steps.find(({ type }) => type === "outcome")?.["stdout"] as string;
    expect(JSON.parse(said)).toEqual({ a: "session-1", b: "PreToolUse", c: "[]", d: '{"command":"ls"}' });
  });

  test.each([
    ["answers with an error", "fail", {}, "HL_EXECUTE_TOOL_ERROR"],
    ["is unknown to the server", "nope", {}, "HL_EXECUTE_UNREACHABLE"],
    ["never answers", "hang", { timeout: 0.3 }, "HL_EXECUTE_TIMEOUT"],
    ["answers too much", "toolong", {}, "HL_EXECUTE_FLOOD"],
    ["kills its server", "die", {}, "HL_EXECUTE_UNREACHABLE"],
    ["floods", "flood", { timeout: 20 }, "HL_EXECUTE_UNREACHABLE"],
    ["is not known", "guard", { server: "other" }, "HL_EXECUTE_NOT_CONNECTED"],
  ])("that %s has failed: a native guard blocks, an imported hook fails open, both out loud", async (_what, tool, fields, code) => {
    const guard = await fire({ native: hookFor(tool, { ...fields, guard: true }) }, await connect());
    expect([guard.verdict.decision, guard.codes]).toEqual(["deny", [code]]);
    const imported = await fire({ project: hookFor(tool, fields) }, await connect());
    expect([imported.verdict.decision, imported.codes]).toEqual(["none", [code]]);
  });

  test("that is a guard and is given nothing of the event has failed, and the template is named", async () => {
    const { verdict, codes } = await fire({ native: hookFor("echo", { guard: true, input: { c: "${tool_input.cmd}" } }) }, await connect());
    expect([verdict.decision, codes]).toEqual(["deny", ["HL_EXECUTE_TOOL_ERROR"]]);
  });

  test("of a server that has died is told apart from an unknown one", async () => {
    const connected = await connect();
    await fire({ project: hookFor("die") }, connected);
    await until(() => !connected.servers.connected.includes("hand"));
    expect(connected.servers.problemOf("hand")).toContain("closed");
    expect((await fire({ project: hookFor("guard") }, connected)).codes).toEqual(["HL_EXECUTE_NOT_CONNECTED"]);
  });
});

describe("the connections", () => {
  test("work with a server on the official packages", async () => {
    const { servers, problems } = await connect({ official: official() });
    expect([servers.connected.toSorted(), problems]).toEqual([["hand", "official"], []]);
    expect((await servers.call("official", "echo", { command: "ls" })).text).toBe('{"command":"ls"}');
    expect(servers.tools.find(({ server }) => server === "official")).toMatchObject({ name: "echo", description: "Echoes." });
  });

  test("work over HTTP on loopback, with the headers of the entry", async () => {
    const seen: unknown[] = [];
    const server = http.createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on("data", (chunk: Buffer) => chunks.push(chunk));
      request.on("end", () => {
        if (request.method !== "POST") return response.writeHead(405).end();
        const { id, method, params } = JSON.parse(Buffer.concat(chunks).toString());
        seen.push(request.headers["x-team"]);
        if (id === undefined) return response.writeHead(202).end();
        const results: Record<string, unknown> = {
          initialize: { protocolVersion: params?.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: "h", version: "1" } },
          "tools/list": { tools: [] },
          "tools/call": { content: [{ type: "text", text: "over http" }] },
        };
        const answer = method in results ? { result: results[method] } : { error: { code: -32601, message: "no such method" } };
        return response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify({ jsonrpc: "2.0", id, ...answer }));
      });
    });
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    onTestFinished(() => void server.close());
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`;
    const { servers } = await connect({ web: { type: "http", url, headers: { "X-Team": "blue" } } });
    expect((await servers.call("web", "any", {})).text).toBe("over http");
    expect(new Set(seen)).toEqual(new Set(["blue"]));
  });

  test("report servers that cannot be started or say nothing, and the others work", async () => {
    const missing = { type: "stdio", command: "/no/such/server", args: [], env: {} } as const;
    const { servers, problems } = await connect({ missing, mute: mute() });
    expect(servers.connected).toEqual(["hand"]);
    expect(problems.map((text) => /"(\w+)"/.exec(text)?.[1]).toSorted()).toEqual(["missing", "mute"]);
  });

  test("hand nothing of our own environment to a server but what it cannot do without", async () => {
    vi.stubEnv("ANTHROPIC_API_KEY", "sk-secret");
    const { servers } = await connect();
    const { text } = await servers.call("hand", "env", {});
    expect(text).toContain("PATH");
    expect(text).not.toContain("sk-secret");
  });

  test.each([[[]], [["stubborn"]]])("leave no process after close (%j)", async (args) => {
    const { servers } = await connect({}, args);
    const pid = Number((await servers.call("hand", "pid", {})).text);
    expect(isLive(pid)).toBe(true);
    await servers.close();
    await until(() => !isLive(pid));
    expect(servers.connected).toEqual([]);
  });
});
