/**
 * Takes a failed run, gives what it means: effects in the hook's own direction, and always a diagnostic that says
 * what happened, what the loop does now and what to do about it. A failure never loosens anything.
 */

import type { EventRow, FailureDirection } from "../catalogue/index.ts";
import { canBlockIfWritten, withholdsResult } from "../config/index.ts";
import { type Diagnostic, withConsequence } from "../diagnostic.ts";
import type { ErrorCode } from "../errors.ts";
import { durationText } from "../run/index.ts";
import type { AdmittedHook } from "../trust/index.ts";
import { type Effect, type Failure, type FailureKind, inTermsOf, refusalEffects, sanitiseText, shortText } from "./effects.ts";

interface FailedRun {
  readonly row: EventRow;
  readonly hook: AdmittedHook;
  readonly failure: Failure;
  readonly durationMs: number;
}

const CONSEQUENCE: Readonly<Record<FailureDirection, string>> = {
  continue: "the agent continues without its answer",
  ask: 'the decision is "ask" instead',
  block: "that counts as a denial",
};

export function applyFailure(run: FailedRun): { readonly effects: readonly Effect[]; readonly diagnostic: Diagnostic } {
  const direction = directionOf(run);
  return { effects: effectsOf(run, direction), diagnostic: diagnosticOf(run, direction) };
}

export function directionOf({ row, hook, failure }: Pick<FailedRun, "row" | "hook" | "failure">): FailureDirection {
  // A background hook has no say.
  if (row.blockEffect === null || hook.isAsync) return "continue";
  if (withholdsResult(row)) return hook.onFailure === "block" ? "block" : "continue";
  if (!row.failureCanBlock) return row.block !== null && hook.onFailure === "block" && !NOT_RUN.has(failure.kind) ? "block" : "continue";
  // SECURITY: who changed a gate must not get past it, whatever its dialect makes of a hook that merely fails.
  if (failure.kind === "untrusted") return "block";
  return (failure.kind === "timeout" && !hook.isGuard ? hook.onTimeout : undefined) ?? hook.onFailure;
}

/** The agent can do nothing about it, so where a block keeps it at work it is not kept. */
const NOT_RUN: ReadonlySet<FailureKind> = new Set(["untrusted", "aborted"]);

function effectsOf({ row, hook, failure, durationMs }: FailedRun, direction: FailureDirection): readonly Effect[] {
  if (direction === "continue") return [];
  const reason = sanitiseText(failureReason(hook, failure, durationMs));
  return direction === "block" ? blockEffects(row, reason) : [{ type: "ask", reason }];
}

/** What a failed guard does at this event. */
export function blockEffects(row: EventRow, reason: string): readonly Effect[] {
  return withholdsResult(row) ? [{ type: "withhold", reason }] : refusalEffects(row, reason);
}

function consequenceOf({ row, hook, failure }: FailedRun, direction: FailureDirection): string {
  // Who cancelled it may not ask anybody any more.
  if (failure.kind === "aborted" && direction === "ask") return "it has approved nothing";
  if (direction === "block" && row.blockEffect === "continueTurn") return "the agent is kept at work, up to the stop cap";
  if (direction === "block" && withholdsResult(row)) return "the result is withheld from the model";
  const cannotBlock = direction === "continue" && hook.isGuard && !row.failureCanBlock && !hook.isAsync;
  if (!cannotBlock || (canBlockIfWritten(row) && hook.onFailure !== "block"))
    return failure.kind === "aborted" && direction === "continue" ? "its answer is not waited for" : CONSEQUENCE[direction];
  const what = row.block === null ? "fails cannot" : "did not run to its end does not";
  return `a guard that ${what} block ${hook.event}, so ${CONSEQUENCE.continue}`;
}

/** Whoever wrote a guard, in its script alone, should know that the agent does not take its silence for a denial. */
function openCure({ row, hook, failure }: FailedRun, direction: FailureDirection): string {
  if (failure.kind !== "timeout" || direction !== "continue" || !row.failureCanBlock || hook.isAsync) return "";
  return '. To block when it does not answer, set "onFailure": "block" on the hook';
}

function diagnosticOf(run: FailedRun, direction: FailureDirection): Diagnostic {
  const { hook, failure } = run;
  const { code } = FAILURE_WORDS[failure.kind];
  const who = hook.isGuard ? "guard" : "hook";
  const what = withConsequence(shortText(failure.text, 400), consequenceOf(run, direction));
  // What the hook itself said may tell the cure already.
  const said = `${[what, failureCure(hook, failure)].filter(Boolean).join(". ")}${openCure(run, direction)}`;
  const text = `${who} "${shortText(hook.name, 60)}": ${inTermsOf(hook, said)}`;
  return { code: failure.code ?? code, level: failure.kind === "aborted" ? "notice" : "error", text, place: hook.place, hook: hook.id };
}

interface FailureWords {
  readonly code: ErrorCode;
  /** What the model may know: nothing of the command, its files or its output. */
  readonly public: string;
  readonly cure: string;
}

