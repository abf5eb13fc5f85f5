import { userInfo } from "node:os";
import { shown } from "../check-options.ts";
import type { RegisteredHook } from "../config/index.ts";
import type { Diagnostic } from "../diagnostic.ts";
import { type PinnedHook, sourceFile } from "./judge-hook.ts";
import { sealedRecord, type TrustDecision, type TrustRecord } from "./store/seal-record.ts";
import type { TrustStore } from "./store/trust-store.ts";
import type { Approval, PendingHook, RefusalReason, RunTrust, TrustStatus } from "./types.ts";

interface ReviewOptions {
  readonly statuses: ReadonlyMap<RegisteredHook, TrustStatus>;
  readonly review: NonNullable<RunTrust["review"]>;
  readonly store: TrustStore;
  readonly report: (diagnostic: Diagnostic) => void;
  /** Looks at a hook anew. */
  readonly pin: (hook: RegisteredHook) => PinnedHook;
}

const ASKED: readonly RefusalReason[] = ["untrusted", "changed", "unknown", "removed"];

/** Whether an approval could let the hook run, or accept that it was removed. */
export function isPending(status: TrustStatus): status is PendingHook {
  const reason = status.refusal?.reason;
  return status.pins !== undefined && status.digest !== undefined && reason !== undefined && ASKED.includes(reason);
}

/** Asks the user about the hooks that are not approved. Gives those that the answer changes; without an answer a hook is refused. */
export async function reviewHooks(options: ReviewOptions): Promise<readonly TrustStatus[]> {
  const pending = [...options.statuses.values()].filter(isPending);
  if (pending.length === 0) return [];
  const answers = await ask(options, pending);
  const decisions = pending.flatMap((status) => {
    const answer = answers.find(({ id }) => id === status.hook.id);
    return answer ? decide(options, status, answer) : [];
  });
  try {
    await remember(options.store, decisions);
  } catch (thrown) {
    const text = `The answers hold for this session only: ${thrown instanceof Error ? thrown.message : String(thrown)}`;
    options.report({ code: "HL_TRUST_STORE_WRITE", level: "warning", text });
  }
  return decisions.map(statusAfter);
}

async function ask({ review, report }: ReviewOptions, pending: readonly PendingHook[]): Promise<readonly Approval[]> {
  try {
    const answers: unknown = await review(pending);
    if (!Array.isArray(answers)) throw new TypeError(`review gave ${shown(answers)}. Return a list of { id, digest, decision }`);
    return answers.filter((answer): answer is Approval => {
      const problem = answerProblem(answer, pending);
      if (problem !== undefined)
        report({ code: "HL_TRUST_REVIEW_FAILED", level: "error", text: `An answer of the review does not count: ${problem}` });
      return problem === undefined;
    });
  } catch (thrown) {
    // SECURITY: a question that failed was not answered with yes.
    const text = `The review failed, so nothing was approved: ${thrown instanceof Error ? thrown.message : String(thrown)}`;
    report({ code: "HL_TRUST_REVIEW_FAILED", level: "error", text });
    return [];
  }
}

/** SECURITY: what is no clear answer approves nothing. */
function answerProblem(answer: unknown, pending: readonly PendingHook[]): string | undefined {
  const { id, digest, decision } = (answer ?? {}) as Partial<Record<keyof Approval, unknown>>;
  if (typeof id !== "string")
    return `it is ${shown(answer)}, without an "id". Return { id: pending.hook.id, digest: pending.digest, decision } for each of the list that review gets`;
  if (!pending.some(({ hook }) => hook.id === id)) return `no hook that waits for review has the id ${shown(id)}`;
  if (typeof digest !== "string") return `it has no digest for ${shown(id)}. Return the digest that was shown`;
  if (decision !== undefined && decision !== "approve" && decision !== "refuse")
    return `decision of ${shown(id)} is ${shown(decision)}. Write "approve" or "refuse"`;
  return undefined;
}

/** SECURITY: the word counts for what was shown. What is there now must still be that, byte for byte. */
function decide({ pin, report }: ReviewOptions, shown: PendingHook, { digest, decision = "approve" }: Approval): readonly Remembered[] {
  // What was removed is not there to be looked at. Only a yes means something: that it is gone is all right.
  if (shown.isAbsent)
    return digest === shown.digest && decision === "approve" ? [{ status: shown, verdict: "approved", how: "review" }] : [];
  const { pins } = pin(shown.hook);
  if (digest === shown.digest && pins.digest === shown.digest)
    return [{ status: { ...shown, pins }, verdict: decision === "refuse" ? "refused" : "approved", how: "review" }];
  const text = `"${shown.hook.name}" has changed since it was shown, so the approval does not count. Review it again.`;
  report({ code: "HL_TRUST_APPROVAL_STALE", level: "error", text, place: shown.hook.place, hook: shown.hook.id });
  return [];
}

function statusAfter({ status, verdict }: Remembered): TrustStatus {
  const { hook, digest, pins, isAbsent } = status;
  if (isAbsent) return { hook, digest, pins, state: "removed", isAbsent };
  if (verdict === "refused")
    return { hook, digest, pins, state: "refused", refusal: { reason: "refused", text: `"${hook.name}" was refused and does not run.` } };
  return { hook, digest, pins, state: pins.unresolved.length > 0 ? "definition-only" : "trusted", isApproved: true };
}

interface Remembered {
  readonly status: PendingHook;
  readonly verdict: TrustDecision["verdict"];
  readonly how: TrustDecision["how"];
}

/** Writes decisions into the store, all or none. Throws if it cannot be written. */
export async function remember(store: TrustStore, decisions: readonly Remembered[]): Promise<void> {
  if (decisions.length === 0) return;
  await store.update((records) => {
    for (const { status, verdict, how } of decisions) {
      const { before, digest } = status;
      if (status.isAbsent) {
        records.delete(digest);
        continue;
      }
      // What was approved before is approved no longer: going back to it is a change like any other. But what a hook of the user may do in
      // one project takes nothing from the others.
      const isElsewhere = before?.definition.source["project"] !== status.pins.record.source["project"];
      if (verdict === "approved" && before && !isElsewhere) records.delete(before.digest);
      const record = { ...recordOf(status), decision: decisionOf(verdict, how), ...(before && { previous: withoutPrevious(before) }) };
      records.set(digest, sealedRecord(record));
    }
  });
  for (const { status, verdict } of decisions)
    if (verdict === "approved" && !status.isAbsent) for (const [sha256, text] of status.pins.texts) store.keepText(sha256, text);
}

function recordOf({ hook, digest, pins }: PendingHook): Omit<TrustRecord, "decision" | "previous"> {
  return { digest, id: hook.id, name: hook.name, file: sourceFile(hook), definition: pins.record, unresolved: pins.unresolved };
}

function decisionOf(verdict: TrustDecision["verdict"], how: TrustDecision["how"]): TrustDecision {
  return { verdict, by: accountName(), at: new Date().toISOString(), how };
}

function withoutPrevious({ previous: _previous, ...record }: TrustRecord): Omit<TrustRecord, "previous"> {
  return record;
}

function accountName(): string {
  try {
    return userInfo().username;
  } catch {
    // An account without an entry (a container's bare uid): the number is all there is.
    return String(process.getuid?.() ?? "unknown");
  }
}
