import { Command, CommanderError } from "commander";
import { withOwnCommand } from "../own-command.ts";
import { visible } from "../visible-text.ts";
import { addAgentCommand } from "./commands/agent.ts";
import { addDemoCommand } from "./commands/demo.ts";
import { addEventsCommand } from "./commands/events.ts";
import { addSchemaCommand } from "./commands/schema.ts";
import { addTrustCommand } from "./commands/trust.ts";
import { inLocale } from "./terminal.ts";
import { UsageError } from "./usage-error.ts";

declare const __HOOKLOOP_VERSION__: string;

const EXIT_USAGE = 2;

/** The whole command line; gives the exit code. */
export async function run(argv: readonly string[]): Promise<number> {
  const program = new Command("hookloop")
    .description("Hooks for AI-agent loops: watch, look up, review and trust what hangs on yours.")
    .version(__HOOKLOOP_VERSION__)
    .exitOverride()
    .configureOutput({
      writeOut: (text) => void process.stdout.write(inLocale(text)),
      writeErr: (text) => void process.stderr.write(inLocale(text)),
    })
    .showSuggestionAfterError()
    .addHelpText(
      "after",
      "\nExamples:\n  hookloop events\n  hookloop events PreToolUse\n  hookloop schema settings\n  hookloop trust\n\nExit codes: 0 fine, 1 the thing checked is not fine, 2 wrong usage.",
    );
  let exitCode = 0;
  addAgentCommand(program, (code) => {
    exitCode = code;
  });
  addDemoCommand(program, (code) => {
    exitCode = code;
  });
  addEventsCommand(program);
  addSchemaCommand(program);
  addTrustCommand(program, (code) => {
    exitCode = code;
  });
  try {
    if (argv.length === 0) program.outputHelp();
    else await program.parseAsync([...argv], { from: "user" });
    return exitCode;
  } catch (thrown) {
    if (thrown instanceof CommanderError) return thrown.exitCode === 0 ? 0 : EXIT_USAGE;
    if (!(thrown instanceof UsageError)) throw thrown;
    process.stderr.write(`${inLocale(withOwnCommand(visible(thrown.message)))}\n`);
    return EXIT_USAGE;
  }
}
