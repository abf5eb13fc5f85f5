import { compareLines, type Line } from "./unified-diff.ts";

/** Lines that changed together, with a little around them; line numbers begin at 1. */
export interface Hunk {
  readonly oldStart: number;
  readonly oldLines: number;
  readonly newStart: number;
  readonly newLines: number;
  /** Each begins with a blank, `-` or `+`; `\\` begins the remark that a text does not end with a new line. */
  readonly lines: readonly string[];
}

const CONTEXT = 3;
const REMARK = "\\ No newline at end of file";

/** What changed between two texts, hunk by hunk; none if nothing did. */
export function diffHunks(before: string, after: string): readonly Hunk[] {
  const lines = compareLines(splitLines(before), splitLines(after));
  const hunks: Hunk[] = [];
  let [old, now, at] = [0, 0, 0];
  for (const { from, to } of ranges(lines)) {
    // Counted on from the last hunk: a long file has many.
    for (; at < from; at++) {
      if (lines[at]?.mark !== "+") old++;
      if (lines[at]?.mark !== "-") now++;
    }
    hunks.push(hunkOf(lines.slice(from, to), old, now));
  }
  return hunks;
}

/** A last line without a new line is another line than one with it. */
function splitLines(text: string): readonly string[] {
  if (text === "") return [];
  const lines = text.split("\n");
  return lines.at(-1) === "" ? lines.slice(0, -1) : [...lines.slice(0, -1), `${lines.at(-1)}\n${REMARK}`];
}

/** Changes whose surroundings touch belong together. */
function ranges(lines: readonly Line[]): readonly { readonly from: number; readonly to: number }[] {
  const found: { from: number; to: number }[] = [];
  lines.forEach(({ mark }, index) => {
    if (mark === " ") return;
    const last = found.at(-1);
    const to = Math.min(lines.length, index + CONTEXT + 1);
    if (last && index - CONTEXT <= last.to) last.to = to;
    else found.push({ from: Math.max(0, index - CONTEXT), to });
  });
  return found;
}

function hunkOf(lines: readonly Line[], oldBefore: number, newBefore: number): Hunk {
  const count = (without: Line["mark"]): number => lines.filter(({ mark }) => mark !== without).length;
  const [oldLines, newLines] = [count("+"), count("-")];
  return {
    // A side without lines begins behind the line before it, as `diff` says it.
    oldStart: oldBefore + (oldLines === 0 ? 0 : 1),
    oldLines,
    newStart: newBefore + (newLines === 0 ? 0 : 1),
    newLines,
    lines: lines.flatMap(({ mark, text }) => `${mark}${text}`.split("\n")),
  };
}