const FAILURE_WORDS: Readonly<Record<FailureKind, FailureWords>> = {
  "could-not-start": {
    code: "HL_EXECUTE_COULD_NOT_START",
    public: "could not be started",
    cure: "Look at the path, its mode and its interpreter",
  },
  untrusted: {
    code: "HL_EXECUTE_UNTRUSTED",
    public: "is not what was approved, or cannot be checked, and was not run",
    cure: "Look at it: hookloop trust review",
  },
  exit: { code: "HL_EXECUTE_EXIT", public: "failed", cure: "Exit with 0" },
  signal: { code: "HL_EXECUTE_SIGNAL", public: "was ended before it answered", cure: "Find out what ended it" },
  timeout: { code: "HL_EXECUTE_TIMEOUT", public: "did not answer", cure: "Make it faster, or raise its timeout" },
  aborted: { code: "HL_EXECUTE_ABORTED", public: "was interrupted before it answered", cure: "Run the step again" },
  flood: { code: "HL_EXECUTE_FLOOD", public: "printed too much and was ended", cure: "Print less" },
  threw: { code: "HL_EXECUTE_THREW", public: "threw an error", cure: "Fix the handler" },
  "bad-input": { code: "HL_EXECUTE_BAD_INPUT", public: "could not be given the event", cure: "The event must be plain JSON" },
  "unfit-input": {
    code: "HL_SELECT_FIELD_MISSING",
    public: "did not get the input it checks",
    cure: "`hookloop events NAME --sample` shows what the event must be fired with",
  },
  refused: {
    code: "HL_EXECUTE_REFUSED",
    public: "was not asked",
    cure: 'An http hook may reach and send only what "allowedHttpHookUrls" and "httpHookAllowedEnvVars" of the settings allow',
  },
  unreachable: { code: "HL_EXECUTE_UNREACHABLE", public: "could not be reached", cure: "Look whether its server runs and can be reached" },
  "http-status": { code: "HL_EXECUTE_HTTP_STATUS", public: "failed", cure: "Answer with status 200 and JSON" },
  "no-model": {
    code: "HL_EXECUTE_NO_MODEL",
    public: "could not ask a model",
    cure: "Set ANTHROPIC_API_KEY, or pass a model: openHooks({ ports: { model } })",
  },
  "model-failed": {
    code: "HL_EXECUTE_MODEL_FAILED",
    public: "got no answer of its model",
    cure: "Look at the model's settings, or wait a moment",
  },
  "bad-answer": {
    code: "HL_EXECUTE_BAD_ANSWER",
    public: "got an answer of its model that cannot be read",
    cure: "Make its prompt a plain yes-or-no condition",
  },
  unanswered: {
    code: "HL_EXECUTE_UNANSWERED",
    public: "needed an answer of the user and got none",
    cure: "Run it where the user can be asked, or let its prompt decide by itself",
  },
  "not-connected": {
    code: "HL_EXECUTE_NOT_CONNECTED",
    public: "could not be reached",
    cure: "Connect the server (--mcp-config, or openHooks({ ports: { mcp } })), or look at its name",
  },
  "tool-error": { code: "HL_EXECUTE_TOOL_ERROR", public: "failed", cure: "Look at the server's tool and at the hook's input" },
  "bad-json": { code: "HL_OUTPUT_BAD_JSON", public: "gave an answer that cannot be read", cure: "Print one JSON object and nothing else" },
  "bad-output": {
    code: "HL_OUTPUT_WRONG_TYPE",
    public: "gave an answer that is not valid",
    cure: "`hookloop events NAME` shows what the event accepts",
  },
};

function failureCure(hook: AdmittedHook, { kind, cure }: Failure): string {
  const { target, event } = hook;
  if (kind === "untrusted" && isMiswritten(hook)) return "Fix its entry in the configuration file";
  const isLoading = kind === "could-not-start" && target.kind === "module";
  return cure ?? (isLoading ? "Look at the file, its exports and what it imports" : FAILURE_WORDS[kind].cure.replace("NAME", event));
}

/** Why a failed hook stands in the way, for the model: "guard X did not answer (timeout 5 s)". */
function failureReason(hook: AdmittedHook, failure: Failure, durationMs: number): string {
  const name = publicName(hook);
  const who = `The ${hook.isGuard ? "guard" : "hook"}${name ? ` ${name}` : ""}`;
  // Functions that returned at once were not timed.
  const took = durationMs > 0 ? durationMs : hook.timeoutMs;
  const limit = failure.kind === "timeout" ? ` (timeout ${durationText(Math.min(hook.timeoutMs, took))})` : "";
  const isEntry = failure.kind === "untrusted" && isMiswritten(hook);
  const what = isEntry ? "has a mistake in its configuration and was not run" : FAILURE_WORDS[failure.kind].public;
  return `${who} ${what}${limit}${failure.said ? `: ${failure.said}` : "."}`;
}

/** A slip in its entry: nothing about approvals. */
function isMiswritten({ withheld }: AdmittedHook): boolean {
  return withheld?.reason === "unreadable";
}

/** A hook without a name of its own is called by what it runs, and that is not for the model. */
function publicName({ name, target }: AdmittedHook): string | undefined {
  if (!/^[\w][\w .:@-]{0,63}$/.test(name)) return undefined;
  if (target.kind === "function") return name;
  if (target.kind === "withheld") return undefined;
  const isPartOf = (value: unknown): boolean => typeof value === "string" && (value.includes(name) || name.includes(value));
  const spelled = target.kind === "command" ? [target.command, ...(target.args ?? [])] : Object.values(target.fields);
  return spelled.some(isPartOf) ? undefined : name;
}
