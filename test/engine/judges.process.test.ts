import { describe, expect, test } from "vitest";
import { createScriptedModel } from "../../packages/hookloop/src/models/model-settings.ts";
import type { AskUser, Model } from "../../packages/hookloop/src/run/model/model-port.ts";
import { bash, openProject } from "./open-project.ts";

const hooksOf = (event: string, fields: object = {}): object => ({
  hooks: { [event]: [{ hooks: [{ type: "prompt", prompt: "Is this safe? $ARGUMENTS", ...fields }] }] },
});
const answering = (sideReply: string): Model => createScriptedModel({ turns: [], sideReply });
const NO = answering('{"ok": false, "reason": "MARK"}');

async function fire(
  files: Parameters<typeof openProject>[0],
  event: "PreToolUse" | "PostToolUse" | "Stop" | "UserPromptSubmit",
  ports = {},
) {
  const project = openProject(files);
  const steps: Record<string, unknown>[] = [];
  const hooks = await project.open({ ports: { ...ports, trace: { write: (record) => steps.push({ ...record }) } } });
  const verdict = await hooks.fire(event, { ...bash("ls"), tool_response: "x", prompt: "p" });
  return { verdict, codes: project.codes(), texts: project.diagnostics.map(({ text }) => text), steps };
}

describe("a prompt hook's no", () => {
  test("on PreToolUse denies and ends the turn", async () => {
    const { verdict, codes, steps } = await fire({ project: hooksOf("PreToolUse") }, "PreToolUse", { model: NO });
    expect([verdict.decision, verdict.halt?.text, codes]).toEqual(["deny", "MARK", []]);
    expect(steps.find(({ type }) => type === "outcome")?.["usage"]).toEqual({ inputTokens: 0, outputTokens: 0 });
  });

  test("with continueOnBlock denies only", async () => {
    const { verdict } = await fire({ project: hooksOf("PreToolUse", { continueOnBlock: true }) }, "PreToolUse", { model: NO });
    expect([verdict.decision, verdict.halt, verdict.reasons[0]?.text]).toEqual(["deny", undefined, "MARK"]);
  });

  test("on PostToolUse goes beside the result and ends the turn", async () => {
    const { verdict } = await fire({ project: hooksOf("PostToolUse") }, "PostToolUse", { model: NO });
    expect([verdict.feedback[0]?.text, verdict.halt?.text]).toEqual(["MARK", "MARK"]);
  });

  test("on Stop is fed back, unless nothing can be done", async () => {
    const files = { project: hooksOf("Stop") };
    expect((await fire(files, "Stop", { model: NO })).verdict.continueWith.map(({ text }) => text)).toEqual(["MARK"]);
    const never = answering('{"ok": false, "reason": "x", "impossible": true}');
    expect((await fire(files, "Stop", { model: never })).verdict.continueWith).toEqual([]);
  });

  test("on UserPromptSubmit blocks the prompt", async () => {
    expect((await fire({ project: hooksOf("UserPromptSubmit") }, "UserPromptSubmit", { model: NO })).verdict.decision).toBe("deny");
  });
});

describe("a prompt hook that failed goes in its direction, and is reported:", () => {
  const askUser: AskUser = async () => undefined;
  test.each([
    ["no model is configured", {}, "HL_EXECUTE_NO_MODEL"],
    ["the model does not answer in JSON", { model: answering("sure") }, "HL_EXECUTE_BAD_ANSWER"],
    ["there is no user to ask", { model: answering('{"question": "really?"}') }, "HL_EXECUTE_UNANSWERED"],
    ["there is no answer", { model: answering('{"question": "really?"}'), askUser }, "HL_EXECUTE_UNANSWERED"],
  ])("%s", async (_what, ports, code) => {
    const guard = await fire({ native: hooksOf("PreToolUse", { guard: true }) }, "PreToolUse", ports);
    expect([guard.verdict.decision, guard.codes]).toEqual(["deny", [code]]);
    const gate = await fire({ native: hooksOf("PreToolUse") }, "PreToolUse", ports);
    expect([gate.verdict.decision, gate.codes]).toEqual(["ask", [code]]);
    const imported = await fire({ project: hooksOf("PreToolUse") }, "PreToolUse", ports);
    expect([imported.verdict.decision, imported.codes]).toEqual(["none", [code]]);
  });
});

test("an agent hook's no denies and lets the turn continue", async () => {
  const turn = [{ type: "tool_use" as const, id: "t", name: "StructuredOutput", input: { ok: false, reason: "MARK" } }];
  const { verdict } = await fire({ project: hooksOf("PreToolUse", { type: "agent" }) }, "PreToolUse", {
    model: createScriptedModel({ turns: [turn] }),
  });
  expect([verdict.decision, verdict.halt, verdict.reasons[0]?.text]).toEqual(["deny", undefined, "MARK"]);
});
