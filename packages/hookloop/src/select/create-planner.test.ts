import type { EventName } from "@hookloop/sdk";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { EVENTS } from "../catalogue/events.ts";
import type { Diagnostic } from "../diagnostic.ts";
import { processorNow } from "../growth.test-suite.ts";
import type { AdmittedHook } from "../trust/types.ts";
import { queryOf } from "./event-plans.ts";
import { compileMatcher } from "./matcher.ts";
import { createPlanner } from "./planner.ts";
import { FUNCTION, sampleHook } from "./sample-hook.test-suite.ts";

const ids = (hooks: readonly AdmittedHook[]): string[] => hooks.map(({ id }) => id);

describe("a plan", () => {
  test("holds the hooks whose matcher fits, in registry order", () => {
    const { plan } = createPlanner([
      sampleHook("a", { matcher: "Edit|Bash" }),
      sampleHook("b", { matcher: "Edit" }),
      sampleHook("c", { matcher: "^B" }),
      sampleHook("d"),
      sampleHook("e", { matcher: "*" }),
      sampleHook("f", { event: "PostToolUse" }),
      sampleHook("g", { matcher: "B[" }),
    ]);
    expect(ids(plan("PreToolUse", "Bash").hooks)).toEqual(["a", "c", "d", "e"]);
    expect(ids(plan("PreToolUse", "Edit").hooks)).toEqual(["a", "b", "d", "e"]);
    expect(ids(plan("PostToolUse", "Edit").hooks)).toEqual(["f"]);
    expect(ids(plan("Stop", "").hooks)).toEqual([]);
  });

  test("of an event without a matcher, or without a value to match, holds every hook", () => {
    const { plan } = createPlanner([sampleHook("a", { event: "Stop", matcher: "ZZZ" }), sampleHook("b", { matcher: "Bash" })]);
    expect(ids(plan("Stop", "").hooks)).toEqual(["a"]);
    expect(ids(plan("Stop", "x").hooks)).toEqual(["a"]);
    expect(ids(plan("PreToolUse", "").hooks)).toEqual(["b"]);
  });

  test("orders functions by priority, then by registration", () => {
    const hooks = [
      sampleHook("file"),
      sampleHook("low", { target: FUNCTION, priority: -1 }),
      sampleHook("first", { target: FUNCTION }),
      sampleHook("second", { target: FUNCTION }),
      sampleHook("high", { target: FUNCTION, priority: 10 }),
      sampleHook("last file"),
    ];
    expect(ids(createPlanner(hooks).plan("PreToolUse", "Bash").hooks)).toEqual(["file", "high", "first", "second", "low", "last file"]);
  });

  test("matches a former name of a tool, by name and by pattern", () => {
    const { plan } = createPlanner([
      sampleHook("a", { matcher: "Task" }),
      sampleHook("b", { matcher: "^Task$" }),
      sampleHook("c", { matcher: "Task|Agent" }),
    ]);
    expect(ids(plan("PreToolUse", "Agent").hooks)).toEqual(["a", "b", "c"]);
  });

  test("compares the name that the hook's dialect gives a tool", () => {
    const source = { scope: "project", dialect: "hooks-json", root: "/srv" } as const;
    const hooks = [
      sampleHook("a", { source, matcher: "bash" }),
      sampleHook("b", { source, matcher: "Bash" }),
      sampleHook("c", { matcher: "Bash" }),
    ];
    const { plan } = createPlanner(hooks, { nameOf: (dialect, tool) => (dialect === "hooks-json" ? tool.toLowerCase() : tool) });
    expect(ids(plan("PreToolUse", "Bash").hooks)).toEqual(["a", "c"]);
  });

  test("keeps the last declared of duplicates in one source", () => {
    const dedupKey = "k";
    const { plan } = createPlanner([sampleHook("a", { dedupKey, order: 0 }), sampleHook("b", { dedupKey, order: 1 })]);
    expect(ids(plan("PreToolUse", "Bash").hooks)).toEqual(["b"]);
  });

  test("is remembered", () => {
    const { plan } = createPlanner([sampleHook("a", { matcher: "Bash" })]);
    expect(plan("PreToolUse", "Bash")).toBe(plan("PreToolUse", "Bash"));
  });

  test("is forgotten when 4,096 newer ones came", () => {
    const { plan } = createPlanner([sampleHook("a")]);
    const first = plan("PreToolUse", "first");
    for (let index = 0; index < 4095; index++) plan("PreToolUse", `q${index}`);
    expect(plan("PreToolUse", "first")).toBe(first);
    plan("PreToolUse", "one more");
    expect(plan("PreToolUse", "first")).not.toBe(first);
  });

  test("for a very long name is made anew, so that memory stays bounded", () => {
    const { plan } = createPlanner([sampleHook("a")]);
    const name = "x".repeat(2000);
    expect(plan("PreToolUse", name)).not.toBe(plan("PreToolUse", name));
  });
});

