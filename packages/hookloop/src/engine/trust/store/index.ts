export { withLock } from "./lock.ts";
export { sealedRecord, sealRecord, sealText } from "./seal-record.ts";
export { OF_AGENT, TrustStore } from "./trust-store.ts";
export type { Processes, TrustDecision, TrustRecord, TrustRecords } from "./types.ts";
