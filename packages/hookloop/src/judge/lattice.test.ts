import type { EventName } from "@hookloop/sdk";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { EVENTS } from "../catalogue/events.ts";
import type { Scope } from "../config/types.ts";
import type { Decision, Effect, Outcome } from "./effects.ts";
import { mergeOutcomes } from "./merge-outcomes.ts";
import { makeHook, makeOutcome, SOME_EVENTS } from "./outcome.test-suite.ts";
import type { Verdict } from "./verdict.ts";

// The model: what a verdict's decision is, in lines that anyone can check by eye.
const ORDER: readonly Decision[] = ["none", "allow", "ask", "defer", "deny"];
const MEANT: Readonly<Record<string, number>> = { approve: 1, ask: 2, defer: 3, deny: 4 };
const FAILED = { continue: 0, ask: 2, block: 4 };
const HALT_DENIES = ["PreToolUse", "PermissionRequest"];
const FAILURE_COUNTS = ["PreToolUse", "PermissionRequest", "UserPromptSubmit", "Elicitation"];
function modelDecision(event: EventName, outcomes: readonly Outcome[]): Decision {
  const levels = outcomes.flatMap(({ effects, failure, hook, isBackground }) => {
    if (isBackground) return [];
    const failed = failure && FAILURE_COUNTS.includes(event) ? FAILED[hook.onFailure] : 0;
    const halted = HALT_DENIES.includes(event) && effects.some(({ type }) => type === "halt") ? 4 : 0;
    const refused =
      event === "Elicitation" && effects.some((one) => one.type === "set" && /decline|cancel/.test(String(one.value))) ? 4 : 0;
    return [failed, halted, refused, ...effects.map(({ type }) => MEANT[type] ?? 0)];
  });
  return ORDER[Math.max(0, ...levels)] as Decision;
}

const text = fc.constantFrom("a", "b", "c");
const effect: fc.Arbitrary<Effect> = fc.oneof(
  text.map((reason): Effect => ({ type: "deny", reason })),
  fc.option(text, { nil: undefined }).map((reason): Effect => ({ type: "ask", reason })),
  fc.option(text, { nil: undefined }).map((reason): Effect => ({ type: "defer", reason })),
  fc.option(text, { nil: undefined }).map((reason): Effect => ({ type: "approve", reason })),
  fc.option(text, { nil: undefined }).map((reason): Effect => ({ type: "halt", reason })),
  text.map((reason): Effect => ({ type: "continueTurn", reason })),
  text.map((value): Effect => ({ type: "context", text: value })),
  text.map((value): Effect => ({ type: "feedback", text: value })),
  text.map((value): Effect => ({ type: "tell", text: value })),
  text.map((command): Effect => ({ type: "rewriteInput", input: { command } })),
  text.map((prompt): Effect => ({ type: "rewritePrompt", prompt })),
  fc.array(text).map((updates): Effect => ({ type: "permissionUpdates", updates })),
  fc.constantFrom("accept", "decline", "cancel").map((value): Effect => ({ type: "set", field: "action", value })),
  fc.array(text).map((value): Effect => ({ type: "set", field: "watchPaths", value })),
);
const scope = fc.constantFrom<Scope>("managed", "flag", "code", "user", "local", "project", "plugin", "skill");
const hook = fc.record({
  scope,
  order: fc.nat(20),
  priority: fc.constantFrom(0, 0, 0, 5),
  sequence: fc.constantFrom(undefined, undefined, "g"),
  onFailure: fc.constantFrom("continue" as const, "ask" as const, "block" as const),
});
const outcomes = fc
  .uniqueArray(fc.record({ hook, effects: fc.array(effect, { maxLength: 4 }), fails: fc.boolean(), isBackground: fc.boolean() }), {
    selector: (one) => `${one.hook.scope}:${one.hook.order}`,
    maxLength: 6,
  })
  .map((all) =>
    all.map((one) =>
      // A run that failed may have said something before, but never more than an opinion.
      makeOutcome(
        makeHook({ ...one.hook, sequence: one.hook.sequence && `${one.hook.scope}${one.hook.sequence}` }),
        one.fails ? one.effects.filter(({ type }) => type !== "halt" && type !== "continueTurn") : one.effects,
        {
          isBackground: one.isBackground && !one.fails,
          failure: one.fails ? { kind: "timeout", text: "5 s" } : undefined,
        },
      ),
    ),
  );
