import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Diagnostic } from "../diagnostic.ts";
import type { HookEngine } from "../engine/index.ts";
import { type OpenOptions, openHooks } from "../index.ts";
import { startServer, type TestServer } from "../run/http/http-server.test-suite.ts";
import { bashExecuted, toolExecuted } from "./index.ts";

let base: string;
let engines: HookEngine[];
let diagnostics: Diagnostic[];
let steps: Readonly<Record<string, unknown>>[];
beforeEach(() => {
  base = realpathSync(mkdtempSync(path.join(tmpdir(), "hookloop-watching-")));
  for (const folder of ["home", "project/.hookloop"]) mkdirSync(path.join(base, folder), { recursive: true });
  engines = [];
  diagnostics = [];
  steps = [];
});
afterEach(async () => {
  await Promise.all(engines.map((engine) => engine.close()));
  rmSync(base, { recursive: true, force: true });
});

async function open(use: OpenOptions["use"], more: Partial<OpenOptions> = {}): Promise<HookEngine> {
  const home = path.join(base, "home");
  const { ports, ...options } = more;
  const hooks = await openHooks({
    cwd: path.join(base, "project"),
    sessionId: "s1",
    ...(use && { use }),
    onDiagnostic: (diagnostic) => diagnostics.push(diagnostic),
    ports: { home, env: { PATH: process.env["PATH"], HOME: home }, managedRoot: path.join(base, "none"), ...ports },
    ...options,
  });
  engines.push(hooks);
  return hooks;
}

const trace = { write: (record: unknown) => void steps.push(record as Readonly<Record<string, unknown>>) };
const BASH = { tool_name: "Bash", tool_input: { command: "ls -la" }, tool_use_id: "t1" };
const done = { stdout: "", stderr: "", interrupted: false };
const tellsOf = async (hooks: HookEngine, ...fired: Parameters<HookEngine["fire"]>): Promise<readonly string[]> =>
  (await hooks.fire(...fired)).tells.map(({ text }) => text);
const files = (folder: string): string[] => (existsSync(path.join(base, folder)) ? readdirSync(path.join(base, folder)) : []);
const rows = (file: string): Record<string, unknown>[] =>
  readFileSync(path.join(base, file), "utf8")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));

describe("the lines of the teaching loop", () => {
  test("tool-log says one line for each call, without control characters and secrets", async () => {
    const hooks = await open(["tool-log"], { ports: { env: { API_TOKEN: "abcdefgh12345678" } } });
    expect(await tellsOf(hooks, "PreToolUse", BASH)).toEqual(["[HOOK] Bash(['ls -la'])"]);
    const odd = { ...BASH, tool_input: { command: "echo \u001b[31m abcdefgh12345678" } };
    expect(await tellsOf(hooks, "PreToolUse", odd)).toEqual(["[HOOK] Bash(['echo \\x1B[31m [redacted]'])"]);
  });

  test("tool-log writes them to a file instead, for this user only", async () => {
    const hooks = await open([{ name: "tool-log", file: "log/tools.jsonl" }]);
    expect(await tellsOf(hooks, "PreToolUse", BASH)).toEqual([]);
    await hooks.close();
    expect(rows("project/log/tools.jsonl")).toMatchObject([{ session: "s1", tool_use_id: "t1", line: "[HOOK] Bash(['ls -la'])" }]);
  });

  test("working-directory goes to the model with each prompt", async () => {
    const hooks = await open(["working-directory"]);
    const { contexts } = await hooks.fire("UserPromptSubmit", { prompt: "hi" });
    expect(contexts).toMatchObject([{ text: `Working directory: ${base}/project` }]);
  });

  test.each([
    [{}, 100_000, []],
    [{}, 100_001, ["[HOOK] ⚠ Large output from Bash: 100001 chars"]],
    [{ limit: 10 }, 11, ["[HOOK] ⚠ Large output from Bash: 11 chars"]],
  ])("large-output %j warns of more than its limit: %d", async (options, length, expected) => {
    const hooks = await open([{ name: "large-output", ...options }]);
    const tool_response = { ...done, stdout: "x".repeat(length) };
    expect(await tellsOf(hooks, "PostToolUse", { ...BASH, tool_response })).toEqual(expected);
  });

  test("tool-summary counts the calls of the session, not those of subagents", async () => {
    const hooks = await open(["tool-summary"]);
    for (const more of [{}, {}, { agent_id: "a", agent_type: "x" }]) await hooks.fire("PreToolUse", { ...BASH, ...more });
    expect(await tellsOf(hooks, "Stop", {})).toEqual(["[HOOK] Stop: session used 2 tool calls"]);
  });

  test.each(["HOOKLOOP_DISABLE=tool-log", "CLAUDE_CODE_DISABLE_HOOKS=tool_log", "CLAUDE_CODE_DISABLE_HOOKS=log_hook"])(
    "%s switches it off",
    async (given) => {
      const [name = "", value = ""] = given.split("=");
      const hooks = await open(["tool-log"], { ports: { env: { [name]: value } } });
      expect(await tellsOf(hooks, "PreToolUse", BASH)).toEqual([]);
    },
  );
});

