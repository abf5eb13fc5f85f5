import type { CommandArgument } from "unbash";

// SECURITY: characters that look like a blank but are none to the shell, or the reverse in another program: a name may be hidden behind them.
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it looks for.
const ODD = /[\0-\x08\x0b-\x1f\x7f-\xa0\u1680\u2000-\u200f\u2028-\u202f\u205f-\u2064\u3000\ufeff]/;

export function hasOddCharacters(text: string): boolean {
  return ODD.test(text);
}

/** Whether characters stand outside quotes that a reader and a shell may see differently. */
export function hasOddUnquoted(word: CommandArgument): boolean {
  if (!ODD.test(word.text)) return false;
  if (word.text.includes("\0") || word.type === "Assignment" || !word.parts) return true;
  return word.parts.some((part) => part.type !== "SingleQuoted" && part.type !== "DoubleQuoted" && ODD.test(part.text));
}
