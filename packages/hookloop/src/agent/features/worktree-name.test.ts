import { expect, test } from "vitest";
import { branchOf, nameProblem, newName } from "./worktrees.ts";

test.each(["fix", "Fix-2", "a_b.c", "7", "x".repeat(64), newName()])("%j is a name", (name) => {
  expect(nameProblem(name)).toBeUndefined();
});

test.each([
  "",
  ".",
  "..",
  "../a",
  "a/b",
  "a\\b",
  "/a",
  ".git",
  "-f",
  "a b",
  "a\n",
  "a..b",
  "a.",
  "a.lock",
  "a.LOCK",
  "ä",
  "a~1",
  "a:b",
  "x".repeat(65),
])("%j is none", (name) => {
  expect(nameProblem(name)).toContain("is no name of a worktree");
});

test("two made-up names differ, and each has a branch of its own", () => {
  expect(newName()).not.toBe(newName());
  expect(branchOf("fix")).toBe("worktree-fix");
});
