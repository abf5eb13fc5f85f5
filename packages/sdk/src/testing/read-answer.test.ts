import { describe, expect, it, test } from "vitest";
import type { EventName } from "../generated/events.ts";
import { type HookAnswer, type RawAnswer, readAnswer } from "./index.ts";

const read = (event: EventName, stdout: string, exitCode: number | null = 0, stderr = ""): HookAnswer =>
  readAnswer(event, { stdout, stderr, exitCode });
const codes = ({ diagnostics }: HookAnswer): string[] => diagnostics.map(({ code }) => code);

const DENY = '{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"no"}}';
const ALLOW = '{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"allow","permissionDecisionReason":"fine"}}';

describe("JSON on stdout", () => {
  it("is read with whitespace or a byte order mark before it", () => {
    for (const before of ["", "\n  ", "\ufeff"]) {
      const answer = read("PreToolUse", `${before}${DENY}\n`);
      expect(answer).toMatchObject({ decision: "deny", reason: "no", diagnostics: [] });
    }
  });

  it("is lost behind a line of noise, and that is said", () => {
    const answer = read("PreToolUse", `loading…\n${DENY}\n`);
    expect(answer).toMatchObject({ decision: "none", output: undefined });
    expect(codes(answer)).toEqual(["HL_TEST_OUTPUT_NOISE"]);
  });

  it("is lost before a line of noise, and that is said", () => {
    const answer = read("PreToolUse", `${DENY}\ndone\n`);
    expect(answer).toMatchObject({ decision: "none", output: undefined });
    expect(codes(answer)).toEqual(["HL_TEST_OUTPUT_INVALID"]);
  });

  it("is lost if it is cut off or there are two documents, and that is said", () => {
    expect(codes(read("PreToolUse", DENY.slice(0, -5)))).toEqual(["HL_TEST_OUTPUT_INVALID"]);
    expect(codes(read("PreToolUse", `${DENY}\n${DENY}`))).toEqual(["HL_TEST_OUTPUT_INVALID"]);
  });

  it("is plain text if it is a list", () => {
    expect(read("PreToolUse", "[1]")).toMatchObject({ decision: "none", output: undefined, context: undefined });
    expect(read("UserPromptSubmit", "[1]")).toMatchObject({ context: "[1]" });
  });

  it("says nothing if it is empty", () => {
    expect(read("PreToolUse", "{}")).toMatchObject({ decision: "none", diagnostics: [], isStopped: false });
  });

  it("counts on every exit code", () => {
    const answer = read("PreToolUse", DENY, 1);
    expect(answer).toMatchObject({ decision: "deny", reason: "no" });
    expect(codes(answer)).toEqual(["HL_TEST_EXIT_CODE"]);
  });
});

describe("the event name inside the answer", () => {
  it("is missed if it is not there", () => {
    const answer = read("PreToolUse", '{"hookSpecificOutput":{"permissionDecision":"deny"}}');
    expect(answer.diagnostics).toEqual([
      {
        code: "HL_TEST_EVENT_NAME",
        message: 'HL_TEST_EVENT_NAME: hookSpecificOutput.hookEventName is undefined; Claude Code then drops the answer. Write "PreToolUse"',
      },
    ]);
  });

  it("voids the answer if it is another one", () => {
    const answer = read("PreToolUse", DENY.replace("PreToolUse", "PostToolUse"));
    expect(codes(answer)).toEqual(["HL_TEST_EVENT_NAME"]);
    expect(answer.decision).toBe("none");
  });
});

describe("fields", () => {
  it("that no event has are reported", () => {
    const answer = read("PreToolUse", '{"verdict":"deny"}');
    expect(answer.decision).toBe("none");
    expect(answer.diagnostics).toEqual([
      { code: "HL_TEST_FIELD_UNKNOWN", message: 'HL_TEST_FIELD_UNKNOWN: the output of PreToolUse has no field "verdict"' },
    ]);
  });

  it("that stand one level too high are reported with their place, and are not read", () => {
    const answer = read("PreToolUse", '{"additionalContext":"note"}');
    expect(answer.context).toBeUndefined();
    expect(answer.diagnostics).toEqual([
      {
        code: "HL_TEST_FIELD_UNKNOWN",
        message: 'HL_TEST_FIELD_UNKNOWN: the output of PreToolUse has no field "additionalContext". Put it into hookSpecificOutput',
      },
    ]);
  });

  it("of another event are reported and decide nothing", () => {
    const answer = read("PostToolUse", '{"hookSpecificOutput":{"hookEventName":"PostToolUse","permissionDecision":"deny"}}');
    expect(codes(answer)).toEqual(["HL_TEST_FIELD_UNKNOWN"]);
    expect(answer.decision).toBe("none");
  });

  it.each(["block", "approve", "no"])("with a decision that does not exist (%j) decide nothing, and that is said", (value) => {
    const answer = read("PreToolUse", JSON.stringify({ hookSpecificOutput: { hookEventName: "PreToolUse", permissionDecision: value } }));
    expect(answer.decision).toBe("none");
    expect(answer.diagnostics).not.toEqual([]);
  });

  it("of every kind are read on the events that have them", () => {
    expect(
      read(
        "PermissionRequest",
        '{"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":{"behavior":"allow","updatedInput":{"a":1}}}}',
      ),
    ).toMatchObject({ decision: "allow", updatedInput: { a: 1 }, diagnostics: [] });
    expect(read("PostToolUse", '{"hookSpecificOutput":{"hookEventName":"PostToolUse","updatedToolOutput":{"stdout":""}}}')).toMatchObject({
      updatedOutput: { stdout: "" },
      diagnostics: [],
    });
    expect(read("Stop", '{"continue":false,"stopReason":"x","systemMessage":"bye","suppressOutput":true}')).toMatchObject({
      isStopped: true,
      systemMessage: "bye",
      diagnostics: [],
    });
    expect(read("Elicitation", '{"hookSpecificOutput":{"hookEventName":"Elicitation","action":"decline"}}')).toMatchObject({
      decision: "block",
      diagnostics: [],
    });
  });

  it("may be anything: nothing crashes", () => {
    for (const odd of ["null", '"text"', "1", "[]"]) {
      expect(read("PreToolUse", `{"hookSpecificOutput":${odd}}`).decision).toBe("none");
      expect(read("PermissionRequest", `{"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":${odd}}}`).decision).toBe(
        "none",
      );
    }
  });
});

