import type { EventName } from "@hookloop/sdk";
import { alternativesOf, fitsServers, serverGlob } from "@hookloop/sdk/host";
import {
  calledElsewhere,
  type EventRow,
  FORMER_TOOL_NAMES,
  type Matcher,
  MORE_TOOL_NAMES,
  TOOL_NAMES,
  TOOLS,
} from "../../catalogue/index.ts";
import { nearestName, type Place } from "../../diagnostic.ts";
import { compileToolName, conditionSlip, parseRule, severalRules } from "../../permissions/index.ts";
import { type ConfigProperty, plainValue } from "../parse-json.ts";
import { type Finding, type Reading, report, shown } from "../reading.ts";
import { backtrackingCost, matcherForm } from "../types.ts";

/**
 * SECURITY: V8 compiles a pattern when it is first run, and some ten thousand nested groups do not throw there: Node aborts (measured, Node 20).
 * No pattern longer than this leaves the reader.
 */
const MAX_PATTERN = 1000;

interface MatcherSpot {
  readonly event: EventName;
  readonly row: EventRow;
  readonly property: ConfigProperty | undefined;
}

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
  // The source of the flat files writes null where there is none.
  if (matcher === null && reading.shape.entries === "flat") return {};
  if (typeof matcher !== "string") {
    const text = `"matcher" must be a text, not ${shown(matcher)}. ${textCure(matcher)}Its hooks are left out.`;
    report(reading, { code: "HL_CONFIG_WRONG_TYPE", text, place });
    return "invalid";
  }
  const form = matcherForm(matcher, row.matcher);
  if (form.form === "all") return {};
  if (row.matcher === null) {
    report(reading, { ...ignored(event, matcher), place });
    return {};
  }
  if (form.form === "names" && form.names.length === 0) {
    const text = `The matcher ${shown(matcher)} names nothing, so it matches nothing. Write "*" if it is for all. Its hooks are left out; they could never run.`;
    report(reading, { code: "HL_CONFIG_MATCHER_NEVER", text, place });
    return "invalid";
  }
  const problem = regexProblem(matcher, row.matcher);
  if (problem === undefined) {
    const never = reportUnreachable(reading, { matcher, column: row.matcher, place });
    return { matcher, ...(never !== undefined && { never }) };
  }
  const text = `The matcher ${shown(matcher)} is not a valid regular expression: ${problem}. ${invalidCure(matcher, { reading, known: knownNames(reading, row.matcher) })}Its hooks are left out; they could never run.`;
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

/** The names in a list, or in an object such as `{ tool: "Bash" }`, as one text. */
function textCure(matcher: unknown): string {
  const names = Object.values(Object(matcher)).flat();
  const isPlain = names.length > 0 && names.length < 20 && names.every((name) => typeof name === "string" && /^[\w.*-]+$/.test(name));
  return isPlain ? `Write "${names.join("|")}". ` : "";
}

function knownNames({ shape, tools }: Reading, { isTool, values }: Matcher): readonly string[] {
  return isTool ? [...shape.tools, ...tools] : values;
}

/** What was probably meant by something that is no pattern: `Bash(*)`, `(?i)bash`, `**`. */
function invalidCure(matcher: string, { reading, known }: Named): string {
  if (/^\*+$/.test(matcher)) return 'Write "*" if it is for all. ';
  if (/^\*?\*?\/?\*?\.\w{1,10}$/.test(matcher))
    return `A matcher is only the tool's name: write "Edit|Write", and which files in the hook's "if", one for each: "Edit(${matcher})", "Write(${matcher})". `;
  const [, flagged] = /^\(\?[a-z]+[:)](.*?)\)?$/s.exec(matcher) ?? [];
  const names = (flagged ?? matcher).split("|").map((part) => /^\^?(\w+)(?:\(.*\))?\$?$/s.exec(part.trim())?.[1] ?? "");
  const meant = names.map((name) => (known.includes(name) ? name : meantBy(name, { reading, known })));
  if (meant.some((name) => name === undefined)) return "";
  const written = `write "${[...new Set(meant)].join("|")}"`;
  if (flagged !== undefined) return `A matcher has no flags: ${written}. `;
  // A rule for everything is none.
  const rule = meant.length === 1 && !/\(\**\)$/.test(matcher) ? `, and "if": ${shown(matcher)} in the hook` : "";
  return `A matcher is only the tool's name, and a rule belongs into the hook's "if": ${written}${rule}. `;
}

interface Reach {
  readonly matcher: string;
  readonly column: Matcher;
  readonly place: Place;
}

