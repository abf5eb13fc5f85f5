/**
 * Takes what `hook()` or `hooks.on()` was given; gives what is wrong with it and what to write instead, or nothing.
 * JavaScript has no compiler that says so, and a hook whose matcher never matches does nothing, without a word.
 */
import path from "node:path";
import { EVENT_FACTS, TOOL_FIELDS } from "../generated/facts.ts";
import { MATCH_VALUES } from "../generated/match-values.ts";
import type { HookDefinition } from "../hook/definition.ts";
import { type Problem, type ProblemCode, problem } from "../problem.ts";
import { forgottenResult, type Invocation } from "../s4/invocation.ts";
import type { Facts } from "../wire/event-facts.ts";
import type { Payload } from "./payload.ts";

/** What is known about a declaration before it is looked at. */
export interface Expected {
  readonly event: string;
  /** The function that was called. */
  readonly by: "hook" | "hooks.on";
  /** The options there are, and what each takes. */
  readonly options: Readonly<Record<string, OptionType>>;
  /** The field of the payload that a matcher is compared with; empty if the event has none. */
  readonly field: string;
  /** The field holds a path, and its last part is compared. */
  readonly isBasename: boolean;
  /** Values the field is known to take: the tools, or what agents send. Others are possible. */
  readonly values: readonly string[];
  readonly canBlock: boolean;
}

export type OptionType = "text" | "flag" | "number" | "filter" | readonly string[];

export interface Mistake {
  readonly code: ProblemCode;
  readonly text: string;
  /**
   * `unreadable`: nobody knows what was meant, so the hook counts as a guard. `matcher`: nobody knows when it should run.
   * `ignored`: the hook works, without this option.
   */
  readonly kind: "unreadable" | "matcher" | "ignored";
}

/** The options of `hook()`. */
export const HOOK_OPTIONS: Readonly<Record<string, OptionType>> = {
  name: "text",
  tool: "filter",
  match: "filter",
  guard: "flag",
  timeoutMs: "number",
};

/** What a closer look at a hook gives. */
interface Look {
  readonly mistake?: { readonly problem: Problem; readonly isUnreadable: boolean; readonly isHarmless: boolean } | undefined;
  /** Its matcher fits. */
  readonly isMeant?: boolean;
  /** The names its matcher lists. */
  readonly names: readonly string[];
}

/** Reads a hook's options and matcher as carefully as it takes. */
export function lookAt({ event, options, handler }: HookDefinition, facts: Facts, payload: Payload, name: string): Look {
  const { can, matcher: field, isBasename } = facts;
  const values = field === "tool_name" ? Object.keys(TOOL_FIELDS) : (MATCH_VALUES[event]?.split(" ") ?? []);
  const found = findMistake(options, handler, {
    event,
    by: "hook",
    options: HOOK_OPTIONS,
    field,
    isBasename,
    values,
    canBlock: can.includes("block"),
  });
  const mistake = found && {
    problem: { code: found.code, message: `${found.code}: ${name}: ${found.text}` },
    isUnreadable: found.kind === "unreadable",
    isHarmless: found.kind === "ignored",
  };
  const filter = field ? (options.tool ?? options.match) : undefined;
  if (filter === undefined || (mistake && !mistake.isHarmless)) return { mistake, isMeant: true, names: [] };
  const { names, matches } = readFilter(filter, field === "tool_name", isBasename);
  const value = String(payload[field]);
  return { mistake, names, isMeant: matches(isBasename ? path.basename(value) : value) };
}

/** The subagent tool was once called Task; both names mean it. */
const SUBAGENT_TOOL = ["Task", "Agent"];

/** A matcher in which nothing is wrong. */
export function readFilter(
  filter: string | readonly string[] | RegExp,
  isTool: boolean,
  isBasename: boolean,
): { readonly names: readonly string[]; matches(value: string): boolean } {
  const namesOf = (value: string): readonly string[] => (isTool && SUBAGENT_TOOL.includes(value) ? SUBAGENT_TOOL : [value]);
  if (isPattern(filter)) {
    const whole = wholePattern(filter);
    return { names: [], matches: (value) => namesOf(value).some((name) => whole.test(name)) };
  }
  const names = [filter].flat().flatMap((text) => namesIn(text, isBasename));
  const matches = (value: string): boolean =>
    names.some((wanted) => (isStar(wanted) ? value.startsWith(startOf(wanted)) : namesOf(value).includes(wanted)));
  return { names, matches };
}

