import { compareLines, type Line } from "../../../line-diff.ts";

const CONTEXT = 3;
const MAX_SHOWN = 200;

/** What changed between two texts, line by line, with a little around it; empty if nothing did. */
export function unifiedDiff(before: string, after: string): readonly string[] {
  const lines = compareLines(splitLines(before), splitLines(after));
  const shown = lines.flatMap((line, index) => (isNear(lines, index) ? [{ ...line, index }] : []));
  const text = shown.flatMap(({ mark, text: content, index }, position) => {
    const isGap = position > 0 && shown[position - 1]?.index !== index - 1;
    return [...(isGap ? ["…"] : []), `${mark} ${content}`];
  });
  return text.length > MAX_SHOWN ? [...text.slice(0, MAX_SHOWN), `… ${text.length - MAX_SHOWN} more lines`] : text;
}

/** A missing newline at the end is a difference, too. */
function splitLines(text: string): readonly string[] {
  if (text === "") return [];
  const lines = text.split("\n");
  return lines.at(-1) === "" ? lines.slice(0, -1) : [...lines.slice(0, -1), `${lines.at(-1)} (no newline at the end)`];
}

function isNear(lines: readonly Line[], index: number): boolean {
  return lines.slice(Math.max(0, index - CONTEXT), index + CONTEXT + 1).some(({ mark }) => mark !== " ");
}
