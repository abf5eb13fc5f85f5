/**
 * Takes a failed run, gives what it means: effects in the hook's own direction, and always a diagnostic that says
 * what happened, what the loop does now and what to do about it. A failure never loosens anything.
 */
import type { EventRow, FailureDirection } from "../../catalogue/index.ts";
import type { Diagnostic } from "../../diagnostic.ts";
import { clause } from "../../diagnostic.ts";
import type { AdmittedHook } from "../../trust/index.ts";
import { FAILURE_WORDS, failureCure, failureReason } from "./failure-text.ts";
import { sanitiseText, shortText } from "./sanitise-text.ts";
import { sayNo } from "./say-no.ts";
import type { Effect, Failure, FailureKind } from "./types.ts";

export interface FailedRun {
  readonly row: EventRow;
  readonly hook: AdmittedHook;
  readonly failure: Failure;
  readonly durationMs: number;
}

export interface AppliedFailure {
  readonly effects: readonly Effect[];
  readonly diagnostic: Diagnostic;
}

const CONSEQUENCE: Readonly<Record<FailureDirection, string>> = {
  continue: "the agent continues without its answer",
  ask: "the user is asked instead",
  block: "that counts as a denial",
};

/** What a failed run does to the event it was asked about. */
export function applyFailure(run: FailedRun): AppliedFailure {
  const direction = directionOf(run);
  return { effects: effectsOf(run, direction), diagnostic: diagnosticOf(run, direction) };
}

/** What a failed run of the hook does at this event. */
export function directionOf({ row, hook, failure }: Pick<FailedRun, "row" | "hook" | "failure">): FailureDirection {
  // A background hook has no say.
  if (row.blockEffect === null || hook.isAsync) return "continue";
  if (!row.failureCanBlock) return row.block !== null && hook.onFailure === "block" && !NOT_RUN.has(failure.kind) ? "block" : "continue";
  // SECURITY: who changed a gate must not get past it, whatever its dialect makes of a hook that merely fails.
  if (failure.kind === "untrusted") return "block";
  return hook.onFailure;
}

/** The agent can do nothing about it, so where a block keeps it at work it is not kept. */
const NOT_RUN: ReadonlySet<FailureKind> = new Set(["untrusted", "aborted"]);

function effectsOf({ row, hook, failure, durationMs }: FailedRun, direction: FailureDirection): readonly Effect[] {
  if (direction === "continue") return [];
  const reason = sanitiseText(failureReason(hook, failure, durationMs));
  return direction === "block" ? sayNo(row, reason) : [{ type: "ask", reason }];
}

function consequenceOf({ row, hook, failure }: FailedRun, direction: FailureDirection): string {
  // Who cancelled it may not ask anybody any more.
  if (failure.kind === "aborted" && direction === "ask") return "it has approved nothing";
  if (direction === "block" && row.blockEffect === "continueTurn") return "the agent is kept at work, up to the stop cap";
  const cannotBlock = direction === "continue" && hook.isGuard && !row.failureCanBlock && !hook.isAsync;
  if (!cannotBlock || (row.block !== null && hook.onFailure !== "block")) return CONSEQUENCE[direction];
  const what = row.block === null ? "fails cannot" : "did not run to its end does not";
  return `a guard that ${what} block ${hook.event}, so ${CONSEQUENCE.continue}`;
}

/** Whoever wrote a guard, in its script alone, should know that the agent does not take its silence for a no. */
function openCure({ row, hook, failure }: FailedRun, direction: FailureDirection): string {
  if (failure.kind !== "timeout" || direction !== "continue" || !row.failureCanBlock || hook.isAsync) return "";
  return '. To block when it does not answer, set "onFailure": "block" on the hook';
}

function diagnosticOf(run: FailedRun, direction: FailureDirection): Diagnostic {
  const { hook, failure } = run;
  const { code } = FAILURE_WORDS[failure.kind];
  const who = hook.isGuard ? "guard" : "hook";
  const text = `${who} "${shortText(hook.name, 60)}": ${clause(shortText(failure.text, 400))}; ${consequenceOf(run, direction)}. ${failureCure(hook, failure)}${openCure(run, direction)}`;
  return { code: failure.code ?? code, level: failure.kind === "aborted" ? "notice" : "error", text, place: hook.place, hook: hook.id };
}
