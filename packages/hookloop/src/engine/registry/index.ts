export { dropDuplicates } from "./drop-duplicates.ts";
export { type RegisterOptions, type Registry, registerHooks } from "./register-hooks.ts";
export { SCOPES, scopeRank } from "./scope-rank.ts";
export type { Environment, SwitchedOff, SwitchState } from "./switch-state.ts";
export type { HookFunction, HookTarget, RegisteredHook, SequenceMode } from "./types.ts";
