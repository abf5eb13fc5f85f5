export { createTeachingLoop, type TeachingLoop, type TeachingLoopOptions, type Triggered } from "./create-teaching-loop.ts";
export { type HookResultFields, hookResult } from "./hook-result.ts";
export type { TeachingCallback, TeachingEventName } from "./teaching-events.ts";
