/**
 * Takes what a test gave to one of the testing functions; throws if it is something that does not exist. A payload that no agent sends makes
 * a hook say nothing, and a test that expects nothing would pass.
 */

import { homedir } from "node:os";
import path from "node:path";
import { eventFacts, type Facts } from "../event-facts.ts";
import type { EventName } from "../generated/events.ts";
import { TOOL_FIELDS } from "../generated/facts.ts";
import { MATCH_VALUES, MORE_TOOLS } from "../generated/match-values.ts";
import { COMMON_SHAPE, EVENT_SHAPES, type Fields, type Shape, TOOL_SAMPLES, TOOL_SHAPES } from "../generated/samples.ts";
import { declarations } from "../hook/definition.ts";
import { missingToolFields } from "../run/hooks-script.ts";
import { ANY_SLIP, nearest, valueMistake } from "../run/matchers.ts";
import type { Diagnostic } from "./answer.ts";

export interface OwnNames {
  /** Names that only your agent has: tools of its own, values, fields of its payloads. */
  readonly ownNames?: readonly string[];
}

export function badCall(text: string): TypeError {
  return new TypeError(`HL_TEST_BAD_CALL: ${text}`);
}

export function checkEvent(event: unknown): void {
  // A test may declare its hooks itself.
  declarations().isUsed = true;
  if (typeof event === "string" && Object.hasOwn(EVENT_SHAPES, event)) return;
  const events = Object.keys(EVENT_SHAPES);
  const meant = nearest(String(event), events, ANY_SLIP);
  throw badCall(`"${String(event)}" is not an event. ${meant ? `Did you mean "${meant}"?` : `Known events: ${events.join(", ")}`}`);
}

export function checkOptions(by: string, options: unknown, types: Readonly<Record<string, OptionType>>): void {
  if (options === undefined) return;
  if (!isObject(options)) throw badCall(`the options of ${by}() are ${shown(options)}. Write an object, as in { allowFailure: true }`);
  for (const [name, value] of Object.entries(options)) {
    const type = Object.hasOwn(types, name) ? types[name] : undefined;
    const names = Object.keys(types);
    const meant = nearest(name, names, ANY_SLIP);
    if (!type) throw badCall(`${by}() has no option "${name}". ${meant ? `Did you mean "${meant}"?` : `It has: ${names.join(", ")}`}`);
    if (value !== undefined && !IS_TYPE[type](value))
      throw badCall(`the option ${name} of ${by}() is ${shown(value)}, not ${TYPE_NAMES[type]}`);
  }
}

type OptionType = "flag" | "number" | "text" | "list" | "object" | "any";

const IS_TYPE: Readonly<Record<OptionType, (value: unknown) => boolean>> = {
  flag: (value) => typeof value === "boolean",
  number: (value) => typeof value === "number" && value > 0,
  text: (value) => typeof value === "string",
  list: (value) => Array.isArray(value) && value.every((one) => typeof one === "string"),
  object: isObject,
  any: () => true,
};
const TYPE_NAMES: Readonly<Record<OptionType, string>> = {
  flag: "true or false",
  number: "a number above 0",
  text: "a text",
  list: "a list of texts",
  object: "an object",
  any: "anything",
};

export function checkOverrides(event: EventName, overrides: unknown, { ownNames = [] }: OwnNames): void {
  if (!isObject(overrides)) throw badCall(`the fields to replace are ${shown(overrides)}. Write an object, as in { tool_input: { … } }`);
  const shape = { ...COMMON_SHAPE, ...EVENT_SHAPES[event] };
  const facts = eventFacts(event) as Facts;
  for (const [field, value] of Object.entries(overrides)) {
    if (!isOwn(field, ownNames) && !Object.hasOwn(shape, field)) throw badCall(unknownField(event, field, { overrides, shape }));
    if (field === "hook_event_name" && value !== undefined && value !== event)
      throw badCall(`hook_event_name is ${shown(value)} in a payload of ${event}`);
    if (field === facts.matcher && value !== undefined) checkValue(event, value, { facts, ownNames });
  }
  const { tool_calls = [] } = overrides as { tool_calls?: unknown };
  for (const call of [overrides, ...[tool_calls].flat()]) if (isObject(call)) checkToolField("tool_input", call, ownNames);
  // That of a call of a batch is text.
  checkToolField("tool_response", overrides, ownNames);
  checkFields(overrides, shape, { path: "", of: event, ownNames });
}

