import { describe, expect, test } from "vitest";
import type { RegisteredHook } from "../config/registered-hook.ts";
import { createPlanner, selectHooks } from "./planner.ts";
import { FUNCTION, sampleHook } from "./sample-hook.test-suite.ts";

const PUSH = { tool_name: "Bash", tool_input: { command: "cd x && git push" }, cwd: "/srv" };

function selected(hooks: Readonly<Record<string, Partial<RegisteredHook>>>, input: Readonly<Record<string, unknown>> = PUSH): string[] {
  const planner = createPlanner(Object.entries(hooks).map(([id, fields]) => sampleHook(id, fields)));
  return selectHooks(planner.plan("PreToolUse", "Bash"), input).map(({ hook }) => hook.id);
}

describe("selected hooks", () => {
  test("are those whose condition holds", () => {
    const hooks = { a: { condition: "Bash(git *)" }, b: { condition: "Bash(npm *)" }, c: {}, d: { condition: "Edit" } };
    expect(selected(hooks)).toEqual(["a", "c"]);
  });

  test("resolve a rule with a slash against their own settings", () => {
    const planner = createPlanner([
      sampleHook("here", { condition: "Write(/src/**)" }),
      sampleHook("there", { condition: "Write(/src/**)", source: { scope: "user", dialect: "claude", root: "/home/me" } }),
    ]);
    const input = { tool_name: "Write", tool_input: { file_path: "/srv/src/a" }, cwd: "/srv" };
    expect(selectHooks(planner.plan("PreToolUse", "Write"), input).map(({ hook }) => hook.id)).toEqual(["here"]);
  });

  test("of a subagent run only in it", () => {
    const source = { scope: "skill", dialect: "claude", root: "/srv", agentId: "a1" } as const;
    expect(selected({ a: { source }, b: {} })).toEqual(["b"]);
    expect(selected({ a: { source }, b: {} }, { ...PUSH, agent_id: "a1" })).toEqual(["a", "b"]);
    expect(selected({ a: { source }, b: {} }, { ...PUSH, agent_id: "a2" })).toEqual(["b"]);
  });

  test("that are duplicates run once, the first of them", () => {
    expect(selected({ a: { dedupKey: "k" }, b: { dedupKey: "k" }, c: { dedupKey: "l" }, d: {}, e: {} })).toEqual(["a", "c", "d", "e"]);
  });

  test("a duplicate whose condition fails does not stand in for the other", () => {
    const hooks = { a: { dedupKey: "k", condition: "Bash(npm *)" }, b: { dedupKey: "k", condition: "Bash(git *)" }, c: { dedupKey: "k" } };
    expect(selected(hooks)).toEqual(["b"]);
  });

  test("duplicates that fit different names do not meet", () => {
    const hooks = { a: { dedupKey: "k", matcher: "Edit" }, b: { dedupKey: "k", matcher: "Bash" } };
    expect(selected(hooks)).toEqual(["b"]);
  });

  test("are the plan's own list when nothing depends on the input", () => {
    const { plan } = createPlanner([sampleHook("a", { target: FUNCTION }), sampleHook("b")]);
    expect(selectHooks(plan("PreToolUse", "Bash"), PUSH)).toBe(selectHooks(plan("PreToolUse", "Bash"), {}));
  });
});
