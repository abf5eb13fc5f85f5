import type { EventName } from "@hookloop/sdk";
import { calledElsewhere, EVENTS, innerName, type Matcher, TOOL_NAMES } from "../catalogue/index.ts";
import { groupBy } from "../check-options.ts";
import { dropDuplicates } from "../config/index.ts";
import { type Diagnostic, visibleLine } from "../diagnostic.ts";
import {
  callFacts,
  compileCall,
  compileToolName,
  isKnownTool,
  type PathAnchors,
  parseRule,
  rememberedTarget,
  serverSpellings,
  severalRules,
  spellingOf,
  toolHint,
} from "../permissions/index.ts";
import type { ShellReading } from "../shell/index.ts";
import type { AdmittedHook } from "../trust/index.ts";
import {
  type CompiledCondition,
  type EventInput,
  indexMatchers,
  lookUp,
  type MatcherIndex,
  type Plan,
  type PlannerOptions,
} from "./matcher.ts";

/** The plan when nothing can run. */
export const EMPTY_PLAN: Plan = Object.freeze({
  hooks: Object.freeze([]),
  selected: Object.freeze([]),
  conditions: Object.freeze([]),
  isFixed: true,
  lacksQuery: false,
  isInternal: false,
  hasGuards: false,
});

/** Arranges hooks that fit one query. Where nothing depends on the input, duplicates are left out here, for good. */
function buildPlan(
  fitting: readonly AdmittedHook[],
  conditionOf: (hook: AdmittedHook) => CompiledCondition | undefined,
  lacksQuery = false,
): Plan {
  const selected = fitting.every(alwaysRuns) ? dropDuplicates(fitting) : fitting.map((hook) => ({ hook }));
  const hooks = selected.map(({ hook }) => hook);
  if (hooks.length === 0) return EMPTY_PLAN;
  return {
    hooks,
    selected,
    conditions: hooks.map(conditionOf),
    isFixed: hooks.every(alwaysRuns) && !hasDuplicates(hooks),
    lacksQuery,
    isInternal: hooks.every(({ source }) => source.isInternal === true),
    hasGuards: hooks.some(({ isGuard, onFailure }) => isGuard || onFailure === "block"),
  };
}

function hasDuplicates(hooks: readonly AdmittedHook[]): boolean {
  const keys = hooks.flatMap(({ dedupKey }) => (dedupKey === undefined ? [] : [dedupKey]));
  return new Set(keys).size < keys.length;
}

function alwaysRuns({ condition, source, once }: AdmittedHook): boolean {
  return condition === undefined && source.agentId === undefined && source.sessionId === undefined && !once;
}

/** What the event was about, for people: the value that matchers are compared with, of a path its last part; empty if there is none. */
export function queryOf(event: EventName, input: EventInput): string {
  const row = EVENTS[event].matcher;
  const value = queryIn(row, input);
  return row?.basename ? value.slice(value.lastIndexOf("/") + 1) : value;
}

/** What matchers of this row are compared with; empty if the event has none, or the input does not say. */
function queryIn(row: Matcher | null, input: EventInput): string {
  const value = row === null ? undefined : input[row.field];
  return typeof value === "string" ? value : "";
}

interface ConditionAnchors extends PathAnchors {
  readonly root: string;
  /** Where the session started; the folder of the settings if left out. */
  readonly session?: string | undefined;
  /** Tools the agent has besides the known ones. */
  readonly tools?: readonly string[] | undefined;
}