describe("a planner", () => {
  test("finds the query in the input", () => {
    const planner = createPlanner([sampleHook("a", { matcher: "Bash" }), sampleHook("b", { event: "FileChanged", matcher: "^.env$" })]);
    expect(planner.planFor("PreToolUse", { tool_name: "Bash" })).toBe(planner.plan("PreToolUse", "Bash"));
    expect(ids(planner.planFor("PreToolUse", { tool_name: "Edit" }).hooks)).toEqual([]);
    expect(ids(planner.planFor("FileChanged", { file_path: "/srv/.env" }).hooks)).toEqual(["b"]);
    expect(ids(planner.planFor("Stop", {}).hooks)).toEqual([]);
  });

  test("knows which events have hooks", () => {
    const planner = createPlanner([sampleHook("a", { matcher: "Bash" })]);
    expect([planner.has("PreToolUse"), planner.has("Stop")]).toEqual([true, false]);
    expect(ids(planner.selectable("PreToolUse"))).toEqual(["a"]);
    expect(planner.selectable("Stop")).toEqual([]);
  });

  test("leaves out a condition on an event without a tool", () => {
    const planner = createPlanner([sampleHook("a", { event: "UserPromptSubmit", condition: "Bash(rm *)" })]);
    expect(planner.has("UserPromptSubmit")).toBe(false);
    expect(planner.plan("UserPromptSubmit", "").hooks).toEqual([]);
  });

  test("counts a pattern that runs out of time as a match, and reports it once per name", () => {
    const diagnostics: Diagnostic[] = [];
    const place = { file: "settings.json", line: 3 };
    const { plan } = createPlanner([sampleHook("slow", { matcher: "^(?=(a+)+$)", place })], {
      onDiagnostic: (found) => diagnostics.push(found),
    });
    const name = `${"a".repeat(60)}!`;
    expect(ids(plan("PreToolUse", name).hooks)).toEqual(["slow"]);
    plan("PreToolUse", name);
    expect(diagnostics).toEqual([
      { code: "HL_SELECT_REGEX_TIMEOUT", level: "warning", text: expect.stringContaining("(?=(a+)+$)"), place, hook: "slow" },
    ]);
  });

  test("a hundred hostile patterns cost as much as ten, and all their hooks run", () => {
    const hooks = Array.from({ length: 100 }, (_, index) => sampleHook(`h${index}`, { matcher: `^(?=(a+)+$)x{${index}}` }));
    const start = processorNow();
    expect(createPlanner(hooks).plan("PreToolUse", `${"a".repeat(60)}!`).hooks).toHaveLength(100);
    expect(processorNow() - start).toBeLessThan(1500);
  });

  test("reports a condition that means nothing once", () => {
    const diagnostics: Diagnostic[] = [];
    const { plan } = createPlanner([sampleHook("a", { condition: "bash(git *)" })], { onDiagnostic: (found) => diagnostics.push(found) });
    plan("PreToolUse", "Bash");
    plan("PreToolUse", "Edit");
    expect(diagnostics.map(({ code, hook }) => [code, hook])).toEqual([["HL_SELECT_CONDITION_INVALID", "a"]]);
  });
});

