import type { LoopEnd } from "../loop-types.ts";
import type { PromptOutcome } from "../submit-prompt.ts";

/** A call that was not allowed, as `permission_denials` lists it. */
export interface PermissionDenial {
  readonly tool_name: string;
  readonly tool_use_id: string;
  readonly tool_input: Readonly<Record<string, unknown>>;
}

/** How a turn ended, for whoever waits for it: the loop's end, or a prompt that never reached the model. */
export type TurnEnd =
  | LoopEnd
  | {
      readonly reason: null;
      readonly text: string;
      readonly turns: 0;
      /** How hooks kept it from the model; absent where it was none for the model. */
      readonly outcome?: PromptOutcome | undefined;
      readonly detail?: undefined;
      readonly shown?: undefined;
    };

export interface ResultFacts {
  readonly end: TurnEnd;
  readonly sessionId: string;
  readonly durationMs: number;
  readonly denials: readonly PermissionDenial[];
  readonly usage: { readonly input_tokens: number; readonly output_tokens: number };
}

const SUBTYPES: Readonly<Partial<Record<NonNullable<TurnEnd["reason"]>, string>>> = {
  max_turns: "error_max_turns",
  model_error: "error_during_execution",
  aborted: "error_during_execution",
  aborted_tools: "error_during_execution",
};

/** The last line of a stream, and the whole of `--output-format json`. */
export function resultLine({ end, sessionId, durationMs, denials, usage }: ResultFacts): Readonly<Record<string, unknown>> {
  const subtype = (end.reason && SUBTYPES[end.reason]) ?? "success";
  const deferred = "deferred" in end ? end.deferred : undefined;
  return {
    type: "result",
    subtype,
    is_error: subtype !== "success",
    duration_ms: Math.round(durationMs),
    num_turns: end.turns,
    result: end.reason === "model_error" ? `API Error: ${end.detail ?? ""}` : (end.shown ?? end.text),
    session_id: sessionId,
    terminal_reason: end.reason,
    usage,
    permission_denials: denials,
    ...(deferred && { stop_reason: "tool_deferred", deferred_tool_use: { id: deferred.id, name: deferred.name, input: deferred.input } }),
  };
}

/** 0: it ended as it should, also if a hook ended it. 1: it could not be done. */
export function exitCodeOf({ reason }: TurnEnd): number {
  return reason !== null && SUBTYPES[reason] ? 1 : 0;
}
