import type { EventName, ToolName } from "@hookloop/sdk";
import type { Command } from "commander";
import { EVENT_NAMES, EVENTS, isEventName, samplePayload, TOOL_NAMES } from "../../catalogue/index.ts";
import { nearestName, ownCommand } from "../../diagnostic.ts";
import { describeEvent, eventPage, eventTable } from "../event-page.ts";
import { print, printData, printJson, UsageError, width } from "../terminal.ts";

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

/** The event, or a message with the one that was probably meant. */
function knownEvent(name: string): EventName {
  if (isEventName(name)) return name;
  const nearest = nearestName(name, EVENT_NAMES);
  throw new UsageError(
    "HL_CLI_UNKNOWN_EVENT",
    `"${name}" is not an event.${nearest ? ` Did you mean "${nearest}"?` : ""} \`hookloop events\` lists all ${EVENT_NAMES.length}.`,
  );
}

/** A tool the catalogue has a sample of; only an event about a tool call takes one. */
function knownTool(event: EventName, tool: string | undefined): ToolName | undefined {
  if (tool === undefined) return undefined;
  if (!("tool_input" in EVENTS[event].input))
    throw new UsageError("HL_CLI_USAGE", `${event} is not about a tool call, so --tool says nothing.`);
  const known = TOOL_NAMES.find((name) => name === tool);
  if (known) return known;
  const nearest = nearestName(tool, TOOL_NAMES);
  const hint = nearest ? ` Did you mean "${nearest}"?` : "";
  throw new UsageError("HL_CLI_UNKNOWN_TOOL", `"${tool}" is not a known tool.${hint} Known: ${TOOL_NAMES.join(", ")}.`);
}

async function listEvents({ json, sample, tool }: EventsOptions): Promise<void> {
  if (sample || tool !== undefined)
    throw new UsageError("HL_CLI_USAGE", "--sample and --tool need an event: hookloop events PreToolUse --sample");
  if (json) return printJson(await Promise.all(EVENT_NAMES.map(describeEvent)));
  print(eventTable(width()));
  if (process.stdout.isTTY) print(`\n\`${ownCommand()} events NAME\` shows everything about one.`);
}

async function showEvent(event: EventName, { json, sample, tool }: EventsOptions): Promise<void> {
  if (sample) return printData(JSON.stringify(samplePayload(event, knownTool(event, tool))));
  if (tool) throw new UsageError("HL_CLI_USAGE", "--tool goes with --sample.");
  const description = await describeEvent(event);
  return json ? printJson(description) : print(eventPage(description, width()));
}