test("a FileChanged matcher with a path runs for that file, beside one with the name alone", () => {
  const path = sampleHook("path", { event: "FileChanged", matcher: "docs/notes.txt" });
  const name = sampleHook("name", { event: "FileChanged", matcher: "notes.txt" });
  const exact = sampleHook("exact", { event: "FileChanged", matcher: "notes" });
  const { planFor } = createPlanner([path, name, exact]);
  const ids = (file_path: string): readonly string[] => planFor("FileChanged", { file_path }).hooks.map(({ id }) => id);
  expect(ids("/p/docs/notes.txt")).toEqual(["path", "name"]);
  expect(ids("/p/notes.txt")).toEqual(["name"]);
  expect(ids("/p/notes")).toEqual(["exact"]);
});

describe("the query of an event", () => {
  test.each([
    ["PreToolUse", { tool_name: "Bash" }, "Bash"],
    ["PreToolUse", {}, ""],
    ["PreToolUse", { tool_name: 7 }, ""],
    ["Stop", { tool_name: "Bash" }, ""],
    ["SessionStart", { source: "resume" }, "resume"],
    ["FileChanged", { file_path: "/a/b/.env" }, ".env"],
    ["FileChanged", { file_path: ".env" }, ".env"],
  ] as [EventName, Record<string, unknown>, string][])("%s %j: %j", (event, input, query) => {
    expect(queryOf(event, input)).toBe(query);
  });
});

describe("properties", () => {
  const matcher = fc.oneof(
    fc.constantFrom(
      undefined,
      "",
      "*",
      "Bash",
      "Edit",
      "Task",
      "Bash|Edit",
      "Edit, Agent",
      "mcp__a__.*",
      "^B",
      "(",
      "(a+)+$",
      "^(?!Bash)",
      "a.*b.*c",
    ),
    fc.stringMatching(/^[A-Za|,. *^$-]{0,6}$/),
  );
  const event = fc.constantFrom<EventName[]>("PreToolUse", "PostToolUse", "Stop", "FileChanged", "SessionStart");
  const query = fc.oneof(fc.constantFrom("Bash", "Edit", "Agent", "Task", "mcp__a__b", "aaaa", ""), fc.stringMatching(/^[A-Za_]{1,4}$/));
  const hooks = fc
    .array(fc.record({ event, matcher }), { maxLength: 12 })
    .map((list) => list.map((fields, index) => sampleHook(`h${index}`, fields)));

  test("a remembered plan is what comparing every matcher gives", () => {
    fc.assert(
      fc.property(hooks, fc.array(fc.tuple(event, query), { maxLength: 8 }), (all, firings) => {
        const { plan } = createPlanner(all);
        for (const [name, value] of [...firings, ...firings]) {
          const row = EVENTS[name].matcher;
          const fits = (hook: AdmittedHook): boolean =>
            row === null || value === "" || compileMatcher(hook.matcher, row).matches(value) !== false;
          expect(ids(plan(name, value).hooks)).toEqual(ids(all.filter((hook) => hook.event === name && fits(hook))));
        }
      }),
    );
  });

  test("adding a hook never changes which others are selected", () => {
    fc.assert(
      fc.property(hooks, fc.record({ event, matcher }), fc.nat(12), event, query, (all, fields, at, name, value) => {
        const more = [...all.slice(0, at), sampleHook("new", fields), ...all.slice(at)];
        const before = ids(createPlanner(all).plan(name, value).hooks);
        expect(ids(createPlanner(more).plan(name, value).hooks).filter((id) => id !== "new")).toEqual(before);
      }),
    );
  });

  test("which hooks are selected does not depend on their order", () => {
    const shuffled = hooks.chain((all) => fc.tuple(fc.constant(all), fc.shuffledSubarray(all, { minLength: all.length })));
    fc.assert(
      fc.property(shuffled, event, query, ([all, other], name, value) => {
        const [one, two] = [all, other].map((list) => ids(createPlanner(list).plan(name, value).hooks).sort());
        expect(one).toEqual(two);
      }),
    );
  });
});
