import type { EventName } from "@hookloop/sdk";
import { describe, expect, test } from "vitest";
import { EVENTS } from "../catalogue/events.ts";
import type { Effect, Outcome } from "./effects.ts";
import { mergeOutcomes } from "./merge-outcomes.ts";
import { makeHook, makeOutcome } from "./outcome.test-suite.ts";
import { noVerdict, type Verdict } from "./verdict.ts";

const first = makeHook({ order: 1 });
const second = makeHook({ order: 2 });
const third = makeHook({ order: 3 });

function merge(outcomes: readonly Outcome[], event: EventName = "PreToolUse") {
  return mergeOutcomes({ event, row: EVENTS[event], outcomes });
}

function verdictOf(effects: readonly (readonly Effect[])[], event?: EventName): Verdict {
  const hooks = [first, second, third];
  return merge(
    effects.map((said, index) => makeOutcome(hooks[index] ?? third, said)),
    event,
  ).verdict;
}

describe("decisions", () => {
  const deny: Effect = { type: "deny", reason: "no" };
  const table: readonly [string, readonly Effect[], string][] = [
    ["nothing is no opinion", [], "none"],
    ["approve is allow", [{ type: "approve" }], "allow"],
    ["ask beats allow", [{ type: "approve" }, { type: "ask" }], "ask"],
    ["defer beats ask", [{ type: "ask" }, { type: "defer" }], "defer"],
    ["deny beats defer", [{ type: "defer" }, deny], "deny"],
    ["deny beats allow in the other order too", [deny, { type: "approve" }], "deny"],
    ["context decides nothing", [{ type: "context", text: "x" }], "none"],
  ];
  test.each(table)("%s", (_name, effects, decision) => {
    expect(verdictOf(effects.map((effect) => [effect])).decision).toBe(decision);
  });

  test("every deny reason is kept, in registry order and with its hook", () => {
    const project = makeHook({ order: 0, scope: "project" });
    const managed = makeHook({ order: 9, scope: "managed" });
    const { verdict } = merge([
      makeOutcome(project, [{ type: "deny", reason: "project blocks" }]),
      makeOutcome(second, [{ type: "ask", reason: "not of the decision that won" }]),
      makeOutcome(managed, [{ type: "deny", reason: "policy blocks" }]),
    ]);
    expect(verdict.reasons).toEqual([
      { text: "policy blocks", hook: "managed:9" },
      { text: "project blocks", hook: "project:0" },
    ]);
    expect(verdict.outcomes.map(({ hook }) => hook.id)).toEqual(["managed:9", "user:2", "project:0"]);
  });

  test("a background run has no say", () => {
    const { verdict } = merge([makeOutcome(first, [deny, { type: "context", text: "late" }], { isBackground: true })]);
    expect({ ...verdict, outcomes: [] }).toEqual(noVerdict("PreToolUse"));
  });

  test("nothing said is one frozen object per event", () => {
    expect(merge([], "Stop").verdict).toBe(noVerdict("Stop"));
    expect(Object.isFrozen(noVerdict("Stop"))).toBe(true);
    expect(() => (noVerdict("Stop").reasons as unknown[]).push("x")).toThrow(TypeError);
  });
});

describe("a failed run", () => {
  const failure = { kind: "timeout", text: "secret detail" } as const;
  test.each([
    ["block", "deny"],
    ["ask", "ask"],
    ["continue", "allow"],
  ] as const)("with onFailure %s beside an approve gives %s, whatever it said before it failed", (onFailure, decision) => {
    const { verdict } = merge([
      makeOutcome(first, [{ type: "approve" }]),
      makeOutcome(makeHook({ order: 2, onFailure }), [{ type: "approve" }], { failure }),
    ]);
    expect(verdict.decision).toBe(decision);
    expect(JSON.stringify(verdict.reasons)).not.toContain("secret detail");
  });

  test("adds nothing to the denial it was already turned into", () => {
    const failed = makeOutcome(makeHook({ onFailure: "block" }), [{ type: "deny", reason: "guard did not answer" }], { failure });
    expect(merge([failed]).verdict.reasons).toEqual([{ text: "guard did not answer", hook: "user:0" }]);
  });

  test("keeps the agent at work where a block makes the agent continue", () => {
    const { verdict } = merge([makeOutcome(makeHook({ onFailure: "block" }), [], { failure })], "Stop");
    expect(verdict).toMatchObject({ decision: "none", continueWith: [{ hook: "user:0" }], halt: undefined });
    const notRun = { ...failure, kind: "untrusted" as const };
    expect(merge([makeOutcome(makeHook({ onFailure: "block" }), [], { failure: notRun })], "Stop").verdict.continueWith).toEqual([]);
  });

  test("ends the turn where a denial is a halt", () => {
    const { verdict } = merge([makeOutcome(makeHook({ onFailure: "block" }), [], { failure })], "PreModelRequest");
    expect(verdict.halt?.hook).toBe("user:0");
  });
});

