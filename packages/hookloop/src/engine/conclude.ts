import { isDeepStrictEqual } from "node:util";
import { EVENTS, type EventRow } from "../catalogue/index.ts";
import type { Diagnostic } from "../diagnostic.ts";
import {
  decisionOf,
  type Effect,
  effectRow,
  type Merged,
  mergeOutcomes,
  type Outcome,
  STRICTNESS,
  spillVerdict,
  type Verdict,
} from "../judge/index.ts";
import { queryOf } from "../select/index.ts";
import { rewritten, runHooks, selectDue } from "./run-hooks.ts";
import type { EventInput, Firing, Session } from "./session.ts";
import { reportAll, sayVerdict } from "./step.ts";
import { cannotJudge, lostTexts, strangeFields } from "./unfit-input.ts";

/** Every outcome of a firing becomes its verdict; a plain value unless hooks that must judge a rewritten input once more take their time. */
export function conclude(session: Session, firing: Firing, outcomes: readonly Outcome[]): Verdict | Promise<Verdict> {
  const { event, known } = firing;
  const merged = mergeOutcomes({ event, row: known.row, outcomes });
  if (!needsRecheck(firing, merged)) return tell(session, firing, merged);
  return recheckRewrite(session, firing, merged);
}

/** The verdict on an input that was rewritten elsewhere. */
export function concludeRewrite(session: Session, firing: Firing): Verdict | Promise<Verdict> {
  return judgeRewrite(session, firing, { input: {}, outcomes: [], diagnostics: [] });
}

/** Texts too long for the model go to a file; then the listeners are told. */
function tell(session: Session, firing: Firing, { verdict: whole, diagnostics }: Merged): Verdict {
  const { event, say } = firing;
  for (const diagnostic of diagnostics) (say ?? session.say)({ type: "diagnostic", event, ...diagnostic });
  const allowed = unblocked(session, firing, whole);
  const verdict = session.spill && allowed.outcomes.some(hasSay) ? spilled(session, allowed) : allowed;
  // A halt of a subagent ends the subagent.
  if (verdict.halt && firing.input["agent_id"] === undefined) session.turn.halt ??= verdict.halt;
  if (say) sayVerdict(say, verdict);
  return verdict;
}

/** Where the row says that a no means nothing, the verdict has none, and whoever said it is told. */
function unblocked(session: Session, firing: Firing, verdict: Verdict): Verdict {
  const { event, input, known } = firing;
  const query = queryOf(event, input);
  if (!known.row.neverBlocked?.includes(query) || verdict.decision === "none" || verdict.decision === "allow") return verdict;
  const names = verdict.reasons.map(({ hook }) => verdict.outcomes.find((outcome) => outcome.hook.id === hook)?.hook.name ?? hook);
  const text = `${event} of ${query} cannot be blocked; the ${verdict.decision} of ${names.map((name) => `"${name}"`).join(", ")} has no effect`;
  reportAll(session, firing, [{ code: "HL_OUTPUT_NOT_HONOURED", level: "warning", text, hook: verdict.reasons[0]?.hook }]);
  return { ...verdict, decision: "none", reasons: [] };
}

function spilled(session: Session, whole: Verdict): Verdict {
  const { verdict, problems } = spillVerdict(whole, session.spill as NonNullable<Session["spill"]>);
  for (const text of problems) session.say({ type: "diagnostic", code: "HL_MERGE_SPILL_FAILED", level: "warning", text });
  return verdict;
}

/** Whether there is something new to judge, at an event where a denial means something. */
function needsRecheck({ event }: Firing, { verdict }: Merged): boolean {
  return (verdict.updatedInput !== undefined || verdict.updatedPrompt !== undefined) && EVENTS[event].blockEffect !== null;
}

/**
 * Takes an input that a hook rewrote. Every hook that fits it, is waited for and can deny its event judges it as if the model had asked
 * for it, whatever its dialect; what one says counts as far as it tightens. Refuses a second rewrite: it is ignored, and said once per hook.
 */
function recheckRewrite(session: Session, firing: Firing, merged: Merged): Verdict | Promise<Verdict> {
  const { verdict, diagnostics } = merged;
  const input = rewritten(firing.input, { call: verdict.updatedInput, prompt: verdict.updatedPrompt });
  const lost = verdict.updatedInput && lostTexts(firing.input, input);
  if (lost !== undefined)
    session.say({ type: "diagnostic", code: "HL_OUTPUT_WRONG_TYPE", level: "warning", text: lostText(verdict, lost) });
  const strange = lost === undefined && verdict.updatedInput ? strangeFields(firing.input, input) : undefined;
  if (strange !== undefined) reportAll(session, firing, [strangeField(verdict, strange)]);
  return judgeRewrite(session, { ...firing, input, isFit: false }, { input: firing.input, outcomes: verdict.outcomes, diagnostics });
}

function lostText(verdict: Verdict, lost: string): string {
  const hooks = rewritersOf(verdict);
  const ofSdk = "return rewrite({ ...input.tool_input, … })";
  const isScript = hooks.every(({ target }) => target.kind === "command" && !/\.[cm]?[jt]s\b/.test(target.command));
  const cure = isScript ? 'print every field in "updatedInput", also those that stay: jq \'.tool_input + {command: "…"}\'' : ofSdk;
  return `A rewrite (hook ${hooks.map(nameOf).join(", ")}) left out what the call had: ${lost}. A rewrite replaces the whole input: ${cure}.`;
}

