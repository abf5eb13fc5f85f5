import { describe, expect, it } from "vitest";
import {
  allow,
  ask,
  block,
  context,
  defer,
  deny,
  feedback,
  type HookResult,
  output,
  replaceOutput,
  rewrite,
  rewritePrompt,
  stop,
  tellUser,
} from "../hook/results.ts";
import { encode } from "./encode.ts";

const codes = (event: string, result: HookResult): string[] => encode(event, result.parts).problems.map(({ code }) => code);
const own = (event: string, result: HookResult): unknown => JSON.parse(encode(event, result.parts).stdout).hookSpecificOutput;

describe("several decisions", () => {
  it.each<[string, string, HookResult, HookResult]>([
    ["deny", "allow", deny("no"), allow("yes")],
    ["deny", "ask", deny("no"), ask("yes?")],
    ["deny", "defer", deny("no"), defer("later")],
    ["defer", "ask", defer("no"), ask("yes?")],
    ["defer", "allow", defer("no"), allow("yes")],
    ["ask", "allow", ask("no"), allow("yes")],
  ])("%s beats %s in any order, and only its reason is given", (stricter, _looser, strict, loose) => {
    const wanted = { hookEventName: "PreToolUse", permissionDecision: stricter, permissionDecisionReason: "no" };
    expect(own("PreToolUse", strict.with(loose))).toEqual(wanted);
    expect(own("PreToolUse", loose.with(strict))).toEqual(wanted);
  });

  it("deny beats allow on PermissionRequest and PreModelSwitch in any order", () => {
    for (const result of [allow().with(deny("no")), deny("no").with(allow()), block("no").with(allow()), allow().with(block("no"))]) {
      expect(own("PermissionRequest", result)).toEqual({
        hookEventName: "PermissionRequest",
        decision: { behavior: "deny", message: "no" },
      });
      expect(own("PreModelSwitch", result)).toEqual({
        hookEventName: "PreModelSwitch",
        permissionDecision: "deny",
        permissionDecisionReason: "no",
      });
    }
  });

  it("keeps every reason and every context, in the order they were said", () => {
    const result = deny("first").with(context("one")).with(block("second")).with(context("two")).with(deny("third"));
    expect(encode("PreToolUse", result.parts).stdout).toBe(
      '{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"first\\nsecond\\nthird","additionalContext":"one\\ntwo"}}\n',
    );
    expect(encode("TaskCompleted", block("first").with(block("second")).parts).stderr).toBe("first\nsecond\n");
  });

  it("a refusal without a reason is still a refusal, and says that it has none", () => {
    expect(own("PreToolUse", deny(""))).toEqual({
      hookEventName: "PreToolUse",
      permissionDecision: "deny",
      permissionDecisionReason: "A hook blocked it without a reason.",
    });
    expect(encode("TaskCreated", block("").parts)).toMatchObject({ stderr: "A hook blocked it without a reason.\n", exitCode: 2 });
  });

  it("an allow without a reason writes no reason", () => {
    expect(encode("PreToolUse", allow().parts).stdout).toBe(
      '{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"allow"}}\n',
    );
  });

  it("with() leaves both results as they were", () => {
    const refusal = deny("no");
    const note = context("note");
    refusal.with(note);
    expect(refusal.parts).toEqual([{ can: "deny", value: "no" }]);
    expect(note.parts).toEqual([{ can: "context", value: "note" }]);
  });
});

describe("decisions with more", () => {
  it("deny(…).with(context(…)) writes both", () => {
    expect(encode("PreToolUse", deny("no").with(context("use pnpm")).parts).stdout).toBe(
      '{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"no","additionalContext":"use pnpm"}}\n',
    );
  });

  it("top-level and event-specific fields share one line", () => {
    const result = stop("enough").with(tellUser("bye")).with(block("not yet")).with(context("note"));
    expect(encode("Stop", result.parts).stdout).toBe(
      '{"continue":false,"stopReason":"enough","systemMessage":"bye","decision":"block","reason":"not yet","hookSpecificOutput":{"hookEventName":"Stop","additionalContext":"note"}}\n',
    );
  });

  it("an event that blocks by exit code still gives its context as JSON", () => {
    expect(encode("PostToolUseFailure", feedback("mind").with(context("note")).parts)).toMatchObject({
      stdout: '{"hookSpecificOutput":{"hookEventName":"PostToolUseFailure","additionalContext":"note"}}\n',
      stderr: "mind\n",
      exitCode: 2,
    });
  });

  it("a worktree that was refused is refused even if its path was given", () => {
    const result = output({ worktreePath: "/tmp/tree" }).with(block("disk is full"));
    expect(encode("WorktreeCreate", result.parts)).toMatchObject({ stderr: "disk is full\n", exitCode: 2 });
  });

  it("a declined question is declined whatever else was answered", () => {
    const result = block("no").with(output({ action: "accept", content: { a: 1 } }));
    expect(own("Elicitation", result)).toMatchObject({ action: "decline" });
  });
});