describe("halt", () => {
  const halt: Effect = { type: "halt", reason: "for the user" };

  test("on a tool call also means that the tool does not run, and its reason stays away from the model", () => {
    const verdict = verdictOf([[halt]]);
    expect(verdict).toMatchObject({ decision: "deny", halt: { text: "for the user", hook: "user:1" } });
    expect(verdict.reasons).toEqual([{ text: "A hook ended the agent's work before this could happen.", hook: "user:1" }]);
  });

  test("on a prompt leaves the decision alone: the prompt is kept", () => {
    expect(verdictOf([[halt]], "UserPromptSubmit")).toMatchObject({ decision: "none", halt: { text: "for the user" } });
  });

  test("outranks a block of the stop", () => {
    expect(verdictOf([[{ type: "continueTurn", reason: "more" }], [halt]], "Stop")).toMatchObject({
      continueWith: [],
      halt: { hook: "user:2" },
    });
  });

  test("of several, the highest source's counts and the user is told the others' reasons", () => {
    const verdict = verdictOf([[halt], [{ type: "halt", reason: "also" }], [{ type: "halt" }]], "PostToolUse");
    expect(verdict.halt).toEqual({ text: "for the user", hook: "user:1" });
    expect(verdict.tells).toEqual([{ text: "also", hook: "user:2" }]);
  });

  test("beside the same hook's own deny does not blur its reason", () => {
    expect(verdictOf([[{ type: "deny", reason: "real" }, halt]]).reasons).toEqual([{ text: "real", hook: "user:1" }]);
  });
});

describe("rewrites", () => {
  const input = (value: string): Effect => ({ type: "rewriteInput", input: { command: value } });

  test("the highest source wins, and the conflict names both hooks", () => {
    const managed = makeHook({
      order: 0,
      scope: "managed",
      name: "policy",
      place: { file: "/etc/hookloop/hooks.json", line: 3, column: 5 },
    });
    const project = makeHook({ order: 9, scope: "project", name: "format", place: { file: ".hookloop/hooks.json", line: 7, column: 9 } });
    const { verdict, diagnostics } = merge([makeOutcome(project, [input("b")]), makeOutcome(managed, [input("a")])]);
    expect(verdict.updatedInput).toEqual({ command: "a" });
    expect(diagnostics).toEqual([
      {
        code: "HL_MERGE_REWRITE_CONFLICT",
        level: "warning",
        text: 'Two hooks set the input: "policy" (/etc/hookloop/hooks.json:3:5) and "format" (.hookloop/hooks.json:7:9). The value from "policy" counts, the one from "format" is dropped. Let one hook do it, or put both into one group with "sequential": true.',
        place: { file: ".hookloop/hooks.json", line: 7, column: 9 },
        hook: "project:9",
      },
    ]);
  });

  test("inside one source the last declared wins, whoever finishes last", () => {
    const outcomes = [makeOutcome(third, [input("three")]), makeOutcome(first, [input("one")]), makeOutcome(second, [input("two")])];
    const { verdict, diagnostics } = merge(outcomes);
    expect(verdict.updatedInput).toEqual({ command: "three" });
    expect(diagnostics.map(({ hook }) => hook)).toEqual(["user:1", "user:2"]);
  });

  test("a sequential group gives its last word without a conflict, in the order it ran", () => {
    const early = makeHook({ order: 5, sequence: "a", priority: 10 });
    const late = makeHook({ order: 4, sequence: "a", priority: 1 });
    const { verdict, diagnostics } = merge([makeOutcome(early, [input("first step")]), makeOutcome(late, [input("second step")])]);
    expect(verdict.updatedInput).toEqual({ command: "second step" });
    expect(diagnostics).toEqual([]);
  });

  test("inside a sequential group of one priority the last declared ran last", () => {
    const steps = [4, 5, 6].map((order) => makeOutcome(makeHook({ order, sequence: "a" }), [input(String(order))]));
    expect(merge(steps.reverse()).verdict.updatedInput).toEqual({ command: "6" });
    expect(merge(steps).diagnostics).toEqual([]);
  });

  test("is dropped on deny, kept on ask", () => {
    expect(verdictOf([[input("x")], [{ type: "deny", reason: "no" }]]).updatedInput).toBeUndefined();
    expect(verdictOf([[input("x")], [{ type: "ask" }]]).updatedInput).toEqual({ command: "x" });
  });

  test("outputs and prompts follow the same rule; an output may be undefined-like", () => {
    expect(verdictOf([[{ type: "rewriteOutput", output: null }]], "PostToolUse").updatedOutput).toEqual({ value: null });
    expect(
      verdictOf([[{ type: "rewritePrompt", prompt: "a" }], [{ type: "rewritePrompt", prompt: "b" }]], "UserPromptSubmit").updatedPrompt,
    ).toBe("b");
  });

  test("permission updates count only if the call is allowed in the end", () => {
    const updates: Effect = { type: "permissionUpdates", updates: [{ type: "setMode" }] };
    expect(verdictOf([[{ type: "approve" }, updates]], "PermissionRequest").permissionUpdates).toEqual([{ type: "setMode" }]);
    expect(verdictOf([[{ type: "approve" }, updates], [{ type: "ask" }]], "PermissionRequest").permissionUpdates).toEqual([]);
  });
});

