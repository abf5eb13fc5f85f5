import type { EventRow } from "../../../catalogue/index.ts";
import type { RawOutcome } from "../types.ts";

/** What a model made of an event. */
export interface Judgement {
  readonly ok: boolean;
  readonly reason: string;
  /** What is asked for can never hold: then the agent may stop. */
  readonly impossible?: boolean | undefined;
  /** The model wants to know something from the user first. */
  readonly question?: string | undefined;
}

export const JUDGEMENT_SCHEMA: Readonly<Record<string, unknown>> = {
  type: "object",
  properties: {
    ok: { type: "boolean", description: "Whether the condition holds." },
    reason: { type: "string", description: "Why not, in one or two sentences." },
    impossible: { type: "boolean", description: "The condition can never hold, whatever the agent does." },
  },
  required: ["ok"],
};

const FENCE = "```";

/** Reads the answer of a judge: a JSON object, also inside a code fence. Nothing if it is none. */
export function readJudgement(text: string): Judgement | undefined {
  const whole = text.trim();
  const isFenced = whole.length > FENCE.length && whole.startsWith(FENCE) && whole.endsWith(FENCE);
  const bare = isFenced ? whole.slice(FENCE.length, -FENCE.length).replace(/^json/, "") : whole;
  try {
    return asJudgement(JSON.parse(bare));
  } catch {
    // Not JSON: the caller says so.
    return undefined;
  }
}

export function asJudgement(value: unknown): Judgement | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  const { ok, reason, impossible, question } = value as Record<string, unknown>;
  if (typeof ok !== "boolean" && typeof question !== "string") return undefined;
  return {
    ok: ok === true,
    reason: typeof reason === "string" ? reason : "",
    ...(impossible === true && { impossible }),
    ...(typeof question === "string" && question.trim() !== "" && typeof ok !== "boolean" && { question }),
  };
}

type Answer = Pick<RawOutcome, "stdout" | "stderr" | "exitCode">;

const YES: Answer = { stdout: "", stderr: "", exitCode: 0 };

export interface NoOptions {
  readonly row: EventRow;
  readonly event: string;
  /** The turn goes on with the reason instead of ending. */
  readonly continues: boolean;
  readonly isGuard?: boolean | undefined;
}

/** A judgement in the words of a hook's answer; how a no is said, and whether it ends the turn, follows from the event's row. */
export function answerOf({ ok, reason, impossible }: Judgement, { row, event, continues, isGuard }: NoOptions): Answer {
  if (ok || (impossible && row.blockEffect === "continueTurn")) return YES;
  const why = reason || "The condition does not hold.";
  const end = continues || row.blockEffect === "continueTurn" ? {} : { continue: false, stopReason: why };
  if (row.block === "permission")
    return json({ hookSpecificOutput: { hookEventName: event, permissionDecision: "deny", permissionDecisionReason: why }, ...end });
  if (row.block === "decision" || row.feedback === "decision") return json({ decision: "block", reason: why, ...end });
  if (row.block === "exit" || row.feedback === "exit") return { stdout: "", stderr: why, exitCode: 2 };
  if (row.block === "request" && isGuard)
    return json({ hookSpecificOutput: { hookEventName: event, decision: { behavior: "deny", message: why } } });
  // As measured: a model's no changes nothing at a permission request, unless a guard asked for it.
  return YES;
}

function json(value: object): Answer {
  return { stdout: JSON.stringify(value), stderr: "", exitCode: 0 };
}
