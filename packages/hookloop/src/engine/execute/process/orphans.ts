// Takes the folder of run files; ends the hooks of engines that died without ending them.
// Refuses to end anything whose pid and start time are not the ones that were noted: pids are reused.
import { unlinkSync } from "node:fs";
import { setTimeout as wait } from "node:timers/promises";
import type { Diagnostic } from "../../../diagnostic.ts";
import { groupMembers, isRunning, type ProcessIdentity, signalGroup } from "./process-identity.ts";
import { PROCESS_LIMITS } from "./program.ts";
import { type RunFileContent, type RunRecord, readRunFiles } from "./read-run-files.ts";

export interface Reaped {
  /** Hooks that were still running and were ended. */
  readonly ended: readonly RunRecord[];
  /** Hooks whose process is gone, or was never identified, but whose group has members: what they are cannot be proved, so they live. */
  readonly left: readonly RunRecord[];
  readonly diagnostics: readonly Diagnostic[];
}

/** Ends what engines that were killed have left running, and removes their run files. */
export async function reapOrphans(
  folder: string,
  { graceMs = PROCESS_LIMITS.graceMs }: { readonly graceMs?: number } = {},
): Promise<Reaped> {
  const dead = readRunFiles(folder).filter((content) => content.isOfThisSystem && !isRunning(content.engine));
  const runs = dead.flatMap(({ running }) => running);
  const ended = runs.filter(isRunning);
  const left = runs.filter((run) => !ended.includes(run) && groupMembers(run.pid).length > 0);
  await Promise.all(ended.map((run) => endGroup(run, graceMs)));
  for (const content of dead) removeRunFile(content);
  return { ended, left, diagnostics: [...ended.map(endedNotice), ...left.map(leftWarning)] };
}

async function endGroup(run: RunRecord, graceMs: number): Promise<void> {
  const members: readonly ProcessIdentity[] = groupMembers(run.pid);
  // SECURITY: checked again right before the signal; the group is this run's only while the noted process leads it.
  if (!isRunning(run)) return;
  signalGroup(run.pid, "SIGTERM");
  const deadline = performance.now() + graceMs;
  while (members.some(isRunning) && performance.now() < deadline) await wait(20);
  // As long as one of the members seen before lives, the group's number cannot have been given to anyone else.
  if (members.some(isRunning)) signalGroup(run.pid, "SIGKILL");
}

function removeRunFile({ file }: RunFileContent): void {
  try {
    unlinkSync(file);
  } catch {
    // Another engine reaps at the same time.
  }
}

function endedNotice({ pid, hook }: RunRecord): Diagnostic {
  const text = `process ${pid} was left over from a session that was killed; it was ended`;
  return { code: "HL_EXECUTE_ORPHAN", level: "notice", text, hook };
}

function leftWarning({ pid, hook }: RunRecord): Diagnostic {
  const text = `a session that was killed left processes of group ${pid} running whose origin cannot be proved; look at them with: ps -o pid,args -g ${pid}`;
  return { code: "HL_EXECUTE_ORPHAN", level: "warning", text, hook };
}
