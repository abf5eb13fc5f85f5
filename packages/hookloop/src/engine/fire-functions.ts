/**
 * The fast path: every hook of the plan is a function and nobody listens. No promise unless a function returns one, no trace, no outcome
 * objects unless something is out of the ordinary; then the functions' results, which are not asked for twice, take the long way.
 */
import type { EventName } from "@hookloop/sdk";
import { EVENTS } from "../catalogue/index.ts";
import { cannotJudge } from "./cannot-judge.ts";
import { conclude } from "./conclude.ts";
import { interpretOutcome } from "./interpret/index.ts";
import { foldResults, noVerdict, type Verdict } from "./merge/index.ts";
import type { Plan } from "./select/index.ts";
import type { EventInput, FireOptions, Session } from "./session.ts";
import { Failed, isThenable, settleResults, threw } from "./settle-results.ts";
import type { AdmittedHook } from "./trust/index.ts";

type Handler = (input: EventInput, run: { readonly signal: AbortSignal }) => unknown;

// Positional arguments, here and in `judge`: an object per firing would be a tenth of what the engine adds to a bare loop.
export function fireFunctions(session: Session, { hooks }: Plan, event: EventName, input: EventInput): Verdict | Promise<Verdict> {
  // One copy for all: the caller's own input is out of reach, and so is what the tool will get.
  const payload = session.copyPayload(event, input);
  let results: unknown[] | undefined;
  let isAsync = false;
  for (let index = 0; index < hooks.length; index++) {
    let result: unknown;
    try {
      const { handler } = (hooks[index] as AdmittedHook).target as { readonly handler?: unknown };
      result = (handler as Handler)(payload, session.run);
    } catch (thrown) {
      result = threw(thrown);
    }
    if (result === undefined || result === null) continue;
    results ??= new Array(hooks.length);
    results[index] = result;
    isAsync ||= isThenable(result);
  }
  if (!results) return noVerdict(event);
  return isAsync ? judgeLater(session, event, input, hooks, results) : judge(session, event, input, hooks, results);
}

/** A function of its own, so that only firings that wait pay for what its closure holds. */
function judgeLater(
  session: Session,
  event: EventName,
  input: EventInput,
  hooks: readonly AdmittedHook[],
  results: unknown[],
): Promise<Verdict> {
  const judgeNow = (): Verdict | Promise<Verdict> => {
    try {
      return judge(session, event, input, hooks, results);
    } catch (thrown) {
      return cannotJudge(session, event, thrown);
    }
  };
  return settleResults(hooks, results, judgeNow, session.closing);
}

function judge(
  session: Session,
  event: EventName,
  input: EventInput,
  hooks: readonly AdmittedHook[],
  results: readonly unknown[],
): Verdict | Promise<Verdict> {
  return foldResults({ event, row: EVENTS[event], hooks, results }) ?? judgeFully(session, event, input, hooks, results);
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
  event: EventName,
  input: EventInput,
  hooks: readonly AdmittedHook[],
  results: readonly unknown[],
): Verdict | Promise<Verdict> {
  const row = EVENTS[event];
  const outcomes = hooks.map((hook, index) => {
    const result = results[index];
    const failure = result instanceof Failed ? result.failure : undefined;
    const raw = { ...NO_PROCESS, hook, failure, returned: failure ? undefined : result };
    return interpretOutcome({ event, row, raw, dialect: session.dialects[hook.source.dialect] });
  });
  for (const diagnostic of outcomes.flatMap((outcome) => outcome.diagnostics)) session.report(diagnostic);
  const firing = { event, input: { ...session.commonInput, ...input, hook_event_name: event }, options: NO_OPTIONS };
  return conclude(session, firing, outcomes);
}
