/**
 * Takes admitted hooks. Gives, per event and match query, the hooks that may run, compiled once and remembered.
 * Refuses nothing: what a matcher cannot decide in time counts as a match and is reported.
 */
import type { EventName } from "@hookloop/sdk";
import { EVENTS } from "../../catalogue/index.ts";
import type { AdmittedHook } from "../trust/types.ts";
import { EMPTY_PLAN } from "./build-plan.ts";
import { type EventPlans, openEventPlans } from "./event-plans.ts";
import type { EventInput, Plan, PlannerOptions } from "./types.ts";

export interface Planner {
  /** Whether any hook could run for the event. */
  has(event: EventName): boolean;
  /** The hooks whose matcher fits. `query` as `queryOf` gives it; an empty one fits every matcher. */
  plan(event: EventName, query: string): Plan;
  /** `plan` for the query that this input holds; looks at the input only if the event has hooks. */
  planFor(event: EventName, input: EventInput): Plan;
  /** All hooks of the event, in the order of plans, whatever their matcher says. */
  selectable(event: EventName): readonly AdmittedHook[];
}

/** Plans for one snapshot of hooks, given in registry order; make a new planner when they change. Making one costs nothing yet. */
export function createPlanner(hooks: readonly AdmittedHook[], options: PlannerOptions = {}): Planner {
  let opened: ReadonlyMap<EventName, EventPlans> | undefined;
  const plansOf = (event: EventName): EventPlans | undefined => {
    opened ??= openPlans(hooks, options);
    return opened.get(event);
  };
  return {
    has: (event) => plansOf(event) !== undefined,
    plan: (event, query) => plansOf(event)?.plan(query) ?? EMPTY_PLAN,
    planFor: (event, input) => {
      const plans = plansOf(event);
      return plans === undefined ? EMPTY_PLAN : plans.planFor(input);
    },
    selectable: (event) => plansOf(event)?.hooks ?? [],
  };
}

function openPlans(hooks: readonly AdmittedHook[], options: PlannerOptions): ReadonlyMap<EventName, EventPlans> {
  return new Map([...groupByEvent(hooks)].map(([event, group]) => [event, openEventPlans(event, inPlanOrder(group), options)]));
}

function groupByEvent(hooks: readonly AdmittedHook[]): Map<EventName, AdmittedHook[]> {
  const groups = new Map<EventName, AdmittedHook[]>();
  for (const hook of hooks) {
    if (!canRun(hook)) continue;
    const group = groups.get(hook.event);
    if (group) group.push(hook);
    else groups.set(hook.event, [hook]);
  }
  return groups;
}

/** A condition is about a tool call: on any other event the hook never runs. */
function canRun(hook: AdmittedHook): boolean {
  return hook.condition === undefined || EVENTS[hook.event].matcher?.isTool === true;
}

/** Registry order; the places that functions hold are given to them by priority, then by registration. */
function inPlanOrder(hooks: readonly AdmittedHook[]): readonly AdmittedHook[] {
  const functions = hooks.filter(isFunction).sort((a, b) => b.priority - a.priority);
  let next = 0;
  return hooks.map((hook) => (isFunction(hook) ? (functions[next++] ?? hook) : hook));
}

function isFunction(hook: AdmittedHook): boolean {
  return hook.target.kind === "function";
}
