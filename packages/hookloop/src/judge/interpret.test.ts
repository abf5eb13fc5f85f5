import { deny } from "@hookloop/sdk";
import { describe, expect, test } from "vitest";
import { EVENTS } from "../catalogue/events.ts";
import type { Dialect, Outcome, Reading } from "./effects.ts";
import { interpretOutcome } from "./interpret.ts";
import { rawOutcome, sampleHook } from "./raw-outcome.test-suite.ts";

const speaking = (reading: Reading): Pick<Dialect, "answer"> => ({ answer: { cannotSay: [], read: () => reading } });
const silent = speaking({ effects: [], diagnostics: [] });
const interpret = (raw: Parameters<typeof rawOutcome>[0], dialect = silent): Outcome =>
  interpretOutcome({ event: "PreToolUse", row: EVENTS.PreToolUse, raw: rawOutcome(raw), dialect });
const codes = (outcome: Outcome): string[] => outcome.diagnostics.map(({ code }) => code);
const inProcess = sampleHook({ name: "budget", onFailure: "block", target: { kind: "function", handler: () => {} } });

describe("an outcome", () => {
  test("is what the dialect read, with the hook and its time", () => {
    const hook = sampleHook();
    const outcome = interpret({ hook, durationMs: 7 }, speaking({ effects: [{ type: "deny", reason: "no" }], diagnostics: [] }));
    expect(outcome).toEqual({ hook, durationMs: 7, effects: [{ type: "deny", reason: "no" }], diagnostics: [] });
  });

  test("of a failure keeps what was said and adds the direction's effect and a diagnostic", () => {
    const reading: Reading = { effects: [{ type: "context", text: "x" }], failure: { kind: "bad-output", text: "wrong" }, diagnostics: [] };
    const outcome = interpret({ hook: sampleHook({ onFailure: "ask" }) }, speaking(reading));
    expect(outcome.effects).toEqual([
      { type: "context", text: "x" },
      { type: "ask", reason: "The hook gave an answer that is not valid." },
    ]);
    expect(codes(outcome)).toEqual(["HL_OUTPUT_WRONG_TYPE"]);
  });

  test("of a background hook that failed is reported and has no effect", () => {
    const reading: Reading = { effects: [], failure: { kind: "timeout", text: "late" }, diagnostics: [], isBackground: true };
    const outcome = interpret({ hook: sampleHook({ onFailure: "block" }) }, speaking(reading));
    expect(outcome).toMatchObject({ effects: [], isBackground: true });
    expect(codes(outcome)).toEqual(["HL_EXECUTE_TIMEOUT"]);
  });

  test("of a function is what it returned; the dialect is not asked", () => {
    const shouting = speaking({ effects: [{ type: "deny", reason: "from the dialect" }], diagnostics: [] });
    expect(interpret({ hook: inProcess, returned: deny("no"), exitCode: null }, shouting).effects).toEqual([
      { type: "deny", reason: "no" },
    ]);
    expect(interpret({ hook: inProcess, returned: undefined, exitCode: null }, shouting).effects).toEqual([]);
  });

  test.each([
    ["HL_SDK_HANDLER_FAILED: g: boom (g.mjs:1:1)", "HL_EXECUTE_THREW"],
    ['HL_SDK_FIELD_MISSPELT: g reads "toolInput"', "HL_EXECUTE_FIELD_MISSPELT"],
  ])("of a file's guard that failed and therefore denied is an error to look at, too: %s", (why, code) => {
    const broken: Reading = { effects: [{ type: "deny", reason: `The guard g failed, so it blocks. ${why}` }], diagnostics: [] };
    const { effects, diagnostics } = interpret({ hook: sampleHook({ isGuard: true }) }, speaking(broken));
    expect(effects).toEqual(broken.effects);
    expect(diagnostics).toMatchObject([{ code, level: "error", text: expect.stringContaining(why) }]);
  });

  test("of a function that threw, or returned what is no result, takes the hook's direction", () => {
    const threw = interpret({ hook: inProcess, failure: { kind: "threw", text: "Error: boom" }, returned: deny("stale") });
    expect(threw.effects).toEqual([{ type: "deny", reason: "The hook budget threw an error." }]);
    expect(codes(threw)).toEqual(["HL_EXECUTE_THREW"]);
    const odd = interpret({ hook: inProcess, returned: "no" });
    expect(odd.effects).toEqual([{ type: "deny", reason: "The hook budget gave an answer that is not valid." }]);
    expect(odd.diagnostics[0]).toMatchObject({ code: "HL_OUTPUT_WRONG_TYPE", level: "error", hook: inProcess.id });
  });

  test("says what the run left behind", () => {
    const outcome = interpret({ pipesHeld: true, isTruncated: true, missingCwd: "/gone\u001b[2J" });
    expect(codes(outcome)).toEqual(["HL_EXECUTE_PIPES_HELD", "HL_EXECUTE_CWD_MISSING", "HL_EXECUTE_TRUNCATED"]);
    expect(outcome.diagnostics[1]?.text).toMatch(/^hook "[^"]*": the folder \/gone does not exist; the hook ran in the project root$/);
    expect(outcome.effects).toEqual([]);
  });
});
