export { dropDuplicates } from "./drop-duplicates.ts";
export { registerHooks } from "./register-hooks.ts";

export type { SwitchState } from "./switch-state.ts";
export type { HookFunction, RegisteredHook, SequenceMode } from "./types.ts";
