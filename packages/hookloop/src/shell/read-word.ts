import type { CommandArgument, DoubleQuotedChild, Word, WordPart } from "unbash";
import { type ShellWord, UNKNOWN } from "./types.ts";

// SECURITY: characters that look like a blank but are none to the shell, or the reverse in another program: a name may be hidden behind them.
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it looks for.
const SUSPICIOUS = /[\0-\x08\x0b-\x1f\x7f-\xa0\u1680\u2000-\u200f\u2028-\u202f\u205f-\u2064\u3000\ufeff]/;

/** A word without its quoting, unknown parts marked. */
export function readWord(word: CommandArgument): ShellWord {
  if (word.type === "Assignment")
    return { text: assignmentText(word.text, word.value.type === "Word" ? word.value : undefined), source: word.text };
  return { text: wordText(word), source: word.text };
}

/** Whether characters stand outside quotes that a reader and a shell may see differently. */
export function hasSuspiciousCharacters(word: CommandArgument): boolean {
  if (!SUSPICIOUS.test(word.text)) return false;
  if (word.type === "Assignment" || !word.parts) return true;
  return word.parts.some((part) => part.type === "Literal" && SUSPICIOUS.test(part.text));
}

export function wordText({ value, parts }: Word): string {
  return parts ? parts.map(partText).join("") : value;
}

/** `declare x=$(…)`: an argument that is an assignment. */
function assignmentText(text: string, value: Word | undefined): string {
  return value ? `${text.slice(0, text.length - value.text.length)}${wordText(value)}` : UNKNOWN;
}

function partText(part: WordPart | DoubleQuotedChild): string {
  switch (part.type) {
    case "Literal":
    case "SingleQuoted":
    case "AnsiCQuoted":
      return part.value;
    case "DoubleQuoted":
    case "LocaleString":
      return part.parts.map(partText).join("");
    default:
      return UNKNOWN;
  }
}
