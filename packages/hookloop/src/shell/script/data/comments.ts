import type { Span } from "../../types.ts";

/** Where a comment can start: at the beginning, or after a blank or an operator. */
const START = /(?<=^|[\s;&|()<>])#/g;

/** The comments of a text: from a `#` to the end of its line. `words`: everything in which a `#` is text, in any order. */
export function commentsIn(text: string, words: readonly Span[]): readonly Span[] {
  const comments: Span[] = [];
  for (const { index } of text.matchAll(START)) {
    if ((comments.at(-1)?.end ?? -1) > index) continue;
    const lineEnd = text.indexOf("\n", index);
    const end = lineEnd === -1 ? text.length : lineEnd;
    // SECURITY: a word that starts in it shows that it is none.
    const isNone = words.some((word) => (word.start <= index && index < word.end) || (word.start > index && word.start < end));
    if (!isNone) comments.push({ start: index, end });
  }
  return comments;
}
