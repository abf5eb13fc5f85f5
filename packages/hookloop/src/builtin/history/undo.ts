/**
 * Takes the history and which part of it is to be undone; gives what would be put back, file by file, and does it. Refuses to touch a file that is
 * not as the last of these calls left it: somebody has changed it since, and that is not ours to lose.
 */

import { randomBytes } from "node:crypto";
import { chmodSync, lstatSync, mkdirSync, renameSync, rmdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { makeFolders, replaceFile } from "../../state-files.ts";
import { canonicalPath, type FileState, isSameState, lookAt, sizeOf } from "./file-state.ts";
import { type EditEntry, type KeptEntry, keptBytes, type NotCovered, openHistoryStore } from "./history-store.ts";

export interface UndoStep {
  readonly path: string;
  /** As it is now, and as it shall be. */
  readonly from: FileState;
  readonly to: FileState;
  /** Those that are undone, oldest first. */
  readonly entries: readonly KeptEntry<EditEntry>[];
}

export interface LeftAlone {
  readonly path: string;
  readonly why: string;
}

export interface UndoPlan {
  readonly steps: readonly UndoStep[];
  readonly conflicts: readonly LeftAlone[];
  /** Of the same calls: what they wrote beside that is not known. */
  readonly notCovered: readonly NotCovered[];
}

export type Selection =
  | { readonly toolUseId: string }
  | { readonly sessionId: string; readonly isLast?: true | undefined }
  | { readonly file: string }
  | { readonly isLast: true };

type Edits = readonly KeptEntry<EditEntry>[];

export function planUndo(all: readonly KeptEntry[], selection: Selection): UndoPlan {
  const edits = all.filter((entry): entry is KeptEntry<EditEntry> => entry.type !== "not-covered");
  const chosen = choose(edits, selection);
  const calls = new Set(chosen.map(({ call }) => call));
  const notCovered = all.filter(
    (entry): entry is KeptEntry<NotCovered> =>
      entry.type === "not-covered" && (calls.has(entry.call) || isOfSession(entry, selection, chosen[0]?.timestamp)),
  );
  const byPath = new Map<string, KeptEntry<EditEntry>[]>();
  for (const entry of chosen) byPath.set(entry.path, [...(byPath.get(entry.path) ?? []), entry]);
  const steps: UndoStep[] = [];
  const conflicts: LeftAlone[] = [];
  for (const [file, entries] of byPath) {
    const found = stepOf(file, entries, edits);
    if (found === undefined) continue;
    if ("why" in found) conflicts.push(found);
    else steps.push(found);
  }
  return { ...withoutLostNames(steps, conflicts, chosen), notCovered };
}

/** Of the whole session; or behind the last call that changed a file: it may be what the user means. */
function isOfSession({ sessionId, timestamp }: NotCovered, selection: Selection, since: number | undefined): boolean {
  if ("sessionId" in selection && selection.sessionId !== sessionId) return false;
  return "isLast" in selection && selection.isLast ? timestamp > (since ?? 0) : "sessionId" in selection;
}

/** What an undo took back is not undone again; an undo that was undone has taken nothing back. */
function choose(edits: Edits, selection: Selection): Edits {
  const undone = new Set<string>();
  for (const { type, call, path: file, undoes = [] } of [...edits].reverse())
    if (type === "undo" && !undone.has(`${call} ${file}`)) for (const one of undoes) undone.add(`${one} ${file}`);
  const open = edits.filter(({ call, path: file }) => !undone.has(`${call} ${file}`));
  if ("toolUseId" in selection) return open.filter(({ toolUseId }) => toolUseId === selection.toolUseId);
  const own = open.filter(({ type }) => type === "edit");
  if ("file" in selection) {
    const file = canonicalPath(selection.file);
    return own.filter((entry) => entry.path === file).slice(-1);
  }
  const ofSession = "sessionId" in selection ? own.filter(({ sessionId }) => sessionId === selection.sessionId) : own;
  const last = ofSession.at(-1)?.call;
  return selection.isLast ? ofSession.filter(({ call }) => call === last) : ofSession;
}

/** Nothing if the file is already as it shall be. */
function stepOf(file: string, entries: Edits, all: Edits): UndoStep | LeftAlone | undefined {
  const [first] = entries;
  const last = entries.at(-1);
  if (!first || !last) return undefined;
  const { state: now } = lookAt(file);
  const to = first.before;
  const moved = canonicalPath(file);
  if (moved !== file) return { path: file, why: `a folder on its way is a link to ${moved} now` };
  if (isSameState(now, to)) return undefined;
  const gap = entries.find((entry, at) => at > 0 && !isSameState(entries[at - 1]?.after ?? entry.before, entry.before));
  if (gap) return { path: file, why: `${changedBy(file, gap.before, all, last)} between two of these changes` };
  if (!isSameState(now, last.after)) return { path: file, why: `${changedBy(file, now, all, last)} since` };
  if (to.kind === "unkept") return { path: file, why: `what was in it is not kept: ${to.why}` };
  if (to.kind === "file" && !keptBytes(first, to))
    return { path: file, why: "what was in it could not be kept, or is not in the history any more" };
  return { path: file, from: now, to, entries };
}

function changedBy(file: string, now: FileState, all: Edits, last: EditEntry): string {
  const other = all.findLast((entry) => entry.path === file && entry.call !== last.call && isSameState(entry.after, now));
  if (!other)
    return now.kind === "missing" ? "it was deleted, not by a call of the history," : "it was changed, not by a call of the history,";
  return `it was changed by ${other.tool} (${other.toolUseId}) of ${other.sessionId === last.sessionId ? "this session" : `session ${other.sessionId}`}`;
}

/** `mv a b`: where `a` cannot be put back, `b` is the only place of what was in it. */
function withoutLostNames(
  steps: readonly UndoStep[],
  conflicts: readonly LeftAlone[],
  chosen: Edits,
): Pick<UndoPlan, "steps" | "conflicts"> {
  const left = new Set(conflicts.map(({ path: file }) => file));
  const keyOf = (call: string, state: FileState): string => `${call} ${state.kind === "file" ? state.hash : ""}`;
  const moved = new Map(
    chosen.flatMap(({ call, path: file, before, change }) =>
      change === "deleted" && before.kind === "file" && left.has(file) ? [[keyOf(call, before), file] as const] : [],
    ),
  );
  const lost = steps.flatMap(({ path: file, to, entries }): readonly LeftAlone[] => {
    const from = entries.flatMap(({ call, after }) => moved.get(keyOf(call, after)) ?? [])[0];
    return to.kind !== "missing" || from === undefined ? [] : [{ path: file, why: `it has what was in ${from}, which is left alone` }];
  });
  const gone = new Set(lost.map(({ path: file }) => file));
  return { steps: steps.filter(({ path: file }) => !gone.has(file)), conflicts: [...conflicts, ...lost] };
}

export interface UndoResult {
  readonly restored: readonly UndoStep[];
  readonly conflicts: readonly LeftAlone[];
  /** The undo as a call of its own; it can be undone as well. */
  readonly toolUseId: string;
}

/** Puts back what the plan says. What cannot be put back is left as it is and said. */
export function applyUndo({ steps, conflicts }: UndoPlan, now: number = Date.now()): UndoResult {
  const call = randomBytes(6).toString("hex");
  const toolUseId = `undo_${call}`;
  const failed: LeftAlone[] = [];
  const restored: UndoStep[] = [];
  for (const step of inOrder(steps)) {
    try {
      // It may have been changed while the question was open.
      if (!isSameState(lookAt(step.path).state, step.from) || canonicalPath(step.path) !== step.path)
        throw new Error("it was changed just now");
      putBack(step);
      restored.push(step);
    } catch (thrown) {
      failed.push({ path: step.path, why: whyNot(thrown) });
    }
  }
  for (const problem of noteUndo(restored, { call, toolUseId, timestamp: now })) failed.push(problem);
  return { restored, conflicts: [...conflicts, ...failed], toolUseId };
}

function whyNot(thrown: unknown): string {
  const { code, message } = thrown as NodeJS.ErrnoException;
  if (code === "ENOTEMPTY" || code === "EEXIST") return "it holds something that these calls did not make";
  return code === undefined ? message : `it could not be put back (${message})`;
}

const depth = ({ path: file }: UndoStep): number => file.split("/").length;

/** First what is in the way goes, the deepest first, then folders come, then what is in them. */
function inOrder(steps: readonly UndoStep[]): readonly UndoStep[] {
  const rank = ({ from, to }: UndoStep): number =>
    to.kind === "missing" ? (from.kind === "folder" ? 1 : 0) : to.kind === "folder" ? 2 : 3;
  return [...steps].sort((a, b) => rank(a) - rank(b) || (rank(a) < 2 ? depth(b) - depth(a) : depth(a) - depth(b)));
}

function putBack({ path: file, from, to, entries: [first] }: UndoStep): void {
  if (from.kind === "folder" && to.kind !== "folder") rmdirSync(file);
  else if (from.kind !== "missing" && (to.kind === "missing" || to.kind === "folder") && from.kind !== to.kind) rmSync(file);
  if (to.kind === "missing") return;
  makeFolders(path.dirname(file));
  if (to.kind === "folder") {
    if (from.kind !== "folder") mkdirSync(file);
    chmodSync(file, to.mode);
  } else if (to.kind === "link") putLink(file, to.target);
  else if (to.kind === "file") putFile(file, to, first);
}

function putLink(file: string, target: string): void {
  const temporary = `${file}.${randomBytes(6).toString("hex")}.tmp`;
  symlinkSync(target, temporary);
  try {
    renameSync(temporary, file);
  } catch (thrown) {
    rmSync(temporary, { force: true });
    throw thrown;
  }
}

/** A file that has other names, or belongs to another user, stays the file it is. */
function putFile(file: string, to: FileState & { readonly kind: "file" }, entry: KeptEntry<EditEntry> | undefined): void {
  const bytes = entry && keptBytes(entry, to);
  if (!bytes) throw new Error("what was in it is not in the history any more");
  const old = lstatSync(file, { throwIfNoEntry: false });
  if (old?.isFile() && (old.nlink > 1 || old.uid !== process.getuid?.())) {
    writeFileSync(file, bytes);
    chmodSync(file, to.mode);
  } else replaceFile(file, bytes, { mode: to.mode });
}

function noteUndo(
  restored: readonly UndoStep[],
  { call, toolUseId, timestamp }: Pick<EditEntry, "call" | "toolUseId" | "timestamp">,
): readonly LeftAlone[] {
  const byFolder = new Map<string, EditEntry[]>();
  for (const { path: file, from, to, entries } of restored) {
    const [first] = entries;
    if (!first) continue;
    const change = from.kind === "missing" ? "created" : to.kind === "missing" ? "deleted" : "modified";
    const undoes = entries.map((entry) => entry.call);
    const entry: EditEntry = {
      v: 1,
      type: "undo",
      timestamp,
      sessionId: first.sessionId,
      toolUseId,
      call,
      tool: "undo",
      path: file,
      change,
      sizeDelta: sizeOf(to) - sizeOf(from),
      before: from,
      after: to,
      undoes,
    };
    byFolder.set(first.folder, [...(byFolder.get(first.folder) ?? []), entry]);
  }
  return [...byFolder].flatMap(([folder, entries]): readonly LeftAlone[] => {
    try {
      openHistoryStore(path.dirname(folder)).append(path.basename(folder), entries);
      return [];
    } catch (thrown) {
      return [{ path: folder, why: `the undo itself could not be noted (${(thrown as Error).message})` }];
    }
  });
}