function unknownField(event: EventName, field: string, { overrides, shape }: { overrides: object; shape: Fields }): string {
  const found = `the payload of ${event} has no field "${field}".`;
  const fields = Object.keys(shape).filter((name) => name !== "hook_event_name");
  if (/^(allowFailure|env|stdin|timeoutMs|ownNames)$/.test(field)) return `${found} Options come after the fields`;
  const isOfTool = fields.includes("tool_input") && field in (TOOL_SAMPLES[toolOf(overrides)]?.tool_input ?? {});
  if (isOfTool) return `${found} Write tool_input: { ${field}: … }`;
  const meant = nearest(field, fields, ANY_SLIP) ?? fields.find((one) => one.split("_").includes(field.toLowerCase()));
  const cure = meant ? `Did you mean "${meant}"?` : `It has: ${fields.join(", ")}.`;
  return `${found} ${cure} If only your agent sends it, add the option ownNames: ["${field}"]`;
}

/** Agents mark fields of their own with x_, and Grep has options of the program it starts. */
function isOwn(field: string, ownNames: readonly string[]): boolean {
  return ownNames.includes(field) || /^(?:x_|-)/.test(field);
}

function toolOf(call: object): string {
  return String((call as { tool_name?: unknown }).tool_name ?? "Bash");
}

function checkToolField(field: "tool_input" | "tool_response", call: object, ownNames: readonly string[]): void {
  const of = toolOf(call);
  const value = (call as Readonly<Record<string, unknown>>)[field];
  const shape = (Object.hasOwn(TOOL_SHAPES, of) ? TOOL_SHAPES[of] : undefined)?.[field];
  if (value === undefined) return;
  if (field === "tool_input" && !isObject(value)) throw badCall(`tool_input is ${shown(value)}. Write an object, as in { command: "ls" }`);
  const lacks = field === "tool_input" ? missingToolFields(of, value) : [];
  if (shape) checkShape(value, shape, { path: field, of, ownNames, lacks });
}

interface Place {
  readonly path: string;
  readonly of: string;
  readonly ownNames: readonly string[];
  /** Fields that must be there and are not. */
  readonly lacks?: readonly string[];
  /** The field itself, which can be listed as one's own. */
  readonly name?: string;
}

/** No agent sends a field that does not exist, or one of another type: a hook that looks for it would pass the test and miss every call. */
function checkFields(value: object, fields: Fields, place: Place): void {
  const { path, of, ownNames, lacks = [] } = place;
  const names = Object.keys(fields);
  for (const [name, given] of Object.entries(value)) {
    if (isOwn(name, ownNames) || given === undefined) continue;
    const meant = nearest(name, names, ANY_SLIP);
    const cure = meant ? `Did you mean "${meant}"?` : `It has: ${names.join(", ")}.`;
    const missing = lacks[0] ? `, and lacks ${lacks.join(", ")}` : "";
    if (!Object.hasOwn(fields, name)) throw badCall(`${path} of ${of} has no field "${name}"${missing}. ${cure} ${ownCure(name)}`);
    checkShape(given, fields[name] as Shape, { path: path ? `${path}.${name}` : name, of, ownNames, name });
  }
}

