/**
 * The table of contents of the engine: fire(event, input) → verdict.
 *   admit      when the session opened: only admitted hooks are in a plan
 *   select     plan(event, query) × input → the hooks that run
 *   run        functions at once, other kinds by their runner, in parallel; sequences one after the other (run-hooks.ts)
 *   judge      the hook's dialect → effects, or a failure with a direction; the event's catalogue row → verdict (conclude.ts)
 *   loop       a rewrite is judged once more; what the verdict says is the caller's to do
 */

import type { EventName } from "@hookloop/sdk";
import { EVENTS } from "../catalogue/index.ts";
import { type Allowed, checkEntries, invalidOption, isHolder, shown } from "../check-options.ts";
import type { Outcome, Verdict } from "../judge/index.ts";
import { thrownText, wholeCopy } from "../run/index.ts";
import { conclude, concludeRewrite } from "./conclude.ts";
import type { KnownEvent } from "./known-events.ts";
import { runHooks, selectDue } from "./run-hooks.ts";
import { type EventInput, type FireOptions, type Firing, reportSlowEvent, type Session } from "./session.ts";
import { labelOf, listenersOf, type Say, sayFired, sayOnce, saySelected, sayVerdict } from "./step.ts";
import { cannotJudge, isUnfit } from "./unfit-input.ts";

const NO_OPTIONS: FireOptions = Object.freeze({});

/** Synchronous until a hook takes its time: a plain value if none did. Never throws and never rejects, whatever a hook does. */
export function fire(
  session: Session,
  known: KnownEvent,
  given: EventInput,
  options: FireOptions = NO_OPTIONS,
): Verdict | Promise<Verdict> {
  try {
    const { background } = session;
    if (background.isBusy) background.events++;
    const { hooks, isInternal } = known.plans.planFor(given);
    const isEmpty = hooks.length === 0 && !background.hasNews;
    // Bookkeeping of the program alone is no step for anyone.
    if (isInternal || (!session.hasListeners && options.onStep === undefined))
      return isEmpty ? known.silence : runStages(session, openFiring(session, known, given, options));
    const say = listenersOf(session, options);
    session.hold();
    try {
      return isEmpty ? nothingRuns(session, known, given, say) : runStages(session, openFiring(session, known, given, options, say));
    } finally {
      // The steps of what was synchronous are written together.
      session.flush();
    }
  } catch (thrown) {
    return cannotJudge(session, known, thrown);
  }
}

function openFiring(session: Session, known: KnownEvent, given: EventInput, options: FireOptions, say?: Say): Firing {
  // SECURITY: the event as it is now: what the caller does to its own objects while hooks run, no hook has judged.
  const input = known.copier.whole(given);
  // Chosen by what the hooks are told: a getter may have said something else before.
  const plan = known.plans.planFor(input);
  const isFit = !isUnfit(known.needed, plan, input);
  if (plan.lacksQuery || !isFit) known.checkInput(given);
  const { signal, messages } = options;
  const signals =
    signal || messages ? { ...known.signals, caller: signal, ...(messages && { messages: safely(session, messages) }) } : known.signals;
  const label = say ? labelOf(known.name, input) : "";
  return { event: known.name, known, plan, input, isFit, options, signals, say, label, startedAt: undefined, again: undefined };
}

function runStages(session: Session, firing: Firing): Verdict | Promise<Verdict> {
  const { known, plan, options, say } = firing;
  const startedAt = known.budgetMs === undefined ? 0 : performance.now();
  if (say) sayFired(say, firing, known, plan);
  const verdict = options.isRewrite ? concludeRewrite(session, firing) : runPlan(session, firing);
  if (known.budgetMs === undefined) return verdict;
  const noteTime = (settled: Verdict): Verdict => {
    reportSlowEvent(session, firing, performance.now() - startedAt);
    return settled;
  };
  return verdict instanceof Promise ? verdict.then(noteTime) : noteTime(verdict);
}

function runPlan(session: Session, firing: Firing): Verdict | Promise<Verdict> {
  const { known, plan, say } = firing;
  const selected = selectDue(session, plan, firing);
  if (say) saySelected(say, firing, { hooks: known.plans.hooks, plan, selected, refused: known.refused() });
  const silence = known.silenceOf(selected);
  return runHooks(session, firing, selected, (outcomes) => {
    try {
      const found = news(session, firing);
      if (found.length > 0 || outcomes !== silence.outcomes) return conclude(session, firing, outcomes.concat(found));
      if (say) sayVerdict(say, silence.verdict);
      return silence.verdict;
    } catch (thrown) {
      return cannotJudge(session, known, thrown);
    }
  });
}

/** No matcher fits. Listeners are told why. */
function nothingRuns(session: Session, known: KnownEvent, given: EventInput, say: Say): Verdict {
  const { name: event, plans, silence } = known;
  if (plans.hooks.every(({ source }) => source.isInternal) && !session.isWatched()) return silence;
  const input = wholeCopy(session.commonInput, event, given);
  const plan = plans.planFor(input);
  sayFired(say, { event, input }, known, plan);
  saySelected(say, { event, input }, { hooks: plans.hooks, plan, selected: [], refused: known.refused() });
  sayVerdict(say, silence);
  return silence;
}

/** What background hooks have said since, if this event can carry it. */
function news({ background }: Session, { event, input }: Firing): readonly Outcome[] {
  if (!background.hasNews || !canCarryNews(event)) return [];
  return background.take(typeof input["agent_id"] === "string" ? input["agent_id"] : undefined);
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
  messages: "function",
  askUser: "function",
  waitForAsync: "flag",
  isRewrite: "flag",
  onlyGuards: "flag",
};

/** Firing never throws: an option that makes no sense is said once, and hooks decide without it. */
export function checkFiring(session: Session, options: FireOptions): FireOptions {
  if (isUsual(options)) return options;
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
  if (typeof options !== "object" || isHolder(options)) return NO_OPTIONS;
  return Object.fromEntries(Object.entries(options).filter(([name, value]) => check({ [name]: value })));
}

/** SECURITY: a conversation that cannot be had must not fail the hook, or let it pass: it judges the event alone, and that is said. */
function safely(session: Session, messages: NonNullable<FireOptions["messages"]>): NonNullable<FireOptions["messages"]> {
  return () => {
    try {
      const found: unknown = messages();
      if (Array.isArray(found)) return found as ReturnType<typeof messages>;
      sayOnce(session, {
        code: "HL_CONFIG_OPTION_INVALID",
        level: "error",
        text: `messages of fire() gave ${shown(found)}. Return a list of messages`,
      });
    } catch (thrown) {
      sayOnce(session, { code: "HL_EXECUTE_THREW", level: "error", text: `messages of fire() threw: ${thrownText(thrown)}` });
    }
    return [];
  };
}

/** What most programs write, seen at one look. */
function isUsual(options: FireOptions): boolean {
  for (const name in options) {
    if (
      name === "signal"
        ? options.signal instanceof AbortSignal
        : (name === "onStep" || name === "messages") && typeof options[name] === "function"
    )
      continue;
    if (name !== "timeoutMs" || typeof options.timeoutMs !== "number" || !(options.timeoutMs > 0)) return false;
  }
  return Object.getPrototypeOf(options) === Object.prototype;
}
