// Takes the folder of run files; ends what engines that died without a chance to tidy up have started, and removes what they made.
// Refuses to end anything that is not proved to be theirs, by pid and start time or by the mark in its environment: pids are reused.
import { lstatSync, readdirSync, rmSync, unlinkSync } from "node:fs";
import path from "node:path";
import type { Diagnostic } from "../../../diagnostic.ts";
import { endGroup, groupMembers, isRunning, markedProcesses, markOf, type ProcessIdentity } from "./process-identity.ts";
import { PROCESS_LIMITS } from "./program.ts";
import { assertPrivate, type RunFileContent, type RunRecord, readRunFiles } from "./read-run-files.ts";

export interface Reaped {
  /** Programs that were still running, or had left something running, and were ended. */
  readonly ended: readonly RunRecord[];
  /** Programs that are gone, or were never identified, but whose group has members: what they are cannot be proved, so they live. */
  readonly left: readonly RunRecord[];
  readonly diagnostics: readonly Diagnostic[];
}

/** Files of another boot, or that cannot be read, are kept this long: another machine may share this folder. */
const KEEP_FOREIGN_MS = 7 * 24 * 60 * 60 * 1000;
const KEEP_BROKEN_MS = 60 * 60 * 1000;

/** Ends what engines that were killed have left running, and removes their run files and temporary folders. */
export async function reapOrphans(
  folder: string,
  { graceMs = PROCESS_LIMITS.graceMs }: { readonly graceMs?: number } = {},
): Promise<Reaped> {
  const contents = readRunFiles(folder);
  const dead = contents.filter((content) => content.isOfThisSystem && !isRunning(content.engine));
  const found = dead.flatMap((content) => [
    ...content.running.map((run) => ({ run, known: provedMembers(run, content.mark) })),
    ...content.left.map(({ run, members }) => ({ run, known: members.filter(isRunning) })),
    ...unnoted(content),
  ]);
  const mine = found.filter(({ known }) => known.length > 0);
  const isMine = ({ pid }: RunRecord): boolean => mine.some(({ run }) => run.pid === pid);
  const ended = [...new Map(mine.map(({ run }) => [run.pid, run])).values()];
  const left = dead.flatMap(({ running }) => running).filter((run) => !isMine(run) && groupMembers(run.pid).length > 0);
  await Promise.all(mine.map(({ run, known }) => endGroup(run.pid, known, graceMs)));
  for (const content of dead) removeAll(content);
  removeOld(folder, contents);
  return { ended, left, diagnostics: [...ended.map(endedNotice), ...left.map(leftWarning)] };
}

/** Members of a run's group that are certainly its own. */
function provedMembers(run: RunRecord, mark: string | undefined): readonly ProcessIdentity[] {
  const leader = isRunning(run) ? [run] : [];
  if (mark === undefined) return leader;
  return [...leader, ...groupMembers(run.pid).filter(({ pid }) => markOf(pid)?.startsWith(`${mark}.`))];
}

/** What was started in the very moment of the kill, so that no pid was noted. */
function unnoted({ mark, unfinished }: RunFileContent): readonly { readonly run: RunRecord; readonly known: readonly ProcessIdentity[] }[] {
  const starts = new Map(mark === undefined ? [] : unfinished.map((start) => [`${mark}.${start.number}`, start]));
  const found = markedProcesses([...starts.keys()]);
  return [...new Set(found.map(({ group }) => group))].map((group) => {
    const known = found.filter((one) => one.group === group);
    const { hook = "", text } = starts.get(markOf(known[0]?.pid ?? 0) ?? "") ?? {};
    return { run: { pid: group, startTime: "", hook, text, depth: 0, hooks: [] }, known };
  });
}

function removeAll({ file, folders }: RunFileContent): void {
  for (const folder of folders) removeFolder(folder);
  removeFile(file);
}

/** SECURITY: only what `makeFolder` can have made: by its name, a real folder, of this user. */
function removeFolder(folder: string): void {
  if (!path.isAbsolute(folder) || !/^hookloop-[a-z]+-[0-9a-f-]{36}$/.test(path.basename(folder))) return;
  try {
    const stat = lstatSync(folder);
    if (stat.isDirectory() && stat.uid === process.getuid?.()) rmSync(folder, { recursive: true, force: true });
  } catch {
    // It is gone, or cannot be removed: the system's own cleaning is left to deal with it.
  }
}

function removeOld(folder: string, contents: readonly RunFileContent[]): void {
  const foreign = contents.filter((content) => !content.isOfThisSystem && isOlder(content.file, KEEP_FOREIGN_MS));
  for (const content of foreign) removeAll(content);
  const readable = new Set(contents.map(({ file }) => file));
  for (const name of namesIn(folder)) {
    const file = path.join(folder, name);
    if (!readable.has(file) && isOlder(file, KEEP_BROKEN_MS)) removeFile(file);
  }
}

function namesIn(folder: string): readonly string[] {
  try {
    // SECURITY: a link in its place would lead to files that are not run files.
    assertPrivate(folder);
    return readdirSync(folder).filter((name) => /^\d+-[0-9a-f-]{36}\.jsonl$/.test(name));
  } catch {
    // There is no such folder yet, or it is not ours.
    return [];
  }
}

function isOlder(file: string, ms: number): boolean {
  const stat = lstatSync(file, { throwIfNoEntry: false });
  return stat !== undefined && Date.now() - stat.mtimeMs > ms;
}

function removeFile(file: string): void {
  try {
    unlinkSync(file);
  } catch {
    // Another engine reaps at the same time.
  }
}

function endedNotice({ pid, hook, text: what }: RunRecord): Diagnostic {
  const text = `process ${pid}${what === undefined ? "" : ` (${what})`} was left over from a session that was killed; it was ended`;
  return { code: "HL_EXECUTE_ORPHAN", level: "notice", text, ...(hook !== "" && { hook }) };
}

function leftWarning({ pid, hook }: RunRecord): Diagnostic {
  const text = `a session that was killed left processes of group ${pid} running whose origin cannot be proved; look at them with: ps -o pid,args -g ${pid}`;
  return { code: "HL_EXECUTE_ORPHAN", level: "warning", text, ...(hook !== "" && { hook }) };
}
