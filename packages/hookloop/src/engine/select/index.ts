export { createPlanner, type Planner } from "./create-planner.ts";
export type { EventPlans } from "./event-plans.ts";
export { queryOf } from "./query-of.ts";
export { selectHooks } from "./select-hooks.ts";
export type { Plan, Seat, SelectedHook } from "./types.ts";