describe("a permission request", () => {
  it("is answered with new input when it is allowed", () => {
    expect(encode("PermissionRequest", rewrite({ command: "ls" }).with(allow()).parts).stdout).toBe(
      '{"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":{"behavior":"allow","updatedInput":{"command":"ls"}}}}\n',
    );
  });

  it("is answered with rule changes when it is allowed", () => {
    const update = { type: "setMode", mode: "acceptEdits", destination: "session" };
    expect(own("PermissionRequest", allow().with(output({ updatedPermissions: [update] })))).toEqual({
      hookEventName: "PermissionRequest",
      decision: { behavior: "allow", updatedPermissions: [update] },
    });
  });

  it("is answered with an interrupt when it is denied", () => {
    expect(own("PermissionRequest", deny("no").with(output({ interrupt: true })))).toEqual({
      hookEventName: "PermissionRequest",
      decision: { behavior: "deny", message: "no", interrupt: true },
    });
  });

  it("that is denied carries no new input and no rule changes", () => {
    const result = deny("no")
      .with(rewrite({ command: "ls" }))
      .with(output({ updatedPermissions: [] }));
    expect(own("PermissionRequest", result)).toEqual({
      hookEventName: "PermissionRequest",
      decision: { behavior: "deny", message: "no" },
    });
  });

  it("is not answered by new input alone, and that is said", () => {
    expect(encode("PermissionRequest", rewrite({ command: "ls" }).parts).stdout).toBe("");
    expect(codes("PermissionRequest", rewrite({ command: "ls" }))).toEqual(["HL_SDK_NOT_EXPRESSIBLE"]);
  });
});

describe("what cannot be said", () => {
  it("an unknown output field is refused by name and the known ones are kept", () => {
    const { stdout, problems } = encode("SessionStart", output({ sessionTitle: "t", watchPath: ["/a"] }).parts);
    expect(stdout).toBe('{"hookSpecificOutput":{"hookEventName":"SessionStart","sessionTitle":"t"}}\n');
    expect(problems).toEqual([
      {
        code: "HL_SDK_NOT_EXPRESSIBLE",
        message:
          'HL_SDK_NOT_EXPRESSIBLE: SessionStart has no output field "watchPath". It has: initialUserMessage, sessionTitle, watchPaths, reloadSkills',
      },
    ]);
  });

  it("is refused with a list of what can be", () => {
    expect(encode("PostToolBatch", deny("no").parts).problems).toEqual([
      {
        code: "HL_SDK_NOT_EXPRESSIBLE",
        message: "HL_SDK_NOT_EXPRESSIBLE: PostToolBatch cannot say deny(). It can say: block, context, stop, tellUser",
      },
    ]);
    expect(encode("SessionEnd", context("x").parts).problems[0]?.message).toBe(
      "HL_SDK_NOT_EXPRESSIBLE: SessionEnd cannot say context(). It can say: nothing",
    );
  });

  it("does not spoil what can be", () => {
    const { stdout, problems } = encode("PostToolUse", deny("no").with(context("note")).parts);
    expect(stdout).toBe('{"hookSpecificOutput":{"hookEventName":"PostToolUse","additionalContext":"note"}}\n');
    expect(problems).toHaveLength(1);
  });

  it("is said by exit code 2 on an unknown event, if it is a denial", () => {
    for (const event of ["BeforeToolCall", "", "toString", "constructor", "__proto__"]) {
      for (const result of [block("no"), deny("no").with(context("note"))]) {
        expect(encode(event, result.parts)).toMatchObject({ stdout: "", stderr: "no\n", exitCode: 2, refusal: "no" });
      }
    }
    expect(encode("BeforeToolCall", context("note").parts)).toMatchObject({ stdout: "", stderr: "", exitCode: 0 });
    expect(codes("BeforeToolCall", context("note"))).toEqual(["HL_SDK_NOT_EXPRESSIBLE"]);
  });
});

describe("two results that replace the same thing", () => {
  it.each([
    ["PreToolUse", "new input", rewrite({ command: "a" }).with(rewrite({ command: "b" })), { updatedInput: { command: "b" } }],
    ["PostToolUse", "text", replaceOutput("a").with(replaceOutput("b")), { updatedToolOutput: "b" }],
    ["PostToolUse", "empty text", replaceOutput("a").with(replaceOutput("")), { updatedToolOutput: "" }],
    ["PostToolUse", "null", replaceOutput("a").with(replaceOutput(null)), { updatedToolOutput: null }],
    ["UserPromptSubmit", "a prompt", rewritePrompt("a").with(rewritePrompt("b")), { updatedPrompt: "b" }],
  ])("on %s: the last one (%s) counts and the conflict is reported", (event, _value, result, wanted) => {
    expect(own(event, result)).toEqual({ hookEventName: event, ...wanted });
    expect(codes(event, result)).toContain("HL_SDK_RESULT_CONFLICT");
  });
});
