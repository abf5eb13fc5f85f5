import { createRequire } from "node:module";
import path from "node:path";
import { type Context, createContext, Script } from "node:vm";
import type { EventName } from "@hookloop/sdk";
import type { RE2JS } from "re2js";
import { FORMER_TOOL_NAMES, type Matcher } from "../catalogue/index.ts";
import { groupBy } from "../check-options.ts";
import { backtrackingCost, matcherForm } from "../config/index.ts";
import type { Diagnostic } from "../diagnostic.ts";
import type { ShellReading } from "../shell/index.ts";
import type { AdmittedHook } from "../trust/index.ts";

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
interface Found {
  readonly positions: readonly number[];
  readonly timedOut: readonly number[];
}

/** Compiles every distinct matcher once. */
export function indexMatchers(
  entries: readonly { readonly matcher: string | undefined; readonly position: number }[],
  row: Matcher | undefined,
): MatcherIndex {
  const always: number[] = [];
  const named: { readonly name: string; readonly position: number }[] = [];
  const patterns: { matcher: CompiledMatcher; positions: number[] }[] = [];
  for (const [text, group] of groupBy(entries, ({ matcher = "" }) => matcher)) {
    const matcher = compileMatcher(text, row);
    const positions = group.map(({ position }) => position);
    if (matcher.kind === "all") always.push(...positions);
    if (matcher.kind === "pattern") patterns.push({ matcher, positions });
    for (const name of matcher.names) named.push(...positions.map((position) => ({ name, position })));
  }
  const byName = new Map([...groupBy(named, ({ name }) => name)].map(([name, group]) => [name, group.map(({ position }) => position)]));
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

const ALL: CompiledMatcher = { kind: "all", names: [], matches: () => true };
const NEVER: CompiledMatcher = { kind: "never", names: [], matches: () => false };

const SAME_TOOL: ReadonlyMap<string, readonly string[]> = new Map(
  Object.entries(FORMER_TOOL_NAMES).flatMap(([former, now]) => [
    [former, [former, now]],
    [now, [now, former]],
  ]),
);

/** Every name a query goes by: its own and, for tools, its former or present one. A file goes by its name without folders. */
function namesOf(query: string, row: Matcher | undefined): readonly string[] {
  if (row?.basename) return [path.posix.basename(query)];
  return (row?.isTool ? SAME_TOOL.get(query) : undefined) ?? [query];
}

/** A matcher as configurations write it: everything, a list of names, or an unanchored regular expression. `row` is the event's. */
export function compileMatcher(matcher: string | undefined, row?: Matcher): CompiledMatcher {
  const form = matcherForm(matcher, row);
  if (matcher === undefined || form.form === "all") return ALL;
  if (form.form === "names") {
    const names = [...new Set(form.names)];
    return { kind: "exact", names, matches: (query) => namesOf(query, row).some((name) => names.includes(name)) };
  }
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

function testNames(test: PatternTest, names: readonly string[]): boolean | "timeout" {
  const answers = names.map(test);
  return answers.includes(true) || (answers.includes("timeout") ? "timeout" : false);
}

/** SECURITY: compiling cannot be interrupted: 4,000 characters took V8 60 ms, 160,000 took 18 s, and deep nesting aborts Node. */
const MAX_PATTERN_LENGTH = 1000;
/** Steps that a native pattern may take in the worst case: some milliseconds. */
const MAX_NATIVE_STEPS = 1_000_000;
/** Program size times text length that RE2 gets: tens of milliseconds in the worst case. */
const MAX_LINEAR_WORK = 5_000_000;

type PatternTest = (text: string) => boolean | "timeout";

/**
 * JavaScript's meaning of a pattern, unanchored, but bounded in time: natively if it cannot blow up on this text, else in linear
 * time, else natively under a limit. Nothing for an invalid pattern.
 */
export function compilePattern(source: string): PatternTest | undefined {
  const native = parsePattern(source);
  if (!native) return undefined;
  if (source.length > MAX_PATTERN_LENGTH) return () => "timeout";
  let linear: LinearPattern | null | undefined;
  return (text) => {
    // SECURITY: a tool's name comes from the model, the pattern perhaps from a repository; neither may stall the loop.
    if (backtrackingCost(source, text.length) <= MAX_NATIVE_STEPS) return testNative(native, text);
    linear ??= compileLinearPattern(source) ?? null;
    if (linear && isSharedText(text) && linear.size * text.length <= MAX_LINEAR_WORK) return linear.test(text);
    return testWithLimit(source, text);
  };
}

function parsePattern(source: string): RegExp | undefined {
  try {
    return new RegExp(source);
  } catch {
    // Not a regular expression: it matches nothing, and reading the configuration has reported it.
    return undefined;
  }
}

function testNative(native: RegExp, text: string): boolean | "timeout" {
  try {
    return native.test(text);
  } catch {
    // V8 compiles on first use and can find a valid pattern too large: undecided.
    return "timeout";
  }
}

/** A pattern that runs in time linear in the text. */
interface LinearPattern {
  test(text: string): boolean;
  /** Work per character, roughly. */
  readonly size: number;
}

// What RE2 and JavaScript read alike, as long as the text is printable ASCII too: there `.`, `\s`, `\b` and negated classes agree.
// Left out on purpose: `[]`, `[^]`, `[[:x:]]`, `\a` `\z` `\Q` `\p` (letters mean other things), look-around, literal braces.
const SHARED_SYNTAX =
  /^(?:[A-Za-z0-9 _\-,:;!@#%&"'/<>=~`.^$|)]|\\[dDwWsSbB]|\\[!-/:-@[-`{-~]|\((?:\?:|(?!\?))|[*+?]|\{\d{1,3}(?:,\d{0,3})?\}|\[\^?(?:[A-Za-z0-9 _\-,:;!@#%&"'/<>=~`.$|()*+?{}]|\\[dDwWsS]|\\[!-/:-@[-`{-~])+\])*$/;
const PRINTABLE_ASCII = /^[ -~]*$/;
/** RE2 writes repetitions out: compiling took 0.3 s at 4,000 instructions and 5.7 s at 600,000. */
const MAX_WRITTEN_OUT = 2000;

/** The pattern for RE2; nothing if RE2 refuses it or might read it differently. */
export function compileLinearPattern(pattern: string): LinearPattern | undefined {
  if (writtenOut(pattern) > MAX_WRITTEN_OUT || !SHARED_SYNTAX.test(pattern)) return undefined;
  try {
    const compiled = loadEngine().compile(pattern);
    return { test: (text) => compiled.test(text), size: compiled.programSize() };
  } catch {
    // RE2 refuses some valid patterns (too many repetitions); the caller has another way to run them.
    return undefined;
  }
}

/** Upper bound of the pattern's length without counted repetitions. */
function writtenOut(pattern: string): number {
  const counts = [...pattern.matchAll(/\{(\d+)(?:,(\d*))?\}/g)].map(([, least, most]) => Number(most || least) + 1);
  return counts.reduce((size, count) => size * count, pattern.length);
}

/** Whether a linear pattern gives JavaScript's answer for this text. */
function isSharedText(text: string): boolean {
  return PRINTABLE_ASCII.test(text);
}

// Loading costs 11 ms and most configurations never need it: required on first use, which stays synchronous.
function loadEngine(): typeof RE2JS {
  return (createRequire(import.meta.url)("re2js") as typeof import("re2js")).RE2JS;
}

const LIMIT_MS = 20;

let realm: { readonly script: Script; readonly context: Context } | undefined;

/** Tests a JavaScript pattern, for 20 ms at most. About 150 µs when it is healthy: only for patterns that need it. */
export function testWithLimit(pattern: string, text: string): boolean | "timeout" {
  realm ??= openRealm();
  realm.context["pattern"] = pattern;
  realm.context["text"] = text;
  try {
    return realm.script.runInContext(realm.context, { timeout: LIMIT_MS }) === true;
  } catch {
    // SECURITY: out of time, stack or memory for the pattern: undecided, which the caller counts as a match.
    return "timeout";
  } finally {
    realm.context["text"] = "";
  }
}

/** Runs once before the clock counts: the first run compiles. */
function openRealm(): NonNullable<typeof realm> {
  const script = new Script("new RegExp(pattern).test(text)");
  const context = createContext(Object.assign(Object.create(null), { pattern: "", text: "" }));
  script.runInContext(context);
  return { script, context };
}

/** An admitted hook whose matcher and condition fit the event at hand. */
export interface SelectedHook {
  readonly hook: AdmittedHook;
  /** Every declaration that this run stands for, its own too; left out where there is one. */
  readonly copies?: readonly AdmittedHook[] | undefined;
}

/** The payload of the event that fires. */
export type EventInput = Readonly<Record<string, unknown>>;

/** A matcher of one configuration, ready to be compared. */
interface CompiledMatcher {
  /** `all`: every query. `exact`: one of `names`. `pattern`: a regular expression. `never`: an invalid one. */
  readonly kind: "all" | "exact" | "pattern" | "never";
  /** The names of an exact list; empty for the other kinds. */
  readonly names: readonly string[];
  /** `timeout`: the pattern took too long. It counts as a match, and must be reported. */
  matches(query: string): boolean | "timeout";
}

/** A hook's `if`: one permission rule. */
export interface CompiledCondition {
  /** `read` parses a shell command; conditions that get the same one share what they look up. */
  matches(input: EventInput, read?: (command: string) => ShellReading): boolean;
  readonly diagnostics: readonly Diagnostic[];
}

/** The hooks whose matcher fits one (event, query), compiled once. */
export interface Plan {
  /** In registry order: highest source first, then as declared; functions by priority. */
  readonly hooks: readonly AdmittedHook[];
  /** Beside `hooks`: what is handed on when the hook runs. */
  readonly selected: readonly SelectedHook[];
  /** Beside `hooks`: what must hold for the hook to run. */
  readonly conditions: readonly (CompiledCondition | undefined)[];
  /** All hooks run on every firing: nothing depends on the input. */
  readonly isFixed: boolean;
  /** The input does not say what matchers are compared with, so they all fit. */
  readonly lacksQuery: boolean;
  /** Only bookkeeping of the program itself. */
  readonly isInternal: boolean;
  /** The failure of some hook blocks. */
  readonly hasGuards: boolean;
}

export interface PlannerOptions {
  /** What a dialect calls a tool of the agent; without it, all call it the same. */
  readonly nameOf?: ((dialect: string, tool: string) => string) | undefined;
  readonly onDiagnostic?: ((diagnostic: Diagnostic) => void) | undefined;
  /** The user's home folder, for conditions such as `Read(~/.ssh/**)`. */
  readonly home?: string | undefined;
  /** Where the session started, for conditions such as `Read(./.env)`. */
  readonly root?: string | undefined;
  /** Tools the agent has besides the known ones. */
  readonly tools?: readonly string[] | undefined;
  /** Called with the first event for each plan of a tool. */
  readonly onNewPlan?: ((event: EventName, plan: Plan, input: EventInput) => void) | undefined;
  /** What has been said about names; shared by all planners of a session. */
  readonly told?: Set<string> | undefined;
}
