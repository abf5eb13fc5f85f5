import { EVENT_NAMES, EVENTS, samplePayload } from "../../packages/hookloop/src/catalogue/events.ts";
import { COMMON_INPUT, type Fields, type FieldType, inputFieldsOf, neededInputOf } from "../../packages/hookloop/src/catalogue/field.ts";
import { abilitiesOf, outputFieldsOf } from "../../packages/hookloop/src/catalogue/hook-kinds.ts";
import { DEFAULT_TIMEOUT_SECONDS, type EventRow } from "../../packages/hookloop/src/catalogue/row.ts";
import { MORE_TOOL_NAMES, NAMES_ELSEWHERE, TOOLS } from "../../packages/hookloop/src/catalogue/tools.ts";
import { ABILITIES } from "../../packages/sdk/src/event-facts.ts";
import { shapeText } from "./typescript-types.ts";

const HEADER = "// Made from the event catalogue by `npm run generate`. Do not edit.\n";

/** The generated files of the SDK, before formatting. */
export function sdkFiles(): Readonly<Record<string, string>> {
  const folder = "packages/sdk/src/generated";
  return {
    [`${folder}/events.ts`]: eventTypes(),
    [`${folder}/tools.ts`]: toolTypes(),
    [`${folder}/facts.ts`]: eventFacts(),
    [`${folder}/match-values.ts`]: matchValues(),
    [`${folder}/samples.ts`]: eventSamples(),
  };
}

/** Types of every event's input and output, with the catalogue's words as documentation. */
function eventTypes(): string {
  const inputs = EVENT_NAMES.map((name) => {
    const fields = withoutCommon(inputFieldsOf(EVENTS[name]));
    return `/** It fires ${EVENTS[name].fires}. */\nexport interface ${name}Input extends CommonInput {\n  readonly hook_event_name: "${name}";\n${body(shapeText(fields))}}\n`;
  });
  return [
    HEADER,
    `/** In the payload of every event. */\nexport interface CommonInput ${shapeText(COMMON_INPUT)}\n`,
    ...inputs,
    `/** Every event's payload, by name. */\nexport interface EventInputs {\n${EVENT_NAMES.map((name) => `  readonly ${name}: ${name}Input;\n`).join("")}}\n`,
    "/** The name of an event. */\nexport type EventName = keyof EventInputs;\n",
    `/** What \`output({ … })\` may set, by event. */\nexport interface EventOutputs {\n${EVENT_NAMES.map(outputMember).join("")}}\n`,
    `/** What a hook of each event can say. */\nexport interface EventAbilities {\n${EVENT_NAMES.map((name) => `  readonly ${name}: ${strings(abilitiesOf(EVENTS[name]))};\n`).join("")}}\n`,
  ].join("\n");
}

function outputMember(name: (typeof EVENT_NAMES)[number]): string {
  return `  readonly ${name}: ${shapeText(outputFieldsOf(EVENTS[name]), "  ")};\n`;
}

/** Types of the known tools' inputs and responses. */
function toolTypes(): string {
  const rows = Object.entries(TOOLS);
  const member = ([name, fields]: [string, string]) => `  readonly ${name}: ${fields};\n`;
  return [
    HEADER,
    `/** Inputs of the known tools. */\nexport interface ToolInputs {\n${rows.map(([name, row]) => member([name, shapeText(row.input, "  ")])).join("")}}\n`,
    `/** Responses of the known tools whose shape was measured. */\nexport interface ToolResponses {\n${rows
      .flatMap(([name, row]) => (row.response ? [member([name, shapeText(row.response, "  ")])] : []))
      .join("")}}\n`,
    "/** The name of a known tool. */\nexport type ToolName = keyof ToolInputs;\n",
  ].join("\n");
}

const BLOCK_LETTERS = { permission: "p", request: "r", decision: "d", action: "a", exit: "x" } as const;

/** What the SDK must know at run time, as small as it can be: every byte is in every hook script. */
function eventFacts(): string {
  const rows = EVENT_NAMES.map((name) => `  ${name}: ${JSON.stringify(factsText(EVENTS[name]))},\n`);
  return `${HEADER}import type { EventName } from "./events.ts";

/**
 * \`<how it gives a reason><what it can say>|<fields that must be there>|<fields output() may set>|<limit in seconds, if not 600>\`
 * Gives a reason by: p permissionDecision, r a permission request's decision, d top-level decision, a action, x exit code, - not at all.
 * Can say: one base-36 digit per entry of ABILITIES. The field marked \`*\` is the one a matcher is compared with, with a slash behind the star by its last part only.
 */
export const EVENT_FACTS: Readonly<Record<EventName, string>> = {
${rows.join("")}};

/** Every known tool, with the text fields its input must have. */
export const TOOL_FIELDS: Readonly<Record<string, string>> = {
${Object.entries(TOOLS)
  .map(([name, { input }]) => [
    name,
    Object.keys(input)
      .filter((field) => !input[field]?.optional && input[field]?.type.kind === "string")
      .join(" "),
  ])
  .map(([name, fields]) => `  ${name}: "${fields}",\n`)
  .join("")}};
`;
}

