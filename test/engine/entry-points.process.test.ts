import { expect, test } from "vitest";
import { runAgent } from "../../packages/hookloop/src/agent.ts";
import { safety, useShipped } from "../../packages/hookloop/src/builtin/index.ts";
import {
  createHooks,
  createWebhookVerifier,
  decide,
  openHooks,
  Permissions,
  readRules,
  toClaudeOutput,
  toToolResult,
} from "../../packages/hookloop/src/index.ts";
import { createTraceWriter, tracePath } from "../../packages/hookloop/src/trace.ts";
import { openProject } from "./open-project.ts";

const cwd = "/";
const CALL = { tool_name: "Bash", tool_input: { command: "ls" }, tool_use_id: "t" };
const open = (options: object): unknown => openHooks({ cwd, ...options } as never);
const light = (options: unknown): unknown => createHooks({ cwd }).session(options as never);

/** Every way in that takes options, with one that is not there or of another type, and what it says. */
const MISTAKES: readonly (readonly [string, () => unknown, string])[] = [
  ["openHooks", () => open({ sesionId: "x" }), 'openHooks() has no option "sesionId". Did you mean "sessionId"?'],
  ["ports", () => open({ ports: { envv: {} } }), 'ports has no option "envv". Did you mean "env"?'],
  [
    "ports.runners",
    () => open({ ports: { runners: { comand: () => {} } } }),
    'ports.runners has no option "comand". Did you mean "command"?',
  ],
  ["ports.env", () => open({ ports: { env: { RETRIES: 1 } } }), "RETRIES of env of ports is 1. Write a text"],
  ["ports.model", () => open({ ports: { model: { anser() {} } } }), "model of ports has no ask()."],
  ["ports.judgeTools", () => open({ ports: { judgeTools: { run() {} } } }), "judgeTools of ports has no run() or no list offered."],
  ["ports.trace", () => open({ ports: { trace: { wirte() {} } } }), "trace of ports has no write()."],
  ["trust", () => open({ trust: { workspac: true } }), 'trust has no option "workspac". Did you mean "workspace"?'],
  ["sources", () => open({ sources: ["projct"] }), 'Did you mean "project"?'],
  ["use", () => open({ use: ["safty"] }), 'use of openHooks() has "safty"'],
  [
    "pluginOptions",
    () => open({ pluginOptions: { lint: "eu" } }),
    'pluginOptions of openHooks() has "eu" for "lint". Write { "lint": { NAME: "value" } }',
  ],
  ["tools", () => open({ tools: ["Bash(git *)"] }), 'tools has "Bash(git *)", which is no name of a tool.'],
  [
    "createHooks",
    () => createHooks({ cwd, onDiagnostics() {} } as never),
    'createHooks() has no option "onDiagnostics". Did you mean "onDiagnostic"?',
  ],
  ["createHooks tools", () => createHooks({ cwd, tools: [""] }), 'tools has "", which is no name of a tool.'],
  ["session", () => light({ sesionId: "x" }), 'session() has no option "sesionId". Did you mean "sessionId"?'],
  ["Permissions", () => new Permissions({ root: cwd, rulez: 1 } as never), 'Permissions has no option "rulez". Did you mean "rules"?'],
  ["Permissions.decide", () => new Permissions({ root: cwd }).decide(CALL, { hok: "deny" } as never), 'Did you mean "hook"?'],
  ["decide", () => decide(CALL, readRules({ allow: [] }).rules, { root: cwd, mod: "plan" } as never), 'Did you mean "mode"?'],
  ["readRules", () => readRules({ allow: [] }, { tols: [] } as never), 'readRules() has no option "tols". Did you mean "tools"?'],
  [
    "useShipped",
    () => useShipped(createHooks({ cwd }), safety, { profil: "strict" } as never),
    'has no option "profil". Did you mean "profile"?',
  ],
  [
    "useShipped profile",
    () => useShipped(createHooks({ cwd }), safety, { profile: "strct" } as never),
    'profile of useShipped(hooks, "safety")',
  ],
  ["useShipped without", () => useShipped(createHooks({ cwd }), undefined as never), "useShipped() takes a shipped hook, not undefined."],
  ["use with options", () => open({ use: [{ name: "safety", profil: "strict" }] }), 'Did you mean "profile"?'],
  ["createWebhookVerifier", () => createWebhookVerifier({ secrt: ["x"] } as never), 'Did you mean "secrets"?'],
  ["createTraceWriter", () => createTraceWriter({ file: "/x", redact: false } as never), 'Did you mean "redactor"?'],
  ["tracePath", () => tracePath({ env: {}, projectRoot: cwd, sesion: "a" } as never), 'Did you mean "session"?'],
  [
    "runAgent",
    () => runAgent("x", { cwd, alowedTools: [] } as never),
    'runAgent() has no option "alowedTools". Did you mean "allowedTools"?',
  ],
  ["runAgent without a prompt", () => runAgent({ cwd } as never, {} as never), "runAgent() takes the prompt first, not an object."],
  ["toClaudeOutput", () => toClaudeOutput("PreTool" as never, {} as never), 'not "PreTool". Did you mean "PreToolUse"?'],
  ["toToolResult", () => toToolResult({} as never), "Write toToolResult(await hooks.runTool(…))"],
];

test.each(MISTAKES)("%s says what is wrong with its options, with the nearest name", async (_name, call, text) => {
  const thrown = await Promise.resolve()
    .then(call)
    .then(
      () => undefined,
      (error: unknown) => error,
    );
  expect(thrown).toBeInstanceOf(TypeError);
  expect((thrown as Error).message).toMatch(/^HL_CONFIG_OPTION_INVALID: /);
  expect((thrown as Error).message).toContain(text);
});

test("what fires says it, and does not throw at the loop", async () => {
  const project = openProject();
  const hooks = await project.open();
  hooks.on("Stop", () => undefined);
  await hooks.askStop("x", {}, { sgnal: 1 } as never);
  await hooks.startTurn("x", {}, { tmeoutMs: 1 } as never);
  for await (const _step of hooks.stream("Stop", {}, { isRewrit: true } as never));
  await hooks.begin(CALL, { rulez: 1 } as never);
  expect(project.diagnostics.map(({ code, text }) => [code, text.replace(/^.*has no option/, "…")])).toEqual([
    ["HL_CONFIG_OPTION_INVALID", '… "sgnal". Did you mean "signal"?'],
    ["HL_CONFIG_OPTION_INVALID", '… "tmeoutMs". Did you mean "timeoutMs"?'],
    ["HL_CONFIG_OPTION_INVALID", '… "isRewrit". Did you mean "isRewrite"?'],
    ["HL_CONFIG_OPTION_INVALID", '… "rulez". Did you mean "rules"? The call was not run.'],
  ]);
});
