import { FORMER_TOOL_NAMES, type Matcher } from "../../../catalogue/index.ts";
import type { CompiledMatcher } from "../types.ts";
import { compilePattern, type PatternTest } from "./compile-pattern.ts";

const EXACT = /^[A-Za-z0-9_\- ,|]*$/;
const NARROW_EXACT = /^[A-Za-z0-9_|]*$/;

const ALL: CompiledMatcher = { kind: "all", names: [], matches: () => true };
const NEVER: CompiledMatcher = { kind: "never", names: [], matches: () => false };

const SAME_TOOL: ReadonlyMap<string, readonly string[]> = new Map(
  Object.entries(FORMER_TOOL_NAMES).flatMap(([former, now]) => [
    [former, [former, now]],
    [now, [now, former]],
  ]),
);

/** Every name a query goes by: its own and, for tools, its former or present one. */
export function namesOf(query: string, row: Matcher | undefined): readonly string[] {
  return (row?.isTool ? SAME_TOOL.get(query) : undefined) ?? [query];
}

/** A matcher as configurations write it: everything, a list of names, or an unanchored regular expression. `row` is the event's. */
export function compileMatcher(matcher: string | undefined, row?: Matcher): CompiledMatcher {
  if (matcher === undefined || matcher === "" || matcher === "*") return ALL;
  const isNarrow = row?.exactCharset === "narrow";
  if ((isNarrow ? NARROW_EXACT : EXACT).test(matcher)) return exactMatcher(matcher, row);
  const test = compilePattern(matcher);
  return test ? { kind: "pattern", names: [], matches: (query) => testNames(test, namesOf(query, row)) } : NEVER;
}

function exactMatcher(matcher: string, row: Matcher | undefined): CompiledMatcher {
  const names = [...new Set(matcher.split(/[|,]/).map((name) => name.trim()))];
  return { kind: "exact", names, matches: (query) => namesOf(query, row).some((name) => names.includes(name)) };
}

function testNames(test: PatternTest, names: readonly string[]): boolean | "timeout" {
  const answers = names.map(test);
  return answers.includes(true) || (answers.includes("timeout") ? "timeout" : false);
}
