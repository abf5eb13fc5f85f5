import { allow, ask, context, deny, type HookResult, rewrite, stop, tellUser } from "@hookloop/sdk";
import fc from "fast-check";
import { expect, test } from "vitest";
import { bash, openProject } from "../../../../test/engine/open-project.ts";
import type { Verdict } from "../judge/verdict.ts";
import type { FireOptions } from "./session.ts";
import type { Step, TraceRecord } from "./step.ts";

const text = fc.constantFrom("a", "b");
const said = fc.oneof(
  fc.constant(undefined),
  fc.constant(null),
  text.map((reason) => allow(reason)),
  text.map((reason) => ask(reason)),
  text.map((reason) => deny(reason)),
  text.map((words) => context(words)),
  text.map((words) => tellUser(words)),
  text.map((reason) => stop(reason)),
  text.map((command) => rewrite({ command })),
  text.map((reason) => allow(reason).with(context("more"))),
  fc.constant("no result"),
) as fc.Arbitrary<HookResult | null | undefined>;
const answer = fc.record({ said, how: fc.constantFrom("sync", "sync", "async", "later", "throws", "rejects") });
type Answer = typeof answer extends fc.Arbitrary<infer Value> ? Value : never;

function functionOf({ said: result, how }: Answer): () => unknown {
  if (how === "sync") return () => result;
  if (how === "async") return async () => result;
  if (how === "later") return () => new Promise((resolve) => setTimeout(resolve, 1, result));
  if (how === "rejects") return () => Promise.reject(new Error("mine"));
  return () => {
    throw new Error("mine");
  };
}

const untimed = (verdict: Verdict): unknown => ({
  ...verdict,
  outcomes: verdict.outcomes.map(({ durationMs: _took, ...outcome }) => ({ ...outcome, hook: outcome.hook.id })),
});

/** What depends on who ended first is not compared. */
const unordered = (steps: readonly (Step | TraceRecord)[]): readonly string[] =>
  steps.flatMap(({ type, ...step }) => (type === "diagnostic" ? [] : `${type} ${"hook" in step ? step.hook : ""}`)).sort();

test("the same functions give the same verdict, outcomes and steps, whoever listens and whatever the options are", async () => {
  const steps: Step[] = [];
  const records: TraceRecord[] = [];
  const trace = { write: (record: TraceRecord): void => void records.push(record) };
  // The last one has the trace.
  const ways: readonly (FireOptions | undefined)[] = [
    undefined,
    { timeoutMs: 60_000, signal: new AbortController().signal },
    { onStep: (step) => void steps.push(step) },
    undefined,
  ];
  const projects = ways.map(() => openProject());
  const engines = await Promise.all(projects.map((project, index) => project.open(index === 3 ? { ports: { trace } } : {})));
  await fc.assert(
    fc.asyncProperty(fc.array(answer, { minLength: 1, maxLength: 4 }), fc.nat(3), async (answers, guard) => {
      steps.length = 0;
      records.length = 0;
      const verdicts: unknown[] = [];
      for (const [index, hooks] of engines.entries()) {
        const offs = answers.map((one, place) =>
          hooks.on("PreToolUse", { name: `f${place}`, guard: place === guard, priority: place % 2 }, functionOf(one) as never),
        );
        const fired = hooks.fire("PreToolUse", bash("ls"), ways[index]);
        const isLate = answers.some(({ how }) => how === "async" || how === "later" || how === "rejects");
        expect(fired instanceof Promise).toBe(isLate);
        verdicts.push(untimed(await fired));
        for (const off of offs) off();
      }
      for (const verdict of verdicts) expect(verdict).toEqual(verdicts[0]);
      expect(unordered(records)).toEqual(unordered(steps));
      expect((verdicts[0] as Verdict).outcomes.filter(({ isAgain }) => !isAgain)).toHaveLength(answers.length);
    }),
    { numRuns: 150 },
  );
  // Results that the test itself makes between two firings may be taken for those of a silent guard.
  const isOurs = ({ code, hook }: (typeof projects)[0]["diagnostics"][0]): boolean =>
    code === "HL_OUTPUT_NOT_RETURNED" || hook === undefined;
  const reported = projects.map(({ diagnostics }) => diagnostics.flatMap((one) => (isOurs(one) ? [] : `${one.code} ${one.hook}`)).sort());
  for (const codes of reported) expect(codes).toEqual(reported[0]);
  for (const hooks of engines) await hooks.close();
});