/** What is wrong with the events that a file declares hooks for, when this one came. */
export function eventMistakes(
  declared: readonly string[],
  event: string,
): { readonly unknown?: Problem | undefined; readonly unexpected?: Problem | undefined } {
  const events = Object.keys(EVENT_FACTS);
  const misspelt = declared.find((name) => !events.includes(name));
  const meant = misspelt === undefined ? undefined : nearest(String(misspelt), events, ANY_SLIP);
  const cure = meant ? `Did you mean "${meant}"?` : "See `hookloop events`";
  return {
    unknown:
      misspelt === undefined
        ? undefined
        : problem("EVENT_UNKNOWN", `a hook is declared for ${shown(misspelt)}, which is no event. ${cure}`),
    unexpected: declared.includes(event)
      ? undefined
      : problem("EVENT_UNEXPECTED", `configured for ${event}, but declared for ${declared.join(", ")}. Fix the configuration or the hook`),
  };
}

/** A guard that named a tool did not get what it must judge. */
export function absentFields({ hook_event_name: event, tool_name: tool }: Payload, absent: readonly string[]): Problem {
  const sample = `hookloop events ${event} --sample --tool ${tool}`;
  return problem("FIELD_MISSING", `tool_input of ${tool} lacks ${absent.join(", ")}. See \`${sample}\``);
}

/** What is wrong with what a handler returned. */
export function resultMistake(name: string, result: unknown, invocation: Invocation): Problem {
  const lost = forgottenResult(result, invocation);
  if (!lost) {
    const given = typeof result === "function" ? "a function that it did not call" : String(JSON.stringify(result)).slice(0, 80);
    return problem("RESULT_INVALID", `${name} returned ${given}. Return deny(…), context(…) … or nothing`);
  }
  const text = lost.parts.reduceRight((inner, { can }) => `${can}(…)${inner && `.with(${inner})`}`, "");
  const cure = invocation.emit ? "Results count in hook() only: use emitBlock()" : `Write: return ${text}`;
  return problem("RESULT_NOT_RETURNED", `${name} made ${text} and did not return it. ${cure}`);
}

export function findMistake(options: unknown, handler: unknown, expected: Expected): Mistake | undefined {
  if (typeof handler !== "function")
    return unreadable(
      "HANDLER_MISSING",
      `${shown(handler)} is no handler. Write ${expected.by}("${expected.event}", options, (input) => …)`,
    );
  if (typeof options !== "object" || options === null || Array.isArray(options))
    return unreadable(
      "OPTION_INVALID",
      `the options are ${shown(options)}. Write an object, as in { ${matcherName(expected)}: "…", guard: true }`,
    );
  const given = options as Record<string, unknown>;
  for (const [name, value] of Object.entries(given)) {
    const mistake = optionMistake(name, value, expected);
    if (mistake) return mistake;
  }
  return misplacedOption(given, expected) ?? filterMistake(given, expected);
}

function optionMistake(name: string, value: unknown, expected: Expected): Mistake | undefined {
  const type = Object.hasOwn(expected.options, name) ? expected.options[name] : undefined;
  const names = Object.keys(expected.options);
  if (!type) {
    // What the same thing is called in settings files and payloads.
    const meant = /^(matchers?|tool_?names?)$/i.test(name) ? matcherName(expected) : nearest(name, names, ANY_SLIP);
    return unreadable(
      "OPTION_UNKNOWN",
      `there is no option "${name.slice(0, 60)}". ${meant ? `Did you mean "${meant}"?` : `There are: ${names.join(", ")}`}`,
    );
  }
  const wanted = value === undefined ? undefined : wantedType(type, value);
  return wanted ? unreadable("OPTION_INVALID", `${name} is ${shown(value)}. Write ${wanted}`) : undefined;
}

function wantedType(type: OptionType, value: unknown): string | undefined {
  if (type === "text") return typeof value === "string" ? undefined : "a text";
  if (type === "flag") return typeof value === "boolean" ? undefined : "true or false";
  if (type === "number") return typeof value === "number" && !Number.isNaN(value) ? undefined : "a number";
  if (type !== "filter") return type.includes(value as string) ? undefined : `one of: ${type.join(", ")}`;
  const isNames = typeof value === "string" || (Array.isArray(value) && value.every((one) => typeof one === "string"));
  return isNames || isPattern(value) ? undefined : 'a name, a list as in "one|other" or ["one", "other"], or one RegExp';
}

