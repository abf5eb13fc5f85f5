import type { EventName } from "@hookloop/sdk";
import { describe, expect, test } from "vitest";
import { EVENTS } from "../catalogue/index.ts";
import { createDialects } from "../dialects/index.ts";
import { mergeOutcomes, noVerdict, type Verdict } from "../judge/index.ts";
import { notRun } from "../run/index.ts";
import { sampleHook } from "../run/sample-hook.test-suite.ts";
import { toClaudeOutput, toToolResult, toUserMessage } from "./host.ts";
import type { ToolResult } from "./run-tool.ts";

const says = (text: string): Verdict["reasons"] => [{ text, hook: "h" }];
const result = (more: Partial<ToolResult<unknown>>): ToolResult<unknown> => ({
  status: "ran",
  toolUseId: "t1",
  texts: [],
  halt: undefined,
  verdicts: [],
  ...more,
});

describe("a result for the model", () => {
  test.each<[string, Partial<ToolResult<unknown>>, readonly string[], boolean]>([
    ["a text", { output: "fine" }, ["fine"], false],
    ["what a command printed", { output: { stdout: "out", stderr: "err", interrupted: false } }, ["out\nerr"], false],
    ["any other value as JSON", { output: { a: 1 } }, ['{"a":1}'], false],
    ["nothing", { output: undefined }, [""], false],
    ["texts of hooks beside it", { output: "fine", texts: ["lint fails"] }, ["fine", "lint fails"], false],
    ["why it was denied", { status: "denied", error: "no" }, ["no"], true],
    ["why it is withheld, never the output", { status: "withheld", output: "secret", error: "withheld" }, ["withheld"], true],
  ])("%s", (_name, more, texts, isError) => {
    expect(toToolResult(result(more))).toEqual({
      type: "tool_result",
      tool_use_id: "t1",
      content: texts.map((text) => ({ type: "text", text })),
      ...(isError && { is_error: true }),
    });
  });
});

test("a verdict is a message of its own only if it has something for the model", () => {
  expect(toUserMessage(noVerdict("Stop"))).toBeUndefined();
  expect(toUserMessage({ ...noVerdict("Stop"), continueWith: says("Run the tests") })).toEqual({
    role: "user",
    content: "Stop hook feedback:\nRun the tests",
  });
  expect(() => toUserMessage({} as never)).toThrow("toUserMessage() was given an object, not a verdict");
});

describe("a verdict in Claude Code's words means the same when it is read back", () => {
  const { answer } = createDialects().of("claude");
  const readBack = (event: EventName, output: object): Verdict => {
    const hook = sampleHook({ event });
    const { failure: _none, ...raw } = notRun(hook, { kind: "exit", text: "" });
    const reading = answer.read(EVENTS[event], event, { ...raw, exitCode: 0, stdout: JSON.stringify(output) });
    expect(reading.failure).toBeUndefined();
    return mergeOutcomes({ event, row: EVENTS[event], outcomes: [{ ...reading, hook, durationMs: 0 }] }).verdict;
  };

  const cases: readonly (readonly [EventName, Partial<Verdict>])[] = [
    ["PreToolUse", {}],
    ["PreToolUse", { decision: "deny", reasons: says("no") }],
    ["PreToolUse", { decision: "ask", reasons: says("sure?") }],
    ["PreToolUse", { decision: "allow", reasons: says("yes"), updatedInput: { command: "ls" }, contexts: says("it is late") }],
    ["PreToolUse", { halt: says("enough")[0], decision: "deny", reasons: says("no"), tells: says("look") }],
    ["PermissionRequest", { decision: "deny", reasons: says("no") }],
    ["PermissionRequest", { decision: "allow", reasons: says(""), updatedInput: { command: "ls" } }],
    ["PostToolUse", { feedback: says("lint fails"), contexts: says("see docs"), updatedOutput: { value: "short" } }],
    ["UserPromptSubmit", { decision: "deny", reasons: says("not now") }],
    ["UserPromptSubmit", { contexts: says("it is Monday") }],
    ["Stop", { continueWith: says("run the tests") }],
    ["SessionStart", { contexts: says("the build is green"), fields: { sessionTitle: "Build" } }],
    ["UserPromptSubmit", { updatedPrompt: "in English" }],
    [
      "PermissionRequest",
      { decision: "allow", reasons: says(""), permissionUpdates: [{ type: "setMode", mode: "plan", destination: "session" }] },
    ],
  ];

  test("every part of a verdict is in one of the cases", () => {
    const { event: _event, outcomes: _outcomes, ...parts } = noVerdict("PreToolUse");
    expect(new Set(cases.flatMap(([, more]) => Object.keys(more)))).toEqual(new Set(Object.keys(parts)));
  });

  test.each(cases)("%s %j", (event, more) => {
    const verdict = { ...noVerdict(event), ...more };
    const plain = ({ outcomes: _own, ...rest }: Verdict): unknown =>
      JSON.parse(JSON.stringify(rest, (key, value: unknown) => (key === "hook" ? undefined : value)));
    expect(plain(readBack(event, toClaudeOutput(event, verdict)))).toEqual(plain(verdict));
  });
});
