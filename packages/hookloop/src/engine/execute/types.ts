import type { Diagnostic } from "../../diagnostic.ts";
import type { SelectedHook } from "../select/types.ts";

/** How one run of one hook ended, before anyone has read what it means. */
export interface RawOutcome {
  readonly hook: SelectedHook["hook"];
  readonly durationMs: number;
  /** Set if the run itself went wrong; then stdout and the rest are what there was until then. */
  readonly failure?: RunFailure | undefined;
  readonly stdout: string;
  readonly stderr: string;
  /** `null`: ended by a signal, or not a process. */
  readonly exitCode: number | null;
  readonly signal?: string | undefined;
  /** stdout or stderr was longer than what is kept. */
  readonly isTruncated: boolean;
  /** stdout was: the answer, or a part of it, may be in what was thrown away. */
  readonly isAnswerCut?: boolean | undefined;
  /** The hook has ended, but something it started still holds its output open. */
  readonly pipesHeld: boolean;
  /** It still holds stdout: what it prints there is not read any more, and may be the answer. */
  readonly isAnswerOpen?: boolean | undefined;
  /** stdout was not valid UTF-8. */
  readonly isBinary: boolean;
  /** The folder of the event did not exist: the hook ran in the project root instead. */
  readonly missingCwd?: string | undefined;
  /** The hook ended or closed its stdin before it took the whole payload. Not a failure. */
  readonly isInputUnread?: boolean | undefined;
  /** The status of an http hook's response; stdout is then its body. */
  readonly httpStatus?: number | undefined;
  /** What a model was used for, by hooks that ask one. */
  readonly usage?: { readonly inputTokens: number; readonly outputTokens: number } | undefined;
  /** What a person should know about how the hook was run, whatever it answered. */
  readonly notes?: readonly RunNote[] | undefined;
  /** What a function returned, for hooks without a process. */
  readonly returned?: unknown;
  /** The hook asked to go on in the background (`RunInput.readFirstLine`): this outcome decides nothing, and that one comes when it has ended. */
  readonly continues?: Promise<RawOutcome> | undefined;
  /** It is the outcome of a hook that went to the background by itself. */
  readonly isFromBackground?: boolean | undefined;
}

/** A diagnostic before anyone has said which hook it is about. */
export type RunNote = Pick<Diagnostic, "code" | "level" | "text">;

export type RunFailureKind =
  | "could-not-start"
  | "untrusted"
  | "exit"
  | "signal"
  | "timeout"
  | "aborted"
  | "flood"
  | "threw"
  | "bad-input"
  | "unfit-input"
  | "refused"
  | "unreachable"
  | "http-status"
  | "no-model"
  | "model-failed"
  | "bad-answer"
  | "unanswered"
  | "not-connected"
  | "tool-error";

export interface RunFailure {
  readonly kind: RunFailureKind;
  readonly text: string;
}

/** What a runner needs to know about the event. */
export interface RunInput {
  /** The payload as JSON bytes, made once per event and shared by all hooks. */
  readonly payload: () => Buffer;
  /** The payload as a value, for functions. */
  readonly input: Readonly<Record<string, unknown>>;
  readonly cwd: string;
  readonly projectRoot: string;
  readonly sessionId: string;
  /** Variables the dialect promises, on top of the scrubbed environment. */
  readonly env: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal | undefined;
  /** A shorter limit of the caller. */
  readonly timeoutMs?: number | undefined;
  /** Whether the first line of stdout sends the hook to the background, and for how long at most. Left out where hooks may not do that. */
  readonly readFirstLine?: ((line: string) => { readonly timeoutMs?: number | undefined } | undefined) | undefined;
}

/** Runs hooks of one kind. It never throws and always settles: whatever the hook does is in the outcome. */
export type Runner = (selected: SelectedHook, input: RunInput) => Promise<RawOutcome>;
