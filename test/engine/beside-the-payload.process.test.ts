/** What a firing may hand to hooks beside its payload, and what cannot be denied. */
import { deny } from "@hookloop/sdk";
import { describe, expect, test } from "vitest";
import type { Diagnostic } from "../../packages/hookloop/src/diagnostic.ts";
import type { Step } from "../../packages/hookloop/src/engine/step.ts";
import { createHooks } from "../../packages/hookloop/src/open.ts";
import type { Model, ModelMessage } from "../../packages/hookloop/src/run/model/model-port.ts";
import { openProject } from "./open-project.ts";

const MESSAGES: readonly ModelMessage[] = [{ role: "user", content: "fix the parser" }];
const CALL = { tool_name: "Bash", tool_input: { command: "ls" }, tool_use_id: "t" };
const env = {};

describe("the conversation", () => {
  test("is looked up only when a function asks for it", async () => {
    const hooks = createHooks({ cwd: process.cwd(), ports: { env } });
    let lookups = 0;
    const messages = () => {
      lookups++;
      return MESSAGES;
    };
    const seen: unknown[] = [];
    const off = hooks.on("PreToolUse", () => undefined);
    await hooks.fire("PreToolUse", CALL, { messages });
    expect(lookups).toBe(0);
    off();
    hooks.on("PreToolUse", (_input, run) => void seen.push(run.messages));
    await hooks.fire("PreToolUse", CALL, { messages });
    await hooks.fire("PreToolUse", CALL);
    expect([seen, lookups]).toEqual([[MESSAGES, []], 1]);
  });

  test("of the session is there where the firing has none, also in runTool", async () => {
    const hooks = createHooks({ cwd: process.cwd(), ports: { env, messages: () => MESSAGES } });
    const seen: unknown[] = [];
    for (const event of ["PreToolUse", "PostToolUse"] as const) hooks.on(event, (_input, run) => void seen.push(run.messages?.length));
    await hooks.runTool(CALL, () => ({ stdout: "", stderr: "", interrupted: false }));
    await hooks.runTool(CALL, () => ({ stdout: "", stderr: "", interrupted: false }), { messages: () => [...MESSAGES, ...MESSAGES] });
    expect(seen).toEqual([1, 1, 2, 2]);
  });

  test("that cannot be had is said, and the hook judges without it", async () => {
    const diagnostics: Diagnostic[] = [];
    const hooks = createHooks({ cwd: process.cwd(), ports: { env }, onDiagnostic: (one) => diagnostics.push(one) });
    hooks.on("PreToolUse", { guard: true }, (_input, run) => (run.messages?.length === 0 ? deny("without") : undefined));
    const broken = () => {
      throw new Error("no transcript");
    };
    expect((await hooks.fire("PreToolUse", CALL, { messages: broken })).decision).toBe("deny");
    expect((await hooks.fire("PreToolUse", CALL, { messages: () => "text" as never })).decision).toBe("deny");
    expect(diagnostics.map(({ text }) => text)).toEqual([
      "messages of fire() threw: no transcript",
      'messages of fire() gave "text". Return a list of messages',
    ]);
  });

  test.each(["PreToolUse", "PostToolUse", "UserPromptSubmit", "Stop"] as const)("reaches a prompt hook of %s", async (event) => {
    const project = openProject({ project: { hooks: { [event]: [{ hooks: [{ type: "prompt", prompt: "Is it about the parser?" }] }] } } });
    const asked: string[] = [];
    const model: Model = {
      defaultModel: "m",
      async ask(request) {
        asked.push(JSON.stringify(request.messages));
        return {
          id: "1",
          model: "m",
          content: [{ type: "text", text: '{"ok": true}' }],
          stopReason: "end_turn",
          usage: { inputTokens: 0, outputTokens: 0 },
        };
      },
    };
    const hooks = await project.open({ ports: { model } });
    await hooks.fire(event as never, { ...CALL, prompt: "go", tool_response: "" } as never, { messages: () => MESSAGES });
    await hooks.close();
    expect(asked.join()).toContain("fix the parser");
  });
});

test("waitForAsync: a background hook is waited for, and its answer counts", async () => {
  const command = (line: string, more = {}) => ({ hooks: [{ type: "command", command: line, ...more }] });
  const slow = command("sleep 0.2; echo no >&2; exit 2", { async: true });
  const goesByItself = command(`echo '{"async": true}'; sleep 0.2; echo '{"decision": "block", "reason": "late"}'`);
  const project = openProject({ project: { hooks: { PreToolUse: [slow], UserPromptSubmit: [goesByItself] } } });
  const hooks = await project.open();
  const [later, waited] = [await hooks.fire("PreToolUse", CALL), await hooks.fire("PreToolUse", CALL, { waitForAsync: true })];
  expect([later.decision, waited.decision, waited.reasons[0]?.text]).toEqual(["none", "deny", expect.stringContaining("no")]);
  expect((await hooks.fire("UserPromptSubmit", { prompt: "p" }, { waitForAsync: true })).reasons[0]?.text).toBe("late");
  await hooks.close();
});

test("a change of managed policy cannot be denied, and the verdict says so", async () => {
  const diagnostics: Diagnostic[] = [];
  const hooks = createHooks({ cwd: process.cwd(), ports: { env }, onDiagnostic: (one) => diagnostics.push(one) });
  hooks.on("ConfigChange", { name: "freeze", guard: true }, () => deny("not now") as never);
  hooks.on("ConfigChange", { name: "broken" }, () => {
    throw new Error("broken");
  });
  const decide = async (source: string) => (await hooks.fire("ConfigChange", { source, file_path: "/x" })).decision;
  expect([await decide("project_settings"), await decide("policy_settings")]).toEqual(["deny", "none"]);
  expect(diagnostics.map(({ text }) => text).join("\n")).toContain("ConfigChange of policy_settings cannot be blocked");
});

test("a hook that is bound to another session or subagent does not run, and a step says so", async () => {
  const steps: Step[] = [];
  const hooks = createHooks({ cwd: process.cwd(), sessionId: "mine", ports: { env } });
  const ran: string[] = [];
  hooks.on("PreToolUse", { name: "theirs", sessionId: "other" }, () => void ran.push("theirs"));
  hooks.on("PreToolUse", { name: "agent's", agentId: "a1" }, () => void ran.push("agent's"));
  hooks.on("PreToolUse", { name: "mine", sessionId: "mine" }, () => void ran.push("mine"));
  await hooks.fire("PreToolUse", CALL, { onStep: (step) => steps.push(step) });
  await hooks.session({ sessionId: "other" }).fire("PreToolUse", CALL);
  expect(ran).toEqual(["mine", "theirs"]);
  expect(steps.find(({ type }) => type === "notMatched")).toMatchObject({
    hooks: [
      { name: "theirs", why: "session", text: "it belongs to another session (other)" },
      { name: "agent's", why: "agent", text: "it belongs to another agent (a1)" },
    ],
  });
  expect(steps[0]).toMatchObject({
    type: "fired",
    hookName: "PreToolUse:Bash",
    numCommands: 3,
    hookTypeCounts: { function: 3 },
    pluginHookCounts: {},
  });
});
