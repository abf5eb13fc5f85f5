import { lstatSync } from "node:fs";
import path from "node:path";
import type { Command } from "commander";
import type { EditEntry, HistoryEntry, KeptEntry, Selection, UndoPlan, UndoResult } from "../../builtin/index.ts";
import { counted, didYouMean, ownCommand, visibleLine } from "../../diagnostic.ts";
import { print, printJson, style, table, UsageError, width, wrap } from "../terminal.ts";
import type { ProjectHistory } from "../undo-page.ts";

interface Options {
  readonly session?: string;
  readonly toolUse?: string;
  readonly dryRun?: boolean;
  readonly json?: boolean;
}

const HISTORY_HELP = `
Examples:
  hookloop history
  hookloop history src/main.ts
  hookloop history --session 3f2a9c1b --json

It is kept while "file-history" is switched on: {"use": ["file-history"]} in
.hookloop/hooks.json. Exit codes: 0 fine, 1 there is no history, 2 wrong usage.`;

const UNDO_HELP = `
Examples:
  hookloop undo --dry-run
  hookloop undo src/main.ts
  hookloop undo --session 3f2a9c1b
  hookloop undo --tool-use toolu_1

Without FILE and options the last tool use that changed files is undone; with
FILE, its last change. A file that was changed since is shown and left alone.
Exit codes: 0 undone, 1 something was left alone or there was nothing to undo,
2 wrong usage.`;

export function addHistoryCommands(program: Command, setExitCode: (code: number) => void): void {
  program
    .command("history")
    .description("list what agents changed in this project, or the versions of a file with their diffs")
    .argument("[file]", "a file: its versions")
    .option("--session <id>", "only what this session changed")
    .option("--json", "print JSON")
    .addHelpText("after", HISTORY_HELP)
    .action(async (file: string | undefined, options: Options) => setExitCode(await showHistory(file, options)));
  program
    .command("undo")
    .description("put back what an agent changed, byte for byte")
    .argument("[file]", "a file: its last change")
    .option("--tool-use <id>", "what this tool use changed")
    .option("--session <id>", "what this session changed")
    .option("--dry-run", "only show what would be undone")
    .option("--json", "print JSON")
    .addHelpText("after", UNDO_HELP)
    .action(async (file: string | undefined, options: Options) => setExitCode(await undo(file, options)));
}

async function openHistory(): Promise<ProjectHistory> {
  const history = (await import("../undo-page.ts")).projectHistory(process.cwd());
  if (history.damaged > 0) process.stderr.write(`${counted(history.damaged, "line")} of the history cannot be read and left out.\n`);
  return history;
}

/** In full, or by its beginning. */
function sessionNamed(wanted: string, entries: readonly HistoryEntry[]): string {
  const ids = [...new Set(entries.map(({ sessionId }) => sessionId))];
  const found = ids.includes(wanted) ? [wanted] : ids.filter((id) => id.startsWith(wanted));
  if (found.length === 1 && found[0] !== undefined) return found[0];
  const problem = found.length > 1 ? `${found.length} sessions begin with "${wanted}".` : `There is no session "${wanted}" in the history.`;
  throw new UsageError("HL_CLI_USAGE", `${problem}${didYouMean(wanted, ids)} \`hookloop history\` lists them.`);
}

async function showHistory(file: string | undefined, options: Options): Promise<number> {
  const { entries, root } = await openHistory();
  const ofSession = options.session === undefined ? entries : ofOne(entries, sessionNamed(options.session, entries));
  const { canonicalPath } = await import("../../builtin/index.ts");
  const wanted = file === undefined ? undefined : canonicalPath(path.resolve(file));
  const chosen = wanted === undefined ? ofSession : ofSession.filter((entry) => entry.type !== "not-covered" && entry.path === wanted);
  if (options.json) {
    const { versionOf } = await import("../versions.ts");
    printJson(
      chosen.map((entry) => (entry.type === "not-covered" ? plain(entry) : { ...plain(entry), ...versionOf(entry, wanted !== undefined) })),
    );
    return chosen.length > 0 ? 0 : 1;
  }
  if (chosen.length === 0) {
    const { NO_HISTORY } = await import("../undo-page.ts");
    print(
      wrap(file === undefined || entries.length === 0 ? NO_HISTORY : `There is nothing of ${visibleLine(file)} in the history.`, width()),
    );
    return 1;
  }
  await (wanted === undefined ? printList(chosen, root) : printVersions(chosen));
  return 0;
}

function ofOne(entries: readonly KeptEntry[], session: string): readonly KeptEntry[] {
  return entries.filter(({ sessionId }) => sessionId === session);
}

function plain({ folder: _folder, v: _v, call: _call, ...entry }: KeptEntry): object {
  return entry;
}

function timeText(timestamp: number): string {
  const at = new Date(timestamp - new Date(timestamp).getTimezoneOffset() * 60_000);
  return at.toISOString().slice(0, 16).replace("T", " ");
}

const MOST_LISTED = 200;

