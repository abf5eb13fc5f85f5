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
    | "HL_OUTPUT_NOT_HONOURED"
    | "HL_TEST_OUTPUT_NOISE"
    | "HL_TEST_OUTPUT_INVALID"
    | "HL_TEST_FIELD_UNKNOWN"
    | "HL_TEST_VALUE_UNKNOWN"
    | "HL_TEST_EVENT_NAME"
    | "HL_TEST_OUTPUT_TEXT"
    | "HL_TEST_STDERR_HIDDEN"
    | "HL_TEST_TYPESCRIPT"
    | "HL_TEST_TIMEOUT"
    | "HL_TEST_EXIT_CODE";
  readonly message: string;
}

export interface FailureOptions {
  /** Give back the answer of a hook that failed, with its `diagnostics`, instead of rejecting. */
  readonly allowFailure?: boolean;
}

/** Failures that a hook reports on stderr while its exit code is 0: those of main functions, and of one hook among several. */
const FAILED =
  /^HL_SDK_(HANDLER_|FIELD_MISSPELT|INPUT_CHANGED|RESULT_(INVALID|NOT_RETURNED)|OPTION_(UNKNOWN|INVALID)|MATCHER_INVALID|TOOL_MISSPELT|HOOK_LATE)/;

/** What a guard says that blocks because it failed. */
const FAILED_GUARD = /^The guard .{1,300} failed, so it blocks\. (HL_SDK_\w+)/;

/** The answer, unless the hook failed: a test that takes that for "no opinion", or the no of a guard that crashed for its judgement, would pass. */
export function orReject(answer: HookAnswer, name: string, { allowFailure = false }: FailureOptions = {}): HookAnswer {
  const how = failureOf(answer);
  if (allowFailure || how === undefined) return answer;
  const said = answer.stderr.trim() || answer.diagnostics.map(({ message }) => message).join("\n");
  const text = `HL_TEST_HOOK_FAILED: ${name} failed: ${how}. If the test is about that, pass { allowFailure: true }.`;
  throw Object.assign(new Error(`${text}\n${said.slice(0, 4000)}`), { answer });
}

function failureOf({ exitCode, decision, reason = "", diagnostics, output }: HookAnswer): string | undefined {
  const timeout = diagnostics.find(({ code }) => code === "HL_TEST_TIMEOUT");
  if (timeout) return timeout.message.replace(/^\w+: /, "");
  if (exitCode !== 0 && exitCode !== 2) return exitCode === null ? "it was ended by a signal" : `exit code ${exitCode}`;
  const [, failedGuard] = FAILED_GUARD.exec(reason) ?? [];
  if (failedGuard !== undefined) return failedGuard;
  // A field that nobody sends is undefined in every call: what it decided is not what the test is about.
  const misspelt = diagnostics.find(({ code }) => code === "HL_SDK_FIELD_MISSPELT");
  if (decision !== "none" && !misspelt) return undefined;
  // What was printed may have been the answer, unless there was another one.
  const isFailure = ({ code }: Diagnostic): boolean => FAILED.test(code) || (code === "HL_SDK_STDOUT_STRAY" && output === undefined);
  return diagnostics.find(isFailure)?.code;
}
