import type { HookResult } from "@hookloop/sdk/host";
import type { HookTarget } from "../config/index.ts";
import type { Diagnostic } from "../diagnostic.ts";
import type { SelectedHook } from "../select/index.ts";
import type { AskUser, ModelMessage } from "./model/model-port.ts";

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
  readonly isTruncated: boolean;
  /** stdout was: the answer, or a part of it, may be in what was thrown away. */
  readonly isAnswerCut?: boolean | undefined;
  /** The hook has ended, but something it started still holds its output open. */
  readonly pipesHeld: boolean;
  /** It still holds stdout: what it prints there is not read any more, and may be the answer. */
  readonly isAnswerOpen?: boolean | undefined;
  readonly isBinary: boolean;
  /** The folder of the event did not exist: the hook ran in the project root instead. */
  readonly missingCwd?: string | undefined;
  /** The hook ended or closed its stdin before it took the whole payload. Not a failure. */
  readonly isInputUnread?: boolean | undefined;
  /** The status of an http hook's response; stdout is then its body. */
  readonly httpStatus?: number | undefined;
  /** What a model was used for, by hooks that ask one. */
  readonly usage?: { readonly inputTokens: number; readonly outputTokens: number } | undefined;
  /** What the user should know about how the hook was run, whatever it answered. */
  readonly notes?: readonly RunNote[] | undefined;
  readonly returned?: unknown;
  /** The hook asked to continue in the background (`RunInput.readFirstLine`): this outcome decides nothing, and that one comes when it has ended. */
  readonly continues?: Promise<RawOutcome> | undefined;
  /** It is the outcome of a hook that went to the background by itself. */
  readonly isFromBackground?: boolean | undefined;
}

/** A diagnostic before anyone has said which hook it is about. */
export type RunNote = Pick<Diagnostic, "code" | "level" | "text">;

type RunFailureKind =
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
  readonly input: Readonly<Record<string, unknown>>;
  /** The conversation so far; absent where there is none. */
  readonly messages?: (() => readonly ModelMessage[]) | undefined;
  /** Asks the user for this event; the session's own if left out. */
  readonly askUser?: AskUser | undefined;
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

export const NO_OUTPUT: Omit<RawOutcome, "hook"> = Object.freeze({
  durationMs: 0,
  stdout: "",
  stderr: "",
  exitCode: null,
  isTruncated: false,
  pipesHeld: false,
  isBinary: false,
});

export function failure(kind: RunFailureKind, text: string): RunFailure {
  return { kind, text };
}

export const ABORTED: RunFailure = failure("aborted", "the run was cancelled");
export const ABORTED_BEFORE: RunFailure = failure("aborted", "the run was cancelled before it started");

export function payloadOf(input: RunInput): Buffer | RunFailure {
  try {
    return input.payload();
  } catch (thrown) {
    return failure("bad-input", `the event cannot be written as JSON: ${thrownText(thrown)}`);
  }
}

type TargetOf<Kind> = Kind extends "command"
  ? Extract<HookTarget, { readonly kind: "command" }>
  : Extract<HookTarget, { readonly fields: object }>;

/** One run of a hook of the runner's own kind. */
export interface HookRun<Kind extends HookTarget["kind"]> {
  readonly hook: RawOutcome["hook"];
  readonly target: TargetOf<Kind>;
  readonly input: RunInput;
  readonly limitMs: number;
}

/** A runner of one kind: what `run` gives is completed, measured, and an outcome whatever is thrown. It refuses hooks of other kinds and what is cancelled already. */
export function createRunner<Kind extends HookTarget["kind"]>(
  kind: Kind,
  run: (run: HookRun<Kind>) => Partial<RawOutcome> | Promise<Partial<RawOutcome>>,
): Runner {
  return async ({ hook }, input) => {
    if (hook.target.kind !== kind)
      return notRun(hook, failure("could-not-start", `it is a ${hook.target.kind} hook, and was given to the runner of ${kind} hooks`));
    if (input.signal?.aborted) return notRun(hook, ABORTED_BEFORE);
    const startedAt = performance.now();
    try {
      const outcome = await run({ hook, target: hook.target as TargetOf<Kind>, input, limitMs: limitOf(hook, input) });
      return { ...NO_OUTPUT, durationMs: performance.now() - startedAt, ...outcome, hook };
    } catch (thrown) {
      // No process left, or a port of the embedding program threw; the loop still gets an outcome.
      return notRun(hook, failure("could-not-start", `it could not be started: ${thrownText(thrown)}`));
    }
  };
}

/** The hook's own limit, or the caller's if that is shorter. */
export function limitOf({ timeoutMs }: RawOutcome["hook"], input: Pick<RunInput, "timeoutMs">): number {
  return Math.min(timeoutMs, input.timeoutMs ?? timeoutMs);
}

export function notRun(hook: RawOutcome["hook"], why: RunFailure): RawOutcome {
  return { ...NO_OUTPUT, hook, failure: why };
}

/** Texts that tell nobody what went wrong. */
const MUTE: readonly string[] = ["undefined", "null", "[object Object]", ""];

/** The text of whatever was thrown; hooks throw strings, `undefined` and objects whose getters throw, too. */
export function thrownText(thrown: unknown): string {
  try {
    const message = hasMessage(thrown) ? String(thrown.message ?? "") : "";
    if (message !== "") return message;
    const text = String(thrown);
    return MUTE.includes(text) ? `no message (${JSON.stringify(thrown)} was thrown)` : text;
  } catch {
    // The thrown value itself cannot be read; that is all there is to say about it.
    return "something that cannot be shown";
  }
}

/** Thrown in the place of an answer by who read it: the function itself did not throw. */
export class NoAnswer extends TypeError {}

export function threwText(thrown: unknown): string {
  if (thrown instanceof NoAnswer) return thrown.message;
  const result = resultText(thrown);
  return result === undefined ? `it threw: ${thrownText(thrown)}` : `it threw ${result}: return it instead`;
}

/** A result in the words that make it, as in `deny(…).with(stop(…))`; nothing if it is none. */
export function resultText(value: unknown): string | undefined {
  try {
    const { parts, with: join } = value as Partial<HookResult>;
    if (!Array.isArray(parts) || parts.length === 0 || typeof join !== "function") return undefined;
    return parts.reduceRight<string>((inner, { can }) => `${String(can)}(…)${inner && `.with(${inner})`}`, "");
  } catch {
    // Safe: what throws when it is read is no result.
    return undefined;
  }
}

/** `1500` as `1.5 s`, `50` as `50 ms`. */
export function durationText(ms: number): string {
  const whole = Math.round(ms);
  return whole < 1000 ? `${whole} ms` : `${Number((ms / 1000).toFixed(1))} s`;
}

function hasMessage(thrown: unknown): thrown is { readonly message: unknown } {
  return typeof thrown === "object" && thrown !== null && "message" in thrown;
}
