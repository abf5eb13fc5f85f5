/** Takes the text of a cases file, gives its cases with their places. Refuses a file with a mistake in it: a case that is left out would prove nothing. */

import { basename } from "node:path";
import type { EventName, ToolName } from "@hookloop/sdk";
import {
  CASE_FIELDS,
  CASES_FILE,
  EVENT_NAMES,
  EVENTS,
  EXPECT_FIELDS,
  EXPECTED_DECISIONS,
  type ExpectedDecision,
  type Fields,
  isEventName,
  isShippedName,
  SHIPPED_HOOKS,
  SHIPPED_NAMES,
  type ShippedName,
  samplePayload,
  TOOL_NAMES,
  TOOLS,
} from "../catalogue/index.ts";
import { isObject, shown } from "../check-options.ts";
import { type ConfigNode, type ConfigProperty, type ParsedText, parseJson, parseYaml, plainValue } from "../config/index.ts";
import { type Diagnostic, didYouMean, type Place } from "../diagnostic.ts";
import { typeProblem } from "../judge/index.ts";

export interface Case {
  readonly name: string;
  readonly place: Place;
  readonly event: EventName;
  /** Paths may be relative to the folder the case runs in. */
  readonly payload: Readonly<Record<string, unknown>>;
  readonly expect: Expectation;
  readonly files?: Readonly<Record<string, string>> | undefined;
  readonly options?: Readonly<Record<string, unknown>> | undefined;
}

export interface Expectation {
  readonly decision?: ExpectedDecision | undefined;
  readonly says: Readonly<Record<string, unknown>>;
  /** The input field that a rewrite to a text is about. */
  readonly field?: string | undefined;
}

export interface CasesFile {
  readonly file: string;
  readonly hook?: string | undefined;
  readonly use?: ShippedName | undefined;
  readonly timeoutMs: number;
  readonly cases: readonly Case[];
  readonly diagnostics: readonly Diagnostic[];
}

const DEFAULT_SECONDS = 10;
const LONGEST_SECONDS = 600;

/** A shipped hook's own cases say which hook by the file's name. */
export async function readCases(file: string, text: string): Promise<CasesFile> {
  const diagnostics: Diagnostic[] = [];
  const report = (problem: string, place: Place = { file }): void => {
    diagnostics.push({ code: "HL_CASES_INVALID", level: "error", text: problem, place });
  };
  const nothing = { file, timeoutMs: DEFAULT_SECONDS * 1000, cases: [], diagnostics };
  const parsed = file.endsWith(".json") ? parseJson({ text, file }) : await parseYaml({ text, file, linesBefore: 0 });
  for (const problem of parsed.diagnostics) report(`${problem.text}${quotingCure(text, problem)}`, problem.place);
  const top = topOf(parsed);
  if (diagnostics.length > 0) return nothing;
  if (!top) report("The file must be an object with `cases`, or a list of cases.");
  if (!top) return nothing;
  const values = checkObject(top.properties, { fields: CASES_FILE, where: "A cases file" }, report);
  const use = usedHook(values, report);
  const shared = { files: textsOf(values["files"]), options: values["options"] as Case["options"], use };
  const cases = top.cases.flatMap((node) => readCase(node, shared, report));
  if (cases.length === 0 && diagnostics.length === 0) report("There is no case in it. Write one, or remove the file.");
  const seconds = (values["timeout"] as number | undefined) ?? DEFAULT_SECONDS;
  if (!(seconds > 0 && seconds <= LONGEST_SECONDS)) report(`timeout must be more than 0 and at most ${LONGEST_SECONDS} seconds.`);
  return { file, hook: values["hook"] as string | undefined, use, timeoutMs: seconds * 1000, cases, diagnostics };
}

interface Top {
  readonly properties: readonly ConfigProperty[];
  readonly cases: readonly ConfigNode[];
}

function topOf({ root }: ParsedText): Top | undefined {
  if (root?.type === "list") return { properties: [{ key: "cases", place: root.place, value: root }], cases: root.items };
  if (root?.type !== "object") return undefined;
  const { value } = root.properties.findLast(({ key }) => key === "cases") ?? {};
  return { properties: root.properties, cases: value?.type === "list" ? value.items : [] };
}

