import { describe, expect, it } from "vitest";
import type { EventName } from "../generated/events.ts";
import { callHook, type HookAnswer } from "../testing/index.ts";
import {
  emitBlock,
  emitBlockPrompt,
  emitBlockTopLevel,
  emitBlockViaExit,
  emitContext,
  emitContextAndBlock,
  emitPermissionDecision,
} from "./emit.ts";

const codes = ({ diagnostics }: HookAnswer): string[] => diagnostics.map(({ code }) => code);

const TOP_LEVEL = '{"decision":"block","reason":"no"}';
const EXIT_2 = "exit code 2";
const WARNS = "warns";

/** How emitBlock("no") says it on each event: the line on stdout, exit code 2 with the reason on stderr, or not at all. */
const BLOCKS: Readonly<Record<EventName, string>> = {
  Setup: WARNS,
  SessionStart: WARNS,
  InstructionsLoaded: WARNS,
  UserPromptSubmit: TOP_LEVEL,
  UserPromptExpansion: TOP_LEVEL,
  PreModelRequest: TOP_LEVEL,
  PostModelResponse: TOP_LEVEL,
  MessageDisplay: WARNS,
  PreToolUse: '{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"no"}}',
  PermissionRequest: '{"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":{"behavior":"deny","message":"no"}}}',
  PermissionDenied: WARNS,
  PostToolUse: EXIT_2,
  PostToolUseFailure: EXIT_2,
  PostToolBatch: TOP_LEVEL,
  Stop: TOP_LEVEL,
  SubagentStart: WARNS,
  SubagentStop: TOP_LEVEL,
  StopFailure: WARNS,
  TaskCreated: EXIT_2,
  TaskCompleted: EXIT_2,
  TeammateIdle: EXIT_2,
  Notification: WARNS,
  Elicitation: '{"hookSpecificOutput":{"hookEventName":"Elicitation","action":"decline"}}',
  ElicitationResult: '{"hookSpecificOutput":{"hookEventName":"ElicitationResult","action":"decline"}}',
  ConfigChange: TOP_LEVEL,
  CwdChanged: WARNS,
  DirectoryAdded: WARNS,
  FileChanged: WARNS,
  WorktreeCreate: EXIT_2,
  WorktreeRemove: WARNS,
  PreCompact: TOP_LEVEL,
  PostCompact: WARNS,
  PreModelSwitch: '{"hookSpecificOutput":{"hookEventName":"PreModelSwitch","permissionDecision":"deny","permissionDecisionReason":"no"}}',
  PostModelSwitch: WARNS,
  SessionEnd: WARNS,
};

describe("emitBlock", () => {
  it.each(Object.entries(BLOCKS) as [EventName, string][])("picks the mechanism of %s: %s", async (event, how) => {
    const answer = await callHook(() => emitBlock("no"), event);
    const { stdout, stderr, exitCode } = answer;
    if (how === WARNS) {
      expect({ stdout, stderr, exitCode }).toEqual({ stdout: "", stderr: expect.stringContaining("HL_SDK_NOT_EXPRESSIBLE"), exitCode: 0 });
      expect(codes(answer)).toEqual(["HL_SDK_NOT_EXPRESSIBLE"]);
      return;
    }
    const byExit = how === EXIT_2;
    expect({ stdout, stderr, exitCode }).toEqual(
      byExit ? { stdout: "", stderr: "no\n", exitCode: 2 } : { stdout: `${how}\n`, stderr: "", exitCode: 0 },
    );
    expect(answer.diagnostics).toEqual([]);
  });

  it("knows 35 events", () => {
    expect(Object.keys(BLOCKS)).toHaveLength(35);
  });

  it("takes the reason first and the context second", async () => {
    expect((await callHook(() => emitBlock("reason", "context"), "PreToolUse")).stdout).toBe(
      '{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"reason","additionalContext":"context"}}\n',
    );
  });

  it.each(["PostToolUse", "PostToolUseFailure"] as const)(
    "on a finished call (%s) gives context and then reason on stderr, and nothing on stdout",
    async (event) => {
      const wanted = { stdout: "", stderr: "context\nreason\n", exitCode: 2, decision: "feedback", diagnostics: [] };
      expect(await callHook(() => emitBlock("reason", "context"), event)).toMatchObject(wanted);
      const apart = (): void => {
        emitContext("context");
        emitBlock("reason");
      };
      expect(await callHook(apart, event)).toMatchObject(wanted);
    },
  );

  it.each(["Stop", "SubagentStop"] as const)("on %s writes no hookSpecificOutput: the context begins the reason", async (event) => {
    const { stdout, diagnostics } = await callHook(() => emitBlock("reason", "context"), event);
    expect(stdout).toBe('{"decision":"block","reason":"context\\nreason"}\n');
    expect(diagnostics).toEqual([]);
  });

  it("said twice gives both reasons", async () => {
    const twice = (): void => {
      emitBlock("one");
      emitBlock("two");
    };
    expect(await callHook(twice, "Stop")).toMatchObject({ reason: "one\ntwo" });
    expect(await callHook(twice, "PostToolUse")).toMatchObject({ stderr: "one\ntwo\n", exitCode: 2 });
  });

  it("without a reason is still a refusal", async () => {
    expect(await callHook(() => emitBlock(""), "PreToolUse")).toMatchObject({ decision: "deny" });
    expect(await callHook(() => emitBlock(""), "PostToolUse")).toMatchObject({ decision: "feedback", exitCode: 2 });
  });
});

