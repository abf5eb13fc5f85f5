/** An MCP server is a program of the project or the user: whatever it does, the agent ends, and nothing of it stays. */
import type { ChildProcess } from "node:child_process";
import { existsSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { type AgentLab, ended, openAgentLab, say } from "../agent/agent-lab.ts";
import { liveWith, newTag, remaining, until } from "./live-processes.ts";

/** A server that works; `manner` says what it does beside that. */
const SERVER = `
import { spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
const [, , manner, mark] = process.argv;
const say = (value) => process.stdout.write(JSON.stringify({ jsonrpc: "2.0", ...value }) + "\\n");
writeFileSync(mark, String(process.pid));
if (manner.includes("stubborn")) for (const name of ["SIGTERM", "SIGINT", "SIGHUP"]) process.on(name, () => {});
if (manner.includes("helper")) spawn("sleep", ["600"], { stdio: ["ignore", "inherit", "inherit"] });
if (manner.includes("daemon")) spawn("sleep", ["600"], { stdio: ["ignore", "inherit", "inherit"], detached: true });
if (manner.includes("dies")) process.exit(3);
if (manner.includes("deaf")) { process.stdin.destroy(); setInterval(() => {}, 1000); }
if (manner.includes("flood-out")) setInterval(() => process.stdout.write("x".repeat(1 << 20)), 1);
if (manner.includes("flood-lines")) setInterval(() => process.stdout.write("nonsense\\n".repeat(1 << 17)), 1);
if (manner.includes("flood-err")) setInterval(() => process.stderr.write("x".repeat(1 << 20)), 1);
if (manner.includes("stays")) setInterval(() => {}, 1000);
else process.stdin.on("end", () => process.exit(0));
const answers = {
  initialize: ({ protocolVersion }) => ({ protocolVersion, capabilities: { tools: {} }, serverInfo: { name: "s", version: "1" } }),
  "tools/list": () => ({ tools: [{ name: "t", inputSchema: { type: "object" } }] }),
};
let rest = "";
if (!manner.includes("deaf")) process.stdin.on("data", (chunk) => {
  rest += chunk;
  for (let end; (end = rest.indexOf("\\n")) >= 0; rest = rest.slice(end + 1)) {
    const { id, method, params } = JSON.parse(rest.slice(0, end));
    if (!manner.includes("silent") && answers[method]) say({ id, result: answers[method](params) });
  }
});
`;

interface Served {
  readonly lab: AgentLab;
  readonly tag: string;
  readonly mark: string;
  readonly args: readonly string[];
}

type Wrap = "plain" | "sh" | "sh-background" | "npx";

/** One agent with a server for each manner. `wrap` says how it is started: as itself, or behind a program that waits for it. */
function serveAll(kinds: readonly (readonly [wrap: Wrap, manner: string])[]): readonly Served[] {
  const lab = openAgentLab();
  const server = lab.write("server.mjs", SERVER);
  const all = kinds.map(([wrap, manner], at) => {
    const mark = path.join(lab.base, `server-${at}.pid`);
    const line = `"${process.execPath}" "${server}" "${manner}" "${mark}"`;
    const starts = {
      plain: { command: process.execPath, args: [server, manner, mark] },
      // The `; true` keeps the shell from becoming the server.
      sh: { command: "sh", args: ["-c", `${line}; true`] },
      "sh-background": { command: "sh", args: ["-c", `exec 3<&0; ${line} <&3 & wait`] },
      npx: {
        command: process.execPath,
        args: ["-e", `require("child_process").spawnSync("sh", ["-c", ${JSON.stringify(`${line}; true`)}], { stdio: "inherit" })`],
      },
    };
    const tag = newTag();
    return { tag, mark, entry: { ...starts[wrap], env: { [tag]: "1" } } };
  });
  const name = (at: number): string => (all.length === 1 ? "odd" : `odd${at}`);
  const file = lab.write("mcp.json", { mcpServers: Object.fromEntries(all.map(({ entry }, at) => [name(at), entry])) });
  const args = ["-p", "go", "--script", lab.script([say("done")]), "--mcp-config", file];
  return all.map(({ tag, mark }) => ({ lab, tag, mark, args }));
}

function serve(manner: string, wrap: Wrap = "plain"): Served {
  const [served] = serveAll([[wrap, manner]]);
  if (!served) throw new Error("no server");
  return served;
}

/** The agent must end by itself; a test that has to end it has failed. */
async function endsWithin(child: ChildProcess, ms: number): Promise<Awaited<ReturnType<typeof ended>>> {
  const timer = setTimeout(() => child.kill("SIGKILL"), ms);
  try {
    return await ended(child);
  } finally {
    clearTimeout(timer);
  }
}

describe("a server behind a wrapper", () => {
  test("ends with the agent", async () => {
    const kinds = [
      ["plain", "works"],
      ["sh", "works"],
      ["npx", "works"],
      ["sh", "stays"],
      ["npx", "stays stubborn"],
      ["sh", "stubborn stays"],
      ["sh-background", "stays"],
      ["sh", "helper stays"],
      ["plain", "helper"],
      ["plain", "stubborn stays"],
      ["npx", "helper stubborn stays"],
    ] as const;
    const all = serveAll(kinds);
    const [{ lab, args } = serve("works")] = all;
    const { exit, stdout, stderr } = await endsWithin(lab.start({ args, env: { MCP_TIMEOUT: "60000" } }), 60_000);
    expect({ exit, stdout, stderr }).toEqual({ exit: 0, stdout: "done\n", stderr: "" });
    const left = await Promise.all(all.map(async ({ tag, mark }) => ({ isStarted: existsSync(mark), left: await remaining(tag, 3000) })));
    expect(left).toEqual(kinds.map(() => ({ isStarted: true, left: [] })));
  });

  test("a helper that left the group with setsid and holds the pipes does not keep the agent, and ends with it", async () => {
    const { lab, tag, args } = serve("daemon");
    expect(await endsWithin(lab.start({ args }), 15_000)).toMatchObject({ exit: 0, stdout: "done\n" });
    expect(await remaining(tag, 500)).toEqual([]);
  });
});

describe("a server that cannot be used is said, and nothing of it stays", () => {
  test.each([
    ["it dies at once", "dies", /The MCP server "odd" could not be connected: it ended with exit code 0/],
    ["it closes its input", "deaf", /The MCP server "odd" could not be connected/, "2000"],
    ["it never answers", "silent stays", /The MCP server "odd" could not be connected: .*timed out/, "2000"],
    ["one endless line", "flood-out silent", /The MCP server "odd" could not be connected: .*(?:message|line)/],
    ["endless lines that are no messages", "flood-lines silent", /The MCP server "odd" could not be connected: .*no messages/],
  ])("%s", async (_, manner, said, limit = "30000") => {
    const { lab, tag, args } = serve(manner, "sh");
    const { exit, stdout, stderr } = await endsWithin(lab.start({ args, env: { MCP_TIMEOUT: limit } }), 40_000);
    expect({ exit, stdout }, stderr).toEqual({ exit: 0, stdout: "done\n" });
    expect(stderr).toMatch(said);
    expect(await remaining(tag, 3000)).toEqual([]);
  });

  test("a flood on stderr is drained, and the server works", async () => {
    const { lab, tag, args } = serve("flood-err");
    const { exit, stderr } = await endsWithin(lab.start({ args }), 30_000);
    expect({ exit, stderr }).toEqual({ exit: 0, stderr: "" });
    expect(await remaining(tag, 3000)).toEqual([]);
  });
});

describe("the agent is ended while a server starts", () => {
  // What each signal does is a matter of the agent: agent-processes.process.test.ts.
  test.each(["SIGINT"] as const)("%s ends both", async (signal) => {
    const { lab, tag, mark, args } = serve("silent stubborn stays", "sh");
    const child = lab.start({ args });
    const end = endsWithin(child, 20_000);
    await until(() => existsSync(mark), "the server has started");
    child.kill(signal);
    expect((await end).exit).toBe(1);
    expect(await remaining(tag, 3000)).toEqual([]);
  });

  test.each(["SIGTERM", "SIGHUP"] as const)("%s twice ends both", async (signal) => {
    const { lab, tag, mark, args } = serve("silent stubborn stays", "sh");
    const child = lab.start({ args });
    const end = endsWithin(child, 20_000);
    await until(() => existsSync(mark), "the server has started");
    child.kill(signal);
    await new Promise((done) => setTimeout(done, 400));
    child.kill(signal);
    expect((await end).exit).toBeGreaterThan(0);
    expect(await remaining(tag, 3000)).toEqual([]);
  });

  test("kill -9: the next start ends what is left, and reports it", async () => {
    const { lab, tag, mark, args } = serve("silent stubborn stays", "sh");
    const child = lab.start({ args });
    await until(() => existsSync(mark), "the server has started");
    child.kill("SIGKILL");
    await ended(child);
    expect(liveWith(tag).length).toBeGreaterThan(0);
    const { stderr } = await lab.run({ args: ["-p", "go", "--script", lab.script([])] });
    expect(stderr).toMatch(/HL_EXECUTE_ORPHAN: .*the MCP server "odd".* was ended/);
    expect(await remaining(tag, 3000)).toEqual([]);
  });
});