const event = fc.constantFrom(...SOME_EVENTS);
/** PostToolBatch turns a failure into a halt, which is no decision. */
const decidingEvent = fc.constantFrom(...SOME_EVENTS.filter((name) => name !== "PostToolBatch"));
const RUNS = { numRuns: 500 };

function merged(of: EventName, all: readonly Outcome[]) {
  return mergeOutcomes({ event: of, row: EVENTS[of], outcomes: all });
}
const strictness = (verdict: Verdict): number => ORDER.indexOf(verdict.decision);

describe("merging is a join", () => {
  test("the decision is the model's", () => {
    fc.assert(
      fc.property(decidingEvent, outcomes, (of, all) => {
        expect(merged(of, all).verdict.decision).toBe(modelDecision(of, all));
      }),
      RUNS,
    );
  });

  test("any permutation gives an equal verdict and equal diagnostics", () => {
    const shuffled = outcomes.chain((all) => fc.tuple(fc.constant(all), fc.shuffledSubarray([...all], { minLength: all.length })));
    fc.assert(
      fc.property(event, shuffled, (of, [all, other]) => {
        expect(merged(of, other)).toEqual(merged(of, all));
      }),
      RUNS,
    );
  });

  test("duplicates change nothing but the list of outcomes", () => {
    fc.assert(
      fc.property(event, outcomes, fc.nat(5), (of, all, index) => {
        const again = all[index % Math.max(all.length, 1)];
        const { verdict, diagnostics } = merged(of, again ? [...all, again] : all);
        const once = merged(of, all);
        expect({ ...verdict, outcomes: [] }).toEqual({ ...once.verdict, outcomes: [] });
        expect(diagnostics).toEqual(once.diagnostics);
      }),
      RUNS,
    );
  });

  test("one more outcome never loosens", () => {
    fc.assert(
      fc.property(event, outcomes, (of, all) => {
        const before = merged(of, all.slice(0, -1)).verdict;
        const after = merged(of, all).verdict;
        expect(strictness(after)).toBeGreaterThanOrEqual(strictness(before));
        if (before.halt) expect(after.halt).toBeDefined();
      }),
      RUNS,
    );
  });

  test("deny absorbs, and nothing it forbids survives", () => {
    fc.assert(
      fc.property(event, outcomes, (of, all) => {
        const { verdict } = merged(of, [...all, makeOutcome(makeHook({ scope: "skill", order: 99 }), [{ type: "deny", reason: "no" }])]);
        expect(verdict).toMatchObject({ decision: "deny", updatedInput: undefined, updatedPrompt: undefined, permissionUpdates: [] });
        if (of === "Elicitation") expect(verdict.fields["action"]).not.toBe("accept");
        expect(verdict.reasons).toContainEqual({ text: "no", hook: "skill:99" });
      }),
      RUNS,
    );
  });

  test("a failed guard never ends in allow or none", () => {
    fc.assert(
      fc.property(
        fc.constantFrom<EventName>("PreToolUse", "PermissionRequest", "UserPromptSubmit"),
        outcomes,
        fc.array(effect, { maxLength: 3 }),
        (of, all, said) => {
          const guard = makeHook({ order: 99, isGuard: true, onFailure: "block" });
          const { verdict } = merged(of, [...all, makeOutcome(guard, said, { failure: { kind: "exit", text: "exit 1" } })]);
          expect(verdict.decision === "deny" || verdict.halt !== undefined || said.some(({ type }) => type === "continueTurn")).toBe(true);
        },
      ),
      RUNS,
    );
  });
});