describe("the top-level decision", () => {
  it("block is a deny on PreToolUse", () => {
    expect(read("PreToolUse", '{"decision":"block","reason":"no"}')).toMatchObject({ decision: "deny", reason: "no", diagnostics: [] });
  });

  it("approve is an allow on PreToolUse", () => {
    expect(read("PreToolUse", '{"decision":"approve","reason":"fine"}')).toMatchObject({ decision: "allow" });
  });

  it("is a block, feedback or nothing, as the event has it", () => {
    expect(read("Stop", '{"decision":"block","reason":"not yet"}')).toMatchObject({ decision: "block", reason: "not yet" });
    expect(read("PostToolUse", '{"decision":"block","reason":"mind"}')).toMatchObject({ decision: "feedback", reason: "mind" });
    expect(read("Notification", '{"decision":"block","reason":"no"}')).toMatchObject({ decision: "none" });
  });

  it("does not know allow and deny", () => {
    expect(read("PreToolUse", '{"decision":"deny"}').decision).toBe("none");
    expect(read("PreToolUse", '{"decision":"allow"}').decision).toBe("none");
  });
});

describe("exit code 2", () => {
  it("blocks with the text of stderr", () => {
    expect(read("PreToolUse", "", 2, "no\n")).toMatchObject({ decision: "deny", reason: "no", diagnostics: [] });
    expect(read("Stop", "", 2, "not yet\n")).toMatchObject({ decision: "block", reason: "not yet" });
    expect(read("PostToolUse", "", 2, "mind\n")).toMatchObject({ decision: "feedback", reason: "mind" });
  });

  it("blocks with the reason of a refusing JSON, if there is one", () => {
    expect(read("PreToolUse", DENY, 2, "other\n")).toMatchObject({ decision: "deny", reason: "no" });
    expect(read("Stop", '{"decision":"block","reason":"json"}', 2, "other\n")).toMatchObject({ decision: "block", reason: "json" });
  });

  it("beats an allow in JSON, and the reason is that of stderr", () => {
    expect(read("PreToolUse", ALLOW, 2, "no\n")).toMatchObject({ decision: "deny", reason: "no" });
  });

  it("says nothing on an event that cannot block", () => {
    for (const event of ["SessionStart", "Notification", "SessionEnd", "PostCompact"] as const) {
      expect(read(event, "", 2, "no\n").decision).toBe("none");
    }
  });
});

describe("other exit codes", () => {
  it("say nothing, and that is said", () => {
    const failed = read("PreToolUse", "", 1, "Traceback …\n");
    expect(failed.decision).toBe("none");
    expect(failed.diagnostics).toEqual([
      { code: "HL_TEST_EXIT_CODE", message: "HL_TEST_EXIT_CODE: exit code 1: the agent reports it and continues" },
    ]);
    expect(read("PreToolUse", "", null).diagnostics[0]?.message).toBe(
      "HL_TEST_EXIT_CODE: ended by a signal: the agent reports it and continues",
    );
  });

  it("refuse a worktree: any but 0 does", () => {
    expect(read("WorktreeCreate", "", 1, "fatal: disk is full\n")).toMatchObject({ decision: "block" });
  });

  it("leave the problems that the SDK reported on stderr readable", () => {
    expect(codes(read("PreToolUse", "", 1, "HL_SDK_STDIN_EMPTY: no event on stdin\nnoise\nHL_SDK_LOG_FAILED: disk full\n"))).toEqual([
      "HL_SDK_STDIN_EMPTY",
      "HL_SDK_LOG_FAILED",
      "HL_TEST_EXIT_CODE",
    ]);
  });
});

