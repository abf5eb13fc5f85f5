import path from "node:path";
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

/** Every name a query goes by: its own and, for tools, its former or present one. A file goes by its name without folders. */
export function namesOf(query: string, row: Matcher | undefined): readonly string[] {
  if (row?.basename) return [path.posix.basename(query)];
  return (row?.isTool ? SAME_TOOL.get(query) : undefined) ?? [query];
}

/** A matcher as configurations write it: everything, a list of names, or an unanchored regular expression. `row` is the event's. */
export function compileMatcher(matcher: string | undefined, row?: Matcher): CompiledMatcher {
  if (matcher === undefined || matcher === "" || matcher === "*") return ALL;
  const isNarrow = row?.exactCharset === "narrow";
  if ((isNarrow ? NARROW_EXACT : EXACT).test(matcher)) return exactMatcher(matcher, row);
  const test = compilePattern(matcher);
  if (!test) return NEVER;
  const isNamed = row?.basename && matcher.includes("/") ? pathTest(matcher) : undefined;
  return { kind: "pattern", names: [], matches: (query) => isNamed?.(query) || testNames(test, namesOf(query, row)) };
}

/**
 * Parts of the list that are paths. The files to watch are made of the same list, so that comparing a path with a name alone would watch a
 * file and never run for it.
 */
function pathTest(matcher: string): (query: string) => boolean {
  const names = matcher.split("|").map((name) => name.trim());
  const paths = names.filter((name) => name.includes("/")).map((name) => path.posix.normalize(name).replace(/^(?:\.\.\/)+/, ""));
  return (query) => paths.some((one) => query === one || (!one.startsWith("/") && query.endsWith(`/${one}`)));
}

function exactMatcher(matcher: string, row: Matcher | undefined): CompiledMatcher {
  const names = [...new Set(matcher.split(/[|,]/).map((name) => name.trim()))];
  return { kind: "exact", names, matches: (query) => namesOf(query, row).some((name) => names.includes(name)) };
}

function testNames(test: PatternTest, names: readonly string[]): boolean | "timeout" {
  const answers = names.map(test);
  return answers.includes(true) || (answers.includes("timeout") ? "timeout" : false);
}
