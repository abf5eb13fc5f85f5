export { withLock } from "./lock.ts";
export { TrustStore } from "./trust-store.ts";
export type { Processes, TrustDecision, TrustRecord, TrustRecords } from "./types.ts";
