/**
 * Takes admitted hooks. Gives, per event and match query, the hooks that may run, compiled once and remembered.
 * Refuses nothing: what a matcher cannot decide in time counts as a match and is reported.
 */

import type { EventName } from "@hookloop/sdk";
import { alternativesOf } from "@hookloop/sdk/host";
import { EVENT_NAMES, EVENTS, type Matcher, TOOL_NAMES } from "../catalogue/index.ts";
import { groupBy } from "../check-options.ts";
import { dropDuplicates, matcherForm, type RegisteredHook } from "../config/index.ts";
import { didYouMean, nearestName, ownCommand, type Place, visibleLine } from "../diagnostic.ts";
import { readingOf, type ShellReading } from "../shell/index.ts";
import type { AdmittedHook, RefusalReason, RefusedHook } from "../trust/index.ts";
import { EMPTY_PLAN, EventPlans, queryOf } from "./event-plans.ts";
import { compileMatcher, type EventInput, type Plan, type PlannerOptions, type SelectedHook } from "./matcher.ts";

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
    if (boundElsewhere(hook, input) !== undefined) return false;
    // SECURITY: before copies are compared: one that had its turn must not stand in for one that has not.
    if (hook.once && spent.has(hook.id)) return false;
    return plan.conditions[position]?.matches(input, read) ?? true;
  });
  return dropDuplicates(fitting.map(({ hook }) => hook));
}

/** What the hook is bound to, if that is not where the event happens. */
function boundElsewhere({ source: { agentId, sessionId } }: AdmittedHook, input: EventInput): "agent" | "session" | undefined {
  if (agentId !== undefined && agentId !== input["agent_id"]) return "agent";
  return sessionId !== undefined && sessionId !== input["session_id"] ? "session" : undefined;
}

const NONE: ReadonlySet<string> = new Set();

/** What `selectHooks` chose, and from what. */
export interface Choice {
  readonly hooks: readonly AdmittedHook[];
  readonly plan: Plan;
  readonly selected: readonly SelectedHook[];
  /** Hooks of the event that must not run, where somebody wants to know about them as well. */
  readonly refused?: readonly RefusedHook[] | undefined;
}

/** A hook of the event that does not run for an input. */
export interface NotMatched {
  readonly hook: string;
  readonly name: string;
  readonly why: "matcher" | "condition" | "agent" | "session" | "once" | "duplicate" | "refused";
  /** For people. */
  readonly text: string;
  /** Why it must not run, whatever its matcher says. */
  readonly reason?: RefusalReason | undefined;
  /** More than a hook for something else: it would have run but for this, or its matcher looks like a slip. */
  readonly isNear?: true | undefined;
  readonly place?: Place | undefined;
}

/** Why the other hooks of the event were not chosen. */
export function notMatched(event: EventName, input: EventInput, { hooks, plan, selected, refused = [] }: Choice): readonly NotMatched[] {
  const chosen = new Set(selected.map(({ hook }) => hook.id));
  const copied = new Set(selected.flatMap(({ copies = [] }) => copies));
  const fitting = new Set(plan.hooks);
  const query = queryOf(event, input);
  const left = hooks.flatMap((hook): readonly NotMatched[] => {
    if (chosen.has(hook.id)) return [];
    const of = (why: NotMatched["why"], text: string, isNear = true): readonly NotMatched[] => [
      { hook: hook.id, name: hook.name, why, text, ...(isNear && { isNear }), place: hook.place },
    ];
    if (copied.has(hook)) return of("duplicate", "the same hook runs already");
    if (!fitting.has(hook)) {
      const hint = slipHint(hook, query);
      return of("matcher", `the matcher ${matcherText(hook)} does not match "${query}"${hint && `.${hint}`}`, hint !== "");
    }
    const bound = boundElsewhere(hook, input);
    if (bound !== undefined)
      return of(bound, `it belongs to another ${bound} (${bound === "agent" ? hook.source.agentId : hook.source.sessionId})`);
    if (hook.condition === undefined) return of("once", "it runs once in a session, and has run");
    return of("condition", `the condition "${hook.condition}" does not match`);
  });
  return [...left, ...refused.map((one) => refusedText(one, EVENTS[event].matcher, query))];
}

