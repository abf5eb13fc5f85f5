import { EVENTS } from "../catalogue/index.ts";
import type { Diagnostic } from "../diagnostic.ts";
import { type Merged, mergeOutcomes, type Verdict } from "./merge/index.ts";
import { runHooks } from "./run-hooks.ts";
import { selectHooks } from "./select/index.ts";
import type { Firing, Session } from "./session.ts";

/** A guard judged the input before it was rewritten, so every guard judges the new one once more. A second rewrite is refused. */
export async function recheckRewrite(session: Session, firing: Firing, merged: Merged): Promise<Merged> {
  const { verdict } = merged;
  if (verdict.updatedInput === undefined || verdict.decision === "deny") return merged;
  const { event } = firing;
  const input = { ...firing.input, tool_input: verdict.updatedInput };
  const plan = session.planner.planFor(event, input);
  const guards = selectHooks(plan, input).filter(({ hook }) => hook.isGuard);
  if (guards.length === 0) return merged;
  const outcomes = await runHooks(session, { ...firing, input }, guards);
  const again = mergeOutcomes({ event, row: EVENTS[event], outcomes });
  return {
    verdict: joined(verdict, again.verdict),
    diagnostics: [...merged.diagnostics, ...again.diagnostics, ...refusedRewrites(again.verdict)],
  };
}

/** The first verdict, tightened by what the guards say of the new input. */
function joined(first: Verdict, second: Verdict): Verdict {
  const isTighter = second.decision === "deny" || (second.decision === "ask" && first.decision !== "defer");
  return {
    ...first,
    ...(isTighter && { decision: second.decision, reasons: second.reasons }),
    updatedInput: second.decision === "deny" ? undefined : first.updatedInput,
    halt: first.halt ?? second.halt,
    outcomes: [...first.outcomes, ...second.outcomes],
  };
}

function refusedRewrites(verdict: Verdict): readonly Diagnostic[] {
  if (verdict.updatedInput === undefined) return [];
  const text =
    "A guard rewrote an input that was already rewritten; the second rewrite is not used. Let one hook rewrite, or make the group sequential.";
  return [{ code: "HL_LOOP_REWRITE_REFUSED", level: "warning", text }];
}