/** Only looked at when something may be wrong, so they are in a file of their own. */
function matchValues(): string {
  const rows = EVENT_NAMES.flatMap((name) => {
    const values = EVENTS[name].matcher?.isTool ? [] : (EVENTS[name].matcher?.values ?? []);
    return values.length > 0 ? [`  ${name}: "${values.join(" ")}",\n`] : [];
  });
  return `${HEADER}
/** Per event: the values that the field it is matched by is known to take. */
export const MATCH_VALUES: Readonly<Record<string, string>> = {
${rows.join("")}};

/** Fields that a payload of any event may have. */
export const COMMON_FIELDS = "${commonFields().join(" ")}";

/** Per event: the other fields that its payload may have. */
export const EVENT_FIELDS: Readonly<Record<string, string>> = {
${EVENT_NAMES.map((name) => `  ${name}: "${Object.keys(EVENTS[name].input).join(" ")}",\n`).join("")}};

/** Per known tool: the fields that its input may have. */
export const INPUT_FIELDS: Readonly<Record<string, string>> = {
${Object.entries(TOOLS)
  .map(([name, { input }]) => `  ${name}: "${Object.keys(input).join(" ")}",\n`)
  .join("")}};

/** Tools of which only the name is known. */
export const MORE_TOOLS = "${MORE_TOOL_NAMES.join(" ")}";

/** What other agents call a known tool, in small letters and without what joins words. */
export const TOOLS_ELSEWHERE: Readonly<Record<string, string>> = ${JSON.stringify(NAMES_ELSEWHERE, null, 2)};
`;
}

function commonFields(): readonly string[] {
  const all = new Set(
    EVENT_NAMES.flatMap((name) => Object.keys(inputFieldsOf(EVENTS[name])).filter((field) => !(field in EVENTS[name].input))),
  );
  return ["hook_event_name", ...[...all].filter((field) => field !== "hook_event_name")];
}

function factsText(row: EventRow): string {
  const can = abilitiesOf(row).map((ability) => ABILITIES.indexOf(ability).toString(36));
  const marked = neededInputOf(row).map((field) => (field === row.matcher?.field ? `*${row.matcher.basename ? "/" : ""}${field}` : field));
  const seconds = row.timeoutSeconds === DEFAULT_TIMEOUT_SECONDS ? "" : row.timeoutSeconds;
  const mechanism = row.block ?? row.feedback;
  const facts = [
    (mechanism ? BLOCK_LETTERS[mechanism] : "-") + can.join(""),
    marked.join(" "),
    Object.keys(outputFieldsOf(row)).join(" "),
    seconds,
  ];
  return facts.join("|").replace(/\|+$/, "");
}

/** A true payload of every event. */
function eventSamples(): string {
  const samples = Object.fromEntries(EVENT_NAMES.map((name) => [name, samplePayload(name)]));
  const tools = Object.fromEntries(
    Object.entries(TOOLS).map(([name, row]) => [name, { tool_input: row.sample, tool_response: row.responseSample ?? {} }]),
  );
  const shapes = Object.fromEntries(
    Object.entries(TOOLS).map(([name, { input, response }]) => [
      name,
      { tool_input: shapeOf(input), ...(response && { tool_response: shapeOf(response) }) },
    ]),
  );
  const fields = Object.fromEntries(EVENT_NAMES.map((name) => [name, shapeOf(withoutCommon(inputFieldsOf(EVENTS[name])))]));
  const plain = EVENT_NAMES.filter((name) => EVENTS[name].stdout === "context");
  return `${HEADER}import type { EventInputs, EventName } from "./events.ts";

/** Events whose plain stdout goes to the model. */
export const PLAIN_STDOUT_IS_CONTEXT: readonly EventName[] = ${JSON.stringify(plain)};

/** What a value may be: types by name, the fields of an object, or what stands in a list. */
export type Shape = string | Fields | readonly [Shape];

export type Fields = { readonly [field: string]: Shape };

/** The fields that a payload of any event may have. */
export const COMMON_SHAPE: Fields = ${JSON.stringify({ hook_event_name: "string", ...shapeOf(COMMON_INPUT) }, null, 2)};

/** The others that each event's payload may have. */
export const EVENT_SHAPES: Readonly<Record<EventName, Fields>> = ${JSON.stringify(fields, null, 2)};

export const SAMPLES: EventInputs = ${JSON.stringify(samples, null, 2)};

/** True inputs and responses of the known tools. */
export const TOOL_SAMPLES: Readonly<Record<string, { readonly tool_input: object; readonly tool_response: object }>> = ${JSON.stringify(tools, null, 2)};

/** Per known tool: the fields that its input and its response may have. Responses that were never measured are left out. */
export const TOOL_SHAPES: Readonly<Record<string, Readonly<Record<string, Fields>>>> = ${JSON.stringify(shapes, null, 2)};
`;
}

const KINDS: Readonly<Record<string, string>> = { choice: "string", record: "object", shape: "object", list: "list" };

function shapeOf(fields: Fields): Readonly<Record<string, unknown>> {
  const kindOf = (type: FieldType): string =>
    type.kind === "either" ? type.options.map(kindOf).join(" or ") : (KINDS[type.kind] ?? type.kind);
  const shapeOfType = (type: FieldType): unknown => {
    if (type.kind === "shape") return shapeOf(type.fields);
    if (type.kind === "list") return [shapeOfType(type.item)];
    // Of several forms of an object, each field may be there.
    const forms =
      type.kind === "either" ? type.options.map((option) => (option.kind === "shape" ? option.fields : undefined)) : [undefined];
    return forms.every((form) => form !== undefined) ? shapeOf(Object.assign({}, ...forms)) : kindOf(type);
  };
  return Object.fromEntries(Object.entries(fields).map(([name, { type }]) => [name, shapeOfType(type)]));
}

function withoutCommon(fields: Fields): Fields {
  return Object.fromEntries(Object.entries(fields).filter(([name, field]) => COMMON_INPUT[name] !== field));
}

function body(shape: string): string {
  return shape.startsWith("{") ? shape.slice(2, -1) : "";
}

function strings(values: readonly string[]): string {
  return values.length > 0 ? values.map((value) => `"${value}"`).join(" | ") : "never";
}
