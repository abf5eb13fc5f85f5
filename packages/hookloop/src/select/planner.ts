/**
 * Takes admitted hooks. Gives, per event and match query, the hooks that may run, compiled once and remembered.
 * Refuses nothing: what a matcher cannot decide in time counts as a match and is reported.
 */

import type { EventName } from "@hookloop/sdk";
import { EVENT_NAMES, EVENTS } from "../catalogue/index.ts";
import { groupBy } from "../check-options.ts";
import { dropDuplicates } from "../config/index.ts";
import { readingOf, type ShellReading } from "../shell/index.ts";
import type { AdmittedHook } from "../trust/index.ts";
import { EMPTY_PLAN, EventPlans, queryOf } from "./event-plans.ts";
import type { EventInput, Plan, PlannerOptions, SelectedHook } from "./matcher.ts";

export interface Planner {
  open(): ReadonlyMap<EventName, EventPlans>;
  /** Whether any hook could run for the event. */
  has(event: EventName): boolean;
  /** The hooks whose matcher fits. `query` is the value that they are compared with; an empty one fits every matcher. */
  plan(event: EventName, query: string): Plan;
  /** `plan` for the query that this input holds; looks at the input only if the event has hooks. */
  planFor(event: EventName, input: EventInput): Plan;
  /** All hooks of the event, in the order of plans, whatever their matcher says. */
  selectable(event: EventName): readonly AdmittedHook[];
}

/** Plans for one snapshot of hooks, given in registry order; make a new planner when they change. Making one costs nothing yet. */
export function createPlanner(hooks: readonly AdmittedHook[], options: PlannerOptions = {}): Planner {
  let opened: ReadonlyMap<EventName, EventPlans> | undefined;
  const open = (): ReadonlyMap<EventName, EventPlans> => {
    opened ??= openPlans(hooks, options);
    return opened;
  };
  return {
    open,
    plan: (event, query) => open().get(event)?.plan(query) ?? EMPTY_PLAN,
    planFor: (event, input) => open().get(event)?.planFor(input) ?? EMPTY_PLAN,
    has: (event) => (open().get(event)?.hooks.length ?? 0) > 0,
    selectable: (event) => open().get(event)?.hooks ?? [],
  };
}

/** Says now what a call of one of the agent's own tools would make it say: which hooks mean the tool, but in another spelling. */
export function checkSpellings({ plan, has }: Planner, events: readonly EventName[], tools: readonly string[]): void {
  for (const event of events)
    if (EVENTS[event].matcher?.isTool && tools.length > 0 && has(event)) for (const tool of tools) plan(event, tool);
}

function openPlans(hooks: readonly AdmittedHook[], options: PlannerOptions): ReadonlyMap<EventName, EventPlans> {
  const selectable = hooks.filter((hook) => canRun(hook) && !hook.setting);
  const groups = groupBy(selectable, ({ event }) => event);
  return new Map(EVENT_NAMES.map((event) => [event, new EventPlans(event, inPlanOrder(groups.get(event) ?? []), options)]));
}

/** A condition is about a tool call: on any other event the hook never runs, unless it says that without its answer nothing happens. */
function canRun(hook: AdmittedHook): boolean {
  return hook.condition === undefined || EVENTS[hook.event].matcher?.isTool === true || hook.onFailure === "block";
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

/** The hooks of a plan that run for this input: their condition holds, they live where it happens, and each runs once. `spent`: ids of hooks that run no more. */
export function selectHooks(plan: Plan, input: EventInput, spent: ReadonlySet<string> = NONE): readonly SelectedHook[] {
  if (plan.isFixed) return plan.selected;
  // A reader of its own for each firing: what else is looked up for its conditions is kept with it.
  const read = (command: string): ShellReading => readingOf(command);
  const fitting = plan.selected.filter(({ hook }, position) => {
    if (hook.source.agentId !== undefined && hook.source.agentId !== input["agent_id"]) return false;
    // SECURITY: before copies are compared: one that had its turn must not stand in for one that has not.
    if (hook.once && spent.has(hook.id)) return false;
    return plan.conditions[position]?.matches(input, read) ?? true;
  });
  return dropDuplicates(fitting.map(({ hook }) => hook));
}

const NONE: ReadonlySet<string> = new Set();

/** What `selectHooks` chose, and from what. */
export interface Choice {
  readonly hooks: readonly AdmittedHook[];
  readonly plan: Plan;
  readonly selected: readonly SelectedHook[];
}

/** A hook of the event that does not run for an input. */
export interface NotMatched {
  readonly hook: string;
  readonly name: string;
  readonly why: "matcher" | "condition" | "agent" | "once" | "duplicate";
  /** For people. */
  readonly text: string;
}

/** Why the other hooks of the event were not chosen. */
export function notMatched(event: EventName, input: EventInput, { hooks, plan, selected }: Choice): readonly NotMatched[] {
  const chosen = new Set(selected.map(({ hook }) => hook.id));
  const copied = new Set(selected.flatMap(({ copies = [] }) => copies));
  const fitting = new Set(plan.hooks);
  const query = queryOf(event, input);
  return hooks.flatMap((hook): readonly NotMatched[] => {
    if (chosen.has(hook.id)) return [];
    const of = (why: NotMatched["why"], text: string): readonly NotMatched[] => [{ hook: hook.id, name: hook.name, why, text }];
    if (copied.has(hook)) return of("duplicate", "the same hook runs already");
    if (!fitting.has(hook)) return of("matcher", `the matcher ${matcherText(hook)} does not match "${query}"`);
    if (hook.source.agentId !== undefined && hook.source.agentId !== input["agent_id"]) return of("agent", "it belongs to another agent");
    if (hook.condition === undefined) return of("once", "it runs once in a session, and has run");
    return of("condition", `the condition "${hook.condition}" does not match`);
  });
}

function matcherText({ matcher, names }: AdmittedHook): string {
  return names ? names.map((name) => `"${name}"`).join(", ") : `"${matcher ?? ""}"`;
}