describe("metrics", () => {
  const numbers = (): unknown[] => steps.flatMap(({ type, name, fields }) => (type === "metric" ? [[name, fields]] : []));

  test("are steps of the trace", async () => {
    const hooks = await open(["metrics"], { ports: { trace } });
    await hooks.fire("PostToolUse", { ...BASH, tool_response: done, duration_ms: 12 });
    await hooks.fire("PostToolUseFailure", { ...BASH, error: "Exit code 2\nls: no such file", is_interrupt: false, duration_ms: 7 });
    expect(numbers()).toEqual([
      ["tool_executed", { tool_name: "Bash", duration_ms: 12, success: true, error_type: null }],
      ["bash_executed", { command_base: "ls", has_pipe: false, has_redirect: false, exit_code: 0, duration_ms: 12 }],
      ["tool_executed", { tool_name: "Bash", duration_ms: 7, success: false, error_type: "exit_code" }],
      ["bash_executed", { command_base: "ls", has_pipe: false, has_redirect: false, exit_code: 2, duration_ms: 7 }],
    ]);
  });

  test("go to a file as well, if it is named", async () => {
    const hooks = await open([{ name: "metrics", file: "metrics.jsonl" }]);
    await hooks.fire("PostToolUse", {
      tool_name: "Read",
      tool_input: { file_path: "/a" },
      tool_use_id: "r",
      tool_response: "",
      duration_ms: 3,
    });
    await hooks.close();
    expect(rows("project/metrics.jsonl")).toMatchObject([
      { session: "s1", metric: "tool_executed", tool_name: "Read", duration_ms: 3, success: true, error_type: null },
    ]);
  });

  test("count the tokens and the cost of a turn, each answer once", async () => {
    const transcript_path = path.join(base, "transcript.jsonl");
    const answer = (id: string, input_tokens: number): string =>
      `${JSON.stringify({ type: "assistant", costUSD: 0.25, message: { id, model: "m", usage: { input_tokens, output_tokens: 5 } } })}\n`;
    writeFileSync(transcript_path, answer("of an earlier turn", 1000));
    const hooks = await open(["metrics"], { ports: { trace }, commonInput: { transcript_path } });
    await hooks.fire("UserPromptSubmit", { prompt: "hi" });
    writeFileSync(transcript_path, answer("a", 10) + answer("a", 10) + answer("b", 20), { flag: "a" });
    await hooks.fire("Stop", {});
    await hooks.fire("Stop", {});
    expect(numbers()).toEqual([["tokens_used", { model: "m", answers: 2, input_tokens: 30, output_tokens: 10, cost_usd: 0.5 }]]);
  });

  test.each([
    ["ls -la", "ls", false, false],
    ["FOO=1 /usr/bin/git log | head -3", "git", true, false],
    ["echo 'a | b > c'", "echo", false, false],
    ["echo x | cat", "echo", true, false],
    ["a || b", "a", false, false],
    ["npm test > out.txt 2>&1", "npm", false, true],
    ["sudo rm x", "sudo", false, false],
    ["$CMD x", "unknown", false, false],
    ["", "unknown", false, false],
  ])("of the command %s", (command, command_base, has_pipe, has_redirect) => {
    const { fields } = bashExecuted(command, { tool: "Bash", durationMs: 1 });
    expect(fields).toEqual({ command_base, has_pipe, has_redirect, exit_code: 0, duration_ms: 1 });
  });

  test.each([
    ["Exit code 3\nx", false, "exit_code"],
    ["whatever", true, "interrupted"],
    ["Command timed out after 2m", false, "timeout"],
    ["ENOENT: no such file", false, "ENOENT"],
    ["TypeError: x is undefined", false, "TypeError"],
    ["it did not work", false, "error"],
  ])("name the kind of the error %j", (error, isInterrupt, expected) => {
    expect(toolExecuted({ tool: "Bash", durationMs: 1, error, isInterrupt }).fields["error_type"]).toBe(expected);
  });
});

