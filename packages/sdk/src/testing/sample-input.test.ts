import { describe, expect, it } from "vitest";
import type { EventName } from "../generated/events.ts";
import { parsePayload } from "../run/script.ts";
import { sampleInput } from "./index.ts";

/** Fields beyond the common ones that each event always carries, typed in from there. */
const ALWAYS: Readonly<Record<EventName, string>> = {
  Setup: "trigger",
  SessionStart: "source",
  InstructionsLoaded: "file_path memory_type load_reason",
  UserPromptSubmit: "prompt",
  UserPromptExpansion: "expansion_type command_name command_args prompt",
  PreModelRequest: "model messages tools params",
  PostModelResponse: "model messages tools params content stop_reason usage",
  MessageDisplay: "turn_id message_id index final delta",
  PreToolUse: "tool_name tool_input tool_use_id",
  PermissionRequest: "tool_name tool_input",
  PermissionDenied: "tool_name tool_input tool_use_id reason",
  PostToolUse: "tool_name tool_input tool_use_id tool_response",
  PostToolUseFailure: "tool_name tool_input tool_use_id error",
  PostToolBatch: "tool_calls",
  Stop: "stop_hook_active",
  SubagentStart: "agent_id agent_type",
  SubagentStop: "stop_hook_active agent_id agent_type agent_transcript_path",
  StopFailure: "error",
  TaskCreated: "task_id task_subject",
  TaskCompleted: "task_id task_subject",
  TeammateIdle: "teammate_name team_name",
  Notification: "message notification_type",
  Elicitation: "mcp_server_name message",
  ElicitationResult: "mcp_server_name action",
  ConfigChange: "source",
  CwdChanged: "old_cwd new_cwd",
  DirectoryAdded: "directory source",
  FileChanged: "file_path event",
  WorktreeCreate: "name",
  WorktreeRemove: "worktree_path",
  PreCompact: "trigger custom_instructions",
  PostCompact: "trigger compact_summary",
  PreModelSwitch: "from_model to_model requested_model source context_tokens prompt_cache_warm cache_ttl estimated_cache_write_usd pricing",
  PostModelSwitch:
    "from_model to_model requested_model source context_tokens prompt_cache_warm cache_ttl estimated_cache_write_usd pricing",
  SessionEnd: "reason",
};

/** Events whose payload was seen without a permission mode. */
const WITHOUT_MODE = [
  "SessionStart",
  "SessionEnd",
  "Setup",
  "MessageDisplay",
  "SubagentStart",
  "StopFailure",
  "PreCompact",
  "PostCompact",
  "ConfigChange",
  "CwdChanged",
  "FileChanged",
  "InstructionsLoaded",
  "PreModelSwitch",
  "PostModelSwitch",
  "WorktreeCreate",
];

const EVENTS = Object.keys(ALWAYS) as EventName[];

