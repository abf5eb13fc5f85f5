import { homedir } from "node:os";
import path from "node:path";
import type { Command } from "commander";
import { isShippedName, SHIPPED_HOOKS, SHIPPED_NAMES, type ShippedName } from "../../catalogue/index.ts";
import { type FileChange, type FileEdit, planEdits, planUndo, unifiedDiff, type WritePlace, writeEdits } from "../../config/index.ts";
import { type Diagnostic, diagnosticLine, didYouMean, visibleLine, withOwnCommand } from "../../diagnostic.ts";
import { absolutePath, ownFolder } from "../../state-files.ts";
import { askClearly, openLineQuestions, yesOrNo } from "../clear-answer.ts";
import { asIs, inLocale, print, printJson, style, UsageError, width, wrap } from "../terminal.ts";

interface InitOptions {
  readonly hooks?: string;
  readonly yes?: boolean;
  readonly dryRun?: boolean;
  readonly undo?: boolean;
  readonly json?: boolean;
}

const TARGETS = ["native", "claude"] as const;
type Target = (typeof TARGETS)[number];

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
    .action(async (target: string, options: InitOptions) => setExitCode(await init(target, options)));
}

async function init(given: string, options: InitOptions): Promise<number> {
  const target = TARGETS.find((name) => name === given);
  if (!target)
    throw new UsageError(
      "HL_CLI_USAGE",
      `There is no "${visibleLine(given)}" to write for.${didYouMean(given, TARGETS)} There are: ${TARGETS.join(", ")}.`,
    );
  const place = await openPlace();
  if (options.undo) return undo(place, options);
  const io = isAtTerminal(options) ? openLineQuestions({ input: process.stdin, output: process.stdout }) : undefined;
  try {
    const names = chosen(options) ?? (await askWhich(io?.ask));
    return await setUp({ target, names, place, options, ask: io?.ask });
  } finally {
    io?.close();
  }
}

type Ask = (question: string) => Promise<string | undefined>;

function isAtTerminal({ yes, json, dryRun, hooks }: InitOptions): boolean {
  return !yes && !json && !(dryRun && hooks !== undefined) && process.stdin.isTTY && process.stdout.isTTY;
}

/** SECURITY: an agent must not switch guards off, or on for the next session: that is the user's decision. */
async function openPlace(): Promise<WritePlace> {
  const [{ RUNS }, { isStartedBySession }, { OF_AGENT }] = await Promise.all([
    import("../../open/trust.ts"),
    import("../../run/index.ts"),
    import("../../trust/index.ts"),
  ]);
  const { env } = process;
  const state = ownFolder("state", { env, home: absolutePath(env["HOME"]) ?? homedir() });
  if (isStartedBySession(env, path.join(state, RUNS))) throw new UsageError("HL_TRUST_OF_AGENT", OF_AGENT);
  return { root: process.cwd(), stateFolder: state };
}

