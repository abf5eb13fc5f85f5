import { block, context, deny, rewritePrompt, stop } from "@hookloop/sdk";
import { describe, expect, test } from "vitest";
import type { TraceRecord } from "../../packages/hookloop/src/engine/step.ts";
import { hooksFor, openProject } from "./open-project.ts";

const CALL = { tool_name: "Bash", tool_input: { command: "ls" }, tool_use_id: "t1" } as const;

describe("light sessions", () => {
  test("share hooks of files and of the program, also those that come later; ids and payloads are their own", async () => {
    const project = openProject({ project: hooksFor("UserPromptSubmit", "jq -r .session_id") });
    const hooks = await project.open();
    const [a, b] = [hooks.session({ sessionId: "a", commonInput: { x_user: 1 } }), hooks.session({ sessionId: "b" })];
    const seen: unknown[] = [];
    const off = hooks.on(
      "UserPromptSubmit",
      ({ session_id, ...input }) => void seen.push([session_id, (input as { x_user?: unknown }).x_user]),
    );
    const texts = await Promise.all(
      [a, b, hooks].map(async (one) => (await one.fire("UserPromptSubmit", { prompt: "x" })).contexts[0]?.text),
    );
    expect(texts).toEqual(["a", "b", "session-1"]);
    expect(seen.toSorted()).toEqual([
      ["a", 1],
      ["b", undefined],
      ["session-1", undefined],
    ]);
    off();
    await a.fire("UserPromptSubmit", { prompt: "x" });
    expect(seen).toHaveLength(3);
  });

  test("have their own id in the trace, in one count with the others", async () => {
    const records: TraceRecord[] = [];
    const hooks = await openProject().open({ ports: { trace: { write: (record) => void records.push(record) } } });
    const light = hooks.session({ sessionId: "light-1" });
    hooks.on("PreToolUse", ({ tool_input }) => (tool_input["command"] === "rm" ? deny("no") : undefined));
    records.length = 0;
    await light.runTool(CALL, () => "ran");
    await light.runTool({ ...CALL, tool_input: { command: "rm" } }, () => "ran");
    light.report({ code: "HL_EXECUTE_THREW", level: "warning", text: "said by the light one" });
    const ofLight = records.splice(0);
    expect(ofLight.map(({ type }) => type)).toEqual(expect.arrayContaining(["fired", "verdict", "notRun", "diagnostic"]));
    expect(new Set(ofLight.map(({ session }) => session))).toEqual(new Set(["light-1"]));
    await hooks.runTool(CALL, () => "ran");
    expect(new Set(records.map(({ session }) => session))).toEqual(new Set(["session-1"]));
    const counted = [...ofLight, ...records].map(({ seq }) => seq);
    expect(counted).toEqual(counted.map((_seq, index) => (counted[0] ?? 0) + index));
  });

  test("have functions of their own beside them", async () => {
    const hooks = await openProject().open();
    const [a, b] = [hooks.session(), hooks.session()];
    a.on("Stop", () => block("only here"));
    hooks.on("Notification", () => undefined);
    expect([await a.askStop(), await b.askStop()]).toEqual([["Stop hook feedback:\nonly here"], []]);
  });

  test("count what keeps their agent going by themselves, and a prompt begins anew", async () => {
    const hooks = await openProject().open({ stopCap: 2 });
    const active: unknown[] = [];
    hooks.on("Stop", ({ stop_hook_active }) => {
      active.push(stop_hook_active);
      return block("more");
    });
    const [a, b] = [hooks.session(), hooks.session()];
    for (const one of [a, a, b]) await one.fire("Stop", {});
    expect(active).toEqual([false, true, false]);
    await a.fire("UserPromptSubmit", { prompt: "next" });
    expect(await a.askStop()).toHaveLength(1);
    expect(active.at(-1)).toBe(false);
  });

  test("end with their own signal, and leave the others alone", async () => {
    const project = openProject({ project: hooksFor("PreToolUse", [{ command: "sleep 5", onFailure: "block" }]) });
    const hooks = await project.open();
    const controller = new AbortController();
    const light = hooks.session({ signal: controller.signal });
    const running = light.runTool(CALL, () => "ran");
    setTimeout(() => controller.abort(), 100);
    const startedAt = performance.now();
    expect(await running).toMatchObject({ status: "denied" });
    expect(performance.now() - startedAt).toBeLessThan(3000);
    await light.close();
    expect(hooks.isClosing).toBe(false);
    expect(light.isClosing).toBe(true);
  });

  test("are closed with their engine", async () => {
    const hooks = await openProject().open();
    const light = hooks.session();
    await hooks.close();
    expect(await light.runTool(CALL, () => "ran")).toMatchObject({ status: "denied" });
  });
});

describe("a turn", () => {
  test("begins with the prompt as hooks made it, and with their texts", async () => {
    const hooks = await openProject().open();
    hooks.on("UserPromptSubmit", ({ prompt }) => rewritePrompt(`${prompt}!`).with(context("It is Monday.")));
    expect(await hooks.startTurn("Hi")).toMatchObject({
      prompt: "Hi!",
      texts: ["UserPromptSubmit hook additional context: It is Monday."],
    });
  });

  test("does not begin where a hook blocks, asks or fails, and says why", async () => {
    const hooks = await openProject().open();
    const off = hooks.on("UserPromptSubmit", () => block("Not now."));
    expect(await hooks.startTurn("Hi")).toMatchObject({ blocked: "Not now." });
    off();
    hooks.on("UserPromptSubmit", { guard: true, name: "g" }, () => {
      throw new Error("x");
    });
    expect(await hooks.startTurn("Hi")).toMatchObject({ blocked: "The guard g threw an error." });
  });

  test("that was halted stays so until the next one, and is not asked whether it stops", async () => {
    const hooks = await openProject().open();
    hooks.on("PostToolUse", () => stop("enough"));
    hooks.on("Stop", () => block("more"));
    expect(hooks.halted).toBeUndefined();
    await hooks.runTool({ ...CALL, agent_id: "sub" }, () => 1);
    expect(hooks.halted).toBeUndefined();
    await hooks.runTool(CALL, () => 1);
    expect(hooks.halted).toMatchObject({ text: "enough" });
    expect(await hooks.askStop("Done.")).toEqual([]);
    await hooks.startTurn("again");
    expect(hooks.halted).toBeUndefined();
  });
});

describe("close()", () => {
  test.each([
    ["ends a session that the program began", ["SessionStart"], ["SessionStart", "SessionEnd"]],
    ["ends none that it ended", ["SessionStart", "SessionEnd"], ["SessionStart", "SessionEnd"]],
    ["ends none that it did not begin", [], []],
  ] as const)("%s", async (_name, fired, expected) => {
    const hooks = await openProject().open();
    const seen: string[] = [];
    hooks.on("SessionStart", () => void seen.push("SessionStart"));
    hooks.on("SessionEnd", ({ reason }) => void seen.push("SessionEnd", ...(fired.length === 1 ? [String(reason)] : [])));
    for (const event of fired)
      await (event === "SessionStart" ? hooks.fire(event, { source: "startup" }) : hooks.fire(event, { reason: "logout" }));
    await hooks.close();
    await hooks.close();
    expect(seen.filter((one) => one !== "other")).toEqual(expected);
  });
});
