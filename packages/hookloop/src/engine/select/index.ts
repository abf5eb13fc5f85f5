export { checkSpellings, createPlanner, type Planner } from "./create-planner.ts";
export type { EventPlans } from "./event-plans.ts";
export { queryOf } from "./query-of.ts";
export { selectHooks } from "./select-hooks.ts";
export type { Plan, PlannerOptions, Seat, SelectedHook } from "./types.ts";
