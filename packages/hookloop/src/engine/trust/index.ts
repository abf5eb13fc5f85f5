export { type Admission, admitHooks, refusalDiagnostic } from "./admit-hooks.ts";
export { cannotStart } from "./cannot-start.ts";
export { approvedDiagnostic, openGate, type Statuses, type TrustGate } from "./open-gate.ts";
export { examineHook, type HookPins, moduleFolders } from "./pin/index.ts";
export { remember } from "./remember.ts";
export { isPending } from "./review-hooks.ts";
export { OF_AGENT, type Processes, sealRecord, sealText, TrustStore, withLock } from "./store/index.ts";
export type { AdmittedHook, Approval, PendingHook, RefusedHook, RunTrust, Trust, TrustStatus, Withheld } from "./types.ts";
export { type Concern, isGate } from "./withhold.ts";
