/**
 * The fast path: every hook of the plan is a function and nobody listens. No promise unless a function returns one, no trace, no outcome
 * objects unless something is out of the ordinary; then the functions' results, which are not asked for twice, take the long way.
 */

import { callFunction, startWaiting } from "../run/index.ts";
import type { Plan, Seat } from "../select/index.ts";
import { cannotJudge } from "./cannot-judge.ts";
import { conclude } from "./conclude.ts";
import { interpretOutcome } from "./interpret/index.ts";
import type { KnownEvent } from "./known-events.ts";
import type { Verdict } from "./merge/index.ts";
import type { EventInput, FireOptions, Session } from "./session.ts";
import { Failed, isThenable, settleResults, threw } from "./settle-results.ts";
import { reportAll } from "./tell-step.ts";

type Call = (input: unknown, run: unknown) => unknown;

// Positional arguments: an object per firing would be a tenth of what the engine adds to a bare loop.
export function fireFunctions(session: Session, known: KnownEvent, plan: Plan, input: EventInput): Verdict | Promise<Verdict> {
  const { seats } = plan;
  let results: unknown[] | undefined;
  let isAsync = false;
  for (let index = 0; index < seats.length; index++) {
    let result: unknown;
    try {
      // SECURITY: a copy for each: what one function writes into it, no guard behind it must judge, and no tool must get.
      result = callFunction((seats[index] as Seat).handler as Call, known.copyPayload(input), session.run);
    } catch (thrown) {
      result = threw(thrown);
    }
    if (result === undefined || result === null) continue;
    results ??= new Array(seats.length);
    results[index] = result;
    isAsync ||= isThenable(result);
  }
  if (results === undefined) return known.silence;
  return isAsync ? judgeLater(session, known, plan, input, results) : judge(session, known, plan, input, results);
}

/** A function of its own, so that only firings that wait pay for what its closure holds. */
function judgeLater(session: Session, known: KnownEvent, plan: Plan, input: EventInput, results: unknown[]): Promise<Verdict> {
  const endWaiting = startWaiting();
  const judgeNow = (): Verdict | Promise<Verdict> => {
    try {
      return judge(session, known, plan, input, endWaiting(results));
    } catch (thrown) {
      return cannotJudge(session, known.name, thrown);
    }
  };
  return settleResults(plan.hooks, results, judgeNow, session.closing);
}

function judge(
  session: Session,
  known: KnownEvent,
  plan: Plan,
  input: EventInput,
  results: readonly unknown[],
): Verdict | Promise<Verdict> {
  return known.fold(plan.seats, results) ?? judgeFully(session, known, plan, input, results);
}

const NO_OPTIONS: FireOptions = Object.freeze({});
const NO_PROCESS = {
  durationMs: 0,
  stdout: "",
  stderr: "",
  exitCode: null,
  isTruncated: false,
  pipesHeld: false,
  isBinary: false,
} as const;

/** The long way: every result interpreted, everything wrong reported, rewrites judged again, long texts saved. */
function judgeFully(
  session: Session,
  { name: event, row }: KnownEvent,
  { hooks }: Plan,
  input: EventInput,
  results: readonly unknown[],
): Verdict | Promise<Verdict> {
  const outcomes = hooks.map((hook, index) => {
    const result = results[index];
    const failure = result instanceof Failed ? result.failure : undefined;
    const raw = { ...NO_PROCESS, hook, failure, returned: failure ? undefined : result };
    return interpretOutcome({ event, row, raw, dialect: session.dialects[hook.source.dialect] });
  });
  reportAll(
    session,
    outcomes.flatMap(({ diagnostics }) => diagnostics),
  );
  const firing = { event, input: { ...session.commonInput, ...input, hook_event_name: event }, options: NO_OPTIONS };
  return conclude(session, firing, outcomes);
}
