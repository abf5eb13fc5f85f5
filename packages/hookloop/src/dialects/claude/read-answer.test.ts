import { expect, test } from "vitest";
import { EVENTS } from "../../catalogue/events.ts";
import { growth } from "../../growth.test-suite.ts";
import type { Outcome } from "../../judge/effects.ts";
import { interpretOutcome } from "../../judge/interpret.ts";
import { rawOutcome, sampleHook } from "../../judge/raw-outcome.test-suite.ts";
import { NATIVE_DIALECT } from "../native.ts";

const dialect = NATIVE_DIALECT;

function judge(answer: unknown): Outcome {
  const raw = rawOutcome({ hook: sampleHook({ onFailure: "block", isGuard: true }), stdout: JSON.stringify(answer) });
  return interpretOutcome({ event: "PreToolUse", row: EVENTS.PreToolUse, raw, dialect });
}

const strays = (count: number, name: (at: number) => string): Record<string, unknown> =>
  Object.fromEntries(Array.from({ length: count }, (_, at) => [name(at), at]));

test("of thousands of unknown fields the first are named, the others counted", () => {
  const { diagnostics } = judge(strays(5000, (at) => `field${at}`));
  const named = diagnostics.filter(({ code }) => code === "HL_OUTPUT_UNKNOWN_FIELD");
  expect(named).toHaveLength(21);
  expect(named.at(-1)?.text).toContain("4980 more fields");
});

test.each([
  ["misspelt at the top", { ...strays(5000, (at) => `field${at}`), decison: "block" }],
  [
    "misspelt inside",
    { hookSpecificOutput: { hookEventName: "PreToolUse", ...strays(5000, (at) => `field${at}`), permisionDecision: "deny" } },
  ],
  ["at the wrong level", { ...strays(5000, (at) => `field${at}`), permissionDecision: "deny" }],
])("a decision among thousands of unknown fields is not lost: %s", (_, answer) => {
  expect(judge(answer).effects.map(({ type }) => type)).toEqual(["deny"]);
});

test.each([
  ["far from any known name", (at: number) => `field${at}`],
  ["near a known name", (at: number) => `decisio${at}`],
  ["long", (at: number) => `${"x".repeat(30)}${at}`],
])(
  "unknown fields %s take time in proportion to their number",
  (_, name) => {
    expect(growth((count) => void judge(strays(count, name)), 5000, 20_000)).toBeLessThan(10);
  },
  30_000,
);
