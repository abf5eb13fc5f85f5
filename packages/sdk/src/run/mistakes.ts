/**
 * Takes what `hook()` or `hooks.on()` was given; gives what is wrong with it and what to write instead, or nothing.
 * JavaScript has no compiler that says so, and a hook whose matcher never matches does nothing, without a word.
 */

import { eventFacts, type Facts } from "../event-facts.ts";
import { EVENT_FACTS, TOOL_FIELDS } from "../generated/facts.ts";
import { COMMON_FIELDS, EVENT_FIELDS, INPUT_FIELDS, MATCH_VALUES, MORE_TOOLS } from "../generated/match-values.ts";
import type { HookDefinition } from "../hook/definition.ts";
import { forgottenResult, type Invocation } from "../hook-utils/invocation.ts";
import { type Problem, type ProblemCode, partsText, problem } from "../problem.ts";
import {
  ANY_SLIP,
  filterMistake,
  isPattern,
  type Matched,
  nearest,
  ONE_SLIP,
  plain,
  readFilter,
  spelling,
  toolElsewhere,
} from "./matchers.ts";
import type { Payload } from "./script.ts";
import type { Reads } from "./slips.ts";

/** What is known about a declaration before it is looked at. */
export interface Expected extends Matched {
  readonly event: string;
  readonly by: "hook" | "hooks.on";
  readonly options: Readonly<Record<string, OptionType>>;
  readonly canBlock: boolean;
}

export type OptionType = "text" | "flag" | "number" | "filter" | "names" | readonly string[];

export interface Mistake {
  readonly code: ProblemCode;
  readonly text: string;
  /**
   * `unreadable`: what was meant is unknown, so the hook counts as a guard. `matcher`: when it should run is unknown.
   * `ignored`: the hook works, without this option.
   */
  readonly kind: "unreadable" | "matcher" | "ignored";
}

export const HOOK_OPTIONS: Readonly<Record<string, OptionType>> = {
  name: "text",
  tool: "filter",
  match: "filter",
  ownNames: "names",
  guard: "flag",
  timeoutMs: "number",
};

export interface Look {
  readonly mistake?: { readonly problem: Problem; readonly isUnreadable: boolean; readonly isHarmless: boolean } | undefined;
  readonly fits?: boolean;
  readonly names: readonly string[];
  readonly tool?: string;
}

/** Reads a hook's options and matcher as carefully as it takes. */
export function lookAt({ event, options, handler }: HookDefinition, facts: Facts, payload: Payload, name: string): Look {
  const { can, matcher: field, isBasename } = facts;
  const known = MATCH_VALUES[event]?.split(" ") ?? [];
  const values = field === "tool_name" ? [...Object.keys(TOOL_FIELDS), ...MORE_TOOLS.split(" ")] : known;
  const found = findMistake(options, handler, {
    event,
    by: "hook",
    options: HOOK_OPTIONS,
    field,
    isBasename,
    values,
    isClosed: true,
    canBlock: can.includes("block"),
  });
  const mistake = found && {
    problem: { code: found.code, message: `${found.code}: ${name}: ${found.text}` },
    isUnreadable: found.kind === "unreadable",
    isHarmless: found.kind === "ignored",
  };
  const filter = field ? (options.tool ?? options.match) : undefined;
  if (filter === undefined || (mistake && !mistake.isHarmless)) return { mistake, fits: true, names: [] };
  const { names, matches } = readFilter(filter, field === "tool_name", isBasename);
  const value = String(payload[field]);
  const tool = options.guard === true && field === "tool_name" ? meantTool(value, names, options.ownNames) : value;
  return { mistake, names, tool, fits: matches(value) || matches(tool) };
}

/**
 * The name among these, or among the known tools, that this one spells in another way; itself if there is none, or if it is the agent's own.
 * SECURITY: an agent that calls its shell `bash` must not switch a guard for `Bash` off.
 */
function meantTool(tool: string, names: readonly string[], ownNames: readonly string[] = []): string {
  const all = [...names, ...Object.keys(TOOL_FIELDS)];
  if ([...ownNames, ...all].includes(tool)) return tool;
  // One word, such as "create", may be any agent's own tool.
  const isCompound = /[a-z][A-Z_-]/.test(tool);
  return all.find((name) => spelling(name) === spelling(tool)) ?? (isCompound ? toolElsewhere(tool) : undefined) ?? tool;
}