/** Says so if a matcher cannot match anything known, or matches more than was meant; gives the finding if it is sure that it cannot match. */
function reportUnreachable(reading: Reading, { matcher, column, place }: Reach): string | undefined {
  const wide = tooWide(matcher, column);
  if (wide !== undefined) report(reading, { code: "HL_CONFIG_MATCHER_IGNORED", level: "warning", text: wide, place });
  const unwatched = column.basename && unwatchedName(matcher);
  if (unwatched) report(reading, { code: "HL_CONFIG_MATCHER_NEVER", level: "warning", text: unwatched, place });
  const known = knownNames(reading, column);
  if (wide !== undefined) return undefined;
  const finding = known.length > 0 ? findDead(matcher, { reading, column, known }) : emptyOnly(matcher, column);
  if (!finding) return undefined;
  report(reading, { ...finding, code: "HL_CONFIG_MATCHER_NEVER", place });
  return finding.level === "warning" ? finding.text : undefined;
}

/** Nothing is known of the names but that each has letters. */
function emptyOnly(matcher: string, column: Matcher): Pick<Finding, "text" | "level"> | undefined {
  if (matcherForm(matcher, column).form !== "regex" || !/^\^(?:\\s\*)?\$$/.test(matcher)) return undefined;
  return {
    level: "warning",
    text: `The matcher ${shown(matcher)} matches only an empty name, and no name is empty. Write "*" if it is for all.`,
  };
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
  if (isAll || !isCheap(matcher)) return undefined;
  const pattern = new RegExp(matcher);
  if (!["", "Q", "z9", ...TOOL_NAMES, ...column.values].every((name) => pattern.test(name))) return undefined;
  const start = /^\^?([A-Za-z_]+)\*$/.exec(matcher)?.[1];
  const cure =
    start === undefined ? 'Write "*" if it is for all.' : `For names that begin with ${start}, write "^${start}"; for all, write "*".`;
  return `${read} and matches every name. ${cure}`;
}

interface ConditionSpot {
  readonly row: EventRow;
  readonly matcher?: string | undefined;
  /** What cannot be compared counts as a match. */
  readonly isGuard: boolean;
  readonly property: ConfigProperty | undefined;
}

/** Says so if the `if` of a hook keeps it from calls that its matcher names; gives what was said if it never runs. */
export function checkCondition(reading: Reading, spot: ConditionSpot): string | undefined {
  const { row, property } = spot;
  const condition = property?.value && plainValue(property.value);
  if (typeof condition !== "string" || !row.matcher?.isTool || !property?.value) return undefined;
  const say = (text: string, code: Finding["code"] = "HL_CONFIG_MATCHER_NEVER"): string => {
    report(reading, { code, level: "warning", text, place: property.value?.place ?? property.place });
    return text;
  };
  const several = severalRules(condition);
  if (several) {
    const reach = spot.isGuard ? "runs for every call that its matcher names" : "never runs";
    const cures = several.slice(0, 5).map((one) => shown(one));
    const text = say(
      `"if" takes one rule, and ${shown(condition)} holds several: the hook ${reach}. Write a hook for each: ${cures.join(", ")}.`,
    );
    return spot.isGuard ? undefined : text;
  }
  const rule = parseRule(condition);
  if (!rule) return undefined;
  const contradicted = contradiction(rule.tool, spot.matcher, row.matcher);
  if (contradicted !== undefined)
    return say(
      `"if" names ${rule.tool} and the matcher ${shown(contradicted)} leaves it out: the hook never runs. Give both the same tool.`,
    );
  const slip = conditionSlip(rule, { list: "deny", root: reading.source.root });
  if (slip && !slip.isPlausible) return say(`"if": ${shown(condition)} matches no call: ${slip.why}`);
  // Other hooks may well be about one line only. A guard whose line is written with one word more guards nothing.
  if (slip && spot.isGuard) say(`"if": ${shown(condition)} ${slip.why}`, "HL_CONFIG_CONDITION_NARROW");
  const others = spot.isGuard && spot.matcher === undefined ? coveredByRule(rule.tool) : [];
  if (others.length > 0)
    say(
      `"if": ${shown(condition)} is about ${rule.tool} alone: unlike a permission rule it does not cover ${others.join(", ")}. Write a hook for each, or a rule in "deny".`,
      "HL_CONFIG_CONDITION_NARROW",
    );
  const missed = spot.matcher === undefined ? undefined : missedName(rule.tool, spot.matcher, row.matcher);
  if (missed !== undefined)
    say(
      `The matcher names ${shown(missed)}, and "if" is about ${rule.tool} only: the hook never runs for ${shown(missed)}. Give it a hook of its own.`,
    );
  return undefined;
}

/** Other tools that a permission rule for this one is about; an `if` compares the name. */
function coveredByRule(tool: string): readonly string[] {
  const kind = tool === "Edit" || tool === "Read" ? TOOLS[tool].kind : undefined;
  return kind === undefined ? [] : TOOL_NAMES.filter((name) => name !== tool && TOOLS[name].kind === kind);
}