function checkShape(value: unknown, shape: Shape, place: Place): void {
  const { path, of, name } = place;
  const kind = typeof shape === "string" ? shape : Array.isArray(shape) ? "list" : "object";
  if (!isOfKind(value, kind)) {
    const [article, cure] = name === undefined ? ["an ", `It has: ${Object.keys(shape).join(", ")}`] : ["", ownCure(name)];
    throw badCall(`${path} of ${of} is ${shown(value)}, not ${article}${kind}. ${cure}`);
  }
  if (Array.isArray(value) && typeof shape !== "string")
    for (const [index, item] of value.entries()) checkShape(item, shape[0] as Shape, { ...place, path: `${path}[${index}]` });
  else if (typeof shape !== "string") checkFields(value as object, shape as Fields, place);
}

function ownCure(name: string): string {
  return `If it is meant so, add the option ownNames: ["${name}"]`;
}

function isOfKind(value: unknown, kinds: string): boolean {
  const kind = value === null ? "null" : Array.isArray(value) ? "list" : typeof value;
  return kinds.split(" or ").some((one) => one === kind || one === "any");
}

function checkValue(event: EventName, value: unknown, { facts, ownNames }: { facts: Facts; ownNames: readonly string[] }): void {
  const isTool = facts.matcher === "tool_name";
  const values = isTool ? [...Object.keys(TOOL_FIELDS), ...MORE_TOOLS.split(" ")] : (MATCH_VALUES[event]?.split(" ") ?? []);
  if (typeof value !== "string" || facts.isBasename || values.length === 0) return;
  const matched = { field: facts.matcher, isBasename: false, values: [...values, ...ownNames], isClosed: true };
  const mistake = valueMistake(value, matched);
  if (mistake) throw badCall(`${facts.matcher} of ${event}: ${mistake.text}`);
}

export function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function shown(value: unknown): string {
  return typeof value === "function" ? "a function" : String(JSON.stringify(value)).slice(0, 60);
}

/** The hook is for other calls than this one. A test that did not choose the call asked for nothing; one that did may be about that. */
export function notCalled(event: EventName, hooks: string, { payload, overrides }: { payload: object; overrides: object }): Diagnostic {
  const { matcher } = eventFacts(event) as Facts;
  const value = shown((payload as Record<string, unknown>)[matcher]);
  if (!(matcher in overrides))
    throw badCall(
      `the sample of ${event} has ${matcher} ${value}, and the hook is for ${hooks}: it did not run. Add ${matcher} to the fields`,
    );
  return { code: "HL_TEST_NOT_CALLED", message: `HL_TEST_NOT_CALLED: the hook is for ${hooks}, and did not run for ${value}` };
}

const PATHS = ["file_path", "notebook_path", "path"] as const;

/** The payload with the paths of file tools as agents send them: from the root. */
export function absolutePaths<Payload extends object>(payload: Payload): Payload {
  const { cwd, tool_name: tool, tool_input: input } = payload as { cwd?: unknown; tool_name?: unknown; tool_input?: unknown };
  if (!isObject(input) || !Object.hasOwn(TOOL_SAMPLES, String(tool))) return payload;
  const absolute = Object.entries(input).map(([name, value]): readonly [string, unknown] => {
    const isPath = PATHS.some((one) => one === name) && typeof value === "string" && value !== "";
    return [name, isPath ? path.resolve(String(cwd), value.replace(/^~(?=\/|$)/, homedir())) : value];
  });
  return { ...payload, tool_input: Object.fromEntries(absolute) };
}

/** Which paths of the test were sent in another form: a hook that compares them with the test's own finds nothing. */
export function madeAbsolute(payload: object, overrides: object): readonly Diagnostic[] {
  const [sent, given] = [payload, overrides].map((one) => Object((one as { tool_input?: unknown }).tool_input) as Record<string, unknown>);
  return PATHS.filter((name) => given?.[name] !== undefined && given[name] !== sent?.[name]).map((name) => ({
    code: "HL_TEST_PATH_ABSOLUTE",
    message: `HL_TEST_PATH_ABSOLUTE: ${name} ${shown(given?.[name])} was sent as ${shown(sent?.[name])}: agents send absolute paths. Compare the end of it in the hook`,
  }));
}