describe("plain text on stdout", () => {
  it("is context on the three events that take it", () => {
    for (const event of ["UserPromptSubmit", "UserPromptExpansion", "SessionStart"] as const) {
      expect(read(event, "On branch main\n")).toMatchObject({ context: "On branch main", decision: "none", diagnostics: [] });
    }
    expect(read("UserPromptSubmit", "", 0).context).toBeUndefined();
    expect(read("UserPromptSubmit", "On branch main\n", 1).context).toBeUndefined();
  });

  it("is nothing on the others", () => {
    for (const event of ["PreToolUse", "Stop", "PostToolUse"] as const) expect(read(event, "deny\n").context).toBeUndefined();
  });
});

describe("continue: false", () => {
  it("stops the agent where it is honoured", () => {
    expect(read("PreToolUse", '{"continue":false}').isStopped).toBe(true);
    expect(read("Notification", '{"continue":false}').isStopped).toBe(false);
    expect(read("SessionEnd", '{"continue":false}').isStopped).toBe(false);
  });
});

describe("an answer that Claude Code drops whole", () => {
  it.each([
    ["a decision of the other kind at the top level", '{"decision":"deny","reason":"no"}'],
    ["a continue that is no boolean", '{"continue":"no","decision":"block"}'],
    ["something else in place of hookSpecificOutput", '{"hookSpecificOutput":"x","decision":"block"}'],
    ["no event name beside a decision", '{"hookSpecificOutput":{"additionalContext":"x"},"decision":"block","systemMessage":"m"}'],
  ])("because of %s decides nothing, and that is said", (_what, stdout) => {
    const answer = read("PreToolUse", stdout);
    expect(answer).toMatchObject({ decision: "none", context: undefined, systemMessage: undefined });
    expect(answer.diagnostics).toHaveLength(1);
  });

  it("because it is no JSON is not taken for context either", () => {
    expect(read("UserPromptSubmit", '{"a":}')).toMatchObject({ context: undefined, diagnostics: [{ code: "HL_TEST_OUTPUT_INVALID" }] });
  });
});

describe("what agents swallow without a word", () => {
  const read = (event: EventName, raw: Partial<RawAnswer>): readonly string[] =>
    readAnswer(event, { stdout: "", stderr: "", exitCode: 0, ...raw }).diagnostics.map(({ message }) => message);

  it.each(["deny", "DENY: no", '"deny"', "[1]", "true"])("stdout that is no JSON object: %s", (stdout) => {
    expect(read("PreToolUse", { stdout })).toEqual([
      expect.stringMatching(/^HL_TEST_OUTPUT_TEXT: it printed .* agents take that for no opinion$/),
    ]);
    expect(read("SessionStart", { stdout })).toEqual([]);
    expect(read("PreToolUse", { stdout, exitCode: 2 })).toEqual([]);
  });

  it("stderr of a hook that exits with 0", () => {
    expect(read("PreToolUse", { stderr: "guard.sh: 2: jq: not found\n" })).toEqual([
      'HL_TEST_STDERR_HIDDEN: the exit code is 0, so agents hide what it wrote to stderr: "guard.sh: 2: jq: not found"',
    ]);
    expect(read("PreToolUse", { stderr: "HL_SDK_LOG_FAILED: x\n" })).toEqual(["HL_SDK_LOG_FAILED: x"]);
    expect(read("PreToolUse", { stderr: "no", exitCode: 2 })).toEqual([]);
  });

  it("a reason without a decision", () => {
    expect(read("PreToolUse", { stdout: '{"stopReason":"x"}' })).toEqual([expect.stringContaining("counts only beside continue: false")]);
    expect(read("Stop", { stdout: '{"reason":"x"}' })).toEqual([expect.stringContaining("counts only beside decision")]);
    expect(read("Stop", { stdout: '{"decision":"block","reason":"x"}' })).toEqual([]);
  });

  it("refuses a call that makes no sense", () => {
    const call = readAnswer as (...given: unknown[]) => unknown;
    expect(() => call("PreTooluse", { stdout: "", stderr: "", exitCode: 0 })).toThrow('Did you mean "PreToolUse"?');
    expect(() => call("PreToolUse", { stdout: "" })).toThrow("readAnswer() takes { stdout, stderr, exitCode }");
    expect(() => call("PreToolUse")).toThrow("HL_TEST_BAD_CALL");
  });
});

test("a Python traceback with exit code 2 is a denial that the hook did not decide, and that is said", () => {
  const stderr = "Traceback (most recent call last):\n  File \"g.py\", line 3, in <module>\nKeyError: 'command'\n";
  const { decision, diagnostics } = readAnswer("PreToolUse", { stdout: "", stderr, exitCode: 2 });
  expect(decision).toBe("deny");
  expect(diagnostics).toMatchObject([{ code: "HL_TEST_EXIT_CODE", message: expect.stringContaining("KeyError: 'command'") }]);
});
