import { describe, expect, it } from "vitest";
import { parsePayload } from "./script.ts";

const parse = (text: string | Uint8Array) => parsePayload(typeof text === "string" ? Buffer.from(text) : text);

describe("parsePayload", () => {
  it.each<[string, string | Uint8Array, string]>([
    ["nothing", "", "HL_SDK_STDIN_EMPTY"],
    ["whitespace", " \n\t ", "HL_SDK_STDIN_EMPTY"],
    ["a byte order mark alone", "\ufeff", "HL_SDK_STDIN_EMPTY"],
    ["a cut-off object", "{", "HL_SDK_STDIN_INVALID"],
    ["text", "hello", "HL_SDK_STDIN_INVALID"],
    ["two objects", '{"hook_event_name":"Stop"}{"hook_event_name":"Stop"}', "HL_SDK_STDIN_INVALID"],
    ["bytes that are not UTF-8", Uint8Array.of(0x7b, 0xff, 0xfe, 0x7d), "HL_SDK_STDIN_INVALID"],
    ["a list", "[]", "HL_SDK_EVENT_MISSING"],
    ["null", "null", "HL_SDK_EVENT_MISSING"],
    ["a number", "1", "HL_SDK_EVENT_MISSING"],
    ["text in quotes", '"Stop"', "HL_SDK_EVENT_MISSING"],
    ["an object without an event", "{}", "HL_SDK_EVENT_MISSING"],
    ["an event name that is no text", '{"hook_event_name":1}', "HL_SDK_EVENT_MISSING"],
  ])("%s is no payload", (_what, text, code) => {
    expect(parse(text)).toMatchObject({ problem: { code } });
    expect(parse(text).payload).toBeUndefined();
  });

  it.each(["PreTooluse", "toString", "__proto__", ""])("an unknown event (%j) is a payload with a problem", (event) => {
    const { payload, problem } = parse(JSON.stringify({ hook_event_name: event }));
    expect(payload?.hook_event_name).toBe(event);
    expect(problem?.code).toBe("HL_SDK_EVENT_UNKNOWN");
  });

  it("a payload that lacks fields is a payload with a problem that names them", () => {
    const { payload, problem } = parse('{"hook_event_name":"PostToolUse","tool_name":"Bash"}');
    expect(payload).toEqual({ hook_event_name: "PostToolUse", tool_name: "Bash" });
    expect(problem?.message).toBe(
      "HL_SDK_FIELD_MISSING: the PostToolUse payload lacks tool_input, tool_response. See `hookloop events PostToolUse`",
    );
  });

  it("a field that is null is there", () => {
    expect(parse('{"hook_event_name":"PostToolUse","tool_name":"Read","tool_input":{},"tool_response":null}').problem).toBeUndefined();
  });

  it("takes a byte order mark, surrounding whitespace and unknown fields", () => {
    expect(parse('\ufeff \n{"hook_event_name":"Stop","new_field":1}\n')).toEqual({
      payload: { hook_event_name: "Stop", new_field: 1 },
      problem: undefined,
    });
  });
});
