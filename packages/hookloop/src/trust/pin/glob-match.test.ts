import { expect, test } from "vitest";
import { processorNow } from "../../growth.test-suite.ts";
import { globMatch } from "./hash-file.ts";

const matches = (pattern: string, path: string): boolean => globMatch(pattern.split("/"), path.split("/"));

test.each([
  ["hooks/**", "hooks/a", true],
  ["hooks/**", "hooks/a/b/c", true],
  ["hooks/*", "hooks/a/b", false],
  ["**/*.sh", "x.sh", true],
  ["**/*.sh", "a/b/x.sh", true],
  ["**/lib/*.sh", "a/lib/x.sh", true],
  ["a?c", "abc", true],
  ["a?c", "ac", false],
  ["*", "anything", true],
  ["a*b*c", "aXXbYYc", true],
  ["a*b*c", "aXXbYY", false],
  ["hooks", "hooks2", false],
])("%s and %s: %s", (pattern, path, expected) => {
  expect(matches(pattern, path)).toBe(expected);
});

test("no pattern takes long", () => {
  const started = processorNow();
  expect(matches(`${"*a".repeat(50)}b`, "a".repeat(5000))).toBe(false);
  expect(processorNow() - started).toBeLessThan(500);
});
