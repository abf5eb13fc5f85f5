/**
 * The table of contents of the engine: fire(event, input) → verdict.
 *   admit      when the session opened: only admitted hooks are in a plan
 *   select     plan(event, query) × input → the hooks that run
 *   execute    one runner per kind, in parallel; sequential groups one after the other
 *   interpret  the hook's dialect → effects, or a failure with a direction
 *   merge      the event's catalogue row → verdict; a rewrite is judged once more (conclude.ts)
 */

import type { EventName } from "@hookloop/sdk";
import { EVENTS } from "../catalogue/index.ts";
import { type Allowed, checkEntries, invalidOption, isHolder, shown } from "../check-options.ts";
import type { Verdict } from "../judge/index.ts";
import { thrownText } from "../run/index.ts";
import type { Plan } from "../select/index.ts";
import { conclude, concludeRewrite } from "./conclude.ts";
import { fireFunctions } from "./fire-functions.ts";
import type { KnownEvent } from "./known-events.ts";
import { wholeCopy } from "./payload-copy.ts";
import { runHooks, selectDue } from "./run-hooks.ts";
import { type EventInput, type FireOptions, type Firing, reportSlowEvent, type Session } from "./session.ts";
import { listenersOf, sayFired, saySelected, sayVerdict } from "./step.ts";
import { cannotJudge, isUnfit, sayOnce } from "./unfit-input.ts";

const NO_OPTIONS: FireOptions = Object.freeze({});

/** A plain value when everything was synchronous; never throws and never rejects, whatever a hook does. */
export function fire(session: Session, known: KnownEvent, input: EventInput, options?: FireOptions): Verdict | Promise<Verdict> {
  try {
    const plan = known.plans.planFor(input);
    if (session.background.isBusy) session.background.events++;
    const isQuiet = !session.background.hasNews;
    if (isQuiet && plan.hooks.length === 0)
      return session.hasListeners || options !== undefined ? nothingRuns(session, known, input, options) : known.silence;
    if (plan.lacksQuery) known.checkInput(input);
    const isPlain = isQuiet && plan.isFunctionsOnly && !session.hasListeners && options === undefined;
    // What a guard cannot judge makes it fail, which the long way knows how to.
    if (isPlain && !isUnfit(known.needed, plan, input)) return fireFunctions(session, known, plan, input);
    known.checkInput(input);
    // SECURITY: the event as it is now: what the caller does to its own objects while hooks run, no hook has judged.
    const whole = wholeCopy(session.commonInput, known.name, input);
    const given = options ?? NO_OPTIONS;
    const firing = { event: known.name, plans: known.plans, input: whole, options: given, say: listenersOf(session, given) };
    // Chosen by what the hooks are told: a getter may have said something else before.
    return fireAll(session, known.plans.planFor(whole), firing).catch((thrown) => cannotJudge(session, known.name, thrown));
  } catch (thrown) {
    return cannotJudge(session, known.name, thrown);
  }
}

/** No matcher fits. Listeners are told why. */
function nothingRuns(session: Session, { name: event, plans, silence }: KnownEvent, given: EventInput, options?: FireOptions): Verdict {
  const say = plans.hooks.length === 0 ? undefined : listenersOf(session, options ?? NO_OPTIONS);
  if (!say) return silence;
  const input = wholeCopy(session.commonInput, event, given);
  const plan = plans.planFor(input);
  sayFired(say, { event, input }, plan);
  saySelected(say, { event, input }, { hooks: plans.hooks, plan, selected: [] });
  sayVerdict(say, silence);
  return silence;
}

/** Every stage, step by step. */
async function fireAll(session: Session, plan: Plan, firing: Firing): Promise<Verdict> {
  const { options, say } = firing;
  if (say) sayFired(say, firing, plan);
  const startedAt = performance.now();
  const verdict = options.isRewrite ? await concludeRewrite(session, firing) : await runAll(session, plan, firing);
  reportSlowEvent(session, firing, performance.now() - startedAt);
  return verdict;
}

async function runAll(session: Session, plan: Plan, firing: Firing): Promise<Verdict> {
  const selected = selectDue(session, plan, firing);
  if (firing.say) saySelected(firing.say, firing, { hooks: firing.plans.hooks, plan, selected });
  const outcomes = await runHooks(session, firing, selected);
  return conclude(session, firing, [...outcomes, ...news(session, firing)]);
}

/** What background hooks have said since, if this event can carry it. */
function news({ background }: Session, { event, input }: Firing): ReturnType<Session["background"]["take"]> {
  const agentId = typeof input["agent_id"] === "string" ? input["agent_id"] : undefined;
  return background.hasNews && canCarryNews(event) ? background.take(agentId) : [];
}

/** Without starting another turn. */
export function canCarryNews(event: EventName): boolean {
  const row = EVENTS[event];
  return "additionalContext" in row.output && !row.contextContinues;
}

const FIRE_OPTIONS: Readonly<Record<keyof FireOptions, Allowed>> = {
  signal: "signal",
  timeoutMs: "limit",
  onStep: "function",
  isRewrite: "flag",
};

/** Firing never throws: an option that makes no sense is said once, and hooks decide without it. */
export function checkFiring(session: Session, options: FireOptions): FireOptions {
  const check = (given: object): boolean => {
    try {
      if (given instanceof AbortSignal) throw invalidOption("fire() was given a signal. Write fire(event, input, { signal })");
      if (typeof given !== "object" || isHolder(given)) throw invalidOption(`the options of fire() are ${shown(given)}. Write an object`);
      checkEntries("fire()", given, FIRE_OPTIONS);
      return true;
    } catch (thrown) {
      const text = thrownText(thrown).replace(/^\w+: /, "");
      sayOnce(session, { code: "HL_CONFIG_OPTION_INVALID", level: "error", text });
      return false;
    }
  };
  if (check(options)) return options;
  return typeof options === "object" && !isHolder(options)
    ? Object.fromEntries(Object.entries(options).filter(([name, value]) => check({ [name]: value })))
    : {};
}
