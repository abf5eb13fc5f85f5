/**
 * The fast path: every hook of the plan is a function and nobody listens. No promise unless a function returns one, no trace, no outcome
 * objects unless something is out of the ordinary; then the functions' results, which are not asked for twice, take the long way.
 */
import type { EventName } from "@hookloop/sdk";
import { EVENTS } from "../catalogue/index.ts";
import type { RunFailure } from "./execute/index.ts";
import { interpretOutcome } from "./interpret/index.ts";
import { foldResults, mergeOutcomes, type Verdict } from "./merge/index.ts";
import type { Plan } from "./select/index.ts";
import type { EventInput, Firing, Session } from "./session.ts";
import type { AdmittedHook } from "./trust/index.ts";

/** Stands in the place of a result when the function failed. */
class Failed {
  readonly failure: RunFailure;
  constructor(kind: RunFailure["kind"], text: string) {
    this.failure = { kind, text };
  }
}

/** Longer delays overflow Node's timers. */
const LONGEST_DELAY_MS = 2 ** 31 - 1;

type Handler = (input: EventInput, run: { readonly signal: AbortSignal }) => unknown;

export function fireFunctions(session: Session, plan: Plan, { event, input }: Firing): Verdict | Promise<Verdict> {
  const { hooks } = plan;
  const results: unknown[] = new Array(hooks.length);
  // One copy for all: the caller's own input is out of reach, and so is what the tool will get.
  const payload = session.copyPayload(event, input);
  let isAsync = false;
  for (let index = 0; index < hooks.length; index++) {
    const target = (hooks[index] as AdmittedHook).target as { readonly handler?: unknown };
    try {
      const result = (target.handler as Handler)(payload, session.run);
      results[index] = result;
      if (isThenable(result)) isAsync = true;
    } catch (thrown) {
      results[index] = new Failed("threw", `it threw: ${messageOf(thrown)}`);
    }
  }
  return isAsync ? settleAll(session, { event, hooks, results }) : judge(session, { event, hooks, results });
}

interface Answers {
  readonly event: EventName;
  readonly hooks: readonly AdmittedHook[];
  readonly results: unknown[];
}

/** They all run already, so one promise and one timer wait for all of them. */
async function settleAll(session: Session, answers: Answers): Promise<Verdict> {
  await new Promise<void>((resolve) => {
    const { hooks, results } = answers;
    let limit = LONGEST_DELAY_MS;
    let pending = 0;
    const settle = (index: number, result: unknown): void => {
      results[index] = result;
      if (--pending > 0) return;
      clearTimeout(timer);
      resolve();
    };
    for (let index = 0; index < hooks.length; index++) {
      const result = results[index];
      if (!isThenable(result)) continue;
      pending++;
      limit = Math.min(limit, (hooks[index] as AdmittedHook).timeoutMs);
      // A thenable of another realm may throw when asked: resolving a promise with it handles that.
      const promise = result instanceof Promise ? result : Promise.resolve(result);
      promise.then(
        (value) => settle(index, value),
        (thrown) => settle(index, new Failed("threw", `it threw: ${messageOf(thrown)}`)),
      );
    }
    const timer = setTimeout(() => {
      for (let index = 0; index < hooks.length; index++) {
        if (isThenable(results[index])) results[index] = new Failed("timeout", `it did not answer within ${limit} ms`);
      }
      resolve();
    }, limit);
  });
  return judge(session, answers);
}

function judge(session: Session, { event, hooks, results }: Answers): Verdict {
  const row = EVENTS[event];
  const folded = foldResults({ event, row, hooks, results });
  if (folded) return folded;
  const outcomes = hooks.map((hook, index) => {
    const result = results[index];
    const failure = result instanceof Failed ? result.failure : undefined;
    const raw = { ...NO_PROCESS, hook, failure, returned: failure ? undefined : result };
    return interpretOutcome({ event, row, raw, dialect: session.dialects[hook.source.dialect] });
  });
  const { verdict, diagnostics } = mergeOutcomes({ event, row, outcomes });
  for (const diagnostic of [...outcomes.flatMap((outcome) => outcome.diagnostics), ...diagnostics]) session.report(diagnostic);
  return verdict;
}

const NO_PROCESS = {
  durationMs: 0,
  stdout: "",
  stderr: "",
  exitCode: null,
  isTruncated: false,
  pipesHeld: false,
  isBinary: false,
} as const;

function isThenable(value: unknown): value is PromiseLike<unknown> {
  return typeof value === "object" && value !== null && typeof (value as { then?: unknown }).then === "function";
}

function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}
