import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { backtrackingCost } from "../config/types.ts";
import { processorNow } from "../growth.test-suite.ts";
import { compileLinearPattern, compilePattern, testWithLimit } from "./matcher.ts";

/** Each takes seconds to centuries natively. */
const HOSTILE = [
  ["(a+)+$", `${"a".repeat(50_000)}!`],
  ["^(\\w+\\s?)*$", `${"a".repeat(50_000)}!`],
  ["^(a|a)*$", `${"a".repeat(50_000)}!`],
  ["(Edit|Write|.*)*Z$", "x".repeat(50_000)],
  [".*.*.*.*=x", "=".repeat(50_000)],
  ["a?".repeat(30) + "a".repeat(30), "a".repeat(29)],
  ["^(?=(a+)+$)", `${"a".repeat(50_000)}!`],
  ["^(a+)+\\1$", `${"a".repeat(50_000)}!`],
  ["(a+)+$", `${"a".repeat(50_000)}ä!`],
  ["(ab|cd)*".repeat(20_000), "x"],
  [`${"[a-z]{0,999}".repeat(300)}!`, "a".repeat(500)],
] as const;

describe("a hostile pattern", () => {
  test.each(HOSTILE)("%.40j is bounded in time", (pattern, text) => {
    const matches = compilePattern(pattern);
    const start = processorNow();
    const answer = matches?.(text);
    expect(processorNow() - start).toBeLessThan(500);
    expect([false, "timeout"]).toContain(answer);
  });

  test("that RE2 can run gets an answer", () => {
    expect(compilePattern("(a+)+$")?.(`${"a".repeat(50_000)}!`)).toBe(false);
    expect(compilePattern("(a+)+$")?.("a".repeat(50_000))).toBe(true);
  });

  test("that RE2 cannot run times out instead of blocking", () => {
    expect(compilePattern("^(?=(a+)+$)")?.(`${"a".repeat(50)}!`)).toBe("timeout");
  });
});

test.each([
  ["^.(x+)*$", `\u{1F600}${"x".repeat(30)}`, false],
  ["^(x+)*y..$", `${"x".repeat(30)}y\u{1F600}`, true],
  ["^(a)*.$", `${"a".repeat(30)}\r`, false],
  ["^(a)*\\s$", `${"a".repeat(30)}\u00a0`, true],
])("a text that RE2 reads differently never gets RE2's answer: %j on %j", (pattern, text, expected) => {
  expect(new RegExp(pattern).test(text)).toBe(expected);
  expect(compileLinearPattern(pattern)?.test(text)).toBe(!expected);
  // The machine may be too busy for 20 ms.
  expect([expected, "timeout"]).toContain(compilePattern(pattern)?.(text));
});

test("an invalid pattern is none", () => {
  expect(compilePattern("a(")).toBeUndefined();
  expect(compilePattern("(?i)bash")).toBeUndefined();
});

describe("the cost of a pattern", () => {
  test.each([
    ["Bash", 100, 100],
    ["mcp__.*", 100, 10_000],
    ["^(Edit|Write|Read)$", 100, 300],
    ["a.*|b.*", 10, 200],
    ["a(b.*)c", 10, 100],
    ["(ab)?c?", 10, 40],
    ["a{3}", 10, 10],
    ["a{3,}", 10, 100],
    ["[(|)*]+", 10, 100],
    ["\\(\\*", 10, 10],
    ["(?<name>a)(?:b)(?!c)(?<=d)", 10, 10],
    ["(a+)+", 10, 10 * 11 ** 11],
    ["(ab)*", 10, 10 * 2 ** 11],
    ["(a?){30}", 10, 10 * 3 ** 40],
    ["(a)\\1", 10, 100],
    ["(a)\\1+", 10, 1000],
    ["(?<x>a)\\k<x>", 10, 100],
  ])("%j on %d characters: %d", (pattern, length, cost) => {
    expect(backtrackingCost(pattern, length)).toBe(cost);
  });
});

describe("RE2", () => {
  // Each means something else to JavaScript, or nothing to RE2.
  test.each([
    "[]",
    "[^]",
    "[]a]",
    "\\z",
    "\\A",
    "\\Qa\\E",
    "\\pL",
    "\\a",
    "[[:alpha:]]",
    "(?=a)",
    "(?!a)",
    "(a)\\1",
    "\\u0041",
    "\\x41",
    "a{,3}",
    "ä",
    "\\0",
    "\\cA",
    "[\\b]",
  ])("is not asked about %j", (pattern) => {
    expect(compileLinearPattern(pattern)).toBeUndefined();
  });

  const atom = fc.constantFrom(
    "a",
    "b",
    "_",
    "-",
    " ",
    ".",
    "\\w",
    "\\d",
    "\\s",
    "\\S",
    "\\W",
    "\\b",
    "\\.",
    "[a-c]",
    "[^a]",
    "[\\w-]",
    "[.$|()*+?{}]",
    "\\/",
    "1",
    "^",
    "$",
  );
  const pattern = fc.letrec<{ choice: string; sequence: string; term: string }>((tie) => ({
    choice: fc.array(tie("sequence"), { minLength: 1, maxLength: 3 }).map((parts) => parts.join("|")),
    sequence: fc.array(tie("term"), { minLength: 1, maxLength: 4 }).map((parts) => parts.join("")),
    term: fc.oneof(
      { depthSize: "small", withCrossShrink: true },
      fc.tuple(atom, fc.constantFrom("", "*", "+", "?", "{2}", "{1,3}", "*?")).map(([a, q]) => (/^(\\b|\^|\$)$/.test(a) ? a : a + q)),
      fc.tuple(tie("choice"), fc.constantFrom("", "*", "+", "?"), fc.constantFrom("(", "(?:")).map(([c, q, open]) => `${open}${c})${q}`),
    ),
  })).choice;

  test("answers as JavaScript does, wherever it is asked", () => {
    fc.assert(
      fc.property(pattern, fc.stringMatching(/^[ -~]{0,12}$/), fc.stringMatching(/^[ab1_. -]{0,12}$/), (source, wide, narrow) => {
        const linear = compileLinearPattern(source);
        for (const text of [wide, narrow]) {
          const expected = testWithLimit(source, text);
          if (linear && expected !== "timeout") expect([source, text, linear.test(text)]).toEqual([source, text, expected]);
        }
      }),
      { numRuns: 400 },
    );
  });
});
