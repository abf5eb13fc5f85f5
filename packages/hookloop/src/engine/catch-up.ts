/** What a session refused may be approved while it runs, in another terminal, or be again what was approved: then it counts from that moment. */

import { type RegisteredHook, scopeRank } from "../config/index.ts";
import type { Diagnostic } from "../diagnostic.ts";
import { visibleLine } from "../diagnostic.ts";
import { type Admission, type AdmittedHook, approvedDiagnostic, type RefusedHook, type Statuses, type TrustGate } from "../trust/index.ts";

export interface CatchUpParts {
  readonly gate: TrustGate;
  /** Admits by these statuses and the session's switches; withholds nothing. */
  readonly readmit: (hooks: readonly RegisteredHook[], statuses: Statuses) => Admission;
  readonly report: (diagnostic: Diagnostic) => void;
}

/** The admission as it is by now; the same object if nothing is different. */
export function catchUp(admission: Admission, { gate, readmit, report }: CatchUpParts): Admission {
  if (admission.refused.length === 0) return admission;
  const freed: AdmittedHook[] = [];
  const withheld = admission.withheld.filter((stand) => {
    const now = stand.withheld && gate.reconsider(stand.withheld);
    if (now !== undefined && now !== "gone") freed.push(now);
    return now === undefined;
  });
  const isShut = ({ hook, blocks }: RefusedHook): boolean => blocks === true && withheld.some(({ id }) => id === hook.id);
  const isFreed = ({ hook }: RefusedHook): boolean => freed.some(({ id }) => id === hook.id);
  // SECURITY: a gate that is in no file any more is not looked at: it must not come back to life from the record of its approval.
  const isAbsent = ({ hook, blocks }: RefusedHook): boolean =>
    blocks === true && !admission.withheld.some(({ id, withheld: one }) => id === hook.id && one?.of);
  const others = admission.refused.filter((one) => BY_TRUST.has(one.reason) && !isShut(one) && !isFreed(one) && !isAbsent(one));
  const again = readmit(
    others.map(({ hook }) => hook),
    gate.lookAgain(others.map(({ hook }) => hook)),
  );
  if (withheld.length === admission.withheld.length && again.admitted.length === 0) return admission;
  const admitted = [...freed, ...again.admitted];
  for (const hook of admitted) report(approvedDiagnostic(hook));
  const left = admission.refused.filter((one) => !admitted.some(({ id }) => id === one.hook.id));
  const refused = left.flatMap((one) => (one.blocks && !isShut(one) ? letGo(one, again, report) : one));
  return { admitted: inOrder([...admission.admitted, ...admitted]), refused, withheld };
}

/** Not by a switch: the store can change it. */
const BY_TRUST: ReadonlySet<RefusedHook["reason"]> = new Set(["untrusted", "changed", "refused", "unknown", "not-pinned", "wrong-pin"]);

/** It blocks no longer. If it still stands in a file, it is refused like any other hook that is not approved. */
function letGo(
  { hook, blocks: _blocks, ...refusal }: RefusedHook,
  again: Admission,
  report: CatchUpParts["report"],
): readonly RefusedHook[] {
  const text = `The ${hook.source.scope} gate "${visibleLine(hook.name)}" no longer blocks: its approval was taken back, its removal was accepted, or what switches it off was approved.`;
  report({ code: "HL_TRUST_APPROVED_MEANWHILE", level: "notice", text, place: hook.place, hook: hook.id });
  return refusal.reason === "disabled" ? [{ hook, ...refusal }] : again.refused.filter((one) => one.hook.id === hook.id);
}

/** As the registry orders them: plans go by it. */
export function inOrder(hooks: readonly AdmittedHook[]): readonly AdmittedHook[] {
  return hooks.toSorted((a, b) => scopeRank(a.source.scope) - scopeRank(b.source.scope));
}
