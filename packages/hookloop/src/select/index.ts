export { EventPlans, queryOf } from "./event-plans.ts";
export type { Plan, PlannerOptions, SelectedHook } from "./matcher.ts";
export {
  type Choice,
  checkSpellings,
  createPlanner,
  deadServerMatchers,
  type NotMatched,
  notMatched,
  type Planner,
  type ServerTools,
  selectHooks,
} from "./planner.ts";