/** A hook's `if`, ready to be asked. A rule that means nothing never matches, and says so. */
export function compileCondition(rule: string, anchors: ConditionAnchors = { root: process.cwd() }): CompiledCondition {
  const parsed = parseRule(rule);
  // Unlike deny rules, a condition names one tool: wildcards are for MCP tools only.
  if (!parsed || (parsed.tool.includes("*") && !parsed.tool.startsWith("mcp__")))
    return never(`The condition "${rule}" is not a permission rule. Write one tool, or a tool and what it is about: "Bash(git push *)".`);
  const several = severalRules(rule);
  if (several) return never(`The condition "${rule}" holds several rules, and takes one. ${severalCure(several)}`);
  const isTool = compileToolName(parsed.tool);
  const fits = compileCall(parsed, anchors, "condition");
  if (!fits)
    return never(
      `The condition "${rule}" can never match: ${parsed.tool} has nothing that "${parsed.spec}" could be compared with.${toolHint(parsed.tool)}`,
    );
  const matches = (input: EventInput, read?: (command: string) => ShellReading): boolean => {
    const tool = input["tool_name"];
    // SECURITY: a call whose tool is not known may be one that the hook guards against.
    if (typeof tool !== "string") return true;
    if (!isTool(tool)) return false;
    const { root, session = root } = anchors;
    const cwd = typeof input["cwd"] === "string" ? input["cwd"] : session;
    const target = read && targetFor(read, cwd);
    return fits(callFacts({ tool, input: input["tool_input"], cwd, root: session, home: anchors.home, read, target }));
  };
  return { matches, diagnostics: unknownTool(rule, parsed.tool, anchors.tools) };
}

function severalCure(rules: readonly string[]): string {
  return `Write a hook for each, with "if": ${rules
    .slice(0, 5)
    .map((one) => JSON.stringify(one))
    .join(", ")}.`;
}

type Read = (command: string) => ShellReading;
const targets = new WeakMap<Read, { readonly cwd: string; readonly target: CallTarget }>();
type CallTarget = ReturnType<typeof rememberedTarget>;

/** All conditions of a firing share `read`, and look at the same paths. */
function targetFor(read: Read, cwd: string): CallTarget {
  const known = targets.get(read);
  if (known?.cwd === cwd) return known.target;
  const target = rememberedTarget(cwd);
  targets.set(read, { cwd, target });
  return target;
}

function never(text: string): CompiledCondition {
  return { matches: () => false, diagnostics: [{ code: "HL_SELECT_CONDITION_INVALID", level: "error", text }] };
}

/** Only a warning: the agent may have tools of its own. */
function unknownTool(rule: string, tool: string, tools: readonly string[] = []): readonly Diagnostic[] {
  if (isKnownTool(tool, tools)) return [];
  const text = `The condition "${rule}" names a tool that is not known, "${tool}"; names are compared exactly.${toolHint(tool, tools)}`;
  return [{ code: "HL_SELECT_CONDITION_INVALID", level: "warning", text }];
}

/** Queries are names that a model or server made up: what is remembered of them is bounded. */
const MAX_PLANS = 4096;
const MAX_REMEMBERED_QUERY = 1024;

export class EventPlans {
  /** In the order of plans. */
  readonly hooks: readonly AdmittedHook[];
  readonly #row: Matcher | null;
  /** Reading a field whose name is written here takes 2 ns, one whose name is not 15 ns; tool calls fire most. */
  readonly #isToolCall: boolean;
  readonly #plans = new Map<string, Plan>();
  readonly #makePlan: (query: string) => Plan;
  readonly #onNewPlan: (plan: Plan, input: EventInput) => void;
  #isNew = false;
  #lastQuery: string | undefined;
  #lastPlan: Plan = EMPTY_PLAN;

