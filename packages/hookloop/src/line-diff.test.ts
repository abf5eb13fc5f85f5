import { expect, test } from "vitest";
import { diffHunks } from "./line-diff.ts";

test("equal texts have no hunk", () => {
  expect(diffHunks("a\nb\n", "a\nb\n")).toEqual([]);
});

test("added lines begin behind the line before them, as diff says it", () => {
  expect(diffHunks("", "a\n")).toEqual([{ oldStart: 0, oldLines: 0, newStart: 1, newLines: 1, lines: ["+a"] }]);
  expect(diffHunks("a\n", "")).toEqual([{ oldStart: 1, oldLines: 1, newStart: 0, newLines: 0, lines: ["-a"] }]);
});

test("a lost new line at the end is a remark, not a line", () => {
  expect(diffHunks("a\n", "a")).toEqual([
    { oldStart: 1, oldLines: 1, newStart: 1, newLines: 1, lines: ["-a", "+a", "\\ No newline at end of file"] },
  ]);
});

test("changes close together are one hunk, far ones are two", () => {
  const text = (changed: readonly number[]): string =>
    Array.from({ length: 30 }, (_, index) => `${index}${changed.includes(index) ? "!" : ""}\n`).join("");
  expect(diffHunks(text([]), text([5, 11]))).toHaveLength(1);
  expect(diffHunks(text([]), text([5, 20])).map(({ oldStart, newStart }) => [oldStart, newStart])).toEqual([
    [3, 3],
    [18, 18],
  ]);
});