/** Options that say something the event cannot do. */
function misplacedOption(given: Record<string, unknown>, { event, field, canBlock, options }: Expected): Mistake | undefined {
  const { tool, match, guard, timeoutMs } = given;
  if (timeoutMs !== undefined && !(Number(timeoutMs) > 0))
    return unreadable("OPTION_INVALID", `timeoutMs is ${timeoutMs}. Write milliseconds, more than 0`);
  if (tool !== undefined && field !== "tool_name")
    return unreadable(
      "OPTION_INVALID",
      `${event} is not about one tool. ${field ? `Write match: it is compared with "${field}"` : "Leave tool out"}`,
    );
  if (tool !== undefined && match !== undefined) return unreadable("OPTION_INVALID", "tool and match cannot be used together. Write tool");
  const ignored = (text: string): Mistake => ({ code: "HL_SDK_OPTION_IGNORED", kind: "ignored", text });
  if (match !== undefined && !field) return ignored(`${event} is not matched by anything: match is ignored. Leave it out`);
  if (guard === true && !canBlock && "guard" in options) return ignored(`${event} cannot block: guard has no effect. Leave it out`);
  return undefined;
}

function filterMistake({ tool, match }: Record<string, unknown>, expected: Expected): Mistake | undefined {
  const [option, filter] = tool === undefined ? ["match", match] : ["tool", tool];
  if (filter === undefined || !expected.field) return undefined;
  if (isPattern(filter)) return patternMistake(filter, expected);
  if (Array.isArray(filter) && filter.length === 0)
    return { kind: "matcher", code: "HL_SDK_MATCHER_INVALID", text: `${option}: the list is empty. ${ALL_CURE}` };
  for (const text of [filter].flat() as string[])
    for (const name of namesIn(text, expected.isBasename)) {
      const found = nameMistake(name, expected);
      if (found) return { kind: "matcher", code: found.code, text: `${option}: ${JSON.stringify(text.slice(0, 80))}: ${found.text}` };
    }
  return undefined;
}

const ALL_CURE = 'To match everything, write "*" or leave it out';

/** A pattern is taken as it is, unless only its case keeps it from matching anything known. */
function patternMistake(pattern: RegExp, { field, values }: Expected): Mistake | undefined {
  const whole = wholePattern(pattern);
  const loose = new RegExp(whole, "i");
  const meant = values.some((value) => whole.test(value)) ? undefined : values.find((value) => loose.test(value));
  if (meant === undefined) return undefined;
  return { kind: "matcher", code: "HL_SDK_TOOL_MISSPELT", text: `${pattern} matches no known ${field}. Write "${meant}", or ${pattern}i` };
}

type Found = Pick<Mistake, "code" | "text">;

function nameMistake(name: string, { field, isBasename, values }: Expected): Found | undefined {
  const isTool = field === "tool_name";
  const invalid = (text: string): Found => ({ code: "HL_SDK_MATCHER_INVALID", text });
  if (name === "") return invalid(`a name is missing. ${ALL_CURE}`);
  if (isStar(name) || values.includes(name) || (isTool && name === "Task")) return undefined;
  const rule = isTool ? /^(\w+)\(.*\)?$/s.exec(name)?.[1] : undefined;
  if (rule) return invalid(`a matcher is only the tool's name. Write "${rule}", and look at input.tool_input in the handler`);
  if ((isBasename ? /[*^$\\]/ : /[*^$\\()[\]{}+?]/).test(name)) return invalid(`it is a pattern. ${patternCure(name)}`);
  if (name.startsWith("mcp__") && isTool)
    return /^mcp__.+?__./.test(name) ? undefined : invalid(`it names a server. Write "${name.replace(/_*$/, "")}__*" for all of its tools`);
  const meant = nearest(name, values, isTool ? ONE_SLIP : ANY_SLIP);
  if (!meant) return undefined;
  const known = isTool ? "tool" : field;
  return {
    code: "HL_SDK_TOOL_MISSPELT",
    text: `no known ${known} is called "${name.slice(0, 60)}". Write "${meant}", or /${name.slice(0, 60)}/i if the agent has one of that name`,
  };
}

