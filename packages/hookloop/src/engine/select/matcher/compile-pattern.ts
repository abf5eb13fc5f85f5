import { backtrackingCost } from "../../../config/index.ts";
import { compileLinearPattern, isSharedText, type LinearPattern } from "./linear-pattern.ts";
import { testWithLimit } from "./test-with-limit.ts";

/** SECURITY: compiling cannot be interrupted: 4,000 characters took V8 60 ms, 160,000 took 18 s, and deep nesting aborts Node. */
const MAX_PATTERN_LENGTH = 1000;
/** Steps that a native pattern may take in the worst case: some milliseconds. */
const MAX_NATIVE_STEPS = 1_000_000;
/** Program size times text length that RE2 gets: tens of milliseconds in the worst case. */
const MAX_LINEAR_WORK = 5_000_000;

export type PatternTest = (text: string) => boolean | "timeout";

/**
 * JavaScript's meaning of a pattern, unanchored, but bounded in time: natively if it cannot blow up on this text, else in linear
 * time, else natively under a limit. Nothing for an invalid pattern.
 */
export function compilePattern(source: string): PatternTest | undefined {
  const native = parsePattern(source);
  if (!native) return undefined;
  if (source.length > MAX_PATTERN_LENGTH) return () => "timeout";
  let linear: LinearPattern | null | undefined;
  return (text) => {
    // SECURITY: a tool's name comes from the model, the pattern perhaps from a repository; neither may stall the loop.
    if (backtrackingCost(source, text.length) <= MAX_NATIVE_STEPS) return testNative(native, text);
    linear ??= compileLinearPattern(source) ?? null;
    if (linear && isSharedText(text) && linear.size * text.length <= MAX_LINEAR_WORK) return linear.test(text);
    return testWithLimit(source, text);
  };
}

function parsePattern(source: string): RegExp | undefined {
  try {
    return new RegExp(source);
  } catch {
    // Not a regular expression: it matches nothing, and reading the configuration has reported it.
    return undefined;
  }
}

function testNative(native: RegExp, text: string): boolean | "timeout" {
  try {
    return native.test(text);
  } catch {
    // V8 compiles on first use and can find a valid pattern too large: undecided.
    return "timeout";
  }
}
