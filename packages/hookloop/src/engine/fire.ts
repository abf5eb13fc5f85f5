/**
 * The table of contents of the engine: fire(event, input) → verdict.
 *   admit      when the session opened: only admitted hooks are in a plan
 *   select     plan(event, query) × input → the hooks that run
 *   execute    one runner per kind, in parallel; sequential groups one after the other
 *   interpret  the hook's dialect → effects, or a failure with a direction
 *   merge      the event's catalogue row → verdict
 */
import type { EventName } from "@hookloop/sdk";
import { EVENTS } from "../catalogue/index.ts";
import { fireFunctions } from "./fire-functions.ts";
import { mergeOutcomes, noVerdict, spillVerdict, type Verdict } from "./merge/index.ts";
import { recheckRewrite } from "./recheck-rewrite.ts";
import { runHooks } from "./run-hooks.ts";
import { type Plan, type SelectedHook, selectHooks } from "./select/index.ts";
import type { EventInput, FireOptions, Firing, Session } from "./session.ts";

const NO_OPTIONS: FireOptions = Object.freeze({});

/** A plain value when everything was synchronous; never throws and never rejects, whatever a hook does. */
export function fire(session: Session, event: EventName, input: EventInput, options: FireOptions = NO_OPTIONS): Verdict | Promise<Verdict> {
  const plan = session.planner.planFor(event, input);
  if (plan.hooks.length === 0 && !session.background.hasNews) return noVerdict(event);
  if (plan.isFunctionsOnly && !session.record && options === NO_OPTIONS && !session.background.hasNews) {
    return fireFunctions(session, plan, { event, input, options });
  }
  return fireAll(session, plan, { event, input: { ...session.commonInput, ...input, hook_event_name: event }, options });
}

/** Every stage, step by step. */
export async function fireAll(session: Session, plan: Plan, firing: Firing): Promise<Verdict> {
  const { event } = firing;
  session.record?.({ event, step: "fired", input: firing.input });
  const selected = selectHooks(plan, firing.input).filter((one) => isDue(session, one));
  const outcomes = await runHooks(session, firing, selected);
  const merged = mergeOutcomes({ event, row: EVENTS[event], outcomes: [...outcomes, ...news(session, event)] });
  const checked = await recheckRewrite(session, firing, merged);
  for (const diagnostic of checked.diagnostics) session.report(diagnostic);
  return conclude(session, firing, checked.verdict);
}

/** Texts too long for the model go to a file; then everybody who listens is told. */
function conclude(session: Session, { event, options }: Firing, whole: Verdict): Verdict {
  const verdict = session.spill ? spilled(session, whole) : whole;
  session.record?.({ event, step: "verdict", decision: verdict.decision, reasons: verdict.reasons, halt: verdict.halt });
  options.onStep?.({ type: "verdict", verdict });
  return verdict;
}

function spilled(session: Session, whole: Verdict): Verdict {
  const { verdict, problems } = spillVerdict(whole, session.spill as NonNullable<Session["spill"]>);
  for (const text of problems) session.report({ code: "HL_MERGE_SPILL_FAILED", level: "warning", text });
  return verdict;
}

/** What background hooks have said since, if this event can carry it without starting another turn. */
function news(session: Session, event: EventName): ReturnType<Session["background"]["take"]> {
  const row = EVENTS[event];
  const canCarry = "additionalContext" in row.output && !row.contextContinues;
  return session.background.hasNews && canCarry ? session.background.take() : [];
}

function isDue(session: Session, { hook }: SelectedHook): boolean {
  if (!hook.once) return true;
  const isFirst = !session.spent.has(hook.id);
  session.spent.add(hook.id);
  return isFirst;
}
