/** Longest text that reaches the model or the user as it is; what is longer is saved to a file by the merge. */
export const SHOWN_TEXT_LIMIT = 10_000;

/** No text is kept beyond this, file or not: it is what a hook's stdout may hold. */
const KEPT_TEXT_LIMIT = 1_048_576;

// SECURITY: what a terminal obeys and what makes text read differently from what it is (fault 46, 61).
// Each repeat excludes the character that starts the next match, so all of them take linear time.
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it looks for
const COMMANDS = /(?:\x1b\]|\x9d)[^\x07\x1b\x9c\x9d]*(?:\x07|\x1b\\|\x9c)|(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]|\x1b[ -/]*[0-Z\\^-~]/g;
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it looks for
const CONTROLS = /[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]/g;
/** Overrides and isolates of writing direction, byte order marks, and the invisible tag letters that smuggle text past a reader. */
const DISGUISES = /[\u202a-\u202e\u2066-\u2069\ufeff]|[\u{e0000}-\u{e007f}]/gu;
const LONE_SURROGATES = /\p{Surrogate}/gu;
/** Nearly every text has nothing to clean: one look is cheaper than five replacements. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it looks for
const SUSPICIOUS = /[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ufeff\ud800-\udfff]/;

/** A hook's text made safe to show: no terminal commands, no control or direction characters; new lines and tabs stay. */
export function sanitiseText(text: string, limit: number = KEPT_TEXT_LIMIT): string {
  const kept = text.length > limit ? text.slice(0, limit) : text;
  if (!SUSPICIOUS.test(kept)) return kept;
  return kept.replace(/\r\n?/g, "\n").replace(COMMANDS, "").replace(CONTROLS, "").replace(DISGUISES, "").replace(LONE_SURROGATES, "\ufffd");
}

/** The beginning of a text on one line, for messages. */
export function shortText(text: string, limit = 120): string {
  const line = sanitiseText(text, limit * 8)
    .replace(/\s+/g, " ")
    .trim();
  return line.length > limit ? `${line.slice(0, limit - 1).replace(LONE_SURROGATES, "")}…` : line;
}