/** `call: Bash: ls` is what everyone writes first. */
function quotingCure(text: string, { place }: Diagnostic): string {
  const line = text.split("\n")[(place?.line ?? 0) - 1] ?? "";
  return /^\s*(?:-\s+)?\w+:\s+[\w-]+:\s/.test(line)
    ? ' A value with ": " in it needs quotes, as in call: "Bash: ls"; or make the tool the key: Bash: ls.'
    : "";
}

type Report = (problem: string, place?: Place) => void;

interface KnownKeys {
  readonly fields: Fields;
  readonly where: string;
  readonly isMore?: (key: string) => boolean;
  /** Some of these. */
  readonly more?: readonly string[];
}

/** The values of an object that a row of fields describes. Unknown keys are mistakes, unless `isMore` takes them. */
function checkObject(
  properties: readonly ConfigProperty[],
  { fields, where, isMore = () => false, more = [] }: KnownKeys,
  report: Report,
): Record<string, unknown> {
  const values: Record<string, unknown> = {};
  for (const { key, place, value } of properties) {
    const field = Object.hasOwn(fields, key) ? fields[key] : undefined;
    if (key in values) report(`${shown(key)} stands here twice. Remove one.`, place);
    values[key] = value && plainValue(value);
    const problem = field && typeProblem(values[key], field.type);
    if (problem !== undefined) report(`${key} ${problem}.`, value?.place ?? place);
    if (!field && !isMore(key))
      report(
        `${where} has no ${shown(key)}.${didYouMean(key, [...Object.keys(fields), ...more])} It has: ${Object.keys(fields).join(", ")}${more.length > 0 ? ", and a tool or an event" : ""}.`,
        place,
      );
  }
  return values;
}

function usedHook({ use, hook, options }: Record<string, unknown>, report: Report): ShippedName | undefined {
  if (use === undefined && options !== undefined) report("options are those of a shipped hook. Name it with use.");
  if (use === undefined) return undefined;
  if (hook !== undefined) report("hook and use do not go together: a cases file is about one hook.");
  if (isShippedName(use)) return use;
  report(`${shown(use)} does not come with hookloop.${didYouMean(String(use), SHIPPED_NAMES)} There are: ${SHIPPED_NAMES.join(", ")}.`);
  return undefined;
}

type Shared = Pick<Case, "files" | "options"> & Pick<CasesFile, "use">;

function readCase(node: ConfigNode, shared: Shared, report: Report): readonly Case[] {
  if (node.type !== "object") {
    report("A case is an object with a call and `expect`.", node.place);
    return [];
  }
  const isCall = (key: string): boolean => isEventName(key) || isTool(key);
  const expected = node.properties.find((one) => one.key === "expect")?.value;
  const givenExpect = expected && plainValue(expected);
  const known = { fields: CASE_FIELDS, where: "A case", isMore: isCall, more: [...TOOL_NAMES, ...EVENT_NAMES] };
  const values = checkObject(node.properties, known, (problem, place) =>
    report(`${problem}${problem.startsWith("expect must") ? decisionHint(givenExpect) : ""}`, place),
  );
  const hasStranger = Object.keys(values).some((name) => !Object.hasOwn(CASE_FIELDS, name) && !isCall(name));
  const calls = Object.keys(values).filter((key) => key === "call" || isCall(key));
  const [key] = calls;
  if (key === undefined && hasStranger) return [];
  if (key === undefined || calls.length > 1) {
    report(
      key === undefined
        ? 'The case has no call. Write one, as in call: "Bash: ls".'
        : `The case has ${calls.length} calls: ${calls.join(", ")}. Make a case of each.`,
      node.place,
    );
    return [];
  }
  const written = key === "call" ? values["call"] : { [key]: values[key] };
  const call = readCall(written);
  if (typeof call === "string") report(call, node.properties.find((one) => one.key === key)?.value?.place ?? node.place);
  const expect = readExpectation(node, values["expect"], report);
  const options = (values["options"] as Case["options"]) ?? shared.options;
  if (shared.use && options) checkOptions(shared.use, options, (problem) => report(problem, node.place));
  if (typeof call === "string" || !expect) return [];
  const name = (values["name"] as string | undefined) ?? callText(written);
  const files = textsOf(values["files"]) ?? shared.files;
  return [{ name, place: node.place, event: call.event, payload: call.payload, expect: { ...expect, field: call.field }, files, options }];
}

