import { expect, test } from "vitest";
import { processorNow } from "../growth.test-suite.ts";
import { unifiedDiff } from "./recheck.ts";

test("equal texts have no difference", () => {
  expect(unifiedDiff("a\nb\n", "a\nb\n")).toEqual([]);
});

test("lines that went and came stand in their place, with a little around them", () => {
  expect(unifiedDiff("1\n2\n3\n4\n5\n6\n7\n8\n", "1\n2\n3\n4\nX\n6\n7\n8\n")).toEqual([
    "  2",
    "  3",
    "  4",
    "- 5",
    "+ X",
    "  6",
    "  7",
    "  8",
  ]);
});

test("a newline at the end is a difference", () => {
  expect(unifiedDiff("a\n", "a")).toEqual(["- a", "+ a (no newline at the end)"]);
});

test("far apart changes are shown with a gap", () => {
  const lines = Array.from({ length: 30 }, (_, index) => `${index}`);
  const changed = lines.map((line) => (line === "3" || line === "25" ? `${line}!` : line));
  const diff = unifiedDiff(`${lines.join("\n")}\n`, `${changed.join("\n")}\n`);
  expect(diff.filter((line) => line === "…")).toHaveLength(1);
  expect(diff.filter((line) => /^[-+]/.test(line))).toEqual(["- 3", "+ 3!", "- 25", "+ 25!"]);
});

test("texts too large to compare are shown as replaced, in no time", () => {
  const many = (word: string): string => Array.from({ length: 5000 }, (_, index) => `${word}${index}`).join("\n");
  const started = processorNow();
  const diff = unifiedDiff(many("a"), many("b"));
  expect(processorNow() - started).toBeLessThan(1000);
  expect(diff.at(-1)).toMatch(/^… \d+ more lines$/);
});