/** What is wrong with the events that a file declares hooks for, when this one came. */
export function eventMistakes(
  declared: readonly string[],
  event: string,
): { readonly unknown?: Problem | undefined; readonly unexpected?: Problem | undefined } {
  const events = Object.keys(EVENT_FACTS);
  const misspelt = declared.find((name) => !events.includes(name));
  const meant = misspelt === undefined ? undefined : nearest(String(misspelt), events, ANY_SLIP);
  const form = typeof misspelt === "string" ? "See `hookloop events`" : 'Write hook("PreToolUse", options, (input) => …)';
  const cure = meant ? `Did you mean "${meant}"?` : form;
  return {
    unknown:
      misspelt === undefined
        ? undefined
        : problem("EVENT_UNKNOWN", `a hook is declared for ${shown(misspelt)}, which is no event. ${cure}`),
    unexpected:
      declared.includes(event) || (misspelt !== undefined && !declared[1])
        ? undefined
        : problem(
            "EVENT_UNEXPECTED",
            `configured for ${event}, but declared for ${declared.join(", ")}. Fix the configuration or the hook`,
          ),
  };
}

/** A script is called for tools that none of its hooks is for. Nothing if it is for one of them, or if that cannot be told. */
export function neverCalled(definitions: readonly HookDefinition[], { matcher: field }: Facts): Problem | undefined {
  const matcher = process.env["HOOKLOOP_MATCHER"] ?? "";
  const filters = definitions.flatMap(({ options }) => options.tool ?? []);
  // `runHookFile` takes it out again.
  const { HOOKLOOP_TESTED } = process.env;
  const all = definitions.map(({ options }) => String(options.tool ?? options.match)).join(", ");
  if (HOOKLOOP_TESTED && definitions[0]) process.stderr.write(`HL_TEST_NOT_CALLED: ${all}\n`);
  if (field !== "tool_name" || filters.length === 0 || !/^[\w|, -]+$/.test(matcher)) return undefined;
  const names = matcher.split(/[|,]/).map((name) => name.trim());
  const isFor = ({ options: { tool } }: HookDefinition): boolean =>
    tool === undefined || names.some((name) => readFilter(tool, true, false).matches(name));
  if (definitions.some(isFor)) return undefined;
  const tools = filters.map((filter) => String(filter)).join(", ");
  return problem(
    "EVENT_UNEXPECTED",
    `configured for ${matcher}, but its hooks are for ${tools}: it never does anything. Fix the matcher or the hook`,
  );
}

/** A guard that named a tool did not get what it must judge. */
export function absentFields({ hook_event_name: event, tool_name: tool }: Payload, absent: readonly string[]): Problem {
  const sample = `hookloop events ${event} --sample --tool ${tool}`;
  return problem("FIELD_MISSING", `tool_input of ${tool} lacks ${absent.join(", ")}. See \`${sample}\``);
}

export function resultMistake(name: string, result: unknown, invocation: Invocation): Problem {
  const lost = invocation.emit ? invocation.made.at(-1)?.[0] : forgottenResult(result, invocation);
  if (!lost) {
    const given = typeof result === "function" ? "a function that it did not call" : String(JSON.stringify(result)).slice(0, 80);
    const cure = invocation.emit
      ? "A main function returns nothing: call emitBlock(reason) in it"
      : `Return ${refusalOf(invocation)}, context(…) … or nothing`;
    return problem("RESULT_INVALID", `${name} returned ${given}. ${cure}`);
  }
  const text = partsText(lost.parts);
  const cure = invocation.emit
    ? "Results count in hook() only: use emitBlock()"
    : `Write: return ${text} in the handler itself, not in a callback`;
  return problem("RESULT_NOT_RETURNED", `${name} made ${text} and did not return it. ${cure}`);
}

function refusalOf({ payload }: Invocation): string {
  const facts = eventFacts(String((payload as Payload | undefined)?.hook_event_name));
  return (
    ["deny", "block", "feedback"].find((can) => (facts?.can as readonly string[] | undefined)?.includes(can))?.concat("(…)") ?? "deny(…)"
  );
}