/** What the flags say; nothing if they leave it open. */
function chosen({ hooks, yes }: InitOptions): readonly ShippedName[] | undefined {
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

async function askWhich(ask: Ask | undefined): Promise<readonly ShippedName[]> {
  if (!ask)
    throw new UsageError(
      "HL_CLI_NO_TERMINAL",
      `Which hooks cannot be asked without a terminal. Write --hooks ${SHIPPED_NAMES.slice(0, 2).join(",")}, or --yes for the default.`,
    );
  const names: ShippedName[] = [];
  for (const name of SHIPPED_NAMES) {
    const isDefault = SHIPPED_HOOKS[name].isOnInAgent === true;
    const isWanted = await isYes(ask, `${name}: ${SHIPPED_HOOKS[name].summary}. Switch it on? [${isDefault ? "Y/n" : "y/N"}]`, isDefault);
    if (isWanted === undefined) return [];
    if (isWanted) names.push(name);
  }
  return names;
}

/** Nothing: the user left. */
async function isYes(ask: Ask, question: string, isDefault: boolean): Promise<boolean | undefined> {
  return askClearly({
    ask: (text) => ask(wrap(text, width())),
    print: (text) => print(wrap(text, width())),
    question,
    read: (given) => (given.trim() === "" ? isDefault : yesOrNo(given)?.isYes),
    hint: `Type y or n; Enter is ${isDefault ? "y" : "n"}.`,
  });
}

interface SetUp {
  readonly target: Target;
  readonly names: readonly ShippedName[];
  readonly place: WritePlace;
  readonly options: InitOptions;
  readonly ask: Ask | undefined;
}

async function setUp({ target, names, place, options, ask }: SetUp): Promise<number> {
  if (names.length === 0) return finish([], [], { ...options, done: "No hook was chosen, so nothing is written." });
  const { gitignoreChange, hookChange } = await import("../init-changes.ts");
  const ignored = gitignoreChange(place.root);
  const changes: readonly FileChange[] = [hookChange(target, names, place.root), ...(ignored ? [ignored] : [])];
  const { edits, problems } = planEdits(changes, place);
  if (problems.length > 0) return finish([], problems, options);
  if (edits.length === 0)
    return finish([], [], { ...options, done: `Nothing to write: ${changes[0]?.file} has ${names.join(", ")} already.` });
  if (!options.json) showEdits(edits);
  if (options.dryRun) return finish(edits, [], { ...options, done: "Nothing was written (--dry-run)." });
  const isWanted = ask ? await isYes(ask, "Write this? [Y/n]", true) : true;
  if (!isWanted) return finish([], [], { ...options, done: "Nothing was written." });
  const failed = writeEdits(edits, place);
  const next = target === "claude" ? "\nIn hookloop itself these hooks need your approval: hookloop trust review" : "";
  return finish(failed.length > 0 ? [] : edits, failed, { ...options, done: `${writtenText(edits)}${next}` });
}

function writtenText(edits: readonly FileEdit[]): string {
  return `Written: ${edits.map(({ file }) => file).join(", ")}. To take it back: hookloop init --undo`;
}

function undo(place: WritePlace, options: InitOptions): number {
  const planned = planUndo(place);
  if (!planned) return finish([], [nothingToUndo(place)], options);
  if (planned.problems.length > 0) return finish([], planned.problems, options);
  if (!options.json) showEdits(planned.edits);
  if (options.dryRun) return finish(planned.edits, [], { ...options, done: "Nothing was written (--dry-run)." });
  const failed = planned.write();
  return finish(planned.edits, failed, {
    ...options,
    done: `Taken back: ${planned.edits.map(({ file }) => file).join(", ") || "nothing was left of it"}.`,
  });
}

function nothingToUndo({ root }: WritePlace): Diagnostic {
  return {
    code: "HL_WRITE_NOTHING_TO_UNDO",
    level: "error",
    text: "Nothing was written in this project that could be taken back.",
    place: { file: root },
  };
}

function showEdits(edits: readonly FileEdit[]): void {
  for (const line of edits.flatMap(unifiedDiff)) {
    const colour = line.startsWith("+") ? "green" : line.startsWith("-") ? "red" : "reset";
    print(asIs(style(colour, visibleLine(line.replace(/\r$/, "")))));
  }
  print("");
}

/** Says how it ended; gives the exit code. */
function finish(
  edits: readonly FileEdit[],
  problems: readonly Diagnostic[],
  { json, dryRun = false, done = "" }: InitOptions & { readonly done?: string },
): number {
  const isWritten = edits.length > 0 && problems.length === 0 && !dryRun;
  if (json) {
    const files = edits.map((edit) => ({ file: edit.file, change: changeOf(edit), diff: unifiedDiff(edit).join("\n") }));
    printJson({ written: isWritten, files, problems });
  }
  for (const problem of problems) process.stderr.write(`${inLocale(visibleLine(diagnosticLine(problem)))}\n`);
  if (!json && problems.length === 0) print(withOwnCommand(done));
  return problems.length > 0 ? 1 : 0;
}

function changeOf({ before, after }: FileEdit): "create" | "edit" | "remove" {
  return before === undefined ? "create" : after === undefined ? "remove" : "edit";
}
