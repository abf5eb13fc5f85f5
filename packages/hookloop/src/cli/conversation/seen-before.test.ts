import { expect, test } from "vitest";
import { createSeenBefore } from "./show-steps.ts";

test.each([
  ["a\nb\n", "`ls` printed:\na\nb", "`ls` ran."],
  ["1\ta\n2\t", "a.txt says:\n1\ta", "That is a.txt."],
  ["Exit code 1\nno", "The tests failed (exit code 1):\nno", "The tests failed (exit code 1)."],
  ["a", "`ls` printed:\na\n\n`pwd` printed:\nb", "`ls` ran.\n\n`pwd` printed:\nb"],
  ["/w/a:1:x\n/w/b:2:x", "2 matches:\n/w/a:1:x\n/w/b:2:x", "2 matches."],
  ["a", "`ls` printed:\nab", "`ls` printed:\nab"],
  // Nothing introduces it: it is the whole answer, a part of it, or its last sentence.
  ["Task #1 was created: x", "Task #1 was created: x", ""],
  ["Task #1 was created: x", "Task #1 was created: x\n\nTask #2 was created: y", "Task #2 was created: y"],
  ["Task #2 was created: y", "Task #1 was created: x\n\nTask #2 was created: y", "Task #1 was created: x"],
  ["It runs as shell_1.", "I started `x`: it still runs. It runs as shell_1.", "I started `x`: it still runs."],
  ["a", "I see a", "I see a"],
])("a result that was shown is not shown again: %j", (shown, answer, expected) => {
  const seen = createSeenBefore();
  seen.result(shown);
  expect(seen.shortened(answer)).toBe(expected);
  seen.forget();
  expect(seen.shortened(answer)).toBe(answer);
});

test("a reason that a notice gave is not given again", () => {
  const seen = createSeenBefore();
  const answer = "I could not run rm a: a hook blocked it: Not\nfor agents.";
  expect(seen.shortened(answer)).toBe(answer);
  seen.notice('PreToolUse was blocked by hook "no-rm" (x:1:2): Not for agents.\nTo switch it off …');
  expect(seen.shortened(answer)).toBe("I could not run rm a: a hook blocked it.");
});