/** The call may be refused for it, and then only the model would be told why. */
function strangeField(verdict: Verdict, strange: string): Diagnostic {
  const hooks = rewritersOf(verdict);
  const text = `hook ${hooks.map(nameOf).join(", ")}: its rewrite has ${strange}. An agent that checks its input does not run the call. This is said once in a session.`;
  return { code: "HL_OUTPUT_UNKNOWN_FIELD", level: "warning", text, place: hooks[0]?.place, hook: hooks[0]?.id };
}

function rewritersOf({ outcomes }: Verdict): readonly Outcome["hook"][] {
  return outcomes.flatMap(({ hook, effects }) => (effects.some(({ type }) => type === "rewriteInput") ? hook : []));
}

function nameOf({ name }: Outcome["hook"]): string {
  return `"${name}"`;
}

/** What hooks said of the input as it was before. */
interface FirstLook {
  readonly input: EventInput;
  readonly outcomes: readonly Outcome[];
  /** What merging them found. */
  readonly diagnostics: readonly Diagnostic[];
}

/** The first outcomes, tightened by what the hooks say of an input that was rewritten. */
function judgeRewrite(session: Session, firing: Firing, first: FirstLook): Verdict | Promise<Verdict> {
  const { event, input, known } = firing;
  const plan = known.plans.planFor(input);
  const seen = new Set(first.outcomes.flatMap(({ hook, saw = first.input }) => (isSameInput(saw, input) ? hook.id : [])));
  // SECURITY: not only guards, and not only hooks that saw the first input: whoever could deny this one must have seen it.
  const judges = selectDue(session, plan, firing, ({ hook }) => !hook.isAsync && !seen.has(hook.id));
  const judge = (outcomes: readonly Outcome[]): Verdict => {
    try {
      const both = [...first.outcomes, ...outcomes.filter(hasSay)];
      // What merging finds now is about rewrites, and was found before.
      return tell(session, firing, { ...mergeOutcomes({ event, row: known.row, outcomes: both }), diagnostics: first.diagnostics });
    } catch (thrown) {
      // SECURITY: a rewrite that could not be judged does not pass, whoever called.
      return cannotJudge(session, known, thrown);
    }
  };
  if (judges.length === 0) return judge([]);
  firing.say?.({ type: "judgedAgain", event, input, hooks: judges.map(({ hook }) => hook.id) });
  const again = { tookMs: tookMs(first), revise: reviser(firing, first) };
  return runHooks(session, { ...firing, again }, judges, judge);
}

function hasSay({ effects, failure }: Outcome): boolean {
  return effects.length > 0 || failure !== undefined;
}

function isSameInput(a: EventInput, b: EventInput): boolean {
  return isDeepStrictEqual(a["tool_input"], b["tool_input"]) && a["prompt"] === b["prompt"];
}

function tookMs({ outcomes }: FirstLook): (hook: string) => number {
  const durations = new Map(outcomes.map(({ hook, durationMs }) => [hook.id, durationMs]));
  return (hook) => durations.get(hook) ?? 0;
}

/** Gives of an outcome what counts: all that a hook says beside a denial or a question, and nothing of the others. What was reported is not said again. */
function reviser({ event, input }: Firing, first: FirstLook): (outcome: Outcome) => Outcome {
  const reported = new Set(first.outcomes.flatMap(({ diagnostics }) => diagnostics.map(keyOf)));
  return (outcome) => {
    const { hook, effects, diagnostics } = outcome;
    const isStricter = effects.some((effect) => isNoOrQuestion(EVENTS[event], effect));
    // In a sequence every hook starts from what the others made of it; that it would do so again is no news.
    const refused = hook.sequence === undefined && effects.some((effect) => isOtherRewrite(input, effect));
    return {
      ...outcome,
      isAgain: true,
      // A second look never lets more happen, or something else.
      effects: isStricter ? effects.filter((effect) => effectRow(effect).loosens === null) : [],
      diagnostics: [...diagnostics.filter((one) => !reported.has(keyOf(one))), ...(refused ? [refusedRewrite(outcome)] : [])],
    };
  };
}

function isNoOrQuestion(row: EventRow, effect: Effect): boolean {
  return effect.type === "halt" || effect.type === "continueTurn" || STRICTNESS[decisionOf(row, effect)] > STRICTNESS.allow;
}

/** A hook that finds its own work done says the same again; that is no second rewrite. */
function isOtherRewrite({ tool_input, prompt }: EventInput, effect: Effect): boolean {
  if (effect.type === "rewriteInput") return !isDeepStrictEqual(effect.input, tool_input);
  return effect.type === "rewritePrompt" && effect.prompt !== prompt;
}

function keyOf({ code, hook, text }: Diagnostic): string {
  return `${code} ${hook} ${text}`;
}

function refusedRewrite({ hook }: Outcome): Diagnostic {
  const text = `hook "${hook.name}" would rewrite an input again that was already rewritten; only the first rewrite counts. Let it leave its own result as it is. This is said once in a session.`;
  return { code: "HL_LOOP_REWRITE_REFUSED", level: "notice", text, place: hook.place, hook: hook.id };
}
