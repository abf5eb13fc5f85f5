import type { HookResult } from "@hookloop/sdk/host";
import type { RawOutcome, RunFailure, RunFailureKind } from "./types.ts";

/** What a run that produced nothing looks like. */
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

/** The outcome of a hook that did not run. */
export function notRun(hook: RawOutcome["hook"], why: RunFailure): RawOutcome {
  return { ...NO_OUTPUT, hook, failure: why };
}

/** The text of whatever was thrown; hooks throw strings, `undefined` and objects whose getters throw, too. */
export function thrownText(thrown: unknown): string {
  try {
    if (thrown instanceof Error || hasMessage(thrown)) return String(thrown.message) || String(thrown);
    return String(thrown);
  } catch {
    // The thrown value itself cannot be read; that is all there is to say about it.
    return "something that cannot be shown";
  }
}

/** Thrown in the place of an answer by who read it: the function itself did not throw. */
export class NoAnswer extends TypeError {}

/** How a function failed that threw. */
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
