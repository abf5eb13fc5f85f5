import { expect, test } from "vitest";
import type { LoopStep } from "../../agent/types.ts";
import { makeHook, makeOutcome } from "../../judge/outcome.test-suite.ts";
import { noVerdict, type Verdict } from "../../judge/verdict.ts";
import { createWhyLog } from "./why.ts";

const hook = makeHook({ id: "project:PreToolUse:guard", name: "guard", scope: "project" });

function why(verdicts: readonly Verdict[], more: object = {}, id = "t1"): string {
  const log = createWhyLog();
  const call = { type: "tool_use", id, name: "Bash", input: { command: "cd src" } };
  log.step({ type: "call", call, result: { status: "ran", verdicts, ...more } } as unknown as LoopStep);
  return log
    .explain(
      "",
      () => [],
      (text) => text,
    )
    .join("\n");
}

const judged = (more: object, verdict: Partial<Verdict> = {}): Verdict => ({
  ...noVerdict("PreToolUse"),
  outcomes: [{ ...makeOutcome(hook, []), ...more }],
  ...verdict,
});

test("a hook that printed what does not count is said to have, with why", () => {
  const diagnostics = [
    {
      code: "HL_OUTPUT_PLAIN_TEXT",
      level: "warning",
      text: 'hook "guard": it printed "stop" and no answer. This is said once in a session.',
    },
  ];
  expect(why([judged({ diagnostics })])).toContain('guard gave no answer that counts: it printed "stop" and no answer · ');
  expect(why([judged({})])).toContain("guard had no answer");
});

test("what a hook made of the input is shown", () => {
  expect(why([judged({ effects: [{ type: "rewriteInput", input: { command: "ls" } }] })])).toContain(
    'guard changed the input: {"command":"ls"}',
  );
});

test("a failure that blocked is not said to count as something else", () => {
  const failure = { text: "It has changed since it was approved" };
  const blocked = judged({ failure }, { decision: "deny", reasons: [{ text: "no", hook: hook.id }] });
  expect(why([blocked], { status: "denied" })).toMatch(/guard failed \(.*\); that blocks/);
});

test("a shell line of the user's own needed no permission", () => {
  const permission = { decision: "allow", by: { kind: "rule" }, reason: "The rule Bash allows it.", runnersUp: [] };
  const text = why([], { permission }, "line_1");
  expect(text).toContain("You typed it, so you were not asked. It ran.");
  expect(text).not.toContain("Rules:");
});

test("a command in the background is not said to have run", () => {
  const output = { stdout: "", stderr: "", interrupted: false, backgroundTaskId: "shell_1" };
  expect(why([], { output })).toContain("It was started in the background.");
  expect(why([], { output: { status: "async_launched", agentId: "a" } })).toContain("It was started in the background.");
  expect(why([], { output: { stdout: "x" } })).toContain("It ran.");
});

test("who said yes is named: the user, or a hook in their place", () => {
  const permission = { decision: "ask", by: { kind: "default" }, reason: "No rule allows it.", runnersUp: [] };
  expect(why([], { permission })).toContain("You said yes. It ran.");
  const byHook: Verdict = { ...judged({}, { decision: "allow" }), event: "PermissionRequest" };
  expect(why([byHook], { permission })).toContain("A hook said yes in your place. It ran.");
});

test("a verdict that is not there is answered with those that are", () => {
  const log = createWhyLog();
  const ask = (wanted: string): readonly string[] =>
    log.explain(
      wanted,
      () => [],
      (text) => text,
    );
  const step = { type: "verdict", verdict: judged({}, { decision: "deny" }) } as const;
  log.step(step);
  expect(ask("9")).toEqual(["One verdict is known: /why shows it."]);
  log.step(step);
  expect(ask("x")).toEqual(["Say which: /why 1 is the last verdict, /why 2 the oldest that is known."]);
});

test("why a hook failed is known until it runs without failing", () => {
  const log = createWhyLog();
  const run = (more: object): void => log.step({ type: "verdict", verdict: judged(more) });
  expect(log.failureOf(hook.id)).toBeUndefined();
  run({ failure: { text: "exit code 1" } });
  expect(log.failureOf(hook.id)).toBe("exit code 1");
  run({});
  expect(log.failureOf(hook.id)).toBeUndefined();
});
