import {
  allow,
  ask,
  block,
  context,
  defer,
  deny,
  type EventName,
  feedback,
  type HookResult,
  output,
  replaceOutput,
  rewrite,
  rewritePrompt,
  stop,
  tellUser,
} from "@hookloop/sdk";
import { describe, expect, test } from "vitest";
import { EVENTS } from "../catalogue/events.ts";
import type { Effect } from "./effects.ts";
import { readFunctionResult } from "./function-result.ts";

const read = (event: EventName, returned: unknown) => readFunctionResult(EVENTS[event], returned);

describe("what a function returns", () => {
  test.each<[EventName, HookResult, Effect[]]>([
    ["PreToolUse", deny("no"), [{ type: "deny", reason: "no" }]],
    ["PreToolUse", block("no"), [{ type: "deny", reason: "no" }]],
    ["PreToolUse", allow(), [{ type: "approve", reason: undefined }]],
    ["PreToolUse", ask("sure?"), [{ type: "ask", reason: "sure?" }]],
    ["PreToolUse", defer(), [{ type: "defer", reason: undefined }]],
    ["PreToolUse", rewrite({ command: "ls" }), [{ type: "rewriteInput", input: { command: "ls" } }]],
    [
      "PreToolUse",
      stop("enough").with(tellUser("bye")),
      [
        { type: "halt", reason: "enough" },
        { type: "tell", text: "bye" },
      ],
    ],
    ["PreToolUse", deny("\u001b[31mred"), [{ type: "deny", reason: "red" }]],
    ["PreToolUse", deny(""), [{ type: "deny", reason: "A hook blocked it without a reason." }]],
    ["Stop", block("more"), [{ type: "continueTurn", reason: "more" }]],
    [
      "Stop",
      context("note"),
      [
        { type: "context", text: "note" },
        { type: "continueTurn", reason: "note" },
      ],
    ],
    ["PostToolBatch", block("end"), [{ type: "halt", reason: "end" }]],
    [
      "PostToolUse",
      feedback("mind").with(context("note")),
      [
        { type: "feedback", text: "mind" },
        { type: "context", text: "note" },
      ],
    ],
    ["PostToolUse", replaceOutput(null), [{ type: "rewriteOutput", output: null }]],
    ["UserPromptSubmit", rewritePrompt("better"), [{ type: "rewritePrompt", prompt: "better" }]],
    [
      "SessionStart",
      output({ sessionTitle: "t", reloadSkills: true }),
      [
        { type: "set", field: "sessionTitle", value: "t" },
        { type: "set", field: "reloadSkills", value: true },
      ],
    ],
    [
      "PermissionRequest",
      allow().with(output({ updatedPermissions: [] })),
      [
        { type: "approve", reason: undefined },
        { type: "permissionUpdates", updates: [] },
      ],
    ],
    [
      "PermissionRequest",
      deny("no").with(output({ interrupt: true })),
      [
        { type: "deny", reason: "no" },
        { type: "halt", reason: undefined },
        { type: "set", field: "interrupt", value: true },
      ],
    ],
    [
      "Elicitation",
      output({ action: "decline" }),
      [
        { type: "deny", reason: "A hook declined." },
        { type: "set", field: "action", value: "decline" },
      ],
    ],
  ])("on %s becomes effects (%#)", (event, result, effects) => {
    expect(read(event, result)).toEqual({ effects, notes: [] });
  });

  test("nothing is no opinion, and costs no object", () => {
    expect(read("PreToolUse", undefined)).toEqual({ effects: [], notes: [] });
    expect(read("Stop", undefined)).toBe(read("PreToolUse", null));
  });

  const throwing = new Proxy(
    {},
    {
      get: () => {
        throw new Error("trap");
      },
    },
  );
  test.each<[string, unknown]>([
    ["false", false],
    ["text", "no"],
    ["the wire's own shape", { decision: "block" }],
    ["a function", () => deny("no")],
    ["a hostile Proxy", throwing],
    ["parts that are no list", { parts: "deny" }],
    ["a part that is nothing", { parts: [null] }],
  ])("%s is a failed run, not an opinion", (_what, returned) => {
    const reading = read("PreToolUse", returned);
    expect(reading.effects).toEqual([]);
    expect(reading.failure).toMatchObject({
      kind: "bad-output",
      text: expect.stringMatching(/^returned .*Return deny\(…\), context\(…\) … or nothing$/),
    });
  });

  test.each<[EventName, HookResult, string, RegExp]>([
    ["Notification", deny("no"), "HL_OUTPUT_NOT_HONOURED", /^deny\(\) is not available here. The event can say: /],
    ["SessionEnd", context("x"), "HL_OUTPUT_NOT_HONOURED", /^context\(\) is not available here. The event can say: nothing$/],
    ["SessionStart", output({ sessionTitel: "t" }), "HL_OUTPUT_UNKNOWN_FIELD", /^"sessionTitel" is no output field here/],
  ])("%s: what cannot be said is reported (%#)", (event, result, code, text) => {
    const reading = read(event, result);
    expect(reading.effects).toEqual([]);
    expect(reading.failure).toBeUndefined();
    expect(reading.notes).toEqual([{ code, level: "error", text: expect.stringMatching(text) }]);
  });

  test("a denial counts as what the event has for it, and that is said", () => {
    const reading = read("PostToolUse", deny("no"));
    expect(reading.effects).toEqual([{ type: "feedback", text: "no" }]);
    expect(reading.notes).toEqual([
      {
        code: "HL_OUTPUT_NOT_HONOURED",
        level: "warning",
        text: expect.stringMatching(
          /^deny\(\) is not available here. The event can say: context, feedback, replaceOutput.* It counts as feedback\(\): write that$/,
        ),
      },
    ]);
  });

  test("a part of the wrong type is a failed run; what else was said stands", () => {
    const result = {
      parts: [
        { can: "deny", value: "no" },
        { can: "rewrite", value: 5 },
        { can: "context", value: {} },
      ],
    };
    expect(read("PreToolUse", result)).toEqual({
      effects: [{ type: "deny", reason: "no" }],
      notes: [{ code: "HL_OUTPUT_WRONG_TYPE", level: "error", text: "context() takes a string, found an object that is no result" }],
      failure: { kind: "bad-output", code: "HL_OUTPUT_WRONG_TYPE", text: "rewrite() takes an object, found number" },
    });
    expect(read("SessionStart", output({ watchPaths: "/a" })).failure).toMatchObject({
      text: 'watchPaths must be a list, each item a string, found "/a"',
    });
  });

  test("a denial counts even if its reason is no text", () => {
    expect(read("PreToolUse", { parts: [{ can: "deny", value: 42 }] }).effects).toEqual([
      { type: "deny", reason: "A hook blocked it without a reason." },
    ]);
  });

  test("a rewrite is a copy without keys that reach a prototype", () => {
    const input = JSON.parse('{"a":{"b":1},"__proto__":{"polluted":true}}');
    const [effect] = read("PreToolUse", { parts: [{ can: "rewrite", value: input }] }).effects;
    expect(effect).toEqual({ type: "rewriteInput", input: { a: { b: 1 } } });
    expect((effect as { input: Record<string, unknown> }).input["polluted"]).toBeUndefined();
    expect((effect as { input: unknown }).input).not.toBe(input);
  });
});

test("a field beside a result is not read: a guard has failed, and of another hook it is said", () => {
  const returned = { ...allow(), decision: "deny" };
  expect(readFunctionResult(EVENTS.PreToolUse, returned, true).failure?.text).toMatch(/^returned allow\(…\) with "decision" beside it/);
  expect(readFunctionResult(EVENTS.PreToolUse, returned)).toMatchObject({
    effects: [{ type: "approve" }],
    notes: [{ level: "warning", text: expect.stringContaining('"decision" beside it') }],
  });
  expect(readFunctionResult(EVENTS.PreToolUse, returned).failure).toBeUndefined();
  expect(readFunctionResult(EVENTS.PreToolUse, { ...allow(), decision: undefined }, true).failure).toBeUndefined();
});
