export { type Admission, type AdmitOptions, admitHooks, refusalDiagnostic, type Trust } from "./admit-hooks.ts";
export type { AdmittedHook, RefusalReason, RefusedHook } from "./types.ts";
