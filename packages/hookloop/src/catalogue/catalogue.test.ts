import { describe, expect, test } from "vitest";
import { EVENT_NAMES, EVENTS, isEventName, samplePayload } from "./events.ts";
import { COMMON_INPUT, inputFieldsOf } from "./field.ts";
import { abilitiesOf } from "./hook-kinds.ts";

// Literals from the specification, typed here: the catalogue is checked against them, never the other way round.
const ALL_KINDS =
  "UserPromptSubmit UserPromptExpansion PreToolUse PermissionRequest PermissionDenied PostToolUse PostToolUseFailure PostToolBatch SubagentStop Stop TeammateIdle TaskCreated TaskCompleted";
const LOCAL_KINDS = "SessionStart Setup";
const BLOCKING =
  "UserPromptSubmit UserPromptExpansion PreToolUse PermissionRequest PostToolBatch SubagentStop Stop TeammateIdle TaskCreated TaskCompleted ConfigChange WorktreeCreate PreCompact PreModelSwitch Elicitation ElicitationResult PreModelRequest PostModelResponse";
const WITHOUT_MATCHER =
  "UserPromptSubmit MessageDisplay PostToolBatch Stop TeammateIdle TaskCreated TaskCompleted CwdChanged WorktreeCreate WorktreeRemove";
const WITHOUT_PERMISSION_MODE =
  "SessionStart SessionEnd Setup MessageDisplay SubagentStart StopFailure PreCompact PostCompact ConfigChange CwdChanged FileChanged InstructionsLoaded PreModelSwitch PostModelSwitch WorktreeCreate";
const CONTINUE_DISCARDED =
  "Notification ConfigChange CwdChanged DirectoryAdded FileChanged PreCompact PostCompact Elicitation ElicitationResult WorktreeCreate WorktreeRemove SessionEnd InstructionsLoaded MessageDisplay StopFailure TaskCreated";
const STDERR_TO_USER = "SessionStart Setup SubagentStart CwdChanged FileChanged PostCompact SessionEnd";

const OUTPUT_FIELDS: Readonly<Record<string, string>> = {
  PreToolUse: "permissionDecision permissionDecisionReason updatedInput additionalContext",
  PermissionRequest: "decision",
  PostToolUse: "additionalContext classifierContext updatedToolOutput updatedMCPToolOutput",
  PostToolUseFailure: "additionalContext",
  PostToolBatch: "additionalContext",
  SubagentStart: "additionalContext",
  Setup: "additionalContext",
  Notification: "additionalContext",
  PostModelSwitch: "additionalContext",
  Stop: "additionalContext",
  SubagentStop: "additionalContext",
  // updatedPrompt is ours: Claude Code has no prompt rewrite.
  UserPromptSubmit: "additionalContext sessionTitle suppressOriginalPrompt updatedPrompt",
  UserPromptExpansion: "additionalContext suppressOriginalPrompt",
  SessionStart: "additionalContext initialUserMessage sessionTitle watchPaths reloadSkills",
  PreModelSwitch: "permissionDecision permissionDecisionReason",
  PermissionDenied: "retry",
  Elicitation: "action content",
  ElicitationResult: "action content",
  CwdChanged: "watchPaths",
  FileChanged: "watchPaths",
  WorktreeCreate: "worktreePath",
  MessageDisplay: "displayContent",
  PreModelRequest: "additionalContext updatedParams",
  PostModelResponse: "additionalContext updatedParams",
};

const MATCHER_FIELDS: Readonly<Record<string, string>> = {
  SessionStart: "source",
  Setup: "trigger",
  InstructionsLoaded: "load_reason",
  UserPromptExpansion: "command_name",
  PreToolUse: "tool_name",
  PermissionRequest: "tool_name",
  PermissionDenied: "tool_name",
  PostToolUse: "tool_name",
  PostToolUseFailure: "tool_name",
  Notification: "notification_type",
  SubagentStart: "agent_type",
  SubagentStop: "agent_type",
  StopFailure: "error",
  ConfigChange: "source",
  DirectoryAdded: "source",
  FileChanged: "file_path",
  PreCompact: "trigger",
  PostCompact: "trigger",
  PreModelSwitch: "to_model",
  PostModelSwitch: "to_model",
  Elicitation: "mcp_server_name",
  ElicitationResult: "mcp_server_name",
  SessionEnd: "reason",
  PreModelRequest: "model",
  PostModelResponse: "model",
};

const sorted = (names: string): string[] => names.split(" ").filter(Boolean).sort();
const namesWhere = (isMeant: (event: (typeof EVENT_NAMES)[number]) => boolean): string[] => EVENT_NAMES.filter(isMeant).sort();

