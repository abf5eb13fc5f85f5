export { EventPlans, queryOf } from "./event-plans.ts";
export { checkSpellings, createPlanner, type Planner, selectHooks } from "./planner.ts";
export type { Plan, PlannerOptions, Seat, SelectedHook } from "./types.ts";
