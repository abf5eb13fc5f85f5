/** Keeps the last verdicts that mattered, and explains one: which hooks ran, what each answered, which won, where it is declared, how to switch it off. */

import type { LoopStep } from "../../agent/index.ts";
import type { RegisteredHook } from "../../config/index.ts";
import { clause, placeText } from "../../diagnostic.ts";
import type { ToolCall, ToolResult } from "../../engine/index.ts";
import { effectWords, type Outcome, type Verdict } from "../../judge/index.ts";
import type { PermissionDecision, RuleReference } from "../../permissions/index.ts";
import { durationText } from "../../run/index.ts";
import { type Shorten, shownCall } from "./call-text.ts";

export interface WhyLog {
  step(step: LoopStep): void;
  /** Lines that explain it. `wanted`: 1, or nothing, for the last verdict, 2 for the one before. */
  explain(wanted: string, notices: Notices, shorten: Shorten): readonly string[];
  /** Why the hook failed when it last ran; nothing if it did not fail then, or has not run. */
  failureOf(hookId: string): string | undefined;
}

interface Decided {
  readonly subject: (shorten: Shorten) => string;
  readonly verdicts: readonly Verdict[];
  readonly permission?: PermissionDecision | undefined;
  readonly end?: string | undefined;
}

type Notices = (verdict: Verdict) => readonly string[];

const KEPT = 50;

export function createWhyLog(): WhyLog {
  let log: readonly Decided[] = [];
  const keep = (decided: Decided): void => {
    log = [decided, ...log].slice(0, KEPT);
  };
  const failures = new Map<string, string>();
  const remember = ({ outcomes }: Verdict): void => {
    for (const { hook, failure } of outcomes) {
      if (failure) failures.set(hook.id, failure.text);
      else failures.delete(hook.id);
    }
  };
  return {
    failureOf: (hookId) => failures.get(hookId),
    step(step) {
      if (step.type === "verdict") {
        remember(step.verdict);
        if (matters(step.verdict)) keep({ subject: () => step.verdict.event, verdicts: [step.verdict] });
      } else if (step.type === "call") {
        const { call, result } = step;
        result.verdicts.forEach(remember);
        const verdicts = result.verdicts.filter(({ outcomes }) => outcomes.length > 0);
        const isOwnLine = call.id.startsWith("line_") && result.permission?.decision === "allow";
        const end = isOwnLine ? `You typed it, so you were not asked. ${endOf(result)}` : endOf(result);
        keep({ subject: (shorten) => shownCall(call, shorten), verdicts, permission: isOwnLine ? undefined : result.permission, end });
      }
    },
    explain(wanted, notices, shorten) {
      if (log.length === 0) return ["Nothing has been decided in this session yet. Ask for something first."];
      const decided = log[Number(wanted || 1) - 1];
      if (decided) return explained(decided, notices, shorten);
      return [
        log.length === 1
          ? "One verdict is known: /why shows it."
          : `Say which: /why 1 is the last verdict, /why ${log.length} the oldest that is known.`,
      ];
    },
  };
}

export interface Asked {
  readonly call: ToolCall;
  readonly verdict: Verdict;
  readonly why: PermissionDecision | undefined;
}

export function explainQuestion({ call, verdict, why }: Asked, shorten: Shorten): readonly string[] {
  const verdicts = verdict.outcomes.length > 0 ? [verdict] : [];
  const subject = (): string => shownCall({ name: call.tool_name, input: call.tool_input }, shorten);
  return explained({ subject, verdicts, permission: why, end: "It waits for your answer." }, () => [], shorten);
}

/** A hook had an effect or failed. A Stop hook without an answer explains nothing. */
function matters({ decision, halt, continueWith, outcomes }: Verdict): boolean {
  return decision !== "none" || halt !== undefined || continueWith.length > 0 || outcomes.some(({ failure }) => failure);
}

