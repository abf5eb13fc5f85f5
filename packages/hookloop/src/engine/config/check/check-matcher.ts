import type { EventName } from "@hookloop/sdk";
import {
  calledElsewhere,
  type EventRow,
  FORMER_TOOL_NAMES,
  type Matcher,
  MORE_TOOL_NAMES,
  nearestName,
  TOOL_NAMES,
} from "../../../catalogue/index.ts";
import type { Place } from "../../../diagnostic.ts";
import { compileToolName, looksLikeRegex, parseRule, type Rule, regexCure } from "../../../permissions/index.ts";
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

/** When the hooks of a group run. */
export interface CheckedMatcher {
  readonly matcher?: string | undefined;
  /** Why it matches nothing, or not all it names: what is said about it. */
  readonly never?: string | undefined;
}

/** The group's matcher as it counts, or `invalid`: then no one knows when its hooks would run. */
export function checkMatcher(reading: Reading, { event, row, property }: MatcherSpot): CheckedMatcher | "invalid" {
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
    const never = reportUnreachable(reading, { matcher, column: row.matcher, place });
    return { matcher, ...(never !== undefined && { never }) };
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

/** Says so if a matcher cannot match anything known, or matches what nobody meant; gives what was said if it is sure that it cannot match. */
function reportUnreachable(reading: Reading, { matcher, column, place }: Reach): string | undefined {
  const wide = tooWide(matcher, column);
  if (wide !== undefined) report(reading, { code: "HL_CONFIG_MATCHER_IGNORED", level: "warning", text: wide, place });
  const unwatched = column.basename && unwatchedName(matcher);
  if (unwatched) report(reading, { code: "HL_CONFIG_MATCHER_NEVER", level: "warning", text: unwatched, place });
  const known = [...(column.isTool ? reading.shape.tools : column.values), ...(column.isTool ? reading.tools : [])];
  if (known.length === 0 || wide !== undefined) return undefined;
  const form = matcherForm(matcher, column);
  const finding = form.form === "names" ? deadName(form.names, { reading, column, known }) : deadPattern(matcher, column, known);
  if (!finding) return undefined;
  report(reading, { ...finding, code: "HL_CONFIG_MATCHER_NEVER", place });
  return finding.level === "warning" ? finding.text : undefined;
}

/** A list or a wildcard in a place where a regular expression is read: it matches nearly every name. */
function tooWide(matcher: string, column: Matcher): string | undefined {
  if (matcherForm(matcher, column).form !== "regex") return undefined;
  const read = `The matcher ${shown(matcher)} is read as a regular expression`;
  const list = /^\s*\[\s*["'](.*)["']\s*\]\s*$/s.exec(matcher)?.[1];
  if (list !== undefined) {
    const names = list.split(/["']\s*,\s*["']/).join("|");
    return `${read} and matches every name with one of these letters. A list is written "${shown(names).slice(1, -1)}".`;
  }
  const isAll = /^\^?\.\*\$?$/.test(matcher);
  if (isAll || !isCheap(matcher) || !new RegExp(matcher).test("")) return undefined;
  const start = /^\^?([A-Za-z_]+)\*$/.exec(matcher)?.[1];
  const cure =
    start === undefined ? 'Write "*" if it is for all.' : `For names that begin with ${start}, write "^${start}"; for all, write "*".`;
  return `${read} and matches every name. ${cure}`;
}

export interface ConditionSpot {
  readonly row: EventRow;
  readonly matcher?: string | undefined;
  /** The `if` of one entry. */
  readonly property: ConfigProperty | undefined;
}

/** Says so if the `if` of a hook names a tool that its matcher leaves out, or is a pattern that no rule has; gives what was said. */
export function checkCondition(reading: Reading, { row, matcher, property }: ConditionSpot): string | undefined {
  const condition = property?.value && plainValue(property.value);
  if (typeof condition !== "string" || !row.matcher?.isTool || !property?.value) return undefined;
  const rule = parseRule(condition);
  if (!rule) return undefined;
  const never = contradiction(rule.tool, matcher, row.matcher);
  const text =
    never !== undefined
      ? `"if" names ${rule.tool} and the matcher ${shown(never)} leaves it out: the hook never runs. Give both the same tool.`
      : looksLikePattern(rule)
        ? `"if" is no regular expression: ${shown(condition)} is compared as it is written, with * for any text, so it matches no command. ${regexCure("command", rule)}`
        : undefined;
  if (text !== undefined) report(reading, { code: "HL_CONFIG_MATCHER_NEVER", level: "warning", text, place: property.value.place });
  return text;
}

/** The matcher, if it surely matches no tool that a rule for this one is about. */
function contradiction(tool: string, matcher: string | undefined, column: Matcher): string | undefined {
  if (matcher === undefined) return undefined;
  const isTool = compileToolName(tool);
  const form = matcherForm(matcher, column);
  if (form.form === "names") return form.names.some((name) => isTool(name)) ? undefined : matcher;
  if (form.form === "all" || tool.startsWith("mcp__") || !isCheap(matcher)) return undefined;
  const pattern = new RegExp(matcher);
  return [tool, ...TOOL_NAMES, ...Object.keys(FORMER_TOOL_NAMES)].some((name) => isTool(name) && pattern.test(name)) ? undefined : matcher;
}

/** `/rm/`, `^rm`, `\brm`: no command begins so. */
function looksLikePattern({ tool, spec }: Rule): boolean {
  return tool === "Bash" && spec !== undefined && looksLikeRegex("command", spec);
}

/** Files are watched one by one, by their names: a pattern is the name of no file. */
function unwatchedName(matcher: string): string | undefined {
  const name = matcher.split("|").find((one) => /[*^$\\]/.test(one));
  if (name === undefined) return undefined;
  return `The matcher has ${shown(name.trim())}. It is also the list of files to watch, and a pattern is the name of no file: it runs only for files of a hook's "watchPaths". Name the files, as in ".env|docs/notes.txt".`;
}

interface Known {
  readonly reading: Reading;
  readonly column: Matcher;
  readonly known: readonly string[];
}

function deadName(names: readonly string[], { reading, column, known }: Known): Pick<Finding, "text" | "level"> | undefined {
  const isTool = (name: string): boolean =>
    Object.hasOwn(FORMER_TOOL_NAMES, name) || MORE_TOOL_NAMES.includes(name) || /^mcp__.+?__./.test(name);
  const dead = names.find((name) => !known.includes(name) && !(column.isTool && isTool(name)));
  if (dead === undefined) return undefined;
  const found = `The matcher names ${shown(dead)}, which is no known ${column.field} in ${reading.shape.title}.`;
  if (column.isTool && dead.startsWith("mcp__")) {
    return { level: "warning", text: `${found} A server alone matches nothing; write "${dead.replace(/_+$/, "")}__.*" for all its tools.` };
  }
  const meant = dead.length > 64 ? undefined : (cousinOf(dead, known) ?? nearestName(dead, known));
  // A guard also runs for another spelling of the name.
  const reach = column.isTool ? "It matches only if the agent has a tool of its own by this name." : "It matches nothing that is known.";
  if (meant !== undefined) return { level: "warning", text: `${found} ${reach} Did you mean "${meant}"?` };
  return { level: "notice", text: `${found} It matches only if the agent has one of its own by this name.` };
}

/** The same tool in this dialect's spelling: `read_file` for `Read`, `Bash` for `bash` and `Shell`. */
function cousinOf(name: string, known: readonly string[]): string | undefined {
  const plain = (tool: string): string => tool.toLowerCase().replace(/_file$/, "");
  const meant = calledElsewhere(name) ?? (ALL_TOOL_NAMES.includes(name) ? name : undefined);
  const wanted = meant && plain(meant);
  return wanted === undefined ? undefined : known.find((tool) => plain(tool) === wanted);
}

function deadPattern(matcher: string, column: Matcher, known: readonly string[]): Pick<Finding, "text" | "level"> | undefined {
  const rule = /^([A-Za-z]\w*)\((.*)\)$/s.exec(matcher);
  if (column.isTool && rule && known.includes(rule[1] ?? "")) {
    const text = `The matcher ${shown(matcher)} is read as a regular expression and never matches: a matcher is only the tool's name.`;
    return { level: "warning", text: `${text} Write "matcher": "${rule[1]}" and put the rule into the hook's "if".` };
  }
  if (/mcp/i.test(matcher) || !isCheap(matcher)) return undefined;
  const pattern = new RegExp(matcher);
  if ([...known, ...MORE_TOOL_NAMES, ...Object.keys(FORMER_TOOL_NAMES)].some((name) => pattern.test(name))) return undefined;
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