describe("texts", () => {
  test("contexts, feedback and tells are all kept, in registry order, plain stdout marked", () => {
    const { verdict } = merge(
      [
        makeOutcome(second, [
          { type: "context", text: "b" },
          { type: "tell", text: "t" },
        ]),
        makeOutcome(first, [
          { type: "context", text: "a", fromStdout: true },
          { type: "feedback", text: "f" },
        ]),
      ],
      "PostToolUse",
    );
    expect(verdict.contexts).toEqual([
      { text: "a", hook: "user:1", fromStdout: true },
      { text: "b", hook: "user:2" },
    ]);
    expect(verdict.feedback).toEqual([{ text: "f", hook: "user:1" }]);
    expect(verdict.tells).toEqual([{ text: "t", hook: "user:2" }]);
  });
});

describe("fields of one event", () => {
  const set = (field: string, value: unknown): Effect => ({ type: "set", field, value });

  test("watched paths are collected, flags are true if one is", () => {
    const verdict = verdictOf(
      [[set("watchPaths", ["/a", "/b"])], [set("watchPaths", ["/b", "/c"]), set("reloadSkills", true)], [set("reloadSkills", false)]],
      "SessionStart",
    );
    expect(verdict.fields).toEqual({ watchPaths: ["/a", "/b", "/c"], reloadSkills: true });
  });

  test("others follow the rule of rewrites, with a conflict unless they agree", () => {
    const of = (a: string, b: string) =>
      merge([makeOutcome(first, [set("sessionTitle", a)]), makeOutcome(second, [set("sessionTitle", b)])], "SessionStart");
    expect(of("one", "two")).toMatchObject({ verdict: { fields: { sessionTitle: "two" } }, diagnostics: [{ hook: "user:1" }] });
    expect(of("same", "same").diagnostics).toEqual([]);
  });

  test("parameters are merged key by key, the stronger hook's on top", () => {
    const managed = makeHook({ order: 0, scope: "managed" });
    const { verdict } = merge(
      [
        makeOutcome(managed, [set("updatedParams", { max_tokens: 1 })]),
        makeOutcome(first, [set("updatedParams", { max_tokens: 2, temperature: 0 })]),
      ],
      "PreModelRequest",
    );
    expect(verdict.fields).toEqual({ updatedParams: { max_tokens: 1, temperature: 0 } });
  });

  test("an answer is taken whole from one hook", () => {
    const verdict = verdictOf([[set("action", "accept"), set("content", { a: 1 })], [set("action", "accept")]], "Elicitation");
    expect(verdict).toMatchObject({ decision: "none", fields: { action: "accept" } });
    expect(verdict.fields).not.toHaveProperty("content");
  });

  test("a refusal wins over an accepting answer of any source", () => {
    const managed = makeHook({ order: 0, scope: "managed" });
    const accept = makeOutcome(managed, [set("action", "accept"), set("content", { token: 1 })]);
    expect(merge([accept, makeOutcome(first, [set("action", "cancel")])], "Elicitation").verdict).toMatchObject({
      decision: "deny",
      fields: { action: "cancel" },
    });
    expect(merge([accept, makeOutcome(first, [{ type: "deny", reason: "no" }])], "Elicitation").verdict).toMatchObject({
      decision: "deny",
      fields: {},
    });
  });

  test("a path is not kept beside a refusal", () => {
    expect(verdictOf([[set("worktreePath", "/w")], [{ type: "deny", reason: "no" }]], "WorktreeCreate").fields).toEqual({});
  });

  test("a field named __proto__ does not reach a prototype", () => {
    const { fields } = verdictOf([[set("__proto__", { polluted: true })]], "SessionStart");
    expect((fields as { polluted?: unknown }).polluted).toBeUndefined();
    expect(Object.getPrototypeOf(fields)).toBe(Object.prototype);
  });
});