/** What people write for a decision, and the word for it here. */
const OTHER_WORDS: Readonly<Record<string, ExpectedDecision>> = {
  block: "deny",
  refuse: "deny",
  reject: "deny",
  pass: "allow",
  nothing: "none",
  silent: "none",
};

function decisionHint(given: unknown): string {
  if (typeof given !== "string") return "";
  const word = Object.hasOwn(OTHER_WORDS, given) ? OTHER_WORDS[given] : undefined;
  return word === undefined ? didYouMean(given, EXPECTED_DECISIONS) : ` Did you mean "${word}"?`;
}

function checkOptions(use: ShippedName, options: Readonly<Record<string, unknown>>, report: Report): void {
  const known = SHIPPED_HOOKS[use].options;
  for (const [name, value] of Object.entries(options)) {
    const field = Object.hasOwn(known, name) ? known[name] : undefined;
    const problem = field ? typeProblem(value, field.type) : `is no option of "${use}".${didYouMean(name, Object.keys(known))}`;
    if (problem !== undefined) report(`${name} ${problem}`);
  }
}

function readExpectation(node: ConfigNode & { readonly type: "object" }, given: unknown, report: Report): Expectation | undefined {
  if (given === undefined) {
    report(`The case does not say what to expect. Write expect: one of ${EXPECTED_DECISIONS.join(", ")}.`, node.place);
    return undefined;
  }
  if (!isObject(given)) return { decision: given as ExpectedDecision, says: {} };
  const { value } = node.properties.find(({ key }) => key === "expect") ?? {};
  const properties = value?.type === "object" ? value.properties : [];
  const says = checkObject(properties, { fields: EXPECT_FIELDS, where: "expect" }, report);
  if (properties.length === 0) report("expect is empty, so the case proves nothing.", value?.place);
  for (const [name, text] of Object.entries(says)) {
    const wrong = typeof text === "string" ? badPattern(text) : undefined;
    if (wrong !== undefined) report(`${name} is no regular expression: ${wrong}.`, value?.place);
  }
  return { says };
}

/** `/…/i` in a file. */
export function patternOf(text: string): RegExp | undefined {
  const [, source, flags] = /^\/(.+)\/([imsu]*)$/s.exec(text) ?? [];
  return source === undefined ? undefined : new RegExp(source, flags);
}

function badPattern(text: string): string | undefined {
  try {
    patternOf(text);
    return undefined;
  } catch (thrown) {
    return (thrown as Error).message;
  }
}

function textsOf(files: unknown): Readonly<Record<string, string>> | undefined {
  return isObject(files) ? Object.fromEntries(Object.entries(files).map(([name, text]) => [name, String(text ?? "")])) : undefined;
}

interface Call {
  readonly event: EventName;
  readonly payload: Readonly<Record<string, unknown>>;
  readonly field?: string | undefined;
}

function isTool(name: string): name is ToolName {
  return Object.hasOwn(TOOLS, name) || /^mcp__\w/.test(name);
}

/** The event and its payload, or what is wrong. */
function readCall(written: unknown): Call | string {
  if (typeof written === "string") {
    const [, name = "", text] = /^\s*([\w-]+)\s*(?::\s*(.*))?$/s.exec(written) ?? [];
    return namedCall(name === "" ? written : name, text?.startsWith("{") ? jsonOf(text) : text);
  }
  if (!isObject(written)) return "The call must be a text or an object.";
  const { event = written["hook_event_name"], ...payload } = written;
  if (event !== undefined) return isEventName(event) ? payloadCall(event, payload) : unknownName(String(event));
  const [[name = "", value] = [], ...more] = Object.entries(written);
  return more.length > 0 ? "A payload needs `event`, the name of the event." : namedCall(name, value);
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // A text that only begins like an object.
    return text;
  }
}

