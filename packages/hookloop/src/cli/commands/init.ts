import type { Command } from "commander";
import { isShippedName, SHIPPED_HOOKS, SHIPPED_NAMES, type ShippedName } from "../../catalogue/index.ts";
import { didYouMean, visibleLine } from "../../diagnostic.ts";
import type { InitOptions, Target } from "../init-desk.ts";
import { UsageError } from "../terminal.ts";

interface InitFlags extends InitOptions {
  readonly hooks?: string;
  readonly undo?: boolean;
}

const TARGETS: readonly Target[] = ["native", "claude"];

const HELP = `
Examples:
  hookloop init
  hookloop init --hooks safety,workspace-boundary
  hookloop init claude --hooks safety --dry-run
  hookloop init --undo

native writes .hookloop/hooks.json, claude command hooks into
.claude/settings.json. Comments, blanks and other entries stay as they are; the
diff is shown before anything is written. Exit codes: 0 done, 1 nothing was
written because of a problem, 2 wrong usage.`;

export function addInitCommand(program: Command, setExitCode: (code: number) => void): void {
  program
    .command("init")
    .description("switch on hooks that come with hookloop, in this project")
    .argument("[target]", "native (.hookloop/hooks.json) or claude (.claude/settings.json)", "native")
    .option("--hooks <names>", `which, with commas between: ${SHIPPED_NAMES.join(", ")}`)
    .option("--yes", "ask nothing; without --hooks, those that the agent has on by default")
    .option("--dry-run", "show what would be written")
    .option("--undo", "take back what was written last, byte for byte")
    .option("--json", "print JSON, and ask nothing")
    .addHelpText("after", HELP)
    .action(async (target: string, options: InitFlags) => setExitCode(await init(target, options)));
}

async function init(given: string, { hooks, undo, ...options }: InitFlags): Promise<number> {
  const target = TARGETS.find((name) => name === given);
  if (!target)
    throw new UsageError(
      "HL_CLI_USAGE",
      `There is no "${visibleLine(given)}" to write for.${didYouMean(given, TARGETS)} There are: ${TARGETS.join(", ")}.`,
    );
  const names = chosen(hooks, options);
  const { setUp, takeBack } = await import("../init-desk.ts");
  return undo ? takeBack(options) : setUp(target, names, options);
}

/** What the flags say; nothing if they leave it open. */
function chosen(hooks: string | undefined, { yes }: InitOptions): readonly ShippedName[] | undefined {
  if (hooks === undefined) return yes ? SHIPPED_NAMES.filter((name) => SHIPPED_HOOKS[name].isOnInAgent) : undefined;
  const names = hooks.split(",").map((name) => name.trim());
  const stranger = names.find((name) => !isShippedName(name));
  if (stranger === undefined) return [...new Set(names.filter(isShippedName))];
  const known = `There are: ${SHIPPED_NAMES.join(", ")}.`;
  throw new UsageError(
    "HL_CLI_UNKNOWN_HOOK",
    `"${visibleLine(stranger)}" does not come with hookloop.${didYouMean(stranger, SHIPPED_NAMES)} ${known}`,
  );
}
