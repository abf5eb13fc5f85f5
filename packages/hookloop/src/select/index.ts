export { EventPlans, queryOf } from "./event-plans.ts";
export type { Plan, PlannerOptions, SelectedHook } from "./matcher.ts";
export { type Choice, checkSpellings, createPlanner, type NotMatched, notMatched, type Planner, selectHooks } from "./planner.ts";
export { deadServerMatchers, type ServerTools } from "./server-matchers.ts";
