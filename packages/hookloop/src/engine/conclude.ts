import { EVENTS } from "../catalogue/index.ts";
import { cannotJudge } from "./cannot-judge.ts";
import type { Outcome } from "./interpret/index.ts";
import { type Merged, mergeOutcomes, spillVerdict, type Verdict } from "./merge/index.ts";
import { judgeRewrite, needsRecheck, recheckRewrite } from "./recheck-rewrite.ts";
import type { Firing, Session } from "./session.ts";
import { tellStep } from "./tell-step.ts";

/** Every outcome of a firing becomes its verdict; a plain value unless hooks must judge a rewritten input once more. */
export function conclude(session: Session, firing: Firing, outcomes: readonly Outcome[]): Verdict | Promise<Verdict> {
  const { event } = firing;
  const merged = mergeOutcomes({ event, row: EVENTS[event], outcomes });
  if (!needsRecheck(firing, merged)) return tell(session, firing, merged);
  // SECURITY: a rewrite that could not be judged does not pass, whoever called.
  return recheckRewrite(session, firing, merged).then(
    (checked) => tell(session, firing, checked),
    (thrown: unknown) => cannotJudge(session, event, thrown),
  );
}

/** The verdict on an input that was rewritten elsewhere. */
export async function concludeRewrite(session: Session, firing: Firing): Promise<Verdict> {
  return tell(session, firing, { verdict: await judgeRewrite(session, firing), diagnostics: [] });
}

/** Texts too long for the model go to a file; then everybody who listens is told. */
function tell(session: Session, { event, options }: Firing, { verdict: whole, diagnostics }: Merged): Verdict {
  for (const diagnostic of diagnostics) session.report(diagnostic);
  const verdict = session.spill ? spilled(session, whole) : whole;
  session.record?.({ event, step: "verdict", decision: verdict.decision, reasons: verdict.reasons, halt: verdict.halt });
  tellStep(session, options, { type: "verdict", verdict });
  return verdict;
}

function spilled(session: Session, whole: Verdict): Verdict {
  const { verdict, problems } = spillVerdict(whole, session.spill as NonNullable<Session["spill"]>);
  for (const text of problems) session.report({ code: "HL_MERGE_SPILL_FAILED", level: "warning", text });
  return verdict;
}