describe("emitContextAndBlock", () => {
  it("takes the context first and the reason second", async () => {
    expect((await callHook(() => emitContextAndBlock("context", "reason"), "PreToolUse")).stdout).toBe(
      '{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"reason","additionalContext":"context"}}\n',
    );
  });

  it("warns outside of PreToolUse, and blocks in the way of the event", async () => {
    const answer = await callHook(() => emitContextAndBlock("context", "reason"), "UserPromptSubmit");
    expect(answer.stdout).toBe(
      '{"decision":"block","reason":"reason","hookSpecificOutput":{"hookEventName":"UserPromptSubmit","additionalContext":"context"}}\n',
    );
    expect(answer.stderr).toBe("HL_SDK_NOT_EXPRESSIBLE: emitContextAndBlock() is not made for UserPromptSubmit. Use emitBlock()\n");
    expect(await callHook(() => emitContextAndBlock("context", "reason"), "PostToolUse")).toMatchObject({
      stdout: "",
      stderr: "context\nreason\n",
      exitCode: 2,
    });
    expect(await callHook(() => emitContextAndBlock("context", "reason"), "SessionStart")).toMatchObject({ decision: "none" });
  });

  it("still blocks where there is no place for the context, and warns", async () => {
    const answer = await callHook(() => emitBlock("reason", "context"), "PermissionRequest");
    expect(answer).toMatchObject({ decision: "deny", reason: "reason" });
    expect(codes(answer)).toEqual(["HL_SDK_NOT_EXPRESSIBLE"]);
  });
});

describe("emitContext", () => {
  it("fills in the name of the event", async () => {
    expect((await callHook(() => emitContext("note"), "SessionStart")).stdout).toBe(
      '{"hookSpecificOutput":{"hookEventName":"SessionStart","additionalContext":"note"}}\n',
    );
  });

  it("warns where there is no place for it, and writes nothing", async () => {
    const answer = await callHook(() => emitContext("note"), "SessionEnd");
    expect(answer).toMatchObject({ stdout: "", stderr: expect.stringContaining("HL_SDK_NOT_EXPRESSIBLE"), exitCode: 0 });
    expect(codes(answer)).toEqual(["HL_SDK_NOT_EXPRESSIBLE"]);
  });

  it.each(["Stop", "SubagentStop"] as const)("writes nothing on %s, where older agents drop the whole answer for it", async (event) => {
    const answer = await callHook(() => emitContext("note"), event);
    expect(answer).toMatchObject({ stdout: "", exitCode: 0, decision: "none" });
    expect(answer.stderr).toContain("HL_SDK_NOT_EXPRESSIBLE: emitContext() has no place in");
  });

  it("is an error outside of runHook", () => {
    expect(() => emitContext("note")).toThrow("emitContext() was called outside of runHook(main, name)");
  });
});

