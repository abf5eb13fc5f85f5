import type { Ability, EventName, HookResult, ToolName } from "@hookloop/sdk";
import * as say from "@hookloop/sdk";
import type { Command } from "commander";
import {
  ABILITY_MEANS,
  abilitiesOf,
  EVENT_NAMES,
  EVENTS,
  type EventRow,
  type Field,
  type Fields,
  type FieldType,
  inputFieldsOf,
  isEventName,
  MODEL_KIND_TIMEOUT_SECONDS,
  outputFieldsOf,
  samplePayload,
  TOOL_NAMES,
} from "../../catalogue/index.ts";
import { didYouMean, ownCommand } from "../../diagnostic.ts";
import { wrapText } from "../screen/text-width.ts";
import { print, printData, printJson, style, table, UsageError, width, wrap } from "../terminal.ts";

interface EventsOptions {
  readonly json?: boolean;
  readonly sample?: boolean;
  readonly tool?: string;
}

export function addEventsCommand(program: Command): void {
  program
    .command("events")
    .description("list all events, or show everything about one")
    .argument("[event]", "name of an event")
    .option("--json", "print JSON")
    .option("--sample", "print only a true payload of the event, to pipe into a hook")
    .option("--tool <name>", "with --sample: a call of this tool")
    .addHelpText(
      "after",
      "\nExamples:\n  hookloop events\n  hookloop events PreToolUse\n  hookloop events PreToolUse --sample | node my-hook.mjs\n  hookloop events --json | jq -r '.[].name'",
    )
    .action((event: string | undefined, options: EventsOptions) =>
      event === undefined ? listEvents(options) : showEvent(knownEvent(event), options),
    );
}

export function knownEvent(name: string): EventName {
  if (isEventName(name)) return name;
  throw new UsageError(
    "HL_CLI_UNKNOWN_EVENT",
    `"${name}" is not an event.${didYouMean(name, EVENT_NAMES)} \`hookloop events\` lists all ${EVENT_NAMES.length}.`,
  );
}

/** A tool the catalogue has a sample of; only an event about a tool call takes one. */
export function knownTool(event: EventName, tool: string | undefined): ToolName | undefined {
  if (tool === undefined) return undefined;
  if (!("tool_input" in EVENTS[event].input))
    throw new UsageError("HL_CLI_USAGE", `${event} is not about a tool call, so --tool says nothing.`);
  const known = TOOL_NAMES.find((name) => name === tool);
  if (known) return known;
  const hint = didYouMean(tool, TOOL_NAMES);
  throw new UsageError("HL_CLI_UNKNOWN_TOOL", `"${tool}" is not a known tool.${hint} Known: ${TOOL_NAMES.join(", ")}.`);
}