describe("sampleInput", () => {
  it("knows 35 events", () => {
    expect(EVENTS).toHaveLength(35);
  });

  it.each(EVENTS)("%s: carries every field of the spec and names its event", (event) => {
    const payload = sampleInput(event) as unknown as Record<string, unknown>;
    expect(payload["hook_event_name"]).toBe(event);
    for (const field of ["session_id", "transcript_path", "cwd", ...ALWAYS[event].split(" ")]) expect(payload).toHaveProperty(field);
    expect(parsePayload(Buffer.from(JSON.stringify(payload)))).toEqual({ payload, problem: undefined });
  });

  it.each(EVENTS)("%s: has a permission mode only if the real payload has one", (event) => {
    expect("permission_mode" in sampleInput(event)).toBe(!WITHOUT_MODE.includes(event));
  });

  it("replaces the fields that are named and keeps the others", () => {
    const payload = sampleInput("PreToolUse", { tool_name: "Write", tool_input: { file_path: "/a" } });
    expect(payload).toMatchObject({ tool_name: "Write", hook_event_name: "PreToolUse" });
    expect(payload.tool_input).toEqual({ file_path: "/a" });
  });

  it("gives every caller a copy of its own", () => {
    const first = sampleInput("PreToolUse");
    (first.tool_input as Record<string, unknown>)["command"] = "rm -rf /";
    (first as { cwd: string }).cwd = "/elsewhere";
    expect(sampleInput("PreToolUse").tool_input["command"]).toBe("npm test");
    expect(sampleInput("PreToolUse").cwd).toBe("/home/user/project");
  });

  it("refuses an unknown event, and names the nearest or all", () => {
    expect(() => sampleInput("PreTooluse" as "PreToolUse")).toThrow(
      'HL_TEST_BAD_CALL: "PreTooluse" is not an event. Did you mean "PreToolUse"?',
    );
    expect(() => sampleInput("toString" as "PreToolUse")).toThrow(/"toString" is not an event. Known events: Setup, SessionStart, /);
  });

  const refused: [string, string, object, string][] = [
    ["a field in another spelling", "PreToolUse", { toolInput: {} }, 'has no field "toolInput". Did you mean "tool_input"?'],
    ["a field of the tool's input", "PreToolUse", { command: "rm" }, 'has no field "command". Write tool_input: { command: … }'],
    ["a field of another tool's input", "PreToolUse", { tool_name: "Write", content: "x" }, "Write tool_input: { content: … }"],
    ["a part of a name", "PostToolUse", { response: {} }, 'Did you mean "tool_response"?'],
    ["an unknown field", "Stop", { arguments: {} }, "It has: session_id, "],
    ["an option", "PreToolUse", { allowFailure: true }, "Options come after the fields"],
    [
      "a tool in another spelling",
      "PreToolUse",
      { tool_name: "bash" },
      'tool_name of PreToolUse: no known tool is called "bash". Write "Bash"',
    ],
    ["a misspelt tool", "PreToolUse", { tool_name: "Wirte" }, 'Write "Write"'],
    ["a server alone", "PreToolUse", { tool_name: "mcp__github" }, "it names a server"],
    ["two tools", "PreToolUse", { tool_name: "Edit|Write" }, 'no known tool is called "Edit|Write"'],
    ["a value that is not sent", "SessionStart", { source: "boot" }, 'source of SessionStart: no known source is called "boot"'],
    ["a text as the tool's input", "PreToolUse", { tool_input: "rm" }, 'tool_input is "rm". Write an object, as in { command: "ls" }'],
    [
      "a misspelt field of the tool's input",
      "PreToolUse",
      { tool_input: { cmd: "rm" } },
      'tool_input of Bash has no field "cmd", and lacks command',
    ],
    [
      "a misspelt field beside a right one",
      "PreToolUse",
      { tool_input: { comand: "rm", description: "x" } },
      'tool_input of Bash has no field "comand", and lacks command',
    ],
    ["the name of another event", "PreToolUse", { hook_event_name: "Stop" }, 'hook_event_name is "Stop" in a payload of PreToolUse'],
    ["a text", "PreToolUse", "PreToolUse" as unknown as object, 'the fields to replace are "PreToolUse"'],
    ["nothing", "PreToolUse", null as unknown as object, "the fields to replace are null"],
  ];
  it.each(refused)("refuses %s", (_what, event, overrides, text) => {
    expect(() => sampleInput(event as "PreToolUse", overrides)).toThrow(text);
    expect(() => sampleInput(event as "PreToolUse", overrides)).toThrow(/^HL_TEST_BAD_CALL: /);
  });

  it("takes an input without what the test does not need", () => {
    const input = { content: "x" };
    expect(sampleInput("PreToolUse", { tool_name: "Write", tool_input: input }).tool_input).toEqual(input);
    expect(sampleInput("PreToolUse", { tool_input: {} }).tool_input).toEqual({});
  });

  it("takes a whole payload", () => {
    expect(sampleInput("PreToolUse", sampleInput("PreToolUse"))).toEqual(sampleInput("PreToolUse"));
  });

  it("takes what only one's own agent has if it is listed, and gives an unknown tool no input of another", () => {
    const ownNames = ["deploy", "trace"];
    const payload = sampleInput("PreToolUse", { tool_name: "deploy", trace: 1, x_kind: "shell" } as object, { ownNames });
    expect(payload).toMatchObject({ tool_name: "deploy", trace: 1, x_kind: "shell" });
    expect(payload.tool_input).toEqual({});
    expect(sampleInput("PostToolUse", { tool_name: "mcp__a__b" })).toMatchObject({ tool_input: {}, tool_response: {} });
  });
});