/** What a list of names has that a rule for this tool is not about. */
function missedName(tool: string, matcher: string, column: Matcher): string | undefined {
  const isTool = compileToolName(tool);
  const form = matcherForm(matcher, column);
  if (form.form === "names") return form.names.find((name) => !isTool(name));
  if (form.form === "all" || tool.startsWith("mcp__") || !isCheap(matcher)) return undefined;
  const parts = alternativesOf(new RegExp(matcher));
  return parts.length < 2 ? undefined : parts.find((part) => !TOOL_NAMES.some((name) => isTool(name) && part.test(name)))?.source;
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

/** Files are watched one by one, by their names: a pattern is the name of no file. */
function unwatchedName(matcher: string): string | undefined {
  const name = matcher.split("|").find((one) => /[*^$\\]/.test(one));
  if (name === undefined) return undefined;
  return `The matcher has ${shown(name.trim())}. It is also the list of files to watch, and a pattern is the name of no file: it runs only for files of a hook's "watchPaths". Name the files, as in ".env|docs/notes.txt".`;
}

interface Known {
  readonly reading: Reading;
  readonly column: Matcher;
  /** Names of this event's field, in this dialect. */
  readonly known: readonly string[];
}

type Dead = Pick<Finding, "text" | "level">;

/** Longer than any name: nothing is near it, and comparing would take time. */
const MAX_NAME = 64;
const MAX_STEPS = 5_000;
const SERVER_TOOL = "mcp__server__tool";

/**
 * Why a matcher, or one of its alternatives, matches no name that its event is known to have. `warning`: surely a slip, for a known name is near.
 * `notice`: the agent may have tools of its own by these names.
 */
function findDead(matcher: string, known: Known): Dead | undefined {
  const form = matcherForm(matcher, known.column);
  return form.form === "names" ? deadName(form.names, known) : deadPattern(matcher, known);
}

function deadName(names: readonly string[], { reading, column, known }: Known): Dead | undefined {
  const isTool = (name: string): boolean =>
    Object.hasOwn(FORMER_TOOL_NAMES, name) || MORE_TOOL_NAMES.includes(name) || /^mcp__.+?__./.test(name);
  const dead = names.find((name) => !known.includes(name) && !(column.isTool && isTool(name)));
  if (dead === undefined) return undefined;
  const found = `The matcher names ${shown(dead)}, which is not a known ${column.field} in ${reading.shape.title}.`;
  if (column.isTool && dead.startsWith("mcp__")) return { level: "warning", text: `${found} ${serverCure(dead)}` };
  const list = listCure(dead, known);
  if (list !== undefined) return { level: "warning", text: `${found} ${list}` };
  if (/^(?:all|any|every|everything)$/i.test(dead)) return { level: "warning", text: `${found} Write "*" if it is for all.` };
  const meant = meantBy(dead, { reading, known });
  // A guard also runs for another spelling of the name.
  const reach = column.isTool ? "It matches only if the agent has a tool of its own by this name." : "It matches nothing that is known.";
  if (meant !== undefined) return { level: "warning", text: `${found} ${reach} Did you mean "${meant}"?` };
  return { level: "notice", text: `${found} It matches only if the agent has one of its own by this name.` };
}

function deadPattern(matcher: string, { reading, column, known }: Known): Dead | undefined {
  const names = column.isTool ? [...known, ...MORE_TOOL_NAMES, ...Object.keys(FORMER_TOOL_NAMES), SERVER_TOOL] : known;
  if (!names.every((name) => isCheap(matcher, name.length))) return undefined;
  const isAlive = (pattern: RegExp): boolean =>
    known.some((name) => pattern.test(name)) || (column.isTool === true && (isOtherTool(pattern) || fitsServers(pattern)));
  // `Shell\b` fits KillShell, and means Bash.
  const isOtherTool = (pattern: RegExp): boolean =>
    cousinOf(wordIn(pattern.source) ?? "", { reading, known }) === undefined && names.some((name) => pattern.test(name));
  const dead = alternativesOf(new RegExp(matcher)).filter((pattern) => !isAlive(pattern));
  const findings = dead.map(({ source }): Dead => {
    const isPart = dead.length > 1 || source !== new RegExp(matcher).source;
    const found = `The matcher ${shown(matcher)} ${isPart ? `has ${shown(source)}, which matches` : "matches"} no known ${column.field}.`;
    const cure = (column.isTool ? ruleCure(source, known) : undefined) ?? slipCure(source, { reading, known });
    if (cure !== undefined) return { level: "warning", text: `${found} ${cure}` };
    return { level: "notice", text: `${found} Known are ${known.slice(0, 6).join(", ")} …` };
  });
  return findings.find(({ level }) => level === "warning") ?? findings[0];
}

/** `Bash(git *)`, `Bash\(git.*\)`: a rule. */
function ruleCure(source: string, known: readonly string[]): string | undefined {
  const [, tool] = /^\^?(\w+)\\?\(.*\)\$?$/s.exec(source) ?? [];
  const meant = tool === undefined ? undefined : known.find((name) => name.toLowerCase() === tool.toLowerCase());
  return (
    meant &&
    `A matcher is only the tool's name: as a rule it never matches. Write "matcher": "${meant}" and put the rule into the hook's "if".`
  );
}

function slipCure(source: string, { reading, known }: Named): string | undefined {
  if (new RegExp(source).test("")) return 'It matches only an empty name, and no name is empty. Write "*" if it is for all.';
  const [, spared] = /^!\s*(\w+)$/.exec(source) ?? [];
  if (spared !== undefined && known.includes(spared))
    return `A matcher cannot be turned round with "!". For every tool but ${spared}, write "^(?!${spared}$)".`;
  const [, tool, line] = /^\^?(\w+)(?:\.\*|[\s:]+)(.*\w.*)$/.exec(source) ?? [];
  if (tool !== undefined && known.includes(tool))
    return `A matcher is only the tool's name: write "${tool}", and what it is about in the hook's "if": "${tool}(*${line?.replace(/[.*$\\]+/g, "")}*)".`;
  const insensitive = new RegExp(source, "i");
  const sameLetters = known.find((name) => insensitive.test(name));
  if (sameLetters !== undefined) return `Matchers are case-sensitive: did you mean "${sameLetters}"?`;
  const glob = serverGlob(source);
  if (glob !== undefined) return `In a pattern, * repeats the sign before it. Write "${glob.replaceAll("*", ".*")}".`;
  const word = wordIn(source);
  if (word?.startsWith("mcp__")) return serverCure(word);
  if (/^\^?mcp[_-]/i.test(source)) return `Tools of an MCP server are written "${SERVER_TOOL}" or "mcp__server__.*".`;
  const meant = (word && meantBy(word, { reading, known })) ?? known.find((name) => isSetOff(name, source));
  return listCure(source, known) ?? (meant && `Did you mean "${meant}"?`);
}

/** The name that a pattern is, without what only says where it stands: `\bShell\b`, `/Bash/`, `^Wirte.*`. */
function wordIn(source: string): string | undefined {
  const bare = source
    .replaceAll("\\/", "/")
    .replace(/^(["'`/])(.*)\1[a-z]*$/s, "$2")
    .replace(/\(\?<?[=!][^()]*\)/g, "")
    .replace(/^(?:\^|\\b|(?:\.|\\w)[*+])+|(?:\$|\\b|(?:\.|\\w)[*+]|\{1\})+$/g, "");
  return /^[A-Za-z][\w-]*$/.test(bare) ? bare : undefined;
}

/** A name that stands in the text by itself, between blanks and signs that no name has. */
function isSetOff(name: string, text: string): boolean {
  return text.split(/[\s;:&+/"'`()[\]|,=]+/).includes(name);
}

/** A list as people write it: `Edit or Bash`, `Bash;Edit`. */
function listCure(text: string, known: readonly string[]): string | undefined {
  const parts = text.replaceAll("\\/", "/").split(/[\s,;&/+]+/);
  const names = parts.filter((part) => part && !/^(or|and)$/i.test(part));
  if (names.length < 2 || !names.every((name) => known.includes(name))) return undefined;
  return `Names are separated by "|": write "${names.join("|")}".`;
}

function serverCure(name: string): string {
  return `A server alone matches nothing; write "${name.replace(/_+$/, "")}__.*" for all its tools.`;
}

type Named = Pick<Known, "reading" | "known">;

function meantBy(name: string, named: Named): string | undefined {
  return name.length > MAX_NAME ? undefined : (cousinOf(name, named) ?? nearestName(name, named.known));
}

/** The same tool in this dialect's spelling: `read_file` for `Read`, `Bash` for `bash` and `Shell`. */
function cousinOf(name: string, { reading, known }: Named): string | undefined {
  const plain = (tool: string): string => tool.toLowerCase().replace(/_file$/, "");
  const meant = calledElsewhere(name) ?? (reading.dialects.all.some(({ shape }) => shape.tools.includes(name)) ? name : undefined);
  const wanted = meant && plain(meant);
  return wanted === undefined ? undefined : known.find((tool) => plain(tool) === wanted);
}

/**
 * Patterns that cannot take long on a name of this length.
 * SECURITY: this runs on files that are not trusted yet; everything else is only ever matched by the select stage, under its limit.
 */
function isCheap(pattern: string, length: number = MAX_NAME): boolean {
  if (pattern.length > 200) return false;
  if (!/[()\\{]/.test(pattern) && (pattern.match(/[*+?]/g)?.length ?? 0) <= 3) return true;
  return backtrackingCost(pattern, length) <= MAX_STEPS;
}