function endOf({ status, output, error, permission, verdicts }: ToolResult<unknown>): string {
  if (status === "ran" || status === "failed") {
    const isByHook = verdicts.some(({ event, decision }) => event === "PermissionRequest" && decision === "allow");
    const said = permission?.decision !== "ask" ? "" : isByHook ? "A hook said yes in your place. " : "You said yes. ";
    return `${said}${status === "failed" ? "It ran and failed." : isInBackground(output) ? "It was started in the background." : "It ran."}`;
  }
  return `It did not run${(error ?? "").startsWith("The user denied it") ? ": you denied it." : "."}`;
}

/** A command or an agent that the call has only started. */
function isInBackground(output: unknown): boolean {
  const { backgroundTaskId, status } = (output ?? {}) as { readonly backgroundTaskId?: unknown; readonly status?: unknown };
  return backgroundTaskId !== undefined || status === "async_launched";
}

function explained({ subject, verdicts, permission, end }: Decided, notices: Notices, shorten: Shorten): readonly string[] {
  const lines = [
    ...verdicts.flatMap((verdict) => [
      `  ${verdict.event}: ${verdictWord(verdict)}`,
      ...verdict.outcomes.flatMap((outcome) => hookLines(outcome, verdict)),
    ]),
    ...(verdicts.length === 0 ? ["  No hook ran."] : []),
    ...(permission ? permissionLines(permission) : []),
    ...(end === undefined ? [] : [`  ${end}`]),
    ...verdicts.flatMap((verdict) => notices(verdict).flatMap(cureOf)),
  ];
  return [subject(shorten), ...lines.map(shorten)];
}

const DECISIONS: Readonly<Record<Verdict["decision"], string>> = {
  none: "no opinion",
  allow: "yes",
  ask: "ask the user",
  defer: "not now",
  deny: "no",
};

function verdictWord({ decision, halt, continueWith }: Verdict): string {
  if (halt) return "the agent must stop";
  return continueWith.length > 0 ? "the agent must continue" : DECISIONS[decision];
}

function hookLines(
  { hook, effects, failure, diagnostics, durationMs, isBackground, isAgain }: Outcome,
  verdict: Verdict,
): readonly string[] {
  const hasBlocked = verdict.decision === "deny" && verdict.reasons.some((one) => one.hook === hook.id);
  const lost = diagnostics
    .map(({ text }) => text.replace(/^hook ".*?": /, "").replace(/\.? This is said once in a session\.?$/, ""))
    .join(" ");
  const nothing = lost === "" ? "had no answer" : `gave no answer that counts: ${lost}`;
  const said = failure
    ? `failed (${clause(failure.text)}); that ${hasBlocked ? "blocks" : `counts as ${hook.onFailure}`}`
    : (effectWords(effects, hook.name) ?? (isBackground ? "runs in the background" : nothing));
  const isWinner = [...verdict.reasons, ...verdict.continueWith, ...(verdict.halt ? [verdict.halt] : [])].some(
    (one) => one.hook === hook.id,
  );
  const about = isAgain ? ", asked again about the rewritten input," : "";
  return [`  ${isWinner ? "▸" : "·"} ${hook.name}${about} ${said} · ${durationText(durationMs)}`, `    ${whereOf(hook)}`];
}

export function whereOf({ place, source }: Pick<RegisteredHook, "place" | "source">): string {
  const where = place ? placeText(place) : (source.file ?? "part of the agent");
  return source.scope === "code" ? where : `${where} (${source.scope})`;
}

function permissionLines({ decision, reason, runnersUp }: PermissionDecision): readonly string[] {
  const others = runnersUp.slice(0, 3).map((rule) => `    also: ${ruleLine(rule)}`);
  return [`  Rules: ${decision}. ${reason}`, ...others];
}

export function ruleLine({ list, text, scope, place }: RuleReference): string {
  return `${list} ${text}  ${place ? placeText(place) : scope}`;
}

/** The last line of a notice: how to switch the hook off for one run. */
function cureOf(notice: string): readonly string[] {
  const [, ...lines] = notice.split("\n");
  return lines.map((line) => `  ${line}`);
}
