import { expect, test } from "vitest";
import { EVENT_NAMES } from "./catalogue/events.ts";
import { nearestName } from "./diagnostic.ts";

test.each([
  ["PreTooluse", "PreToolUse"],
  ["pretooluse", "PreToolUse"],
  ["PerToolUse", "PreToolUse"],
  ["PostToolUseFail", "PostToolUseFailure"],
  ["stop", "Stop"],
  ["UserPromptSubmitt", "UserPromptSubmit"],
])("%s was probably meant to be %s", (given, meant) => {
  expect(nearestName(given, EVENT_NAMES)).toBe(meant);
});

test.each(["", "xyzzy", "BeforeEverything"])("%j is close to nothing", (given) => {
  expect(nearestName(given, EVENT_NAMES)).toBeUndefined();
});