function matcherText({ matcher, names }: AdmittedHook): string {
  return names ? names.map((name) => `"${name}"`).join(", ") : `"${matcher ?? ""}"`;
}

/** What the matcher was probably meant to say. */
function slipHint({ matcher = "", names }: Pick<RegisteredHook, "matcher" | "names">, query: string): string {
  const words = names ?? matcher.split(/[^\w-]+/).filter(Boolean);
  const hints = words.slice(0, MAX_LISTED).map((word) => (word.length > MAX_NAME ? "" : didYouMean(word, [query])));
  return hints.find((hint) => hint !== "") ?? "";
}

const NOT_RUN: Readonly<Record<Exclude<RefusalReason, "disabled">, string>> = {
  untrusted: "it is not approved",
  changed: "it has changed since it was approved",
  refused: "it was refused, or names too much to be checked",
  "not-pinned": "strict mode runs nothing that cannot be pinned",
  "wrong-pin": "it is not what was pinned for this run",
  unreadable: "its entry cannot be read",
  removed: "it is not in its file any more",
  unknown: "the store of approvals cannot be read",
  above: "it was approved for a folder above this one",
  "managed-only": "managed policy lets only its own hooks run",
  "simple-mode": "simple mode runs no hooks",
  "project-hooks-off": "hooks of the project are off for this run",
};
const REVIEWED: readonly RefusalReason[] = ["untrusted", "changed", "unreadable", "removed"];

function refusedText({ hook, reason, text }: RefusedHook, row: Matcher | null, query: string): NotMatched {
  const { id, name, place, matcher } = hook;
  const review = REVIEWED.includes(reason) ? ` (${ownCommand()} trust review)` : "";
  const why = reason === "disabled" ? `it is switched off: ${text}` : `${NOT_RUN[reason]}${review}`;
  const common = { hook: id, name, reason, place };
  if (mayFit(hook, row, query)) return { ...common, why: "refused", text: why, isNear: true };
  const hint = slipHint(hook, query);
  const both = `the matcher "${matcher}" does not match "${query}".${hint} Besides, ${why}`;
  return { ...common, why: "matcher", text: both, ...(hint !== "" && { isNear: true }) };
}

/** SECURITY: the pattern of a hook that is not approved is not run; that it is one is enough to name the hook. */
function mayFit({ matcher }: RegisteredHook, row: Matcher | null, query: string): boolean {
  const form = matcherForm(matcher, row);
  if (row === null || query === "" || form.form !== "names") return true;
  return form.names.some((one) => one.toLowerCase() === query.toLowerCase());
}

export interface ServerTools {
  /** As hooks see them: `mcp__<server>__<tool>`. */
  readonly tools: readonly string[];
  /** Servers that are connected, and those that should be: what these would offer is not known. */
  readonly connected: readonly string[];
  readonly missing: readonly string[];
}

interface DeadServerMatcher {
  readonly hook: RegisteredHook;
  readonly text: string;
  /** It is a slip, for a known name is near, and not a matcher for what this session does without. */
  readonly isCertain: boolean;
  /** The hook's script has it, beside which it may have others. */
  readonly isOfScript?: boolean;
}

type Dead = Pick<DeadServerMatcher, "text" | "isCertain">;

/**
 * Matchers that name a tool of an MCP server and match none: while a file is read, no one knows which servers there will be.
 * `namedBy`: what a hook's script is for by its own words, among the tools of servers.
 */
export function deadServerMatchers(
  hooks: readonly RegisteredHook[],
  servers: ServerTools,
  namedBy: (hook: RegisteredHook) => readonly string[] = () => [],
): readonly DeadServerMatcher[] {
  return hooks.flatMap((hook) => {
    const row = EVENTS[hook.event].matcher;
    if (!row?.isTool || hook.setting !== undefined) return [];
    const worstOf = (matcher: string, never?: string): Dead | undefined => {
      const found = partsOf(matcher, row).flatMap((part) => deadPart(part, { matcher, never, row, servers }) ?? []);
      return found.find(({ isCertain }) => isCertain) ?? found[0];
    };
    const own = hook.matcher === undefined ? undefined : worstOf(hook.matcher, hook.never);
    if (own) return [{ hook, ...own }];
    const named = namedBy(hook).flatMap((matcher) => worstOf(matcher) ?? []);
    return named.map((dead) => ({ hook, ...dead, text: `In its script: ${dead.text}`, isOfScript: true }));
  });
}

