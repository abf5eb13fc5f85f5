import { expect, it } from "vitest";
import { NO_OUTPUT } from "./failures.ts";
import { runDiagnostics } from "./run-diagnostics.ts";
import { sampleHook } from "./sample-hook.test-suite.ts";

const hook = sampleHook({ name: "guard", place: { file: "/a.json", line: 3 } });

it("a run that went well has nothing to say", () => {
  expect(runDiagnostics({ ...NO_OUTPUT, hook, exitCode: 2 })).toEqual([]);
});

it("a failure is an error with its code, place, reason and cure", () => {
  expect(runDiagnostics({ ...NO_OUTPUT, hook, failure: { kind: "timeout", text: "it did not end within 5 s" } })).toEqual([
    {
      code: "HL_EXECUTE_TIMEOUT",
      level: "error",
      text: 'hook "guard": it did not end within 5 s; make it faster, or raise its "timeout" (seconds)',
      place: { file: "/a.json", line: 3 },
      hook: hook.id,
    },
  ]);
});

it("what is odd about a run that went well is a warning each", () => {
  const outcome = { ...NO_OUTPUT, hook, missingCwd: "/gone", isTruncated: true, pipesHeld: true };
  expect(runDiagnostics(outcome).map(({ code, level }) => [code, level])).toEqual([
    ["HL_EXECUTE_CWD_MISSING", "warning"],
    ["HL_EXECUTE_TRUNCATED", "warning"],
    ["HL_EXECUTE_PIPES_HELD", "warning"],
  ]);
});
