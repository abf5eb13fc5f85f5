import type { EventName } from "@hookloop/sdk";
import { EVENTS, type Matcher } from "../../catalogue/index.ts";
import type { DialectName } from "../config/types.ts";
import type { AdmittedHook } from "../trust/types.ts";
import { buildPlan, EMPTY_PLAN } from "./build-plan.ts";
import { compileCondition } from "./condition/compile-condition.ts";
import { indexMatchers, lookUp, type MatcherIndex } from "./matcher/matcher-index.ts";
import { queryIn } from "./query-of.ts";
import type { CompiledCondition, EventInput, Plan, PlannerOptions } from "./types.ts";

/** Queries are names that a model or server made up: what is remembered of them is bounded. */
const MAX_PLANS = 4096;
const MAX_REMEMBERED_QUERY = 1024;

/** The plans of one event. */
export interface EventPlans {
  readonly hooks: readonly AdmittedHook[];
  plan(query: string): Plan;
  planFor(input: EventInput): Plan;
}

/** Nothing is compiled before the first query: registering ten thousand hooks costs one list. */
export function openEventPlans(event: EventName, hooks: readonly AdmittedHook[], options: PlannerOptions): EventPlans {
  const plans = new Map<string, Plan>();
  const makePlan = planMaker(event, hooks, options);
  let lastQuery: string | undefined;
  let lastPlan: Plan = EMPTY_PLAN;
  const plan = (query: string): Plan => {
    // Agents use the same tool many times in a row, and comparing is cheaper than looking up.
    if (query === lastQuery) return lastPlan;
    const known = plans.get(query);
    const found = known ?? makePlan(query);
    if (query.length > MAX_REMEMBERED_QUERY) return found;
    if (!known) remember(plans, query, found);
    lastQuery = query;
    lastPlan = found;
    return found;
  };
  return { hooks, plan, planFor: planReader(EVENTS[event].matcher, plan) };
}

/** Reading a field whose name is written here takes 2 ns, one whose name is not 15 ns; tool calls fire most. */
function planReader(row: Matcher | null, plan: (query: string) => Plan): (input: EventInput) => Plan {
  if (row?.field !== "tool_name" || row.basename) return (input) => plan(queryIn(row, input));
  return ({ tool_name: name }: { readonly tool_name?: unknown }) => plan(typeof name === "string" ? name : "");
}

function remember(plans: Map<string, Plan>, query: string, plan: Plan): void {
  const oldest = plans.size >= MAX_PLANS ? plans.keys().next().value : undefined;
  if (oldest !== undefined) plans.delete(oldest);
  plans.set(query, plan);
}

function planMaker(event: EventName, hooks: readonly AdmittedHook[], options: PlannerOptions): (query: string) => Plan {
  const row = EVENTS[event].matcher;
  const conditionOf = conditionCompiler(options);
  let indexes: ReadonlyMap<DialectName, MatcherIndex> | undefined;
  return (query) => {
    if (row === null || query === "") return buildPlan(hooks, conditionOf);
    indexes ??= indexByDialect(hooks, row);
    const fitting = new Set<number>();
    for (const [dialect, index] of indexes) {
      const found = lookUp(index, row.isTool && options.nameOf ? options.nameOf(dialect, query) : query);
      for (const position of found.positions) fitting.add(position);
      for (const position of found.timedOut) reportTimeout(hooks[position], options);
    }
    return buildPlan(
      hooks.filter((_, position) => fitting.has(position)),
      conditionOf,
    );
  };
}

/** A query can have another name in each dialect, so each has its own index. */
function indexByDialect(hooks: readonly AdmittedHook[], row: Matcher): ReadonlyMap<DialectName, MatcherIndex> {
  const entries = new Map<DialectName, { matcher: string | undefined; position: number }[]>();
  hooks.forEach(({ matcher, source }, position) => {
    const group = entries.get(source.dialect);
    if (group) group.push({ matcher, position });
    else entries.set(source.dialect, [{ matcher, position }]);
  });
  return new Map([...entries].map(([dialect, group]) => [dialect, indexMatchers(group, row)]));
}

function conditionCompiler({ home, onDiagnostic }: PlannerOptions): (hook: AdmittedHook) => CompiledCondition | undefined {
  const compiled = new Map<AdmittedHook, CompiledCondition>();
  return (hook) => {
    if (hook.condition === undefined) return undefined;
    const known = compiled.get(hook);
    if (known) return known;
    const condition = compileCondition(hook.condition, { root: hook.source.root, home });
    compiled.set(hook, condition);
    for (const diagnostic of condition.diagnostics) onDiagnostic?.({ ...diagnostic, place: hook.place, hook: hook.id });
    return condition;
  };
}

function reportTimeout(hook: AdmittedHook | undefined, { onDiagnostic }: PlannerOptions): void {
  if (!hook) return;
  onDiagnostic?.({
    code: "HL_SELECT_REGEX_TIMEOUT",
    level: "warning",
    text: `The matcher "${hook.matcher}" is too long, or took too long to compare; it counts as a match, so the hook runs. Write it without repeating a group that repeats, for example "a+" for "(a+)+".`,
    place: hook.place,
    hook: hook.id,
  });
}
