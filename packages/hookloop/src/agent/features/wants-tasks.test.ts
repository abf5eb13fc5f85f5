import { expect, test } from "vitest";
import { wantsTasks } from "./tasks.ts";

test.each([
  [undefined, true, true],
  [undefined, false, false],
  ["", true, true],
  ["1", false, true],
  ["true", false, true],
  ["0", true, false],
  [" False ", true, false],
  ["off", true, false],
])("CLAUDE_CODE_ENABLE_TASKS=%s, interactive %s: %s", (given, isInteractive, wanted) => {
  expect(wantsTasks({ CLAUDE_CODE_ENABLE_TASKS: given }, isInteractive)).toBe(wanted);
});
