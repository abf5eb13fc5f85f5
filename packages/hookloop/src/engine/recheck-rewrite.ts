import { EVENTS } from "../catalogue/index.ts";
import type { Diagnostic } from "../diagnostic.ts";
import { type Attributed, attributed, type Decision, type Merged, mergeOutcomes, STRICTNESS, type Verdict } from "./merge/index.ts";
import { runHooks } from "./run-hooks.ts";
import { selectHooks } from "./select/index.ts";
import type { EventInput, Firing, Session } from "./session.ts";

/** Whether there is something new to judge, and somebody to judge it. */
export function needsRecheck(session: Session, { event, input }: Firing, { verdict }: Merged): boolean {
  if (verdict.updatedInput === undefined && verdict.updatedPrompt === undefined) return false;
  return session.planner.planFor(event, input).hooks.some(({ isGuard }) => isGuard);
}

/** A guard judged the input before it was rewritten, so every guard judges the new one once more. A second rewrite is refused. */
export async function recheckRewrite(session: Session, firing: Firing, merged: Merged): Promise<Merged> {
  const { verdict } = merged;
  const { event } = firing;
  const input = rewritten(firing.input, verdict);
  const plan = session.planner.planFor(event, input);
  const guards = selectHooks(plan, input).filter(({ hook }) => hook.isGuard && !hook.isAsync);
  if (guards.length === 0) return merged;
  const outcomes = await runHooks(session, { ...firing, input }, guards);
  const again = mergeOutcomes({ event, row: EVENTS[event], outcomes });
  return {
    verdict: joined(verdict, again.verdict),
    diagnostics: [...merged.diagnostics, ...again.diagnostics, ...refusedRewrites(again.verdict)],
  };
}

function rewritten(input: EventInput, { updatedInput, updatedPrompt }: Verdict): EventInput {
  return { ...input, ...(updatedInput && { tool_input: updatedInput }), ...(updatedPrompt !== undefined && { prompt: updatedPrompt }) };
}

/** The first verdict, tightened by what the guards say of the new input; an allow of theirs loosens nothing. */
function joined(first: Verdict, second: Verdict): Verdict {
  const decision = tighter(first.decision, second.decision);
  const isDenied = decision === "deny";
  const all = (list: "contexts" | "feedback" | "tells"): readonly Attributed[] => attributed([...first[list], ...second[list]]);
  return {
    ...first,
    decision,
    reasons: attributed([first, second].flatMap((one) => (one.decision === decision ? one.reasons : []))),
    halt: first.halt ?? second.halt,
    contexts: all("contexts"),
    feedback: all("feedback"),
    tells: all("tells"),
    updatedInput: isDenied ? undefined : first.updatedInput,
    updatedPrompt: isDenied ? undefined : first.updatedPrompt,
    permissionUpdates: decision === "allow" ? first.permissionUpdates : [],
    outcomes: [...first.outcomes, ...second.outcomes],
  };
}

function tighter(first: Decision, second: Decision): Decision {
  const isTighter = second !== "allow" && STRICTNESS[second] > STRICTNESS[first];
  return isTighter ? second : first;
}

function refusedRewrites({ updatedInput, updatedPrompt }: Verdict): readonly Diagnostic[] {
  if (updatedInput === undefined && updatedPrompt === undefined) return [];
  const text =
    "A guard rewrote an input that was already rewritten; the second rewrite is not used. Let one hook rewrite, or make the group sequential.";
  return [{ code: "HL_LOOP_REWRITE_REFUSED", level: "warning", text }];
}