/** Names that other agents and other tools have for a field. */
const ALIASES: Readonly<Record<string, string>> = { cmd: "command", userprompt: "prompt" };
/** Also right elsewhere, so that only a test can tell. */
const LOOSE_ALIASES: Readonly<Record<string, string>> = {
  file: "file_path",
  filename: "file_path",
  path: "file_path",
  tool: "tool_name",
  input: "tool_input",
  args: "tool_input",
  arguments: "tool_input",
  tooloutput: "tool_response",
  toolresult: "tool_response",
};

/** A field that was read and does not exist, while the one that was meant was not read. */
export function misreadField(
  name: string,
  levels: readonly Reads[],
  { payload, isTested, isMute, tools }: MissedRead,
): Problem | undefined {
  for (const level of levels) {
    for (const missed of level.missed) {
      const found = meantField(level, missed, { levels, payload, isTested });
      const where = level.path ? ` in ${level.path}` : "";
      if (found) return problem("FIELD_MISSPELT", `${name} reads "${missed.slice(0, 60)}"${where}, which does not exist. ${found}`);
    }
  }
  const text = isMute ? levels.find(({ isText, read }) => isText && read.size === 0) : undefined;
  if (text) {
    const what = text.path === "" ? "its input" : text.path;
    return problem(
      "FIELD_MISSPELT",
      `${name} reads ${what} as a text, which is "[object Object]". Write JSON.stringify(…), or read its fields`,
    );
  }
  const blind = isMute ? blindRead(levels, payload, tools) : undefined;
  return blind === undefined ? undefined : problem("FIELD_MISSPELT", `${name} reads ${blind}`);
}

interface MissedRead {
  readonly payload: Payload;
  readonly isTested: boolean;
  readonly isMute: boolean;
  readonly tools: readonly string[];
}

/** What JavaScript itself asks an object for. */
const LANGUAGE_FIELDS = ["then", "toJSON", "asymmetricMatch", "nodeType", "length"];

/** A hook that has looked at nothing of what it judges, but at fields that do not exist, has not judged it. */
function blindRead(levels: readonly Reads[], payload: Payload, tools: readonly string[]): string | undefined {
  const { hook_event_name: event, tool_name: tool } = payload;
  const own = words(EVENT_FIELDS[event]);
  const [root, input] = ["", "tool_input"].map((path) => levels.find((level) => level.path === path));
  const judged = own.filter((field) => field !== "tool_name" && !field.endsWith("_id"));
  const isKnown = (known: readonly string[], field: string): boolean =>
    known.includes(field) || LANGUAGE_FIELDS.includes(field) || /^x_/.test(field);
  const unknownIn = (level: Reads | undefined, known: readonly string[]): string | undefined =>
    [...(level?.missed ?? [])].find((field) => !isKnown(known, field));
  const seen = judged.filter((field) => root?.read.has(field) || root?.missed.has(field));
  const stray = seen.length > 0 ? undefined : unknownIn(root, [...own, ...words(COMMON_FIELDS)]);
  if (stray !== undefined)
    return `"${stray.slice(0, 60)}", which does not exist, and nothing else of ${event}. It has ${own.filter((field) => !field.endsWith("_id")).join(", ")}`;
  if (seen.length !== 1 || seen[0] !== "tool_input" || !input || input.read.size > 0 || !(String(tool) in INPUT_FIELDS)) return undefined;
  // A guard for any tool may look for fields of all.
  const known = (tools.length > 0 ? tools : Object.keys(INPUT_FIELDS)).flatMap((name) => words(INPUT_FIELDS[name]));
  if ([...input.missed].some((field) => known.includes(field))) return undefined;
  const lost = unknownIn(input, known);
  return lost === undefined
    ? undefined
    : `"${lost.slice(0, 60)}" in tool_input, which does not exist, and nothing else of it. ${tool} has ${words(INPUT_FIELDS[String(tool)]).join(", ")}`;
}

function words(text: string | undefined): readonly string[] {
  return text?.match(/\S+/g) ?? [];
}