/** Settings have patterns as texts; some write globs, which JavaScript reads as something else. */
function patternCure(name: string): string {
  const isGlob = !/[\^$\\()[\]{}+?|]/.test(name);
  const source = isGlob ? name.replace(/\.?\*|\./g, (part) => (part === "." ? "\\." : ".*")) : name;
  try {
    return `Write it as a RegExp, which must match the whole value: ${new RegExp(source)}`;
  } catch {
    // Not a pattern of JavaScript either.
    return 'Write names, as in "one|other", or a RegExp';
  }
}

/** `*` and `.*` are everything, `mcp__server__*` and `mcp__server__.*` all tools of a server. */
function isStar(name: string): boolean {
  return /^(mcp__[\w-]*)?\.?\*$/.test(name);
}

/** What every value of a star starts with. */
function startOf(star: string): string {
  return star.replace(/\.?\*$/, "");
}

/** The names of a list as settings write it: `Edit|Write`, `Edit, Write`. A file's name may have a comma. */
function namesIn(text: string, isBasename: boolean): string[] {
  return text.split(isBasename ? "|" : /[|,]/).map((name) => name.trim());
}

/** A pattern must match the whole value; the flags that remember where they were are left out. */
function wholePattern({ source, flags }: RegExp): RegExp {
  return new RegExp(`^(?:${source})$`, flags.replace(/[gy]/g, ""));
}

/** Also one of another realm. */
function isPattern(value: unknown): value is RegExp {
  return Object.prototype.toString.call(value) === "[object RegExp]";
}

function matcherName({ field }: Expected): string {
  return field === "tool_name" ? "tool" : "match";
}

function unreadable(code: "HANDLER_MISSING" | "OPTION_UNKNOWN" | "OPTION_INVALID", text: string): Mistake {
  return { code: `HL_SDK_${code}`, kind: "unreadable", text };
}

function shown(value: unknown): string {
  if (typeof value === "function") return "a function";
  if (typeof value === "object" && value !== null) return Array.isArray(value) ? "a list" : isPattern(value) ? String(value) : "an object";
  return typeof value === "string" ? JSON.stringify(value.slice(0, 60)) : String(value);
}

/** How many letters of a name may be wrong. */
type Tolerance = (length: number) => number;
/** More than a third is another word. */
const ANY_SLIP: Tolerance = (length) => Math.max(2, Math.floor(length / 3));
/** Agents have tools of their own, whose names may be close to a known one. */
const ONE_SLIP: Tolerance = (length) => (length < 4 ? 0 : length < 8 ? 1 : 2);

/** The name that was probably meant. */
function nearest(given: string, known: readonly string[], tolerance: Tolerance): string | undefined {
  const wanted = plain(given);
  let best: { readonly name: string; readonly distance: number } | undefined;
  for (const name of known) {
    const other = plain(name);
    const limit = tolerance(other.length);
    if (Math.abs(other.length - wanted.length) > limit) continue;
    const distance = slips(wanted, other);
    if (distance <= limit && distance < (best?.distance ?? Number.POSITIVE_INFINITY)) best = { name, distance };
  }
  return best?.name;
}

/** Case and what joins words are no difference: `web_fetch` is WebFetch. */
function plain(name: string): string {
  return name.slice(0, 60).toLowerCase().replace(/[_-]/g, "");
}

/** Letters to insert, remove, replace or swap with a neighbour. */
function slips(from: string, to: string): number {
  const rows: number[][] = [Array.from({ length: to.length + 1 }, (_, column) => column)];
  const at = (row: number, column: number): number => rows[row]?.[column] ?? Number.POSITIVE_INFINITY;
  for (let row = 1; row <= from.length; row++) {
    rows.push([row]);
    for (let column = 1; column <= to.length; column++) {
      const isSame = from[row - 1] === to[column - 1];
      const isSwapped = from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1];
      const step = Math.min(at(row - 1, column) + 1, at(row, column - 1) + 1, at(row - 1, column - 1) + (isSame ? 0 : 1));
      rows[row]?.push(isSwapped ? Math.min(step, at(row - 2, column - 2) + 1) : step);
    }
  }
  return at(from.length, to.length);
}
