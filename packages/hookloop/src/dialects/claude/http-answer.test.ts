import { describe, expect, test } from "vitest";
import { EVENTS } from "../../catalogue/events.ts";
import type { Outcome, Reading } from "../../judge/effects.ts";
import { interpretOutcome } from "../../judge/interpret.ts";
import { rawOutcome, sampleHook } from "../../judge/raw-outcome.test-suite.ts";
import { NATIVE_DIALECT } from "../native.ts";
import { CLAUDE_DIALECT } from "./claude-dialect.ts";

const HOOK = sampleHook({ target: { kind: "http", fields: { url: "https://hooks.example/" } } });
const dialects = {
  claude: CLAUDE_DIALECT,
  native: NATIVE_DIALECT,
};
type Name = keyof typeof dialects;
type Run = Parameters<typeof rawOutcome>[0];

/** A response as the http runner gives it. */
const response = (body: string, httpStatus = 200): Run => ({ hook: HOOK, exitCode: null, stdout: body, httpStatus });
const read = (name: Name, run: Run): Reading => dialects[name].answer.read(EVENTS.PreToolUse, "PreToolUse", rawOutcome(run));
const DENY = JSON.stringify({
  hookSpecificOutput: { hookEventName: "PreToolUse", permissionDecision: "deny", permissionDecisionReason: "MARK" },
});

describe.each(["claude", "native"] as const)("a response to a %s hook", (name) => {
  test.each([200, 201, 299])("with JSON and status %i is read like stdout", (status) => {
    const { effects, failure } = read(name, response(DENY, status));
    expect(effects).toEqual([{ type: "deny", reason: "MARK" }]);
    expect(failure).toBeUndefined();
  });

  test.each(["{}", " {}\n", "\ufeff{}"])("%j says nothing", (body) => {
    expect(read(name, response(body))).toMatchObject({ effects: [], diagnostics: [] });
  });

  test("with status 204 says nothing", () => {
    expect(read(name, response("", 204))).toEqual({ effects: [], failure: undefined, diagnostics: [] });
  });

  test.each(["plain text", "<!doctype html><title>Sign in</title>", "[]", '"deny"', "true", "null"])("%j is a failure", (body) => {
    const { effects, failure } = read(name, response(body));
    expect(effects).toEqual([]);
    expect(failure?.kind).toBe("bad-json");
  });

  test.each(["{", '{"decision":}', '{"decision":"block","decision":"approve"}'])("%j is a failure", (body) => {
    expect(read(name, response(body)).failure?.kind).toBe("bad-json");
  });

  test("with a wrong value is a failure", () => {
    expect(read(name, response('{"decision":5}')).failure?.kind).toBe("bad-output");
  });

  test("that failed says nothing, whatever its body", () => {
    const failure = { kind: "http-status", text: "its server answered with status 500" } as const;
    expect(read(name, { ...response(DENY, 500), failure })).toMatchObject({ effects: [], failure });
  });

  test("cannot send itself to the background", () => {
    expect(read(name, response('{"async":true}')).isBackground).toBeUndefined();
  });

  test("is text to no event, not even to those that take stdout as context", () => {
    const { effects, failure } = dialects[name].answer.read(EVENTS.UserPromptSubmit, "UserPromptSubmit", rawOutcome(response("MARK")));
    expect(effects).toEqual([]);
    expect(failure?.kind).toBe("bad-json");
  });
});

test("an empty response is silence to an imported hook and a failure of a native one", () => {
  expect(read("claude", response("")).failure).toBeUndefined();
  expect(read("native", response(" \n")).failure).toEqual({ kind: "bad-json", text: expect.stringContaining("204") });
});

test.each([
  ["", 200],
  [" \n", 200],
  ["", 205],
])("an empty response (%j, %i) is a failure of an imported hook that blocks when it fails", (body, status) => {
  const hook = { ...HOOK, onFailure: "block" } as const;
  expect(read("claude", { ...response(body, status), hook }).failure?.kind).toBe("bad-json");
  expect(read("claude", { ...response("", 204), hook }).failure).toBeUndefined();
});

describe("a failed http hook", () => {
  const failed = (
    name: Name,
    onFailure: "continue" | "ask" | "block",
    kind: "unreachable" | "refused" | "http-status" | "timeout",
  ): Outcome => {
    const hook = { ...HOOK, onFailure, name: "gate" };
    const raw = rawOutcome({ hook, exitCode: null, failure: { kind, text: "MARK" } });
    return interpretOutcome({ event: "PreToolUse", row: EVENTS.PreToolUse, raw, dialect: dialects[name] });
  };

  test.each(["unreachable", "refused", "http-status", "timeout"] as const)("%s takes its direction, out loud", (kind) => {
    expect(failed("claude", "continue", kind)).toMatchObject({
      effects: [],
      diagnostics: [{ level: "error", text: expect.stringContaining("MARK") }],
    });
    expect(failed("native", "ask", kind).effects).toMatchObject([{ type: "ask" }]);
    expect(failed("claude", "block", kind).effects).toMatchObject([{ type: "deny" }]);
  });

  test("does not tell the model what it tells the user", () => {
    expect(JSON.stringify(failed("native", "block", "refused").effects)).not.toContain("MARK");
  });

  test("keeps the notes of its run", () => {
    const notes = [{ code: "HL_EXECUTE_HEADER_EMPTY", level: "warning", text: "MARK" }] as const;
    const raw = rawOutcome({ ...response("{}"), notes });
    const { diagnostics } = interpretOutcome({ event: "PreToolUse", row: EVENTS.PreToolUse, raw, dialect: dialects.claude });
    expect(diagnostics).toMatchObject([{ ...notes[0], text: expect.stringMatching(/: MARK$/), hook: HOOK.id, place: HOOK.place }]);
  });
});
