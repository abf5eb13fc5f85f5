import {
  allow,
  ask,
  block,
  context,
  defer,
  deny,
  type EventName,
  feedback,
  type HookResult,
  output,
  rewrite,
  stop,
  tellUser,
} from "@hookloop/sdk";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { EVENTS } from "../catalogue/events.ts";
import { abilitiesOf } from "../catalogue/hook-kinds.ts";
import type { Scope } from "../config/types.ts";
import type { Effect, Outcome } from "./effects.ts";
import { readFunctionResult } from "./function-result.ts";
import { mergeOutcomes } from "./merge-outcomes.ts";
import { makeHook, makeOutcome, SOME_EVENTS } from "./outcome.test-suite.ts";
import { compareHooks, compileFold, type Decision, type Verdict } from "./verdict.ts";

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

describe("the fold of synchronous functions", () => {
  const part: fc.Arbitrary<HookResult> = fc.oneof(
    text.map(allow),
    fc.constant(allow()),
    text.map(deny),
    text.map(ask),
    text.map(defer),
    fc.constantFrom("a", "b", " padded ", "", "\u001b[31mred").map(block),
    fc.constantFrom("a", "b", "", "  ").map(context),
    text.map(feedback),
    text.map(stop),
    text.map(tellUser),
    text.map((command) => rewrite({ command })),
    text.map((sessionTitle) => output({ sessionTitle })),
  ) as fc.Arbitrary<HookResult>;
  /** Mostly what the event can say, so that most runs are folded; sometimes anything. */
  const saidAt = (of: EventName) => {
    const fitting = part.filter(({ parts }) => parts.every(({ can }) => abilitiesOf(EVENTS[of]).includes(can)));
    return fc.oneof(
      { weight: 8, arbitrary: fc.array(fitting, { minLength: 1, maxLength: 3 }).map((parts) => parts.reduce((all, one) => all.with(one))) },
      { weight: 1, arbitrary: part },
      { weight: 3, arbitrary: fc.constantFrom(undefined, null) },
    );
  };
  const fired = event.chain((of) => fc.tuple(fc.constant(of), fc.array(saidAt(of), { minLength: 5, maxLength: 5 })));
  const hooks = fc.uniqueArray(fc.record({ scope, order: fc.nat(20) }), { selector: (one) => `${one.scope}:${one.order}`, maxLength: 5 });

  function longWay(of: EventName, all: readonly ReturnType<typeof makeHook>[], results: readonly unknown[]) {
    const read = results.map((result) => readFunctionResult(EVENTS[of], result));
    const spoke = all.flatMap((one, index) => {
      const { effects = [], failure } = read[index] ?? {};
      return [makeOutcome(one, effects, { failure })];
    });
    return { ...merged(of, spoke), notes: read.flatMap(({ notes }) => notes) };
  }

  test("gives what interpreting and merging gives, or refuses", () => {
    let folded = 0;
    fc.assert(
      fc.property(fired, hooks, ([of, results], parts) => {
        const all = parts.map((one) => makeHook(one)).sort(compareHooks);
        const used = results.slice(0, all.length);
        const verdict = compileFold(of, EVENTS[of])(all, used);
        if (!verdict) return;
        folded += 1;
        const slow = longWay(of, all, used);
        expect({ ...verdict, outcomes: [] }).toEqual({ ...slow.verdict, outcomes: [] });
        expect([...slow.diagnostics, ...slow.notes]).toEqual([]);
      }),
      { numRuns: 2000 },
    );
    expect(folded).toBeGreaterThan(200);
  });

  test.each<[string, EventName, unknown, string]>([
    ["a plain string", "PreToolUse", "deny", "refused"],
    ["a part the event cannot say", "Stop", allow(), "refused"],
    ["a part named like a method", "PreToolUse", { parts: [{ can: "constructor", value: "x" }] }, "refused"],
    [
      "a result that throws when looked at",
      "PreToolUse",
      {
        get parts(): never {
          throw new Error("mine");
        },
      },
      "refused",
    ],
    ["two decisions at once", "PreToolUse", allow().with(deny("no")), "deny"],
    ["a block of a prompt", "UserPromptSubmit", block("no"), "deny"],
    ["an ask without a reason", "PreToolUse", { parts: [{ can: "ask", value: undefined }] }, "ask"],
  ])("%s", (_name, of, result, expected) => {
    const verdict = compileFold(of, EVENTS[of])([makeHook()], [result]);
    expect(verdict?.decision ?? "refused").toBe(expected);
  });

  test("a stop outranks going on, as on the long way", () => {
    const verdict = compileFold("Stop", EVENTS.Stop)([makeHook()], [block("more").with(stop("enough"))]);
    expect(verdict).toMatchObject({ continueWith: [], halt: { text: "enough" } });
  });

  test("silence costs nothing: the frozen verdict comes back", () => {
    const verdict = compileFold("Stop", EVENTS.Stop)([makeHook()], [undefined]);
    expect(Object.isFrozen(verdict)).toBe(true);
  });
});
