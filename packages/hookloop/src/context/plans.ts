/** Plans of a context: archived beside its state, each under a number of its own, hashed, and signed when the user approves one. */

import path from "node:path";
import { namesIn } from "../state-files.ts";
import { computePlanHash, getContextDir, readContextFile, signText, writeContextFile } from "./context-files.ts";
import { type ArchivedPlan, type ContextState, nowIso, slugify } from "./state.ts";
import { saveState } from "./store.ts";

/** For the model, when a plan is about to be carried out in another session than it was made in. */
export const PLAN_EVALUATION_REMINDER: string =
  "This plan was written in an earlier session. Before you carry it out, compare it with the code as it is now: files may have changed since. " +
  "If a step no longer fits, say so and propose a change before you edit anything. Keep the task list up to date while you work.";

/** `unsigned`: nobody approved it. `changed`: its text is not the one that was approved. `missing`: its file is gone. */
export type PlanStanding = "none" | "unsigned" | "approved" | "changed" | "missing";

/** Keeps a plan in the folder of its context. The same text is archived once. */
export async function archivePlan(contextId: string, plan: string, projectRoot: string): Promise<ArchivedPlan> {
  const hash = computePlanHash(plan);
  const { plan: archived } = await saveState(
    contextId,
    (state) => {
      const kept = state.plan && readContextFile(projectRoot, contextId, state.plan.file);
      if (state.plan?.hash === hash && kept !== undefined && computePlanHash(kept) === hash) return state;
      const file = numberedFile({ projectRoot, contextId, below: "plans", title: plan });
      writeContextFile(projectRoot, contextId, file, plan.endsWith("\n") ? plan : `${plan}\n`);
      return { ...state, plan: { file, hash, archivedAt: nowIso() } };
    },
    projectRoot,
  );
  if (archived === undefined) throw new Error(`The plan of "${contextId}" was not kept.`);
  return archived;
}

interface NumberedFile {
  readonly projectRoot: string;
  readonly contextId: string;
  readonly below: "plans" | "handoffs";
  /** Its first line with a word names the file. */
  readonly title: string;
}

/** A name for the next document: numbers, not times, since clocks jump. */
export function numberedFile({ projectRoot, contextId, below, title }: NumberedFile): string {
  const names = namesIn(path.join(getContextDir(projectRoot, contextId), below));
  const next = Math.max(0, ...names.map((name) => Number.parseInt(name, 10) || 0)) + 1;
  const words = title
    .split("\n")
    .map((line) => slugify(line))
    .find((slug) => slug !== "");
  return `${below}/${String(next).padStart(4, "0")}${words === undefined ? "" : `-${words}`}.md`;
}

/** The plan that is archived now. */
export function readPlan({ id, plan }: ContextState, projectRoot: string): string | undefined {
  return plan && readContextFile(projectRoot, id, plan.file);
}

/**
 * Notes that the user approved the plan. `approved` is the text that was shown; a text that is not the archived one is archived first, so that what
 * is signed is what was approved. Without it, the archived text counts. Gives how the plan stands then: a plan that is gone is not signed.
 */
export async function signPlan(contextId: string, projectRoot: string, approved?: string): Promise<PlanStanding> {
  if (approved !== undefined) await archivePlan(contextId, approved, projectRoot);
  const state = await saveState(
    contextId,
    (now) => {
      const text = readPlan(now, projectRoot);
      if (now.plan === undefined || text === undefined) return now;
      const hash = computePlanHash(text);
      return { ...now, plan: { ...now.plan, hash, signature: signatureOf(now.id, hash) } };
    },
    projectRoot,
  );
  return checkPlan(state, projectRoot);
}

/** How the plan of a context stands. With `text`, whether that is the text that was approved. */
export function checkPlan(state: ContextState, projectRoot: string, text: string | undefined = readPlan(state, projectRoot)): PlanStanding {
  const { plan, id } = state;
  if (plan === undefined) return "none";
  if (text === undefined) return "missing";
  if (plan.signature === undefined) return "unsigned";
  // SECURITY: compared with what this machine signs; a signature that came with a clone is none.
  return plan.signature === signatureOf(id, computePlanHash(text)) ? "approved" : "changed";
}

function signatureOf(contextId: string, hash: string): string {
  return signText(`plan ${contextId} ${hash}`);
}
