// Takes the folder of run files; ends what engines that died without a chance to tidy up have started, and removes what they made.
// Refuses to end anything that is not proved to be theirs, by pid and start time or by the mark in its environment: pids are reused.

import { lstatSync, rmSync, unlinkSync } from "node:fs";
import path from "node:path";
import type { Diagnostic } from "../../diagnostic.ts";
import { isRunning, ProcessTable } from "./process-identity.ts";
import { PROCESS_LIMITS } from "./program.ts";
import { type RunFileContent, type RunRecord, readRunFiles, runFilesIn } from "./read-run-files.ts";
import { type RunIdentity, RunProcesses } from "./run-processes.ts";

interface Reaped {
  /** Programs that were still running, or had left something running, and were ended. */
  readonly ended: readonly RunRecord[];
  /** Programs that are gone, or were never identified, but whose group has members: what they are cannot be proved, so they live. */
  readonly left: readonly RunRecord[];
  readonly diagnostics: readonly Diagnostic[];
}

/** Files of another boot, or that cannot be read, are kept this long: another machine may share this folder. */
const KEEP_FOREIGN_MS = 7 * 24 * 60 * 60 * 1000;
const KEEP_BROKEN_MS = 60 * 60 * 1000;

export async function reapOrphans(
  folder: string,
  { graceMs = PROCESS_LIMITS.graceMs }: { readonly graceMs?: number } = {},
): Promise<Reaped> {
  const contents = readRunFiles(folder);
  const dead = contents.filter((content) => content.isOfThisSystem && !isRunning(content.engine));
  const orphans = dead.flatMap(orphansOf);
  const table = orphans.length > 0 ? new ProcessTable() : undefined;
  const found = orphans.map(({ run, processes }) => ({ run, processes, pids: processes.find(table).map(({ pid }) => pid) }));
  const mine = found.filter(({ pids }) => pids.length > 0);
  // One run may be noted as running and as started: its processes are named once.
  const named = new Map<number, Ended>();
  for (const { run, pids } of mine) {
    const pid = run.pid || (pids[0] ?? 0);
    named.set(pid, { run: { ...run, pid }, pids: [...new Set([...(named.get(pid)?.pids ?? []), ...pids])] });
  }
  const isInGroup = ({ pid }: RunRecord): boolean =>
    table?.processes.some(({ group, session }) => group === pid || session === pid) ?? false;
  const left = dead.flatMap(({ running }) => running).filter((run) => !named.has(run.pid) && isInGroup(run));
  await Promise.all(mine.map(({ processes }) => processes.end(graceMs, table)));
  for (const content of dead) removeAll(content);
  removeOld(folder, contents);
  const ended = [...named.values()];
  return { ended: ended.map(({ run }) => run), left, diagnostics: [...ended.map(endedNotice), ...left.map(leftWarning)] };
}

interface Ended {
  readonly run: RunRecord;
  readonly pids: readonly number[];
}

interface Orphan {
  /** `pid` is 0 if none was noted. */
  readonly run: RunRecord;
  readonly processes: RunProcesses;
}

/** What may be left of an engine: of programs that ran, of programs that had ended, and of those that were started in the very moment of the kill. */
function orphansOf({ mark, running, left, unfinished }: RunFileContent): readonly Orphan[] {
  const identity = ({ pid, number }: Pick<RunRecord, "pid" | "number">): RunIdentity => ({
    leader: pid,
    mark: mark === undefined || number === undefined ? undefined : `${mark}.${number}`,
  });
  return [
    ...running.map((run) => ({ run, processes: new RunProcesses(identity(run), { known: isRunning(run) ? [run] : [] }) })),
    // What has left the session of a program that ended by itself stays.
    ...left.map(({ run, members }) => ({ run, processes: new RunProcesses(identity(run), { known: members, isOnlySession: true }) })),
    ...unfinished.map(({ number, hook = "", text }) => {
      const run = { pid: 0, startTime: "", hook, text, depth: 0, hooks: [], number };
      return { run, processes: new RunProcesses(identity(run)) };
    }),
  ];
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
  const broken = runFilesIn(folder).filter((file) => !readable.has(file) && /^\d+-[0-9a-f-]{36}\.jsonl$/.test(path.basename(file)));
  for (const file of broken) if (isOlder(file, KEEP_BROKEN_MS)) removeFile(file);
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

function endedNotice({ run: { hook, text: what }, pids }: Ended): Diagnostic {
  const who = what === undefined ? "" : ` (${what})`;
  const text =
    pids.length === 1
      ? `process ${pids[0]}${who} was left over from a session that was killed; it was ended`
      : `processes ${pids.join(", ")}${who} were left over from a session that was killed; all of it was ended`;
  return { code: "HL_EXECUTE_ORPHAN", level: "notice", text, ...(hook !== "" && { hook }) };
}

function leftWarning({ pid, hook }: RunRecord): Diagnostic {
  const text = `a session that was killed left processes of group ${pid} running whose origin cannot be proved; look at them with: ps -o pid,args -g ${pid}`;
  return { code: "HL_EXECUTE_ORPHAN", level: "warning", text, ...(hook !== "" && { hook }) };
}

/** What must happen even if this program calls `process.exit`, or ends by an uncaught error. Only what can be done at once: nothing is waited for. */
const tasks = new Set<() => void>();
let isListening = false;

/** Does it when this program exits; the function it gives takes it back. */
export function atExit(task: () => void): () => void {
  if (!isListening) process.on("exit", doAll);
  isListening = true;
  tasks.add(task);
  return () => tasks.delete(task);
}

/** The last ones first: a folder is removed after what works in it has been ended. */
function doAll(): void {
  for (const task of [...tasks].reverse()) {
    try {
      task();
    } catch {
      // The others have their turn all the same.
    }
  }
}
