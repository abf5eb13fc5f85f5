import { describe, expect, test } from "vitest";
import { createPayloadCopier } from "./payload-copy.ts";

const COMMON = { session_id: "s", transcript_path: "", cwd: "/srv" };
const call = (command: string) => ({ tool_name: "Bash", tool_input: { command }, tool_use_id: "t" });

describe("the copy of a payload that functions get", () => {
  test.each<[string, Readonly<Record<string, unknown>>]>([
    ["a tool call", call("a")],
    ["a tool call with a response", { ...call("a"), tool_response: { stdout: "x" } }],
    ["fields of its own", { prompt: "hello", list: [1, { deep: 2 }] }],
    ["a common field that the caller says otherwise", { cwd: "/elsewhere", session_id: "mine" }],
    ["nothing", {}],
    ["a field named __proto__", JSON.parse('{"__proto__": {"polluted": 1}, "prompt": "x"}')],
  ])("%s: every field, the first time and later", (_name, input) => {
    const copy = createPayloadCopier(COMMON);
    const expected = { ...COMMON, ...input, hook_event_name: "PreToolUse" };
    for (let time = 0; time < 3; time++) {
      const payload = copy("PreToolUse", input);
      expect(payload).toStrictEqual(expected);
      expect(Object.getPrototypeOf(payload)).toBe(Object.prototype);
    }
  });

  test("an input with other fields than the first shows nothing of the first", () => {
    const copy = createPayloadCopier(COMMON);
    copy("PreToolUse", { prompt: "secret", reason: "x", other: 1 });
    expect(copy("PreToolUse", call("b"))).toStrictEqual({ ...COMMON, ...call("b"), hook_event_name: "PreToolUse" });
    expect(copy("PreToolUse", { prompt: "p" })).toStrictEqual({ ...COMMON, prompt: "p", hook_event_name: "PreToolUse" });
  });

  test("a tool call that lacks a field shows nothing of an earlier one", () => {
    const copy = createPayloadCopier(COMMON);
    copy("PreToolUse", call("secret"));
    expect(copy("PreToolUse", { tool_name: "Read", tool_use_id: "u", prompt: "p" })).toStrictEqual({
      ...COMMON,
      tool_name: "Read",
      tool_use_id: "u",
      prompt: "p",
      hook_event_name: "PreToolUse",
    });
  });

  test.each([1, 2])("what a function writes into copy %i reaches neither the caller nor the next firing", (times) => {
    const nested = { ...COMMON, roots: ["a"] };
    const copy = createPayloadCopier(nested);
    const input = { ...call("ls"), tool_response: { stdout: "x" }, edits: [1] };
    for (let time = 0; time < times; time++) {
      const payload = copy("PostToolUse", input) as typeof input & typeof nested;
      payload.tool_input.command = "rm";
      payload.tool_response.stdout = "y";
      payload.edits.push(2);
      payload.roots.push("b");
      payload.cwd = "/";
    }
    expect(input).toStrictEqual({ ...call("ls"), tool_response: { stdout: "x" }, edits: [1] });
    expect(nested).toStrictEqual({ ...COMMON, roots: ["a"] });
    expect(copy("PostToolUse", input)).toStrictEqual({ ...nested, ...input, hook_event_name: "PostToolUse" });
  });
});