async function printList(entries: readonly KeptEntry[], root: string): Promise<void> {
  const [{ shownPath, notCoveredLines }, { versionOf, countText }] = await Promise.all([
    import("../undo-page.ts"),
    import("../versions.ts"),
  ]);
  const shown = entries.slice(-MOST_LISTED);
  const rest = entries.length - shown.length;
  if (rest > 0) print(style("dim", `${rest} earlier left out; --json has all.`));
  for (const session of new Set(shown.map(({ sessionId }) => sessionId))) {
    const edits = ofOne(shown, session).filter((entry): entry is KeptEntry<EditEntry> => entry.type !== "not-covered");
    print(style("bold", `Session ${visibleLine(session)}`));
    const rows = edits.map((entry) => [
      timeText(entry.timestamp),
      visibleLine(entry.tool),
      visibleLine(entry.toolUseId),
      countText(entry, versionOf(entry)),
      shownPath(entry.path, root),
    ]);
    if (rows.length > 0) print(table({ heading: ["time", "tool", "tool use", "lines", "file"], rows, columns: width(), title: 4 }));
    for (const line of notCoveredLines(ofOne(shown, session))) print(wrap(line, width(), "  "));
  }
}

async function printVersions(entries: readonly KeptEntry[]): Promise<void> {
  const { versionOf, countText, colouredVersion } = await import("../versions.ts");
  for (const entry of entries) {
    if (entry.type === "not-covered") continue;
    const version = versionOf(entry, true);
    const about = `${entry.tool} ${entry.toolUseId}, session ${entry.sessionId}`;
    print(`${style("bold", timeText(entry.timestamp))}  ${countText(entry, version)}  ${style("dim", visibleLine(about))}`);
    print(colouredVersion(entry, version));
  }
}

async function undo(file: string | undefined, options: Options): Promise<number> {
  const given = [file, options.toolUse, options.session].filter((one) => one !== undefined);
  if (given.length > 1) throw new UsageError("HL_CLI_USAGE", "Give one of FILE, --tool-use and --session.");
  if (options.dryRun !== true) await checkUser();
  const { entries, root } = await openHistory();
  const selection = selectionOf(file, options, entries);
  const { planUndo, applyUndo } = await import("../../builtin/index.ts");
  const plan = planUndo(entries, selection);
  const result = options.dryRun ? undefined : applyUndo(plan);
  if (options.json) printUndoJson(plan, result);
  else await printUndo(plan, result, { root, isEmpty: entries.length === 0 });
  const { conflicts } = result ?? plan;
  return conflicts.length > 0 || (result?.restored ?? plan.steps).length === 0 ? 1 : 0;
}

async function printUndo(
  plan: UndoPlan,
  result: UndoResult | undefined,
  { root, isEmpty }: { readonly root: string; readonly isEmpty: boolean },
): Promise<void> {
  const page = await import("../undo-page.ts");
  const isIdle = plan.steps.length + plan.conflicts.length === 0;
  const nothing = [isEmpty ? page.NO_HISTORY : "There is nothing to undo.", ...page.notCoveredLines(plan.notCovered)];
  const lines = isIdle ? nothing : result ? page.resultLines(result, plan, root) : page.planLines(plan, root);
  for (const line of lines) print(wrap(line, width(), "  "));
  if (result && result.restored.length > 0) print(style("dim", `To take this back: ${ownCommand()} undo --tool-use ${result.toolUseId}`));
}

function printUndoJson(plan: UndoPlan, result: UndoResult | undefined): void {
  const done = result?.restored ?? plan.steps;
  const paths = done.map((step) => ({ path: step.path, change: step.to.kind === "missing" ? "removed" : "restored" }));
  const notCovered = plan.notCovered.map(({ command, why, toolUseId }) => ({ command, why, toolUseId }));
  const what = result ? { toolUseId: result.toolUseId, undone: paths } : { wouldUndo: paths };
  printJson({ ...what, conflicts: result?.conflicts ?? plan.conflicts, notCovered });
}

/** SECURITY: what is put back passes no rule and no hook, so a tool of an agent cannot ask for it. */
async function checkUser(): Promise<void> {
  const [{ isStartedBySession }, { ownState }] = await Promise.all([import("../../run/index.ts"), import("../undo-page.ts")]);
  if (isStartedBySession(process.env, path.join(ownState(), "runs")))
    throw new UsageError(
      "HL_HISTORY_OF_AGENT",
      "An agent's tools and hooks cannot undo: what is put back passes no rule. Run it in your own terminal, or type /undo in the conversation.",
    );
}

function selectionOf(file: string | undefined, { toolUse, session }: Options, entries: readonly KeptEntry[]): Selection {
  if (session !== undefined) return { sessionId: sessionNamed(session, entries) };
  if (toolUse !== undefined) {
    const ids = [...new Set(entries.map(({ toolUseId }) => toolUseId))];
    if (ids.includes(toolUse)) return { toolUseId: toolUse };
    throw new UsageError(
      "HL_CLI_USAGE",
      `There is no tool use "${toolUse}" in the history.${didYouMean(toolUse, ids)} \`hookloop history\` lists them.`,
    );
  }
  if (file === undefined) return { isLast: true };
  const known = entries.flatMap((entry) => (entry.type === "not-covered" ? [] : entry.path));
  const wanted = path.resolve(file);
  const names = known.map((one) => path.relative(process.cwd(), one));
  if (lstatSync(wanted, { throwIfNoEntry: false }) === undefined && !names.includes(path.relative(process.cwd(), wanted)))
    throw new UsageError("HL_CLI_USAGE", `There is no file ${file}, and none in the history.${didYouMean(file, names)}`);
  return { file: wanted };
}
