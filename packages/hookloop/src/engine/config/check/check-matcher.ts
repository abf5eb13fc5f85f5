import type { EventName } from "@hookloop/sdk";
import { type EventRow, FORMER_TOOL_NAMES, type Matcher, nearestName } from "../../../catalogue/index.ts";
import type { Place } from "../../../diagnostic.ts";
import { ALL_TOOL_NAMES } from "../dialect-shapes.ts";
import { matcherForm } from "../matcher-form.ts";
import { type Finding, type Reading, report, shown } from "../reading.ts";
import { type ConfigProperty, plainValue } from "../tree/index.ts";

/**
 * SECURITY: V8 compiles a pattern when it is first run, and some ten thousand nested groups do not throw there: Node aborts (measured, Node 20).
 * No pattern longer than this leaves the reader.
 */
const MAX_PATTERN = 1000;

export interface MatcherSpot {
  readonly event: EventName;
  readonly row: EventRow;
  readonly property: ConfigProperty | undefined;
}

/** The group's matcher as it counts, or `invalid`: then no one knows when its hooks would run. */
export function checkMatcher(
  reading: Reading,
  { event, row, property }: MatcherSpot,
): { readonly matcher?: string | undefined } | "invalid" {
  if (!property?.value) return {};
  const { place } = property.value;
  const matcher = plainValue(property.value);
  if (typeof matcher !== "string") {
    report(reading, {
      code: "HL_CONFIG_WRONG_TYPE",
      text: `"matcher" must be a text, not ${shown(matcher)}. Its hooks are left out.`,
      place,
    });
    return "invalid";
  }
  if (matcherForm(matcher, row.matcher).form === "all") return {};
  if (row.matcher === null) {
    report(reading, { ...ignored(event, matcher), place });
    return {};
  }
  const problem = regexProblem(matcher, row.matcher);
  if (problem === undefined) {
    reportUnreachable(reading, { matcher, column: row.matcher, place });
    return { matcher };
  }
  const text = `The matcher ${shown(matcher)} is not a valid regular expression: ${problem}. Its hooks are left out; they could never run.`;
  report(reading, { code: "HL_CONFIG_BAD_REGEX", text, place });
  return "invalid";
}

function ignored(event: EventName, matcher: string): Omit<Finding, "place"> {
  const text = `${event} has no matcher: ${shown(matcher)} is ignored and its hooks run every time. Remove it.`;
  return { code: "HL_CONFIG_MATCHER_IGNORED", level: "warning", text };
}

function regexProblem(matcher: string, column: Matcher): string | undefined {
  if (matcherForm(matcher, column).form !== "regex") return undefined;
  if (matcher.length > MAX_PATTERN) return `it has more than ${MAX_PATTERN} characters`;
  try {
    new RegExp(matcher);
    return undefined;
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return reason.slice(reason.lastIndexOf(": ") + 2).slice(0, 80);
  }
}

interface Reach {
  readonly matcher: string;
  readonly column: Matcher;
  readonly place: Place;
}

/** Says so if a matcher cannot match anything known. */
function reportUnreachable(reading: Reading, { matcher, column, place }: Reach): void {
  const known = [...(column.isTool ? reading.shape.tools : column.values), ...(column.isTool ? reading.tools : [])];
  if (known.length === 0) return;
  const form = matcherForm(matcher, column);
  const finding = form.form === "names" ? deadName(form.names, { reading, column, known }) : deadPattern(matcher, column, known);
  if (finding) report(reading, { ...finding, code: "HL_CONFIG_MATCHER_NEVER", place });
}

interface Known {
  readonly reading: Reading;
  readonly column: Matcher;
  readonly known: readonly string[];
}

function deadName(names: readonly string[], { reading, column, known }: Known): Pick<Finding, "text" | "level"> | undefined {
  const dead = names.find((name) => !known.includes(name) && !Object.hasOwn(FORMER_TOOL_NAMES, name) && !/^mcp__.+?__./.test(name));
  if (dead === undefined) return undefined;
  const found = `The matcher names ${shown(dead)}, which is no known ${column.field} in ${reading.shape.title}.`;
  if (column.isTool && dead.startsWith("mcp__")) {
    return { level: "warning", text: `${found} A server alone matches nothing; write "${dead}__.*" for all its tools.` };
  }
  const meant = dead.length > 64 ? undefined : (nearestName(dead, known) ?? cousinOf(dead, known));
  if (meant !== undefined) return { level: "warning", text: `${found} It never matches. Did you mean "${meant}"?` };
  return { level: "notice", text: `${found} It matches only if the agent has one of its own by this name.` };
}

/** The same tool in this dialect's spelling: `read_file` for `Read`, `Bash` for `bash`. */
function cousinOf(name: string, known: readonly string[]): string | undefined {
  if (!ALL_TOOL_NAMES.includes(name)) return undefined;
  const plain = (tool: string): string => tool.toLowerCase().replace(/_file$/, "");
  return known.find((tool) => plain(tool) === plain(name));
}

function deadPattern(matcher: string, column: Matcher, known: readonly string[]): Pick<Finding, "text" | "level"> | undefined {
  const rule = /^([A-Za-z]\w*)\((.*)\)$/s.exec(matcher);
  if (column.isTool && rule && known.includes(rule[1] ?? "")) {
    const text = `The matcher ${shown(matcher)} is read as a regular expression and never matches: a matcher is only the tool's name.`;
    return { level: "warning", text: `${text} Write "matcher": "${rule[1]}" and put the rule into the hook's "if".` };
  }
  if (/mcp/i.test(matcher) || !isCheap(matcher)) return undefined;
  const pattern = new RegExp(matcher);
  if ([...known, ...Object.keys(FORMER_TOOL_NAMES)].some((name) => pattern.test(name))) return undefined;
  const insensitive = new RegExp(matcher, "i");
  const meant = known.find((name) => insensitive.test(name));
  const hint =
    meant === undefined ? `Known are ${known.slice(0, 6).join(", ")} …` : `Matchers are case-sensitive: did you mean "${meant}"?`;
  return {
    level: meant === undefined ? "notice" : "warning",
    text: `The matcher ${shown(matcher)} matches no known ${column.field}. ${hint}`,
  };
}

/**
 * Patterns that cannot take long on a short name: no groups, at most three repetitions.
 * SECURITY: this runs on files nobody has trusted yet; everything else is only ever matched by the select stage, under its limit.
 */
function isCheap(pattern: string): boolean {
  return pattern.length <= 200 && !/[()\\{]/.test(pattern) && (pattern.match(/[*+?]/g)?.length ?? 0) <= 3;
}
