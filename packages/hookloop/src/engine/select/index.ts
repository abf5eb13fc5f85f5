export { compileCondition } from "./condition/compile-condition.ts";
export { createPlanner, type Planner } from "./create-planner.ts";
export { compileMatcher } from "./matcher/compile-matcher.ts";
export { queryOf } from "./query-of.ts";
export { selectHooks } from "./select-hooks.ts";
export type { CompiledCondition, CompiledMatcher, EventInput, Plan, PlannerOptions, SelectedHook } from "./types.ts";