describe("audit", () => {
  const folder = (): string => path.join("home/.local/state/hookloop/audit", files("home/.local/state/hookloop/audit")[0] ?? "none");
  const records = (): Record<string, unknown>[] =>
    rows(path.join(folder(), "s1.jsonl")).map(({ record }) => record as Record<string, unknown>);

  test("sees verdicts, denied calls and who denied them", async () => {
    const hooks = await open(["audit", "safety"]);
    const result = await hooks.runTool({ ...BASH, tool_input: { command: "rm -rf /" } }, () => done);
    const other = await hooks.runTool({ ...BASH, tool_use_id: "t2" }, () => done, { permission: () => "deny" });
    expect([result.status, other.status]).toEqual(["denied", "denied"]);
    await hooks.close();
    expect(records()).toMatchObject(
      expect.arrayContaining([
        expect.objectContaining({ type: "fired", event: "PreToolUse" }),
        expect.objectContaining({ type: "verdict", event: "PreToolUse", decision: "deny" }),
        expect.objectContaining({ type: "notRun", tool_use_id: "t1", status: "denied" }),
        expect.objectContaining({ type: "notRun", tool_use_id: "t2", by: "program", error: "Bash is not allowed." }),
      ]),
    );
  });

  test("gets the steps without a trace, and none when it is switched off or taken away", async () => {
    const off = await open(["audit"], { ports: { env: { HOOKLOOP_DISABLE: "audit" } } });
    await off.fire("PreToolUse", BASH);
    await off.close();
    expect(files("home/.local/state/hookloop/audit")).toEqual([]);
    const hooks = await open(["audit"]);
    await hooks.fire("PreToolUse", BASH);
    await hooks.close();
    expect(records().map(({ type }) => type)).toEqual(["fired", "considered", "verdict"]);
  });
});

describe("a project's file", () => {
  test.each([
    [{ name: "metrics", file: "/tmp/x" }, false],
    [{ name: "tool-log", file: "x" }, false],
    [{ name: "notify", webhook: "http://x.example/" }, false],
    [{ name: "notify", command: ["./x"] }, false],
    [{ name: "notify", bell: true }, true],
    ["metrics", true],
  ])("that is not trusted switches %j on: %s", async (one, isOn) => {
    writeFileSync(path.join(base, "project/.hookloop/hooks.json"), JSON.stringify({ use: [one] }));
    const hooks = await open(undefined);
    expect(hooks.admitted.length > 0).toBe(isOn);
    expect(diagnostics.map(({ code }) => code)).toEqual(isOn ? [] : ["HL_ADMIT_UNTRUSTED"]);
  });
});

const server: TestServer = await startServer({
  "/ok": (response) => response.end(),
  "/500": (response) => response.writeHead(500).end(),
  "/hang": () => {},
  "/flood": (response) => {
    const chunk = Buffer.alloc(1024 * 1024);
    const more = (): void => {
      while (!response.destroyed && response.write(chunk));
    };
    response.on("drain", more);
    more();
  },
});