async function listEvents({ json, sample, tool }: EventsOptions): Promise<void> {
  if (sample || tool !== undefined)
    throw new UsageError("HL_CLI_USAGE", "--sample and --tool need an event: hookloop events PreToolUse --sample");
  if (json) return printJson(await Promise.all(EVENT_NAMES.map(describeEvent)));
  print(eventTable(width()));
  if (process.stdout.isTTY) print(`\n${wrap(`\`${ownCommand()} events NAME\` shows everything about one.`, width())}`);
}

async function showEvent(event: EventName, { json, sample, tool }: EventsOptions): Promise<void> {
  if (sample) return printData(JSON.stringify(samplePayload(event, knownTool(event, tool))));
  if (tool) throw new UsageError("HL_CLI_USAGE", "--tool goes with --sample.");
  const description = await describeEvent(event);
  return json ? printJson(description) : print(eventPage(description, width()));
}

const LABEL_WIDTH = 17;

function eventPage(event: EventDescription, columns: number): string {
  const heading = (text: string): string => `\n${style("bold", text)}`;
  const items = (texts: readonly string[]): string[] => texts.map((text) => `  - ${wrap(text, columns, "    ")}`);
  return [
    style(["bold", "cyan"], event.name),
    wrap(`It fires ${event.fires}.`, columns),
    ...(event.origin === "hookloop" ? ["An event of hookloop: Claude Code does not know it."] : []),
    "",
    ...facts(event).map(([label, value]) => `${style("dim", label.padEnd(LABEL_WIDTH))}${wrap(value, columns, " ".repeat(LABEL_WIDTH))}`),
    heading("Input"),
    ...event.input.map((field) => fieldLine(field, columns)),
    heading("Sample input"),
    ...JSON.stringify(event.sample, null, 2)
      .split("\n")
      .flatMap((row) => wrapText(row, columns, "      ")),
    heading("What a hook can say"),
    ...event.outputs.flatMap(({ code, means, stdout, stderr, exitCode }) => [
      `  ${style("green", wrap(code, columns, "  "))}`,
      `      ${wrap(means, columns, "      ")}`,
      ...(stdout ? [style("dim", `      stdout  ${wrap(stdout.trimEnd(), columns, " ".repeat(14))}`)] : []),
      ...(stderr ? [style("dim", `      stderr  ${wrap(stderr.trimEnd(), columns, " ".repeat(14))}`)] : []),
      ...(exitCode ? [style("dim", `      exit    ${exitCode}`)] : []),
    ]),
    ...(event.hookSpecificOutput.length > 0
      ? [heading("Fields of hookSpecificOutput"), ...event.hookSpecificOutput.map((field) => fieldLine(field, columns))]
      : []),
    ...(event.outputs.length === 0 ? ["  Nothing: it only observes. Exit code 0, whatever is printed."] : []),
    ...(event.pitfalls.length > 0 ? [heading("Pitfalls"), ...items(event.pitfalls)] : []),
  ].join("\n");
}

export function facts(event: EventDescription): [label: string, value: string][] {
  const { matcher, block } = event;
  return [
    [
      "Matched by",
      matcher ? `${matcher.field}${matcher.values.length > 0 ? `: ${matcher.values.join(", ")}` : ""}` : "nothing; a matcher is ignored",
    ],
    ["Can block", `${block ? "yes" : "no"}: ${event.blockMeans}`],
    ["Exit code 2", event.exit2Means],
    ["Plain stdout", { context: "goes to the model", log: "goes to the log", path: "its last line is the path" }[event.stdout]],
    ["Kinds", event.kinds.join(", ")],
    ["Time limit", timeLimits(event)],
    ["Role", `${event.role}; if a hook fails: ${event.onFailure}; several hooks: ${event.merge}`],
    ["continue: false", event.honoursContinue ? "ends the agent's work" : "ignored, and so is systemMessage"],
  ];
}

function timeLimits({ timeoutSeconds, kinds }: EventDescription): string {
  const { prompt, agent } = MODEL_KIND_TIMEOUT_SECONDS;
  return `${timeoutSeconds} s${kinds.includes("prompt") ? `; prompt hooks ${prompt} s, agent hooks ${agent} s` : ""}`;
}

function fieldLine({ name, type, isRequired, description }: FieldDescription, columns: number): string {
  const head = `  ${style("green", name)}${isRequired ? "" : "?"}  ${style("dim", type)}`;
  return `${wrap(head, columns, "      ")}\n      ${wrap(description, columns, "      ")}`;
}

interface Column {
  readonly heading: string;
  /** Shown only if the terminal has this many columns: when the event fires matters most. */
  readonly from: number;
  readonly cell: (name: EventName) => string;
}

const COLUMNS: readonly Column[] = [
  { heading: "EVENT", from: 0, cell: (name) => name },
  { heading: "ROLE", from: 120, cell: (name) => EVENTS[name].role },
  { heading: "BLOCKS", from: 80, cell: (name) => (EVENTS[name].block ? "yes" : "no") },
  { heading: "MATCHED BY", from: 120, cell: (name) => EVENTS[name].matcher?.field ?? "-" },
  { heading: "FIRES", from: 0, cell: (name) => `${EVENTS[name].origin === "hookloop" ? "(hookloop only) " : ""}${EVENTS[name].fires}` },
];

export function eventTable(width: number): string {
  const columns = COLUMNS.filter(({ from }) => width >= from);
  const rows = EVENT_NAMES.map((name) => columns.map(({ cell }) => cell(name)));
  return table({ heading: columns.map(({ heading }) => heading), rows, columns: width, title: 0 });
}

export interface FieldDescription {
  readonly name: string;
  readonly type: string;
  readonly isRequired: boolean;
  readonly description: string;
}

interface OutputDescription extends OutputSample {
  readonly say: Ability;
  readonly means: string;
}

/** Everything there is to know about one event, ready to be shown. */
export interface EventDescription extends Omit<EventRow, "input" | "output" | "sample"> {
  readonly name: EventName;
  readonly input: readonly FieldDescription[];
  readonly sample: Readonly<Record<string, unknown>>;
  readonly hookSpecificOutput: readonly FieldDescription[];
  readonly outputs: readonly OutputDescription[];
}

export async function describeEvent(name: EventName): Promise<EventDescription> {
  const { input: _input, output, sample: _sample, ...row } = EVENTS[name];
  const says = abilitiesOf(EVENTS[name]);
  const outputs = says.map(async (say) => ({ say, means: meaning(say, EVENTS[name]), ...(await outputSample(name, say)) }));
  return {
    name,
    ...row,
    // The event's own fields first: they are what people come for.
    input: describeFields({ ...EVENTS[name].input, ...inputFieldsOf(EVENTS[name]) }),
    sample: { ...samplePayload(name) },
    hookSpecificOutput: describeFields(output),
    outputs: await Promise.all(outputs),
  };
}

function meaning(say: Ability, row: EventRow): string {
  return say === "block" || (say === "deny" && row.block !== null) ? row.blockMeans : ABILITY_MEANS[say];
}

function describeFields(fields: Fields): FieldDescription[] {
  return Object.entries(fields).map(([name, field]: [string, Field]) => ({
    name,
    type: typeName(field.type),
    isRequired: !field.optional,
    description: field.description,
  }));
}

function typeName(type: FieldType): string {
  switch (type.kind) {
    case "string":
      return type.known ? `string (${type.known.join(", ")}, …)` : "string";
    case "choice":
      return type.values.join(" | ");
    case "record":
      return "object";
    case "list":
      return `list of ${typeName(type.item)}`;
    case "shape":
      return `{ ${Object.entries(type.fields)
        .map(([name, field]) => `${name}${field.optional ? "?" : ""}`)
        .join(", ")} }`;
    case "either":
      return type.options.map(typeName).join(" | ");
    default:
      return type.kind;
  }
}

interface OutputSample {
  readonly code: string;
  readonly stdout: string;
  readonly stderr: string;
  readonly exitCode: number | null;
}

const ARGUMENTS: Readonly<Record<Exclude<Ability, "output">, unknown>> = {
  allow: "Reads only",
  deny: "Force pushes to main are not allowed",
  ask: "This deletes files",
  defer: "Wait for the release manager",
  block: "The tests do not pass yet",
  rewrite: { command: "npm test -- --run" },
  context: "The branch is 3 commits behind main",
  feedback: "The file does not parse: line 12",
  replaceOutput: { stdout: "[redacted]", stderr: "", interrupted: false },
  rewritePrompt: "Fix the failing test and explain the cause",
  stop: "The budget of this session is used up",
  tellUser: "Formatted 2 files",
};

const OUTPUT_VALUES: Readonly<Record<string, unknown>> = {
  initialUserMessage: "Summarise what changed since yesterday",
  sessionTitle: "Fix the parser",
  watchPaths: ["/home/user/project/.env"],
  reloadSkills: true,
  suppressOriginalPrompt: true,
  updatedParams: { temperature: 0 },
  displayContent: "All tests pass now. ✔",
  updatedPermissions: [{ type: "setMode", mode: "acceptEdits", destination: "session" }],
  interrupt: true,
  retry: true,
  classifierContext: "The command only reads",
  action: "accept",
  content: { repository: "hookloop" },
  worktreePath: "/home/user/project/.worktrees/fix-parser",
};

/** The SDK's own answer, so that what is shown cannot differ from what is written. */
async function outputSample(event: EventName, ability: Ability): Promise<OutputSample> {
  const argument = ability === "output" ? outputValues(event) : ARGUMENTS[ability];
  // biome-ignore lint/performance/noDynamicNamespaceImportAccess: every helper is shown, so every helper is needed
  const speak = say[ability] as (value: unknown) => HookResult;
  // A permission question is answered first; the rest is part of the answer.
  const needsAnswer = EVENTS[event].block === "request" && (ability === "rewrite" || ability === "output");
  const result = needsAnswer ? say.allow().with(speak(argument)) : speak(argument);
  const code = `${ability}(${JSON.stringify(argument)})`;
  // Loaded here: the other commands start without it.
  const { callHook } = await import("@hookloop/sdk/testing");
  const { stdout, stderr, exitCode } = await callHook({ event, options: {}, handler: () => result });
  return { code: needsAnswer ? `allow().with(${code})` : code, stdout, stderr, exitCode };
}

function outputValues(event: EventName): Record<string, unknown> {
  const names = Object.keys(outputFieldsOf(EVENTS[event])).filter((name) => name !== "interrupt");
  return Object.fromEntries(names.map((name) => [name, OUTPUT_VALUES[name]]));
}

// The same as JSON Schema.

const FILES = ["native", "settings", "hooks-json", "cases"] as const;

export function addSchemaCommand(program: Command): void {
  program
    .command("schema")
    .description("print the JSON Schema of a configuration file or of an event")
    .argument("[what]", `${FILES.join(", ")}, or the name of an event`, "settings")
    .option("--input", "only the event's input")
    .option("--output", "only the event's output")
    .option("--json", "print JSON (it always is)")
    .addHelpText(
      "after",
      "\nExamples:\n  hookloop schema settings > settings.schema.json\n  hookloop schema native\n  hookloop schema PreToolUse --output",
    )
    .action(printSchema);
}

async function printSchema(what: string, options: { readonly input?: boolean; readonly output?: boolean }): Promise<void> {
  // zod is loaded here and nowhere else on the command line.
  const { eventJsonSchema, fileJsonSchema } = await import("../../catalogue/schemas.ts");
  const file = FILES.find((name) => name === what);
  if (file && (options.input || options.output))
    throw new UsageError("HL_CLI_USAGE", `--input and --output go with an event, not with "${what}".`);
  if (file) return printJson(fileJsonSchema(file));
  if (!isEventName(what)) throw unknownSchema(what);
  const { input, output } = { input: eventJsonSchema(what, "input"), output: eventJsonSchema(what, "output") };
  if (options.input !== options.output) return printJson(options.input ? input : output);
  return printJson({ $schema: input["$schema"], title: what, definitions: { input, output } });
}

function unknownSchema(what: string): UsageError {
  const hint = didYouMean(what, [...FILES, ...EVENT_NAMES]);
  return new UsageError("HL_CLI_UNKNOWN_SCHEMA", `There is no schema "${what}".${hint} There are: ${FILES.join(", ")}, and every event.`);
}