  /** Nothing is compiled before the first query: registering ten thousand hooks costs one list. */
  constructor(event: EventName, hooks: readonly AdmittedHook[], options: PlannerOptions) {
    this.hooks = hooks;
    this.#row = EVENTS[event].matcher;
    this.#isToolCall = this.#row?.field === "tool_name" && !this.#row.basename;
    this.#makePlan = planMaker(event, hooks, options);
    this.#onNewPlan = (plan, input) => options.onNewPlan?.(event, plan, input);
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
    this.#onNewPlan(plan, input);
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
  let indexes: ReadonlyMap<string, MatcherIndex> | undefined;
  let spellings: Spellings | undefined;
  const lookUpAll = (query: string, found: ReadonlyMap<string, MatcherIndex>): ReadonlySet<number> => {
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
function indexByDialect(hooks: readonly AdmittedHook[], row: Matcher): ReadonlyMap<string, MatcherIndex> {
  const entries = hooks.map(({ matcher, source }, position) => ({ matcher, position, dialect: source.dialect }));
  return new Map([...groupBy(entries, ({ dialect }) => dialect)].map(([dialect, group]) => [dialect, indexMatchers(group, row)]));
}

function conditionCompiler({
  home,
  root: session,
  tools,
  onDiagnostic,
}: PlannerOptions): (hook: AdmittedHook) => CompiledCondition | undefined {
  const compiled = new Map<AdmittedHook, CompiledCondition>();
  return (hook) => {
    if (hook.condition === undefined) return undefined;
    const known = compiled.get(hook);
    if (known) return known;
    const { root, scope } = hook.source;
    const isOfProject = scope === "project" || scope === "local";
    const read = compileCondition(hook.condition, { root, home, session, tools, ...(isOfProject && { project: root }) });
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

interface Spellings {
  /** `exact`: positions of the hooks that match the query. `lookUp`: of those that match another name. */
  loosen(query: string, exact: ReadonlySet<number>, lookUp: (name: string) => ReadonlySet<number>): Loosened;
}

interface Loosened {
  /** Positions of the guards that run although only another spelling of the name matches. */
  readonly guards: ReadonlySet<number>;
  /** Other spellings of the name. */
  readonly others: readonly string[];
}

const NO_OTHERS: Loosened = { guards: new Set(), others: [] };
/** Names come from a model, too: what is said about them is bounded. */
const MOST_TOLD = 200;

/**
 * SECURITY: a guard whose matcher or `if` means the name of an event in another spelling runs as well: an agent that calls its shell `bash` has a
 * guard for `Bash`. Any other hook does not, as in Claude Code, where names are compared exactly. Both are said once.
 */
function createSpellings(
  row: Matcher,
  hooks: readonly AdmittedHook[],
  indexes: ReadonlyMap<string, MatcherIndex>,
  options: PlannerOptions,
): Spellings {
  // Names of files differ by their case.
  if (row.basename) return { loosen: () => NO_OTHERS };
  const { tools = [] } = options;
  const bySpelling = new Map<string, Set<string>>();
  const named = [...indexes.values()].flatMap(({ byName }) => [...byName.keys()]);
  for (const name of [...(row.isTool ? [...TOOL_NAMES, ...tools] : row.values), ...named]) {
    const plain = spellingOf(name);
    bySpelling.set(plain, (bySpelling.get(plain) ?? new Set()).add(name));
  }
  // Two tools that the agent itself lists are two tools.
  const isOther = (query: string, name: string): boolean => name !== query && !(tools.includes(query) && tools.includes(name));
  const othersOf = (query: string): readonly string[] => {
    const inner = row.isTool ? (bySpelling.get(spellingOf(innerName(query))) ?? []) : [];
    // Which tools a server has is not known: a pattern may be for any.
    const ofServer = row.isTool ? serverSpellings(query) : [];
    return [...new Set([...(bySpelling.get(spellingOf(query)) ?? []), ...inner, ...ofServer])].filter((name) => isOther(query, name));
  };
  return {
    loosen: (query, exact, lookUp) => {
      const missing = (name: string): readonly number[] => [...lookUp(name)].filter((position) => !exact.has(position));
      const elsewhere = row.isTool ? calledElsewhere(query) : undefined;
      const others = othersOf(query);
      if (elsewhere !== undefined && !others.includes(elsewhere))
        for (const position of missing(elsewhere)) tellAlias(hooks[position], { query, name: elsewhere }, options);
      if (others.length === 0) {
        tellUnknownValue(row, query, { hooks, exact, options });
        return NO_OTHERS;
      }
      const near = others.flatMap((name) => missing(name).map((position) => ({ position, name })));
      for (const { position, name } of near) tellSpelling(hooks[position], { query, name }, options);
      const guards = near.flatMap(({ position }) => (isGuard(hooks[position]) ? position : []));
      return { guards: new Set(guards), others };
    },
  };
}

/** A condition that also looks at other spellings of the tool's name. */
function spelledCondition(
  hook: AdmittedHook,
  condition: CompiledCondition | undefined,
  others: readonly string[],
  options: PlannerOptions,
): CompiledCondition | undefined {
  return (
    condition && {
      ...condition,
      matches: (input, read) => {
        if (condition.matches(input, read)) return true;
        const name = others.find((other) => condition.matches({ ...input, tool_name: other }, read));
        if (name === undefined) return false;
        tellSpelling(hook, { query: String(input["tool_name"]), name }, options);
        return isGuard(hook);
      },
    }
  );
}

/** SECURITY: a hook whose failure blocks must not be switched off by a capital letter. */
function isGuard(hook: AdmittedHook | undefined): boolean {
  if (hook === undefined || !(hook.isGuard || hook.onFailure === "block")) return false;
  const { role, blockEffect } = EVENTS[hook.event];
  return role === "gate" || blockEffect === "continueTurn";
}

interface Named {
  /** What the event came with. */
  readonly query: string;
  /** What the hook is for. */
  readonly name: string;
}

function tellSpelling(hook: AdmittedHook | undefined, { query, name }: Named, options: PlannerOptions): void {
  if (!hook) return;
  const field = EVENTS[hook.event].matcher?.field;
  const runs = isGuard(hook) ? "it is taken for the same, and the guard runs" : "it is not the same, and the hook does not run";
  const text = `The ${isGuard(hook) ? "guard" : "hook"} "${hook.name}" is for ${field} "${name}", and ${hook.event} has "${shortened(query)}": ${runs}. Write both in the same way.`;
  tell(hook, query, text, options);
}

function tellAlias(hook: AdmittedHook | undefined, { query, name }: Named, options: PlannerOptions): void {
  if (!hook) return;
  // Not every function has a matcher of its own.
  const cure =
    hook.source.scope === "code" ? `fire the event with "${name}", or name both for the hook` : `add "${shortened(query)}" to the matcher`;
  const text = `The ${isGuard(hook) ? "guard" : "hook"} "${hook.name}" is for "${name}" and does not run for "${shortened(query)}", which is what some agents call that tool. If it is the same here, ${cure}.`;
  tell(hook, query, text, options);
}

interface Unmatched {
  readonly hooks: readonly AdmittedHook[];
  /** Positions of the hooks that match. */
  readonly exact: ReadonlySet<number>;
  readonly options: PlannerOptions;
}

/** An event came with a value that is none of those it is known to have, and hooks that name one do not run. */
function tellUnknownValue(row: Matcher, query: string, { hooks, exact, options }: Unmatched): void {
  if (row.isTool || row.values.length === 0 || row.values.includes(query)) return;
  const hook = hooks.find((_, position) => !exact.has(position));
  if (!hook) return;
  const left = `hook "${hook.name}"${hooks.length - exact.size > 1 ? ` and ${hooks.length - exact.size - 1} more` : ""}`;
  const text = `${hook.event} has ${row.field} "${shortened(query)}", which is none that is known (${row.values.join(", ")}), so ${left} does not run.`;
  tell(hook, query, text, options);
}

function tell(hook: AdmittedHook, query: string, text: string, { told, onDiagnostic }: PlannerOptions): void {
  const key = `${hook.id} ${query}`;
  if (told && (told.has(key) || told.size >= MOST_TOLD)) return;
  told?.add(key);
  onDiagnostic?.({ code: "HL_SELECT_SPELLING", level: "warning", text, place: hook.place, hook: hook.id });
}

function shortened(name: string): string {
  return visibleLine(name.slice(0, 60));
}