function namedCall(name: string, value: unknown): Call | string {
  if (isTool(name)) return toolCall("PreToolUse", name, value);
  if (!isEventName(name)) return unknownName(name);
  if (isObject(value)) return payloadCall(name, value);
  if (value === undefined || value === null || value === "") return { event: name, payload: { ...samplePayload(name) } };
  const row = EVENTS[name];
  if (row.matcher?.isTool) return innerCall(name, String(value));
  const field = "prompt" in row.sample ? "prompt" : row.matcher?.field;
  return field === undefined
    ? `${name} has no short form with a text. Write a payload: { event: ${name}, … }`
    : { event: name, payload: { ...samplePayload(name), [field]: value }, field };
}

/** `PostToolUse: "Bash: ls"`. */
function innerCall(event: EventName, text: string): Call | string {
  const [, tool = text, value] = /^\s*([\w-]+)\s*(?::\s*(.*))?$/s.exec(text) ?? [];
  return isTool(tool) ? toolCall(event, tool, value?.startsWith("{") ? jsonOf(value) : value) : unknownName(tool);
}

function unknownName(name: string): string {
  return `${shown(name)} is neither a tool nor an event.${didYouMean(name, [...TOOL_NAMES, ...EVENT_NAMES])} For a tool of your own, write a payload: { event: PreToolUse, tool_name: …, tool_input: { … } }.`;
}

/** A sample of the tool with the value in the field that rules for it look at, or with the fields of an object. */
function toolCall(event: EventName, tool: ToolName, value: unknown): Call | string {
  const row = Object.hasOwn(TOOLS, tool) ? TOOLS[tool] : undefined;
  const sample = Object.entries(row?.sample ?? {}).filter(([name]) => row?.input[name]?.optional !== true);
  const field = row?.rule?.field ?? sample[0]?.[0];
  const isText = value !== undefined && value !== null && !isObject(value);
  if (isText && field === undefined) return `${tool} has no field for a text. Write an object: ${tool}: { … }.`;
  const tool_input = {
    ...Object.fromEntries(sample),
    ...(isObject(value) ? value : isText && field !== undefined ? { [field]: value } : {}),
  };
  return { event, payload: { ...samplePayload(event, row ? tool : undefined), tool_name: tool, tool_input }, field };
}

function payloadCall(event: EventName, given: Readonly<Record<string, unknown>>): Call {
  const { tool_name: tool } = given;
  const known = typeof tool === "string" && Object.hasOwn(TOOLS, tool) ? (tool as ToolName) : undefined;
  const stranger = tool !== undefined && !known && EVENTS[event].matcher?.isTool ? { tool_input: {} } : {};
  const { hook_event_name: _, ...payload } = given;
  const field = known ? TOOLS[known].rule?.field : undefined;
  return { event, payload: { ...samplePayload(event, known), ...stranger, ...payload, hook_event_name: event }, field };
}

const LONGEST_NAME = 100;

function callText(written: unknown): string {
  const entries = isObject(written) ? Object.entries(written) : [];
  const [[name, value] = []] = entries;
  const isShort = entries.length === 1 && !isObject(value);
  const text =
    typeof written === "string"
      ? written
      : isShort
        ? value === null || value === ""
          ? String(name)
          : `${name}: ${value}`
        : JSON.stringify(written);
  const line = text.replace(/\s+/g, " ").trim();
  return line.length > LONGEST_NAME ? `${line.slice(0, LONGEST_NAME - 1)}…` : line;
}

/** `guard.cases.yaml` is about `guard`. */
export const CASES_ENDING: RegExp = /\.cases\.(?:json|ya?ml)$/;

export function stemOf(file: string): string {
  return basename(file).replace(CASES_ENDING, "");
}