describe("a value that no agent sends is refused, with what the tool has", () => {
  it.each([
    [
      "PostToolUse",
      { tool_response: "a secret" },
      'tool_response of Bash is "a secret", not an object. It has: stdout, stderr, interrupted',
    ],
    ["PostToolUse", { tool_response: { output: "x" } }, 'tool_response of Bash has no field "output". It has: stdout'],
    ["PostToolUse", { tool_name: "Write", tool_response: { file_path: "/a" } }, 'no field "file_path". Did you mean "filePath"?'],
    ["PostToolUse", { tool_response: { stdout: 5 } }, "tool_response.stdout of Bash is 5, not string"],
    [
      "PreToolUse",
      { tool_name: "Write", tool_input: { path: ".env", content: "" } },
      'tool_input of Write has no field "path", and lacks file_path',
    ],
    ["PreToolUse", { tool_name: "Write", tool_input: { file_path: "a", content: "", mode: 1 } }, 'tool_input of Write has no field "mode"'],
    ["PreToolUse", { tool_input: { command: ["rm", "x"] } }, 'tool_input.command of Bash is ["rm","x"], not string'],
    ["PreToolUse", { effort: { lvl: "high" } }, 'effort of PreToolUse has no field "lvl". Did you mean "level"?'],
    ["PreToolUse", { effort: "high" }, 'effort of PreToolUse is "high", not object'],
    [
      "PreToolUse",
      { tool_name: "MultiEdit", tool_input: { file_path: "a", edits: [{ old: "x", new_string: "y" }] } },
      'tool_input.edits[0] of MultiEdit has no field "old"',
    ],
    ["PreToolUse", { tool_name: "TodoWrite", tool_input: { todos: {} } }, "tool_input.todos of TodoWrite is {}, not list"],
    [
      "PostToolUse",
      { tool_name: "Read", tool_response: { file: { filepath: "a" } } },
      'tool_response.file of Read has no field "filepath"',
    ],
    ["PostToolBatch", { tool_calls: [{ tool_nam: "Bash" }] }, 'tool_calls[0] of PostToolBatch has no field "tool_nam"'],
    ["PostToolBatch", { tool_calls: [{ tool_name: "Bash", tool_input: { cmd: "rm" } }] }, 'tool_input of Bash has no field "cmd"'],
    [
      "PermissionRequest",
      { permission_suggestions: [{ typ: "setMode" }] },
      'permission_suggestions[0] of PermissionRequest has no field "typ"',
    ],
    ["UserPromptSubmit", { prompt: ["x"] }, 'prompt of UserPromptSubmit is ["x"], not string'],
    ["Stop", { stop_hook_active: "no" }, 'stop_hook_active of Stop is "no", not boolean'],
  ] as const)("%s %j", (event, fields, message) => {
    expect(() => sampleInput(event, fields as never)).toThrow(message);
    expect(() => sampleInput(event, fields as never)).toThrow("HL_TEST_BAD_CALL");
  });

  it("but not what is listed as one's own, is left out, or belongs to a tool that was not measured", () => {
    const ownNames = ["output", "mode", "stdout"];
    expect(() => sampleInput("PostToolUse", { tool_response: { output: "x", stdout: 5 } } as never, { ownNames })).not.toThrow();
    expect(() => sampleInput("PostToolUse", { tool_response: { stdout: "x" } } as never)).not.toThrow();
    expect(() => sampleInput("PostToolUse", { tool_name: "WebFetch", tool_response: "text" } as never)).not.toThrow();
    expect(() => sampleInput("PreToolUse", { tool_name: "Grep", tool_input: { pattern: "x", "-n": true } } as never)).not.toThrow();
  });
});
