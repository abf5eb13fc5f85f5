/** What an undo would do and did, in lines: the command and the conversation show the same. */

import { homedir } from "node:os";
import path from "node:path";
import { type HistoryEntry, historyFolder, type KeptEntry, readHistory, type UndoPlan, type UndoResult } from "../builtin/index.ts";
import { counted, visibleLine } from "../diagnostic.ts";
import { isFolder, ownFolder } from "../state-files.ts";
import { style } from "./terminal.ts";

export interface ProjectHistory {
  readonly root: string;
  readonly entries: readonly KeptEntry[];
  readonly damaged: number;
}

export function ownState(): string {
  return ownFolder("state", { env: process.env, home: process.env["HOME"] ?? homedir() });
}

/** The history of a folder, or of the nearest one above that has one. */
export function projectHistory(cwd: string): ProjectHistory {
  const state = ownState();
  for (let root = cwd; ; root = path.dirname(root)) {
    const folder = historyFolder(state, root);
    if (isFolder(folder)) return { root, ...readHistory(folder) };
    if (root === path.dirname(root)) return { root: cwd, entries: [], damaged: 0 };
  }
}

export const NO_HISTORY =
  'There is no history here. It is kept while "file-history" is switched on: {"use": ["file-history"]} in .hookloop/hooks.json.';

export function shownPath(file: string, root: string): string {
  const relative = path.relative(root, file);
  return visibleLine(relative.startsWith("..") ? file : relative);
}

type Step = UndoPlan["steps"][number];

function stepLine({ path: file, from, to, entries }: Step, root: string): string {
  const tools = [...new Set(entries.map(({ tool }) => tool))].join(", ");
  const what = to.kind === "missing" ? "removed" : from.kind === "missing" ? "put back" : "as it was";
  return `  ${shownPath(file, root)}  ${style("dim", `${what} (${visibleLine(tools)})`)}`;
}

const MOST_LINES = 40;

function shortened(lines: readonly string[]): readonly string[] {
  return lines.length > MOST_LINES ? [...lines.slice(0, MOST_LINES), `  … and ${lines.length - MOST_LINES} more`] : lines;
}

function leftAlone(conflicts: UndoPlan["conflicts"], root: string): readonly string[] {
  if (conflicts.length === 0) return [];
  const lines = conflicts.map(({ path: file, why }) => `  ${shownPath(file, root)}: ${visibleLine(why)}`);
  return [style("yellow", "Left alone:"), ...shortened(lines)];
}

export function notCoveredLines(entries: readonly HistoryEntry[]): readonly string[] {
  const lines = entries.flatMap((entry) =>
    entry.type === "not-covered" ? [`  ${visibleLine(entry.command)}  ${style("dim", visibleLine(entry.why))}`] : [],
  );
  if (lines.length === 0) return [];
  return ["Not covered, so what these changed beside it is not known:", ...shortened([...new Set(lines)])];
}

export function planLines({ steps, conflicts, notCovered }: UndoPlan, root: string): readonly string[] {
  const heading = steps.length === 0 ? "Nothing would be undone." : `This would undo ${counted(steps.length, "change")}:`;
  return [heading, ...shortened(steps.map((step) => stepLine(step, root))), ...leftAlone(conflicts, root), ...notCoveredLines(notCovered)];
}

export function resultLines({ restored, conflicts }: UndoResult, { notCovered }: UndoPlan, root: string): readonly string[] {
  const heading = restored.length === 0 ? "Nothing was undone." : `Undid ${counted(restored.length, "change")}:`;
  return [
    heading,
    ...shortened(restored.map((step) => stepLine(step, root))),
    ...leftAlone(conflicts, root),
    ...notCoveredLines(notCovered),
  ];
}