/** The names of a list, the alternatives of a pattern. */
function partsOf(matcher: string, row: Matcher): readonly string[] {
  const form = matcherForm(matcher, row);
  if (form.form === "names") return form.names;
  if (form.form === "all") return [];
  try {
    return alternativesOf(new RegExp(matcher)).map(({ source }) => source);
  } catch {
    // No pattern: reading its file has reported it.
    return [];
  }
}

interface PartSpot {
  readonly matcher: string;
  /** What reading the file has said of it. */
  readonly never: string | undefined;
  readonly row: Matcher;
  readonly servers: ServerTools;
}

function deadPart(part: string, { matcher, never, row, servers }: PartSpot): Dead | undefined {
  const { matches } = compileMatcher(part, row);
  // What took too long to compare counts as a match, as it does when the tool is called.
  if ([...servers.tools, ...TOOL_NAMES].some((tool) => matches(tool) !== false)) return undefined;
  const isWhole = part.replaceAll("\\/", "/") === matcher.replaceAll("\\/", "/");
  const said = `The matcher "${visibleLine(matcher)}"${isWhole ? "" : ` has "${visibleLine(part)}", which`} matches no tool of the MCP servers of this session.`;
  const [, server = "", tool = ""] = /^\^?mcp__(.+?)__(.*?)\$?$/s.exec(part) ?? [];
  if (server === "") return shortName(part, said, servers.tools);
  // Reading the file has said what to write.
  if (never !== undefined) return undefined;
  const isPlain = /^[\w-]+$/.test(server);
  if (isPlain ? servers.missing.includes(server) : servers.missing.length > 0) return undefined;
  const meant = meantTool({ part, tool }, servers.tools);
  if (meant !== undefined) return { isCertain: true, text: `${said} Did you mean "${meant}"?` };
  if (servers.connected.includes(server)) {
    const own = servers.tools.filter((name) => name.startsWith(`mcp__${server}__`));
    return { isCertain: false, text: `${said} "${server}" has ${listed(own)}.` };
  }
  return { isCertain: false, text: `${said} Connected are ${listed(servers.connected)}: it is for a server that is not.` };
}

/** The nearest of all names, or the tool of that name on another server. */
function meantTool({ part, tool }: { readonly part: string; readonly tool: string }, tools: readonly string[]): string | undefined {
  const near = part.length > MAX_NAME ? undefined : nearestName(part.replace(/^\^|\$$/g, ""), tools);
  return near ?? tools.find((name) => tool !== "" && ownName(name) === tool);
}

/** `push` for `mcp__gh__push`: told already when the file was read, but not what it should be. */
function shortName(part: string, said: string, tools: readonly string[]): Dead | undefined {
  const bare = part.replace(/^\^|\$$/g, "");
  const words = bare.split(/[^\w-]+|__?/).filter((word) => word !== "" && word !== "mcp");
  const meant = tools.find((name) => ownName(name) === bare || (words.length > 1 && spelled(name) === words.join(" ")));
  return meant === undefined ? undefined : { isCertain: true, text: `${said} Did you mean "${meant}"?` };
}

function spelled(name: string): string {
  return name.split(/__?/).slice(1).join(" ");
}

function ownName(name: string): string {
  return /^mcp__.+?__(.+)$/s.exec(name)?.[1] ?? "";
}

const MAX_NAME = 200;
const MAX_LISTED = 8;

function listed(names: readonly string[]): string {
  if (names.length === 0) return "none";
  return `${names.slice(0, MAX_LISTED).map(visibleLine).join(", ")}${names.length > MAX_LISTED ? " …" : ""}`;
}
