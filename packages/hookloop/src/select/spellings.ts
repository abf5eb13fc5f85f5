/**
 * Takes a name that an event came with, and the hooks that match it exactly. Gives the guards whose matcher or `if` means it in another
 * spelling: an agent that calls its shell `bash` has a guard for `Bash`. Such a guard runs; any other hook does not, as in Claude Code,
 * where names are compared exactly. Both are said once.
 */

import { calledElsewhere, EVENTS, innerName, type Matcher, plainName, TOOL_NAMES } from "../catalogue/index.ts";
import { visibleLine } from "../diagnostic.ts";
import type { AdmittedHook } from "../trust/index.ts";
import type { CompiledCondition, MatcherIndex, PlannerOptions } from "./matcher.ts";

export interface Spellings {
  /** `exact`: positions of the hooks that match the query. `lookUp`: of those that match another name. */
  loosen(query: string, exact: ReadonlySet<number>, lookUp: (name: string) => ReadonlySet<number>): Loosened;
}

interface Loosened {
  /** Positions of the guards that run although only another spelling of the name matches. */
  readonly guards: ReadonlySet<number>;
  /** Other spellings of the name. */
  readonly others: readonly string[];
}

const NOTHING: Loosened = { guards: new Set(), others: [] };
/** Names come from a model, too: what is said about them is bounded. */
const MOST_TOLD = 200;

export function createSpellings(
  row: Matcher,
  hooks: readonly AdmittedHook[],
  indexes: ReadonlyMap<string, MatcherIndex>,
  options: PlannerOptions,
): Spellings {
  // Names of files differ by their case.
  if (row.basename) return { loosen: () => NOTHING };
  const { tools = [] } = options;
  const bySpelling = new Map<string, Set<string>>();
  const named = [...indexes.values()].flatMap(({ byName }) => [...byName.keys()]);
  for (const name of [...(row.isTool ? [...TOOL_NAMES, ...tools] : row.values), ...named]) {
    const plain = plainName(name);
    bySpelling.set(plain, (bySpelling.get(plain) ?? new Set()).add(name));
  }
  // Two tools that the agent itself lists are two tools.
  const isOther = (query: string, name: string): boolean => name !== query && !(tools.includes(query) && tools.includes(name));
  const othersOf = (query: string): readonly string[] => {
    // Which tools a server has is not known.
    const plain = plainName(query);
    const ofServer = plain.startsWith("mcp__") ? [plain] : [];
    const inner = row.isTool ? (bySpelling.get(plainName(innerName(query))) ?? []) : [];
    return [...new Set([...(bySpelling.get(plain) ?? []), ...inner, ...ofServer])].filter((name) => isOther(query, name));
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
        return NOTHING;
      }
      const near = others.flatMap((name) => missing(name).map((position) => ({ position, name })));
      for (const { position, name } of near) tellSpelling(hooks[position], { query, name }, options);
      const guards = near.flatMap(({ position }) => (isGuard(hooks[position]) ? position : []));
      return { guards: new Set(guards), others };
    },
  };
}

/** A condition that also looks at other spellings of the tool's name. */
export function spelledCondition(
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
  return hook !== undefined && (hook.isGuard || hook.onFailure === "block") && EVENTS[hook.event].role === "gate";
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
