import { createRequire } from "node:module";
import type { RE2JS } from "re2js";

/** A pattern that runs in time linear in the text. */
export interface LinearPattern {
  test(text: string): boolean;
  /** Work per character, roughly. */
  readonly size: number;
}

// What RE2 and JavaScript read alike, as long as the text is printable ASCII too: there `.`, `\s`, `\b` and negated classes agree.
// Left out on purpose: `[]`, `[^]`, `[[:x:]]`, `\a` `\z` `\Q` `\p` (letters mean other things), look-around, literal braces.
const SHARED_SYNTAX =
  /^(?:[A-Za-z0-9 _\-,:;!@#%&"'/<>=~`.^$|)]|\\[dDwWsSbB]|\\[!-/:-@[-`{-~]|\((?:\?:|(?!\?))|[*+?]|\{\d{1,3}(?:,\d{0,3})?\}|\[\^?(?:[A-Za-z0-9 _\-,:;!@#%&"'/<>=~`.$|()*+?{}]|\\[dDwWsS]|\\[!-/:-@[-`{-~])+\])*$/;
const PRINTABLE_ASCII = /^[ -~]*$/;
/** RE2 writes repetitions out: compiling took 0.3 s at 4,000 instructions and 5.7 s at 600,000. */
const MAX_WRITTEN_OUT = 2000;

/** The pattern for RE2; nothing if RE2 refuses it or might read it differently. */
export function compileLinearPattern(pattern: string): LinearPattern | undefined {
  if (writtenOut(pattern) > MAX_WRITTEN_OUT || !SHARED_SYNTAX.test(pattern)) return undefined;
  try {
    const compiled = loadEngine().compile(pattern);
    return { test: (text) => compiled.test(text), size: compiled.programSize() };
  } catch {
    // RE2 refuses some valid patterns (too many repetitions); the caller has another way to run them.
    return undefined;
  }
}

/** Upper bound of the pattern's length without counted repetitions. */
function writtenOut(pattern: string): number {
  const counts = [...pattern.matchAll(/\{(\d+)(?:,(\d*))?\}/g)].map(([, least, most]) => Number(most || least) + 1);
  return counts.reduce((size, count) => size * count, pattern.length);
}

/** Whether a linear pattern gives JavaScript's answer for this text. */
export function isSharedText(text: string): boolean {
  return PRINTABLE_ASCII.test(text);
}

// Loading costs 11 ms and most configurations never need it: required on first use, which stays synchronous.
function loadEngine(): typeof RE2JS {
  return (createRequire(import.meta.url)("re2js") as typeof import("re2js")).RE2JS;
}
