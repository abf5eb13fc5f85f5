export { canonicalJson } from "./canonical-json.ts";
export { DIALECT_DEFAULTS } from "./dialect-defaults.ts";
export { dropDuplicates } from "./drop-duplicates.ts";
export { directionAt, NO_QUESTION } from "./failure-direction.ts";
export type { HttpPolicy } from "./http/http-policy.ts";
export { type Registry, registerHooks } from "./register-hooks.ts";
export { scopeRank } from "./scope-rank.ts";
export { BELOW_USER, disabledNames, type SwitchState } from "./switch-state.ts";
export { type HookFunction, IS_ANSWER, type RegisteredHook, type SequenceMode } from "./types.ts";
