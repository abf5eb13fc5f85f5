export {
  createTeachingLoop,
  type HookResultFields,
  hookResult,
  type TeachingCallback,
  type TeachingEventName,
  type TeachingLoop,
  type TeachingLoopOptions,
  type Triggered,
} from "../compat/teaching-loop.ts";
