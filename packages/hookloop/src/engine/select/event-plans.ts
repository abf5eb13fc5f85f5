import type { EventName } from "@hookloop/sdk";
import { EVENTS, type Matcher } from "../../catalogue/index.ts";
import type { DialectName } from "../../config/index.ts";
import type { AdmittedHook } from "../../trust/index.ts";
import { buildPlan, EMPTY_PLAN } from "./build-plan.ts";
import { compileCondition } from "./condition/compile-condition.ts";
import { indexMatchers, lookUp, type MatcherIndex } from "./matcher/matcher-index.ts";
import { queryIn } from "./query-of.ts";
import { createSpellings, type Spellings, spelledCondition } from "./spellings.ts";
import type { CompiledCondition, EventInput, Plan, PlannerOptions } from "./types.ts";

/** Queries are names that a model or server made up: what is remembered of them is bounded. */
const MAX_PLANS = 4096;
const MAX_REMEMBERED_QUERY = 1024;

/** The plans of one event. */
export class EventPlans {
  /** In the order of plans. */
  readonly hooks: readonly AdmittedHook[];
  readonly #row: Matcher | null;
  /** Reading a field whose name is written here takes 2 ns, one whose name is not 15 ns; tool calls fire most. */
  readonly #isToolCall: boolean;
  readonly #plans = new Map<string, Plan>();
  readonly #makePlan: (query: string) => Plan;
  /** Hears of the first event for each plan. */
  onNewPlan: (plan: Plan, input: EventInput) => void = () => {};
  #isNew = false;
  #lastQuery: string | undefined;
  #lastPlan: Plan = EMPTY_PLAN;

  /** Nothing is compiled before the first query: registering ten thousand hooks costs one list. */
  constructor(event: EventName, hooks: readonly AdmittedHook[], options: PlannerOptions) {
    this.hooks = hooks;
    this.#row = EVENTS[event].matcher;
    this.#isToolCall = this.#row?.field === "tool_name" && !this.#row.basename;
    this.#makePlan = planMaker(event, hooks, options);
  }

  planFor(input: EventInput): Plan {
    if (this.hooks.length === 0) return EMPTY_PLAN;
    if (!this.#isToolCall) return this.plan(queryIn(this.#row, input));
    const { tool_name: name } = input as { readonly tool_name?: unknown };
    const plan = this.plan(typeof name === "string" ? name : "");
    if (this.#isNew) this.#tellNew(plan, input);
    return plan;
  }

  #tellNew(plan: Plan, input: EventInput): void {
    this.#isNew = false;
    this.onNewPlan(plan, input);
  }

  plan(query: string): Plan {
    // Agents use the same tool many times in a row, and comparing is cheaper than looking up.
    return query === this.#lastQuery ? this.#lastPlan : this.#otherPlan(query);
  }

  #otherPlan(query: string): Plan {
    const known = this.#plans.get(query);
    const found = known ?? this.#makePlan(query);
    this.#isNew ||= !known;
    if (query.length > MAX_REMEMBERED_QUERY) return found;
    if (!known) remember(this.#plans, query, found);
    this.#lastQuery = query;
    this.#lastPlan = found;
    return found;
  }
}

function remember(plans: Map<string, Plan>, query: string, plan: Plan): void {
  const oldest = plans.size >= MAX_PLANS ? plans.keys().next().value : undefined;
  if (oldest !== undefined) plans.delete(oldest);
  plans.set(query, plan);
}

function planMaker(event: EventName, hooks: readonly AdmittedHook[], options: PlannerOptions): (query: string) => Plan {
  const row = EVENTS[event].matcher;
  // Where there is no call to compare, a condition says nothing.
  const conditionOf = row?.isTool ? conditionCompiler(options) : () => undefined;
  let indexes: ReadonlyMap<DialectName, MatcherIndex> | undefined;
  let spellings: Spellings | undefined;
  const lookUpAll = (query: string, found: ReadonlyMap<DialectName, MatcherIndex>): ReadonlySet<number> => {
    const fitting = new Set<number>();
    for (const [dialect, index] of found) {
      const { positions, timedOut } = lookUp(index, row?.isTool && options.nameOf ? options.nameOf(dialect, query) : query);
      for (const position of positions) if (hooks[position]?.fits?.(query) ?? true) fitting.add(position);
      for (const position of timedOut) reportTimeout(hooks[position], options);
    }
    return fitting;
  };
  return (query) => {
    if (row === null || query === "") return buildPlan(hooks, conditionOf, row !== null);
    indexes ??= indexByDialect(hooks, row);
    spellings ??= createSpellings(row, hooks, indexes, options);
    const found = indexes;
    const exact = lookUpAll(query, found);
    const loose = spellings.loosen(query, exact, (other) => lookUpAll(other, found));
    const { others } = loose;
    return buildPlan(
      hooks.filter((_, position) => exact.has(position) || loose.guards.has(position)),
      others.length === 0 ? conditionOf : (hook) => spelledCondition(hook, conditionOf(hook), others, options),
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
    const read = compileCondition(hook.condition, { root: hook.source.root, home });
    // SECURITY: what cannot be read must not switch a guard off, so it counts as a match.
    const isMatch = hook.onFailure === "block" && read.diagnostics.some(({ level }) => level === "error");
    const condition = isMatch ? { ...read, matches: () => true } : read;
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
