import { userInfo } from "node:os";
import { sourceFile } from "./find-before.ts";
import { sealedRecord, type TrustDecision, type TrustRecord, type TrustStore } from "./store/index.ts";
import type { PendingHook } from "./types.ts";

export interface Remembered {
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
