export { createPlanner, type Planner } from "./create-planner.ts";

export { selectHooks } from "./select-hooks.ts";
export type { Plan, SelectedHook } from "./types.ts";
