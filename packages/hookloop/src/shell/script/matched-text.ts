/** Takes the two sides of `[[ text =~ pattern ]]`. Gives what the pattern and its groups fit; nothing where that cannot be told or costs too much. */

import type { ShellWord } from "../types.ts";

/** SECURITY: patterns with many repetitions take long on long texts. */
const MAX_TEXT = 128;
const MAX_PATTERN = 128;
const MAX_REPEATED = 3;

export function matchedTexts(text: string, pattern: ShellWord): readonly string[] | undefined {
  const source = sourceOf(pattern);
  const repeated = source?.replace(/\\.|\[[^\]]*\]/g, "").match(/[*+{]/g)?.length ?? 0;
  if (source === undefined || source.length > MAX_PATTERN || text.length > MAX_TEXT || repeated > MAX_REPEATED) return undefined;
  try {
    // Bash takes the longest fit, and with `nocasematch` letters of both cases.
    const found = [...text.matchAll(new RegExp(source, "gi"))];
    return [...new Set(found.flatMap((groups) => [...groups].filter(Boolean)))];
  } catch {
    // No pattern here, though perhaps to bash.
    return undefined;
  }
}

const CLASSES: Readonly<Record<string, string>> = {
  alpha: "a-zA-Z",
  digit: "0-9",
  alnum: "a-zA-Z0-9",
  upper: "A-Z",
  lower: "a-z",
  space: "\\s",
  blank: " \\t",
  punct: "!-\\/:-@\\[-`{-~",
  graph: "!-~",
  print: " -~",
  xdigit: "0-9a-fA-F",
};

/** As written, with its quotes as literal text. */
function sourceOf({ source, text }: ShellWord): string | undefined {
  const isWritten = /["'\\$`]/.test(source) || source === text;
  const written = isWritten && !/[$`]/.test(source) ? source : text;
  if (/\uFFFF/.test(written)) return undefined;
  return written
    .replace(/"([^"]*)"|'([^']*)'/g, (_, double = "", single = "") => `${double}${single}`.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&"))
    .replace(/\[:(\w+):\]/g, (whole, name: string) => CLASSES[name] ?? whole);
}
