import type { Problem } from "../problem.ts";

/** What a hook left behind, before anyone has read it. */
export interface RawAnswer {
  readonly stdout: string;
  readonly stderr: string;
  /** `null` if the process was ended by a signal. */
  readonly exitCode: number | null;
}

/** What a hook's answer means to an agent of the Claude dialect. */
export interface HookAnswer extends RawAnswer {
  /** `none` is no opinion; `feedback` is a reason beside a result that cannot be undone. */
  readonly decision: "none" | "allow" | "ask" | "defer" | "deny" | "block" | "feedback";
  readonly reason?: string | undefined;
  readonly context?: string | undefined;
  readonly updatedInput?: Record<string, unknown> | undefined;
  readonly updatedOutput?: unknown;
  readonly systemMessage?: string | undefined;
  /** The agent's work ends here (`continue: false`). */
  readonly isStopped: boolean;
  /** The whole JSON answer, if there was one. */
  readonly output?: Record<string, unknown> | undefined;
  /** Everything that was wrong with the hook or its answer. */
  readonly diagnostics: readonly Diagnostic[];
}

export interface Diagnostic {
  readonly code:
    | Problem["code"]
    | "HL_TEST_OUTPUT_NOISE"
    | "HL_TEST_OUTPUT_INVALID"
    | "HL_TEST_FIELD_UNKNOWN"
    | "HL_TEST_VALUE_UNKNOWN"
    | "HL_TEST_EVENT_NAME"
    | "HL_TEST_TIMEOUT"
    | "HL_TEST_EXIT_CODE";
  readonly message: string;
}
