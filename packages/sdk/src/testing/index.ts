import { declarations } from "../hook/declarations.ts";

// Whoever imports this file calls hooks itself: importing a hook file beside it must not start it.
Object.assign(declarations(), { isHosted: true, isLogOff: true, isTested: true });

export type { Diagnostic, FailureOptions, HookAnswer, RawAnswer } from "./answer.ts";
export { callHook } from "./call-hook.ts";
export { readAnswer } from "./read-answer.ts";
export { type RunHookFileOptions, runHookFile } from "./run-hook-file.ts";
export { sampleInput } from "./sample-input.ts";