function meantField(
  { path, fields, read }: Reads,
  missed: string,
  { levels, payload, isTested }: Pick<MissedRead, "payload" | "isTested"> & { readonly levels: readonly Reads[] },
): string | undefined {
  const isKnownElsewhere = Object.values(TOOL_FIELDS).some((names) => names.split(" ").includes(missed));
  if (path === "run") {
    // `(toolName, input) => …`, as other programs call it.
    const isUnread = !LANGUAGE_FIELDS.includes(missed) && levels.every((level) => level.path === "run" || level.read.size === 0);
    return Object.hasOwn(payload, missed) || isKnownElsewhere || isUnread
      ? "The input is the first argument. Write (input) => …"
      : undefined;
  }
  const alias = ALIASES[plain(missed)] ?? (isTested ? LOOSE_ALIASES[plain(missed)] : undefined);
  // Of an unknown tool only the same name in another spelling is sure.
  const tolerance = path === "" || String(payload["tool_name"]) in TOOL_FIELDS ? (isTested ? ANY_SLIP : ONE_SLIP) : () => 0;
  const isFree = (field: string): boolean => fields.includes(field) && !read.has(field);
  const meant = [alias, isKnownElsewhere ? undefined : nearest(missed, fields, tolerance)].find(
    (field) => field !== undefined && isFree(field),
  );
  if (meant !== undefined) return `Did you mean "${meant}"?`;
  const inner = path === "" ? levels.find((level) => level.path === "tool_input" && level.fields.includes(missed)) : undefined;
  return inner && !read.has("tool_input") ? `Write input.tool_input.${missed}` : undefined;
}

/** The agent has its own copy of the event. */
export function changedInput(name: string, { can, required }: Pick<Facts, "can" | "required">): Problem {
  const cure = can.includes("rewrite")
    ? "Return rewrite({ ...input.tool_input, … })"
    : can.includes("replaceOutput")
      ? "Return replaceOutput({ ...input.tool_response, … })"
      : required.includes("prompt") && can.includes("rewritePrompt")
        ? "Return rewritePrompt(…)"
        : "This event has nothing that a hook could change";
  return problem("INPUT_CHANGED", `${name} changed its input, which changes nothing. ${cure}`);
}

export function findMistake(options: unknown, handler: unknown, expected: Expected): Mistake | undefined {
  if (typeof options === "function")
    return unreadable("HANDLER_MISSING", `the handler comes last. Write ${expected.by}("${expected.event}", options, (input) => …)`);
  if (typeof handler !== "function")
    return unreadable(
      "HANDLER_MISSING",
      `${shown(handler)} is no handler. Write ${expected.by}("${expected.event}", options, (input) => …)`,
    );
  if (typeof options !== "object" || options === null || Array.isArray(options) || isOther(options))
    return unreadable(
      "OPTION_INVALID",
      `the options are ${shown(options)}. Write an object, as in { ${matcherName(expected)}: "…", guard: true }`,
    );
  const given = options as Record<string, unknown>;
  for (const [name, value] of Object.entries(given)) {
    const mistake = optionMistake(name, value, expected);
    if (mistake) return mistake;
  }
  return misplacedOption(given, expected) ?? matcherMistake(given, expected);
}

/** SECURITY: a RegExp, a URL or a controller has no options of its own: read as options, it is a hook for everything that guards nothing. */
function isOther(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype !== null && Object.getPrototypeOf(prototype) !== null && Object.keys(value).length === 0;
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
  if (type === "names") return isNames(value) ? undefined : 'a list, as in ["deploy"]';
  if (type !== "filter") return type.includes(value as string) ? undefined : `one of: ${type.join(", ")}`;
  return typeof value === "string" || isNames(value) || isPattern(value)
    ? undefined
    : 'a name, a list as in "one|other" or ["one", "other"], or one RegExp';
}

function isNames(value: unknown): boolean {
  return Array.isArray(value) && value.every((one) => typeof one === "string");
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
  if (match !== undefined && !field)
    return ignored(`${event} is not matched by anything: match is ignored, and the hook runs every time. Leave it out`);
  if (guard === true && !canBlock && "guard" in options) return ignored(`${event} cannot block: guard has no effect. Leave it out`);
  return undefined;
}

function matcherMistake({ tool, match, ownNames = [] }: Record<string, unknown>, expected: Expected): Mistake | undefined {
  const [option, filter] = tool === undefined ? ["match", match] : ["tool", tool];
  if (filter === undefined || !expected.field) return undefined;
  const values = expected.values.length > 0 ? [...expected.values, ...(ownNames as string[])] : [];
  const found = filterMistake(filter as Parameters<typeof filterMistake>[0], { ...expected, values });
  return found && { ...found, kind: "matcher", text: `${option}: ${found.text}` };
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
