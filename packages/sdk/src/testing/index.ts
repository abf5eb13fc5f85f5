import { declarations } from "../hook/definition.ts";

export { type Diagnostic, type FailureOptions, type HookAnswer, type RawAnswer, readAnswer } from "./answer.ts";
export { callHook, sampleInput } from "./call-hook.ts";
export { type RunHookFileOptions, runHookFile } from "./run-hook-file.ts";

// Whoever imports this file calls hooks itself: importing a hook file beside it must not start it.
Object.assign(declarations(), { isHosted: true, isLogOff: true, isTested: true });