describe("the specific functions", () => {
  it("emitBlockPrompt rejects a prompt, reason first", async () => {
    expect((await callHook(() => emitBlockPrompt("reason", "context"), "UserPromptSubmit")).stdout).toBe(
      '{"decision":"block","reason":"reason","hookSpecificOutput":{"hookEventName":"UserPromptSubmit","additionalContext":"context"}}\n',
    );
  });

  it.each(["Stop", "SubagentStop", "UserPromptSubmit", "PreCompact", "PostToolUse"] as const)(
    "emitBlockTopLevel writes the top-level decision on %s",
    async (event) => {
      const { stdout, stderr, exitCode, diagnostics } = await callHook(() => emitBlockTopLevel("no"), event);
      expect({ stdout, stderr, exitCode, diagnostics }).toEqual({ stdout: `${TOP_LEVEL}\n`, stderr: "", exitCode: 0, diagnostics: [] });
    },
  );

  it("emitPermissionDecision allows and denies a call or a question", async () => {
    const allowed = (): void => emitPermissionDecision("allow", { message: "fine", updatedInput: { command: "ls" } });
    expect((await callHook(allowed, "PreToolUse")).stdout).toBe(
      '{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"allow","permissionDecisionReason":"fine","updatedInput":{"command":"ls"}}}\n',
    );
    expect((await callHook(allowed, "PermissionRequest")).stdout).toBe(
      '{"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":{"behavior":"allow","updatedInput":{"command":"ls"}}}}\n',
    );
    expect((await callHook(() => emitPermissionDecision("deny", { message: "no" }), "PermissionRequest")).stdout).toBe(
      '{"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":{"behavior":"deny","message":"no"}}}\n',
    );
    expect(await callHook(() => emitPermissionDecision("deny"), "PreToolUse")).toMatchObject({ decision: "deny" });
  });

  it.each<[string, EventName, () => void, object]>([
    ["emitBlockPrompt", "PreToolUse", () => emitBlockPrompt("no"), { decision: "deny", reason: "no" }],
    ["emitBlockTopLevel", "PreToolUse", () => emitBlockTopLevel("no"), { decision: "deny", reason: "no" }],
    ["emitBlockTopLevel", "PermissionRequest", () => emitBlockTopLevel("no"), { decision: "deny", reason: "no" }],
    ["emitBlockTopLevel", "TaskCreated", () => emitBlockTopLevel("no"), { decision: "block", stderr: "no\n", exitCode: 2 }],
    ["emitPermissionDecision", "Stop", () => emitPermissionDecision("deny", { message: "no" }), { decision: "block", reason: "no" }],
    ["emitPermissionDecision", "Stop", () => emitPermissionDecision("allow"), { decision: "none", stdout: "" }],
  ])("%s warns on %s, and a denial is still said in the way of the event", async (name, event, main, wanted) => {
    const answer = await callHook(main, event);
    expect(answer).toMatchObject(wanted);
    expect(answer.diagnostics[0]?.message).toBe(`HL_SDK_NOT_EXPRESSIBLE: ${name}() is not made for ${event}. Use emitBlock()`);
  });
});

describe("emitBlockViaExit", () => {
  it("ends the main at once, with exit code 2 and the context before the reason", async () => {
    const after: string[] = [];
    const main = (): void => {
      emitBlockViaExit("reason", "context");
      after.push("unreachable");
    };
    expect(await callHook(main, "PostToolUse")).toMatchObject({ stdout: "", stderr: "context\nreason\n", exitCode: 2, diagnostics: [] });
    expect(after).toEqual([]);
    expect(await callHook(() => emitBlockViaExit("reason"), "PreToolUse")).toMatchObject({ decision: "deny", stderr: "reason\n" });
  });

  it("keeps what was said before it", async () => {
    const main = (): void => {
      emitContext("note");
      emitBlockViaExit("reason");
    };
    expect(await callHook(main, "PreToolUse")).toMatchObject({
      decision: "deny",
      reason: "reason",
      context: "note",
      stderr: "reason\n",
      exitCode: 2,
    });
  });

  it("keeps a reason that was given before it", async () => {
    const main = (): void => {
      emitBlock("first");
      emitBlockViaExit("second");
    };
    expect((await callHook(main, "PostToolUse")).stderr).toBe("first\nsecond\n");
  });

  it("without a reason still exits with code 2, and says that it has none", async () => {
    expect(await callHook(() => emitBlockViaExit(""), "PreToolUse")).toMatchObject({
      decision: "deny",
      stderr: "A hook blocked it without a reason.\n",
      exitCode: 2,
    });
  });

  it("works after an await and from a nested call", async () => {
    const deep = async (): Promise<void> => {
      await Promise.resolve();
      emitBlockViaExit("deep");
    };
    expect(await callHook(async () => deep(), "Stop")).toMatchObject({ stderr: "deep\n", exitCode: 2 });
  });

  it.each(["Notification", "SessionEnd", "PostCompact", "PermissionRequest"] as const)(
    "warns on %s, where exit code 2 stops nothing",
    async (event) => {
      expect(codes(await callHook(() => emitBlockViaExit("no"), event))).toEqual(["HL_SDK_NOT_EXPRESSIBLE"]);
    },
  );
});
