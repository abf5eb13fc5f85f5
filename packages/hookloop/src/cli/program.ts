import { Command, CommanderError } from "commander";
import { SHIPPED_HOOKS, SHIPPED_NAMES } from "../catalogue/index.ts";
import { ownCommand, visible, withOwnCommand } from "../diagnostic.ts";
import { addAgentCommand } from "./commands/agent.ts";
import { addDemoCommand } from "./commands/demo.ts";
import { addEventsCommand, addSchemaCommand } from "./commands/events.ts";
import { addHistoryCommands } from "./commands/history.ts";
import { addInitCommand } from "./commands/init.ts";
import { addRunCommand } from "./commands/run.ts";
import { addTestCommand } from "./commands/test.ts";
import { addTraceCommand } from "./commands/trace.ts";
import { addTrustCommand } from "./commands/trust.ts";
import { inLocale, UsageError } from "./terminal.ts";

declare const __HOOKLOOP_VERSION__: string;

const EXIT_USAGE = 2;

/** The whole command line; gives the exit code. */
export async function run(argv: readonly string[]): Promise<number> {
  const program = new Command("hookloop")
    .description("Hooks for AI-agent loops: watch, look up, set up, test and trust what hangs on yours.")
    .version(__HOOKLOOP_VERSION__)
    .exitOverride()
    .configureOutput({
      writeOut: (text) => void process.stdout.write(inLocale(withOwnCommand(text))),
      writeErr: (text) => void process.stderr.write(inLocale(text)),
      // Said below, as every other wrong usage is.
      outputError: () => {},
    })
    .showSuggestionAfterError()
    .addHelpText(
      "after",
      "\nExamples:\n  hookloop events\n  hookloop events PreToolUse\n  hookloop run hook.mjs\n  hookloop schema settings\n  hookloop init --hooks safety\n  hookloop test\n  hookloop trust\n\nExit codes: 0 fine, 1 the thing checked is not fine, 2 wrong usage.",
    );
  let exitCode = 0;
  addAgentCommand(program, (code) => {
    exitCode = code;
  });
  addDemoCommand(program, (code) => {
    exitCode = code;
  });
  addEventsCommand(program);
  addHistoryCommands(program, (code) => {
    exitCode = code;
  });
  addHookCommand(program);
  addInitCommand(program, (code) => {
    exitCode = code;
  });
  addRunCommand(program, (code) => {
    exitCode = code;
  });
  addSchemaCommand(program);
  addTestCommand(program, (code) => {
    exitCode = code;
  });
  addTraceCommand(program, (code) => {
    exitCode = code;
  });
  addTrustCommand(program, (code) => {
    exitCode = code;
  });
  try {
    if (argv.length === 0) program.outputHelp();
    else await program.parseAsync([...argv], { from: "user" });
    return exitCode;
  } catch (thrown) {
    const wrong = thrown instanceof CommanderError ? usageError(thrown, program, argv) : thrown;
    if (wrong === undefined) return 0;
    if (!(wrong instanceof UsageError)) throw wrong;
    process.stderr.write(`${inLocale(withOwnCommand(visible(wrong.message)))}\n`);
    return EXIT_USAGE;
  }
}

/** For the help only: the hook itself runs before the other commands are loaded. */
function addHookCommand(program: Command): void {
  const list = SHIPPED_NAMES.map((name) => `  ${name.padEnd(20)}${SHIPPED_HOOKS[name].summary}`).join("\n");
  program
    .command("hook")
    .description("run a hook that comes with hookloop, as a command hook of another agent")
    .argument("<name>", "which one")
    .allowUnknownOption()
    .addHelpText(
      "after",
      `\nHooks:\n${list}\n\nExamples:\n  hookloop hook safety --profile strict < event.json\n  hookloop hook secret-guard --redact`,
    )
    .action(() => {});
}

/** What commander found wrong, with a code and where to look; nothing if it only printed help or the version. */
function usageError({ exitCode, message }: CommanderError, program: Command, argv: readonly string[]): UsageError | undefined {
  if (exitCode === 0) return undefined;
  let command = program;
  let line = ownCommand();
  for (const word of argv.filter((one) => !one.startsWith("-"))) {
    const next = command.commands.find((one) => one.name() === word);
    if (!next) break;
    command = next;
    line += ` ${word}`;
  }
  // "error: unknown command 'agnet'\n(Did you mean one of agent, …?)"; `help agnet` has printed the help instead.
  const [, what = "no such command", meant] = /^error: ([^\n]*?)\.?(?:\n\(Did you mean (?:one of )?(.*)\?\))?$/.exec(message) ?? [];
  // As the help spells it: an option may have two names.
  const asHelped = (name: string): string =>
    command.options.find(({ flags }) => flags.split(/[ ,]+/).includes(name))?.flags.match(/--[\w-]+/)?.[0] ?? name;
  const hint = meant === undefined ? "" : ` Did you mean "${meant.split(", ").map(asHelped).join('" or "')}"?`;
  return new UsageError("HL_CLI_USAGE", `${what.replace(/'(.*)'/, '"$1"')}.${hint} \`${line} --help\` shows what there is.`);
}
