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
    ["a tool call in another order", { tool_use_id: "t", tool_input: { command: "a" }, tool_name: "Bash" }],
    ["a tool call that names its event otherwise", { ...call("a"), hook_event_name: "Stop" }],
    ["three fields that only begin like a tool call", { tool_name: "Bash", tool_input: {}, tool_output: "x" }],
    ["nothing", {}],
    ["a field named __proto__", JSON.parse('{"__proto__": {"polluted": 1}, "prompt": "x"}')],
  ])("%s: every field, the first time and later", (_name, input) => {
    const copy = createPayloadCopier(COMMON, "PreToolUse").whole;
    const expected = { ...COMMON, ...input, hook_event_name: "PreToolUse" };
    for (let time = 0; time < 3; time++) {
      const payload = copy(input);
      expect(payload).toStrictEqual(expected);
      expect(Object.getPrototypeOf(payload)).toBe(Object.prototype);
    }
  });

  test("a tool call with more common fields than usual has them all", () => {
    const common = { ...COMMON, permission_mode: "plan" };
    const copy = createPayloadCopier(common, "PreToolUse").whole;
    for (let time = 0; time < 3; time++) expect(copy(call("a"))).toStrictEqual({ ...common, ...call("a"), hook_event_name: "PreToolUse" });
  });

  test("fields that the input only inherits are none of its own, at any time", () => {
    const copy = createPayloadCopier(COMMON, "PreToolUse").whole;
    const heir = Object.assign(Object.create({ tool_use_id: "inherited" }), { tool_name: "Bash", tool_input: {} });
    copy({ tool_name: "Bash", tool_input: {}, tool_use_id: "t" });
    expect(copy(heir)).toStrictEqual({ ...COMMON, tool_name: "Bash", tool_input: {}, hook_event_name: "PreToolUse" });
  });

  test("an input with other fields than the first shows nothing of the first", () => {
    const copy = createPayloadCopier(COMMON, "PreToolUse").whole;
    copy({ prompt: "secret", reason: "x", other: 1 });
    expect(copy(call("b"))).toStrictEqual({ ...COMMON, ...call("b"), hook_event_name: "PreToolUse" });
    expect(copy({ prompt: "p" })).toStrictEqual({ ...COMMON, prompt: "p", hook_event_name: "PreToolUse" });
  });

  test("as many fields under other names show nothing of the first", () => {
    const copy = createPayloadCopier(COMMON, "Notification").whole;
    copy({ prompt: "secret", reason: "x" });
    const input = { message: "m", title: "t" };
    expect(copy(input)).toStrictEqual({ ...COMMON, ...input, hook_event_name: "Notification" });
  });

  test("a tool call that lacks a field shows nothing of an earlier one", () => {
    const copy = createPayloadCopier(COMMON, "PreToolUse").whole;
    copy(call("secret"));
    expect(copy({ tool_name: "Read", tool_use_id: "u", prompt: "p" })).toStrictEqual({
      ...COMMON,
      tool_name: "Read",
      tool_use_id: "u",
      prompt: "p",
      hook_event_name: "PreToolUse",
    });
  });

  test.each<[string, Readonly<Record<string, unknown>>, Readonly<Record<string, unknown>>]>([
    ["a tool call", COMMON, call("ls")],
    ["a tool call with a response", COMMON, { ...call("ls"), tool_response: { stdout: "x" } }],
    ["fields of its own", COMMON, { edits: [1], details: { a: 1 } }],
    ["more in common than usual", { ...COMMON, permission_mode: "plan" }, call("ls")],
    ["nested fields in common", { ...COMMON, roots: ["a"] }, { ...call("ls"), edits: [1] }],
  ])("%s: what a function writes into a copy reaches neither the caller nor the next firing", (_name, common, input) => {
    const [commonBefore, inputBefore] = [structuredClone(common), structuredClone(input)];
    const copy = createPayloadCopier(common, "PostToolUse").whole;
    for (let time = 0; time < 3; time++) {
      const payload = copy(input);
      expect(payload).toStrictEqual({ ...commonBefore, ...inputBefore, hook_event_name: "PostToolUse" });
      for (const value of Object.values(payload)) if (typeof value === "object") Object.assign(value as object, { 0: "written", more: 1 });
      payload["cwd"] = "/";
    }
    expect([common, input]).toStrictEqual([commonBefore, inputBefore]);
  });
});
