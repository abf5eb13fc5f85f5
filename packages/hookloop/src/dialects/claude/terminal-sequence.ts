/** Titles, notifications and the bell: all a hook may do to a terminal. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: terminal sequences are what it reads
const ALLOWED = /^(?:\x1b\](?:0|1|2|9|99|777);[^\x00-\x1f\x7f-\x9f]*(?:\x07|\x1b\\)|\x07)+$/;

// SECURITY: one sequence outside the list and the whole field is ignored (spec §3.2).
export function isHarmlessSequence(text: string): boolean {
  return text.length <= 4096 && ALLOWED.test(text);
}
