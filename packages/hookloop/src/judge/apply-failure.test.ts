import { describe, expect, test } from "vitest";
import { EVENTS } from "../catalogue/events.ts";
import { applyFailure } from "./apply-failure.ts";
import type { Failure, FailureKind } from "./effects.ts";
import { sampleHook } from "./raw-outcome.test-suite.ts";

const TIMEOUT: Failure = { kind: "timeout", text: "no answer within 5 s" };
const handler = (): void => {};

describe("a failed run", () => {
  test.each([
    ["PreToolUse", "block", [{ type: "deny", reason: "The guard no-secrets did not answer (timeout 5 s)." }]],
    ["PreToolUse", "ask", [{ type: "ask", reason: "The guard no-secrets did not answer (timeout 5 s)." }]],
    ["PreToolUse", "continue", []],
    ["UserPromptSubmit", "block", [{ type: "deny", reason: "The guard no-secrets did not answer (timeout 5 s)." }]],
    ["PostToolBatch", "block", [{ type: "halt", reason: "The guard no-secrets did not answer (timeout 5 s)." }]],
    // A block makes the agent continue: the stop cap bounds it.
    ["Stop", "block", [{ type: "continueTurn", reason: "The guard no-secrets did not answer (timeout 5 s)." }]],
    ["Stop", "continue", []],
    ["SubagentStop", "block", [{ type: "continueTurn", reason: "The guard no-secrets did not answer (timeout 5 s)." }]],
    ["SubagentStop", "ask", []],
    ["TeammateIdle", "block", [{ type: "continueTurn", reason: "The guard no-secrets did not answer (timeout 5 s)." }]],
    ["TaskCompleted", "block", [{ type: "deny", reason: "The guard no-secrets did not answer (timeout 5 s)." }]],
    // The tool has run: the model gets the reason in the place of the result.
    ["PostToolUse", "block", [{ type: "withhold", reason: "The guard no-secrets did not answer (timeout 5 s)." }]],
    ["PostToolUse", "continue", []],
    // There is nothing to block.
    ["PostToolUseFailure", "block", []],
    ["SessionEnd", "ask", []],
  ] as const)("on %s with onFailure %s", (event, onFailure, effects) => {
    const hook = sampleHook({ name: "no-secrets", isGuard: true, onFailure });
    expect(applyFailure({ row: EVENTS[event], hook, failure: TIMEOUT, durationMs: 5012 }).effects).toEqual(effects);
  });

  test.each(["untrusted", "aborted"] as const)("of a guard that is %s keeps no agent at work, and says so", (kind) => {
    const hook = sampleHook({ name: "g", event: "Stop", isGuard: true, onFailure: "block" });
    const { effects, diagnostic } = applyFailure({ row: EVENTS.Stop, hook, failure: { kind, text: "it was not run" }, durationMs: 1 });
    expect(effects).toEqual([]);
    expect(diagnostic.text).toContain("a guard that did not run to its end does not block Stop, so the agent continues without its answer");
  });

  test.each<[FailureKind, string, string]>([
    ["could-not-start", "HL_EXECUTE_COULD_NOT_START", "could not be started."],
    ["exit", "HL_EXECUTE_EXIT", "failed."],
    ["signal", "HL_EXECUTE_SIGNAL", "was ended before it answered."],
    ["timeout", "HL_EXECUTE_TIMEOUT", "did not answer (timeout 5 s)."],
    ["aborted", "HL_EXECUTE_ABORTED", "was interrupted before it answered."],
    ["flood", "HL_EXECUTE_FLOOD", "printed too much and was ended."],
    ["threw", "HL_EXECUTE_THREW", "threw an error."],
    ["bad-input", "HL_EXECUTE_BAD_INPUT", "could not be given the event."],
    ["bad-json", "HL_OUTPUT_BAD_JSON", "gave an answer that cannot be read."],
    ["bad-output", "HL_OUTPUT_WRONG_TYPE", "gave an answer that is not valid."],
  ])("%s is always reported, in every direction", (kind, code, words) => {
    for (const onFailure of ["continue", "ask", "block"] as const) {
      const hook = sampleHook({ onFailure });
      const { effects, diagnostic } = applyFailure({
        row: EVENTS.PreToolUse,
        hook,
        failure: { kind, text: "what happened" },
        durationMs: 9000,
      });
      expect(diagnostic).toMatchObject({ code, hook: hook.id, place: hook.place, level: kind === "aborted" ? "notice" : "error" });
      expect(diagnostic.text).toContain("what happened");
      if (onFailure !== "continue")
        expect(effects).toEqual([{ type: onFailure === "block" ? "deny" : "ask", reason: `The hook ${words}` }]);
    }
  });

  test("says what happens now and what to do", () => {
    const text = (onFailure: "continue" | "ask" | "block"): string =>
      applyFailure({ row: EVENTS.PreToolUse, hook: sampleHook({ onFailure }), failure: TIMEOUT, durationMs: 1 }).diagnostic.text;
    const start = 'hook "./guard.sh --secret-flag": no answer within 5 s; ';
    expect(text("continue")).toBe(
      `${start}the agent continues without its answer. Make it faster, or raise its timeout. To block when it does not answer, set "onFailure": "block" on the hook`,
    );
    expect(text("ask")).toBe(`${start}the decision is "ask" instead. Make it faster, or raise its timeout`);
    expect(text("block")).toBe(`${start}that counts as a denial. Make it faster, or raise its timeout`);
  });

  test("tells the model nothing of the command line, its files or the system's message", () => {
    const failure: Failure = { kind: "could-not-start", text: "spawn ./guard.sh ENOENT" };
    for (const name of ["./guard.sh --secret-flag", "guard.sh", "secret-flag", "./guard.sh --secr…"]) {
      const hook = sampleHook({ name, onFailure: "block", isGuard: true });
      const { effects } = applyFailure({ row: EVENTS.PreToolUse, hook, failure, durationMs: 1 });
      expect(effects).toEqual([{ type: "deny", reason: "The guard could not be started." }]);
    }
  });

  test("names a function and keeps the reason the hook gave", () => {
    const hook = sampleHook({ name: "budget", onFailure: "block", target: { kind: "function", handler } });
    const failure: Failure = { kind: "exit", text: "exit code 1: over budget", said: "over \u001b[31mbudget" };
    const { effects } = applyFailure({ row: EVENTS.PreToolUse, hook, failure, durationMs: 1 });
    expect(effects).toEqual([{ type: "deny", reason: "The hook budget failed: over budget" }]);
  });

  test("of a background hook has no say", () => {
    const hook = sampleHook({ onFailure: "block", isAsync: true });
    expect(applyFailure({ row: EVENTS.PreToolUse, hook, failure: TIMEOUT, durationMs: 1 }).effects).toEqual([]);
  });

  test("keeps a more telling code", () => {
    const failure: Failure = { kind: "bad-json", code: "HL_OUTPUT_DUPLICATE_KEY", text: "twice" };
    expect(applyFailure({ row: EVENTS.PreToolUse, hook: sampleHook(), failure, durationMs: 1 }).diagnostic.code).toBe(
      "HL_OUTPUT_DUPLICATE_KEY",
    );
  });

  test("a limit below a second is not told as none", () => {
    const failed = { row: EVENTS.PreToolUse, hook: sampleHook({ onFailure: "block", timeoutMs: 40 }), failure: TIMEOUT, durationMs: 41.7 };
    expect(applyFailure(failed).effects).toMatchObject([{ reason: expect.stringContaining("(timeout 40 ms)") }]);
  });

  test("a text that ends like a sentence goes on without its full stop, and a dialect may advise better", () => {
    const failure: Failure = { kind: "untrusted", text: "It has changed and was not run.", cure: "Do this" };
    const { diagnostic } = applyFailure({ row: EVENTS.PreToolUse, hook: sampleHook({}), failure, durationMs: 1 });
    expect(diagnostic.text).toMatch(/: It has changed and was not run; that counts as a denial\. Do this$/);
  });

  test("a guard with a slip in its entry is told of that, and nothing of approvals", () => {
    const hook = { ...sampleHook({ name: "g", isGuard: true, onFailure: "block" }), withheld: { reason: "unreadable" } } as ReturnType<
      typeof sampleHook
    >;
    const failure: Failure = { kind: "untrusted", text: "it cannot be read and was not run" };
    const { effects, diagnostic } = applyFailure({ row: EVENTS.PreToolUse, hook, failure, durationMs: 1 });
    expect(effects).toMatchObject([{ type: "deny", reason: expect.stringContaining("has a mistake in its configuration") }]);
    expect(diagnostic.text).toMatch(/Fix its entry in the configuration file$/);
  });
});
