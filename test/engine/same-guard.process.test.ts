import path from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { openMcpServers } from "../../packages/hookloop/src/mcp/open-mcp-servers.ts";
import type { Ports } from "../../packages/hookloop/src/open/options.ts";
import { createCommandRunner } from "../../packages/hookloop/src/run/command-runner.ts";
import { startServer } from "../../packages/hookloop/src/run/http/http-server.test-suite.ts";
import type { McpServers } from "../../packages/hookloop/src/run/model/mcp-runner.ts";
import { programFromSource } from "../../packages/hookloop/src/run/module/host-from-source.test-suite.ts";
import { createModuleRunner } from "../../packages/hookloop/src/run/module/module-runner.ts";
import { createWarmScripts } from "../../packages/hookloop/src/run/module/warm-scripts.ts";
import { runProgram } from "../../packages/hookloop/src/run/process/process-group.ts";
import { bash, openProject } from "./open-project.ts";

/** The guard, as the body of a function of the payload. */
const GUARD = `
  const { command } = payload.tool_input;
  const say = (fields) => ({ hookSpecificOutput: { hookEventName: "PreToolUse", ...fields } });
  if (/rm\\s+-rf/.test(command)) return say({ permissionDecision: "deny", permissionDecisionReason: "not that: " + command });
  if (/git push/.test(command)) return say({ permissionDecision: "ask", permissionDecisionReason: "push?" });
  if (/^npm/.test(command)) return say({ additionalContext: "use the lockfile" });
  if (/^echo/.test(command)) return say({ permissionDecision: "allow", updatedInput: { command: command + " # seen" } });
  if (/shutdown/.test(command)) return { continue: false, stopReason: "no shutdown" };
  return {};
`;
const judge = new Function("payload", GUARD) as (payload: unknown) => object;

const INPUTS = [
  ...[
    "ls",
    "rm -rf /",
    "rm  -rf ~",
    "git push",
    "git status",
    "npm ci",
    "npm test && git push",
    "echo hi",
    "echo $(rm -rf x)",
    "shutdown now",
  ],
  ...["", " ", "öäü ✓ 日本", "a\nb", 'quote " and \\ back', "${tool_name}", "$ARGUMENTS", "</event>", "x".repeat(50_000), "echo \u0001"],
];

const SCRIPT = `import fs from "node:fs";
const judge = (payload) => {${GUARD}};
process.stdout.write(JSON.stringify(judge(JSON.parse(fs.readFileSync(0, "utf8")))));
`;
const MODULE = `export default (payload) => {${GUARD}};\n`;
const SERVER = `
const judge = (payload) => {${GUARD}};
const say = (value) => process.stdout.write(JSON.stringify({ jsonrpc: "2.0", ...value }) + "\\n");
let rest = "";
process.stdin.on("data", (chunk) => {
  rest += chunk;
  for (let end; (end = rest.indexOf("\\n")) >= 0; rest = rest.slice(end + 1)) {
    const { id, method, params } = JSON.parse(rest.slice(0, end));
    if (method === "initialize") say({ id, result: { protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: "g", version: "1" } } });
    else if (method === "tools/list") say({ id, result: { tools: [{ name: "guard", inputSchema: { type: "object" } }] } });
    else if (method === "tools/call") say({ id, result: { content: [{ type: "text", text: JSON.stringify(judge({ tool_input: params.arguments })) }] } });
    else if (id !== undefined) say({ id, error: { code: -32601, message: "no such method" } });
  }
}).on("end", () => process.exit(0));
`;

const web = await startServer({ "/guard": (response, { body }) => response.end(JSON.stringify(judge(JSON.parse(body.toString())))) });
const environment = { PATH: process.env["PATH"] ?? "", HOME: "/root" };
const modules = createModuleRunner({ environment, version: "0", script: await programFromSource("./module-host.ts") });
const prebootScript = await programFromSource("../process/preboot-process.ts");
const pool = createWarmScripts({ run: runProgram, prebootScript });
let servers: McpServers | undefined;
const closers: (() => unknown)[] = [() => modules.close(), () => pool.close()];
afterAll(async () => {
  for (const close of closers) await close();
});

interface Kind {
  readonly entry: object;
  readonly ports?: Ports;
}

const KINDS: Readonly<Record<string, Kind>> = {
  command: { entry: { type: "command", command: "node guard.mjs" } },
  "warm command": {
    entry: { type: "command", command: "node guard.mjs", warm: true },
    ports: { runners: { command: createCommandRunner({ environment, version: "0", run: pool.run }) } },
  },
  module: { entry: { type: "module", path: "../guard-module.mjs" }, ports: { runners: { module: modules.run } } },
  http: { entry: { type: "http", url: `${web.origin}/guard` } },
  mcp_tool: {
    entry: { type: "mcp_tool", server: "guards", tool: "guard", input: { command: "${tool_input.command}" } },
    ports: { mcp: () => servers },
  },
};

/** What every kind must agree on: everything but who it was, how long it took and how its kind is spelled. */
async function judged({ entry, ports }: Kind): Promise<readonly unknown[]> {
  const project = openProject({ native: { hooks: { PreToolUse: [{ hooks: [entry] }] } } });
  project.write("project/guard.mjs", SCRIPT);
  project.write("project/guard-module.mjs", MODULE);
  const steps: Record<string, unknown>[] = [];
  const hooks = await project.open({ ports: { ...ports, trace: { write: (record) => steps.push({ ...record }) } } });
  if (ports?.mcp) servers = await connectGuard(project.write("guard-server.mjs", SERVER));
  const results: unknown[] = [];
  for (const command of INPUTS) {
    steps.length = 0;
    const { decision, reasons, contexts, halt, updatedInput } = await hooks.fire("PreToolUse", bash(command));
    const words = [...reasons, ...contexts, ...(halt ? [halt] : [])].map(({ text }) => text);
    const trace = steps.map(({ type, effects, failure, ...more }) => [
      type,
      effects,
      failure,
      Object.keys(more)
        .filter((name) => name !== "usage")
        .toSorted(),
    ]);
    results.push({ command, decision, words, updatedInput, trace });
  }
  return [...results, project.codes().filter((code) => code !== "HL_CONFIG_RELATIVE_PATH")];
}

async function connectGuard(file: string): Promise<McpServers> {
  const server = { type: "stdio", command: process.execPath, args: [file], env: {} } as const;
  const opened = await openMcpServers({ servers: { guards: server }, cwd: path.dirname(file), onProblem: () => {} });
  closers.push(() => opened.close());
  return opened;
}

describe("the same guard gives the same verdict and the same trace shape for 20 inputs as", async () => {
  const expected = judged(KINDS["command"] as Kind);

  test("a command, where it says what it should", async () => {
    const decisions = (await expected).slice(0, -1).map((one) => (one as { decision: string }).decision);
    expect(decisions.slice(0, 10)).toEqual(["none", "deny", "deny", "ask", "none", "none", "ask", "allow", "deny", "deny"]);
    // It adds to the command whenever it is asked, also when it judges its own rewrite.
    expect((await expected).at(-1)).toEqual(["HL_LOOP_REWRITE_REFUSED"]);
  });

  test.each(Object.keys(KINDS).filter((name) => name !== "command"))("%s", async (name) => {
    expect(await judged(KINDS[name] as Kind)).toEqual(await expected);
  });
});
