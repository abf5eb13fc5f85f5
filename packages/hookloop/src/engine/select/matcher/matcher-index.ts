import type { Matcher } from "../../../catalogue/index.ts";
import type { CompiledMatcher } from "../types.ts";
import { compileMatcher, namesOf } from "./compile-matcher.ts";

/** After this many patterns ran out of time for one query, the rest count as timed out untried: 10 × 20 ms is the most a query costs. */
const MAX_TIMEOUTS = 10;

/** Matchers of one event, arranged so that a query meets only the patterns and its own names. */
export interface MatcherIndex {
  readonly always: readonly number[];
  readonly byName: ReadonlyMap<string, readonly number[]>;
  readonly patterns: readonly { readonly matcher: CompiledMatcher; readonly positions: readonly number[] }[];
  readonly row: Matcher | undefined;
}

/** The positions whose matcher fits, unordered and perhaps repeated, and those of patterns that ran out of time. */
export interface Found {
  readonly positions: readonly number[];
  readonly timedOut: readonly number[];
}

/** Compiles every distinct matcher once. */
export function indexMatchers(
  entries: readonly { readonly matcher: string | undefined; readonly position: number }[],
  row: Matcher | undefined,
): MatcherIndex {
  const always: number[] = [];
  const byName = new Map<string, number[]>();
  const patterns: { matcher: CompiledMatcher; positions: number[] }[] = [];
  for (const [text, positions] of groupByText(entries)) {
    const matcher = compileMatcher(text, row);
    if (matcher.kind === "all") always.push(...positions);
    if (matcher.kind === "pattern") patterns.push({ matcher, positions });
    for (const name of matcher.names) addTo(byName, name, positions);
  }
  return { always, byName, patterns, row };
}

export function lookUp(index: MatcherIndex, query: string): Found {
  const positions = [...index.always];
  for (const name of namesOf(query, index.row)) positions.push(...(index.byName.get(name) ?? []));
  const timedOut: number[] = [];
  let timeouts = 0;
  for (const pattern of index.patterns) {
    // SECURITY: undecided counts as a match: a slow pattern must not switch a guard off.
    const answer = timeouts < MAX_TIMEOUTS ? pattern.matcher.matches(query) : "timeout";
    if (answer === "timeout") {
      timeouts++;
      timedOut.push(...pattern.positions);
    }
    if (answer !== false) positions.push(...pattern.positions);
  }
  return { positions, timedOut };
}

function addTo(lists: Map<string, number[]>, key: string, positions: readonly number[]): void {
  const list = lists.get(key);
  if (list) list.push(...positions);
  else lists.set(key, [...positions]);
}

function groupByText(entries: readonly { readonly matcher: string | undefined; readonly position: number }[]): Map<string, number[]> {
  const groups = new Map<string, number[]>();
  for (const { matcher = "", position } of entries) {
    addTo(groups, matcher, [position]);
  }
  return groups;
}
