export { type Admission, admitHooks, refusalDiagnostic, type Trust } from "./admit-hooks.ts";
export type { AdmittedHook, RefusedHook } from "./types.ts";