describe("notify", () => {
  const posted = (route: string): unknown[] =>
    server.received.filter((one) => one.path === route).map(({ body }) => JSON.parse(body.toString()));
  const until = async (isSo: () => boolean, ms = 5000): Promise<void> => {
    for (const end = Date.now() + ms; !isSo() && Date.now() < end; ) await new Promise((resolve) => setTimeout(resolve, 10));
  };
  const webhook = (route: string, more = {}): OpenOptions["use"] => [
    { name: "notify", bell: false, after: 0.05, webhook: `${server.origin}${route}`, ...more },
  ];
  const program = (text: string): string => {
    const file = path.join(base, "program");
    writeFileSync(file, `#!/bin/sh\n${text}\n`);
    chmodSync(file, 0o755);
    return file;
  };

  test("calls when the agent has waited that long, with a signature", async () => {
    const hooks = await open(webhook("/ok", { secretEnv: "HOOK_SECRET" }), {
      ports: { env: { HOOK_SECRET: `whsec_${Buffer.from("x".repeat(24)).toString("base64")}` } },
    });
    await hooks.fire("Stop", {});
    await until(() => posted("/ok").length > 0);
    expect(posted("/ok")).toEqual([{ text: "The agent has finished its turn", session: "s1", cwd: path.join(base, "project") }]);
    expect(server.received.at(-1)?.headers["webhook-signature"]).toMatch(/^v1,/);
  });

  test("calls nobody if the user answers sooner, or the session ends", async () => {
    const before = server.received.length;
    const hooks = await open(webhook("/ok", { after: 0.2 }));
    await hooks.fire("PermissionRequest", BASH);
    await hooks.fire("PostToolUse", { ...BASH, tool_response: done });
    await hooks.fire("Stop", {});
    await hooks.close();
    await new Promise((resolve) => setTimeout(resolve, 400));
    expect(server.received.length).toBe(before);
  });

  test.each(["/hang", "/500", "/flood"])("a webhook that does %s delays nothing, and is said once at most", async (route) => {
    const hooks = await open(webhook(route));
    const startedAt = performance.now();
    for (let count = 0; count < 3; count++) {
      await hooks.fire("Notification", { message: "look", notification_type: "idle_prompt" });
      await new Promise((resolve) => setTimeout(resolve, 150));
      await hooks.fire("PreToolUse", BASH);
    }
    await hooks.close();
    expect(performance.now() - startedAt).toBeLessThan(5000);
    expect(posted(route).length).toBe(route === "/hang" ? 1 : 3);
    const said = diagnostics.map(({ code, text }) => `${code} ${text}`);
    expect(said.length).toBeLessThanOrEqual(1);
    if (route === "/500")
      expect(said[0]).toMatch(/^HL_LOOP_NOT_NOTIFIED notify: the webhook did not work: its server answered with status 500/);
  });

  test("an address that hooks must not reach is not reached", async () => {
    const hooks = await open([{ name: "notify", bell: false, after: 0, webhook: "http://169.254.169.254/latest" }]);
    await hooks.fire("Stop", {});
    await until(() => diagnostics.length > 0);
    expect(diagnostics[0]?.text).toMatch(/was not asked: this address is not on the public internet/);
  });

  test("a command gets the message as one word, and no secret of the environment", async () => {
    const file = program(`printf '%s|' "$@" > "${base}/got"; env >> "${base}/got"`);
    const env = { PATH: process.env["PATH"], HOME: base, SOME_TOKEN: "abcdefgh12345678" };
    const hooks = await open([{ name: "notify", bell: false, after: 0, command: [file, "a b", "{message}"] }], { ports: { env } });
    await hooks.fire("Notification", { message: "$(touch x); `y` 'z'", notification_type: "x" });
    await until(() => existsSync(path.join(base, "got")) && readFileSync(path.join(base, "got"), "utf8").includes("PATH="));
    const got = readFileSync(path.join(base, "got"), "utf8");
    expect(got).toContain("a b|$(touch x); `y` 'z'|");
    expect(got).not.toContain("abcdefgh12345678");
  });

  test("a command that hangs holds nothing up and ends with the session", async () => {
    const file = program(`echo $$ > "${base}/pid"; trap '' TERM; sleep 60`);
    const hooks = await open([{ name: "notify", bell: false, after: 0, command: [file] }]);
    await hooks.fire("Stop", {});
    await until(() => existsSync(path.join(base, "pid")) && readFileSync(path.join(base, "pid"), "utf8") !== "");
    const pid = Number(readFileSync(path.join(base, "pid"), "utf8"));
    const startedAt = performance.now();
    await hooks.fire("PreToolUse", BASH);
    expect(performance.now() - startedAt).toBeLessThan(1000);
    await hooks.close();
    await until(() => !existsSync(`/proc/${pid}`), 3000);
    expect(existsSync(`/proc/${pid}`)).toBe(false);
  });

  test("a command that is not there is said, and a terminal without a bell is no problem", async () => {
    const hooks = await open([{ name: "notify", after: 0, command: ["no-such-program-here"] }]);
    await hooks.fire("Stop", {});
    await until(() => diagnostics.length > 0);
    expect(diagnostics.map(({ text }) => text)).toEqual([
      "notify: the command no-such-program-here did not work: there is no such program. It is tried again, and not said again.",
    ]);
  });
});
