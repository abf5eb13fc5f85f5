import { describe, expect, test } from "vitest";
import { EVENTS } from "../catalogue/events.ts";
import type { Effect } from "../judge/effects.ts";
import { interpretOutcome } from "../judge/interpret.ts";
import { rawOutcome, sampleHook } from "../judge/raw-outcome.test-suite.ts";
import { dialectContract } from "./contract.test-suite.ts";
import { NATIVE_DIALECT } from "./native.ts";

const dialect = NATIVE_DIALECT;
type Run = Parameters<typeof rawOutcome>[0];
const own = (fields: object): string => JSON.stringify({ hookSpecificOutput: { hookEventName: "PreToolUse", ...fields } });
const effects = (onFailure: "ask" | "block" | "continue", run: Run): readonly Effect[] => {
  const raw = rawOutcome({ hook: sampleHook({ onFailure, isGuard: onFailure === "block" }), ...run });
  return interpretOutcome({ event: "PreToolUse", row: EVENTS.PreToolUse, raw, dialect }).effects;
};

dialectContract(dialect, [
  { event: "PreToolUse", exitCode: 1, means: "failure" },
  { event: "PreToolUse", exitCode: 2, means: [{ type: "deny", reason: "why" }] },
  { event: "PostToolUse", exitCode: 2, means: [{ type: "feedback", text: "why" }] },
  { event: "Stop", exitCode: 2, means: [{ type: "continueTurn", reason: "why" }] },
]);

describe("a native hook", () => {
  const DENY = '{"decision":"deny","reason":"secrets"}';

  test("blocks with decision deny on exit 0, with a warning that Claude Code would not see it", () => {
    const reading = dialect.answer.read(EVENTS.PreToolUse, "PreToolUse", rawOutcome({ stdout: DENY }));
    expect(reading.effects).toEqual([{ type: "deny", reason: "secrets" }]);
    expect(reading.diagnostics).toMatchObject([
      {
        code: "HL_OUTPUT_WRONG_TYPE",
        level: "warning",
        text: expect.stringContaining('decision: "deny" was taken as "block". Claude Code ignores it'),
      },
    ]);
  });

  test("that exits with 1 has failed whatever it printed, and its reason is kept", () => {
    expect(effects("block", { exitCode: 1, stdout: DENY })).toEqual([{ type: "deny", reason: "The guard failed: secrets" }]);
    expect(effects("ask", { exitCode: 1, stdout: DENY })).toEqual([{ type: "ask", reason: "The hook failed: secrets" }]);
    expect(effects("ask", { exitCode: 1, stdout: own({ permissionDecision: "allow" }) })).toEqual([
      { type: "ask", reason: "The hook failed." },
    ]);
    expect(effects("ask", { exitCode: 1, stderr: "db is down\n" })).toEqual([{ type: "ask", reason: "The hook failed: db is down" }]);
    expect(effects("continue", { exitCode: 1, stdout: own({ permissionDecision: "allow" }) })).toEqual([]);
  });

  test.each<[string, Run, readonly Effect[]]>([
    [
      "a denial in the other field's spelling is a denial",
      { stdout: own({ permissionDecision: "block", permissionDecisionReason: "r" }) },
      [{ type: "deny", reason: "r" }],
    ],
    [
      "a yes in the other field's spelling is none",
      { stdout: '{"decision":"allow"}' },
      [{ type: "ask", reason: "The hook gave an answer that is not valid." }],
    ],
    [
      "a decision at the wrong level is a failure",
      { stdout: '{"permissionDecision":"deny"}' },
      [{ type: "ask", reason: "The hook gave an answer that is not valid." }],
    ],
    [
      "a misspelt decision is a failure",
      { stdout: own({ permisionDecision: "deny" }) },
      [{ type: "ask", reason: "The hook gave an answer that is not valid." }],
    ],
    ["another unknown field is not", { stdout: own({ bogus: 1 }) }, []],
    [
      "noise before a deny is skipped",
      { stdout: `hi\n${own({ permissionDecision: "deny", permissionDecisionReason: "r" })}` },
      [{ type: "deny", reason: "r" }],
    ],
    ["exit 2 is a denial", { exitCode: 2, stderr: "r" }, [{ type: "deny", reason: "r" }]],
  ])("%s", (_what, run, expected) => {
    expect(effects("ask", run)).toEqual(expected);
  });
});
