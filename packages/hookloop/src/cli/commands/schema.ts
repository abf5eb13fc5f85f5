import type { Command } from "commander";
import { EVENT_NAMES, isEventName } from "../../catalogue/index.ts";
import { didYouMean } from "../../diagnostic.ts";
import { printJson, UsageError } from "../terminal.ts";

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