describe("the catalogue", () => {
  test("has the 33 events of Claude Code and two of hookloop", () => {
    expect(EVENT_NAMES).toHaveLength(35);
    expect(namesWhere((event) => EVENTS[event].origin === "hookloop")).toEqual(["PostModelResponse", "PreModelRequest"]);
  });

  test("agrees with the spec on who can block", () => {
    expect(namesWhere((event) => EVENTS[event].block !== null)).toEqual(sorted(BLOCKING));
  });

  test("agrees with the spec on the hook kinds", () => {
    expect(namesWhere((event) => EVENTS[event].kinds.includes("prompt"))).toEqual(sorted(ALL_KINDS));
    expect(namesWhere((event) => !EVENTS[event].kinds.includes("http"))).toEqual(sorted(LOCAL_KINDS));
    expect(namesWhere((event) => !EVENTS[event].kinds.includes("command"))).toEqual([]);
  });

  test("agrees with the spec on matchers", () => {
    expect(namesWhere((event) => EVENTS[event].matcher === null)).toEqual(sorted(WITHOUT_MATCHER));
    const fields = EVENT_NAMES.flatMap((event) => (EVENTS[event].matcher ? [[event, EVENTS[event].matcher?.field]] : []));
    expect(Object.fromEntries(fields)).toEqual(MATCHER_FIELDS);
  });

  test("agrees with the spec on permission_mode, continue and the output fields", () => {
    expect(namesWhere((event) => !EVENTS[event].carries.includes("permission_mode"))).toEqual(sorted(WITHOUT_PERMISSION_MODE));
    expect(namesWhere((event) => !EVENTS[event].honoursContinue)).toEqual(sorted(CONTINUE_DISCARDED));
    for (const event of EVENT_NAMES) expect(Object.keys(EVENTS[event].output).sort(), event).toEqual(sorted(OUTPUT_FIELDS[event] ?? ""));
  });

  test("agrees with the spec on exit code 2 and plain stdout", () => {
    expect(namesWhere((event) => EVENTS[event].exit2 === "block")).toEqual(sorted(BLOCKING));
    expect(namesWhere((event) => EVENTS[event].exit2 === "feedback")).toEqual(["PostToolUse", "PostToolUseFailure"]);
    expect(namesWhere((event) => EVENTS[event].exit2 === "tell")).toEqual(sorted(STDERR_TO_USER));
    expect(namesWhere((event) => EVENTS[event].stdout === "context")).toEqual(["SessionStart", "UserPromptExpansion", "UserPromptSubmit"]);
  });

  test("agrees with the spec on the env file, any exit code and context that continues", () => {
    expect(namesWhere((event) => EVENTS[event].hasEnvFile)).toEqual(["CwdChanged", "FileChanged", "SessionStart", "Setup"]);
    expect(namesWhere((event) => EVENTS[event].anyExitBlocks)).toEqual(["WorktreeCreate"]);
    expect(namesWhere((event) => EVENTS[event].pathField !== undefined)).toEqual(namesWhere((event) => EVENTS[event].stdout === "path"));
    expect(namesWhere((event) => EVENTS[event].contextContinues)).toEqual(["Stop", "SubagentStop"]);
  });

  test("says where a halt denies, how a denial is worded and which fields are combined", () => {
    expect(namesWhere((event) => EVENTS[event].haltDenies)).toEqual(["PermissionRequest", "PreModelSwitch", "PreToolUse"]);
    expect(namesWhere((event) => EVENTS[event].wording === "error")).toEqual(["PermissionRequest", "PreToolUse"]);
    expect(namesWhere((event) => EVENTS[event].wording === "feedback")).toEqual([
      "Stop",
      "SubagentStop",
      "TaskCompleted",
      "TaskCreated",
      "TeammateIdle",
    ]);
    expect(namesWhere((event) => "watchPaths" in EVENTS[event].combine)).toEqual(["CwdChanged", "FileChanged", "SessionStart"]);
  });

  test("agrees with the spec on time limits", () => {
    const exceptions = EVENT_NAMES.filter((event) => EVENTS[event].timeoutSeconds !== 600).map((event) => [
      event,
      EVENTS[event].timeoutSeconds,
    ]);
    expect(Object.fromEntries(exceptions)).toEqual({ UserPromptSubmit: 30, MessageDisplay: 10, SessionEnd: 1.5 });
  });

  test("lets only guards block by failing where blocking keeps the agent at work", () => {
    const ignored = namesWhere((event) => EVENTS[event].block !== null && !EVENTS[event].failureCanBlock);
    expect(ignored).toEqual(["Stop", "SubagentStop", "TaskCompleted", "TeammateIdle"]);
  });

  test.each(EVENT_NAMES)("%s is consistent with itself", (event) => {
    const row = EVENTS[event];
    const fields = inputFieldsOf(row);
    expect(Object.keys(row.sample).filter((name) => !(name in fields))).toEqual([]);
    expect(row.matcher ? row.matcher.field in fields : true).toBe(true);
    expect(row.fires).not.toMatch(/^[A-Z]|\.$/);
    expect(Object.keys(samplePayload(event))).toEqual(expect.arrayContaining(["session_id", "transcript_path", "cwd", "hook_event_name"]));
    expect(row.role === "gate").toBe(row.block !== null && row.role !== "loop" && row.role !== "rewrite");
    expect(abilitiesOf(row).includes("block")).toBe(row.block !== null);
  });

  test("knows its own names only", () => {
    expect(isEventName("PreToolUse")).toBe(true);
    for (const wrong of ["PreTooluse", "", "toString", "__proto__", "constructor"]) expect(isEventName(wrong)).toBe(false);
  });

  test("describes every field", () => {
    for (const event of EVENT_NAMES) {
      for (const [name, field] of Object.entries({ ...EVENTS[event].input, ...EVENTS[event].output, ...COMMON_INPUT })) {
        expect(field.description.length, `${event}.${name}`).toBeGreaterThan(3);
      }
    }
  });
});
