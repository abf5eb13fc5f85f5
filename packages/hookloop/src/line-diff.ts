/** The one comparison of texts, line by line: for questions about edits, for what tools report and for what changed in an approved hook. */

export interface Line {
  readonly mark: " " | "-" | "+";
  readonly text: string;
}

/** Lines that changed together, with a little around them; line numbers begin at 1. */
interface Hunk {
  readonly oldStart: number;
  readonly oldLines: number;
  readonly newStart: number;
  readonly newLines: number;
  /** Each begins with a blank, `-` or `+`; `\\` begins the remark that a text does not end with a new line. */
  readonly lines: readonly string[];
}

/** SECURITY: the comparison is quadratic; what is larger is shown as replaced. */
const MAX_CELLS = 1_000_000;
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

/** All lines of both texts, in order, with what became of each. */
export function compareLines(before: readonly string[], after: readonly string[]): readonly Line[] {
  let start = 0;
  while (start < before.length && start < after.length && before[start] === after[start]) start += 1;
  let end = 0;
  while (end < before.length - start && end < after.length - start && before.at(-1 - end) === after.at(-1 - end)) end += 1;
  const same = (lines: readonly string[]): readonly Line[] => lines.map((text) => ({ mark: " ", text }));
  return [
    ...same(before.slice(0, start)),
    ...middle(before.slice(start, before.length - end), after.slice(start, after.length - end)),
    ...same(before.slice(before.length - end)),
  ];
}

function middle(before: readonly string[], after: readonly string[]): readonly Line[] {
  if (before.length * after.length > MAX_CELLS) return [...marked("-", before), ...marked("+", after)];
  const lengths = commonLengths(before, after);
  const lines: Line[] = [];
  let [left, right] = [0, 0];
  while (left < before.length && right < after.length) {
    if (before[left] === after[right]) {
      lines.push({ mark: " ", text: before[left] ?? "" });
      [left, right] = [left + 1, right + 1];
    } else if ((lengths[left + 1]?.[right] ?? 0) >= (lengths[left]?.[right + 1] ?? 0))
      lines.push(...marked("-", before.slice(left, ++left)));
    else lines.push(...marked("+", after.slice(right, ++right)));
  }
  return [...lines, ...marked("-", before.slice(left)), ...marked("+", after.slice(right))];
}

function marked(mark: "-" | "+", lines: readonly string[]): readonly Line[] {
  return lines.map((text) => ({ mark, text }));
}

/** How many lines the ends of both texts, from each pair of lines on, have in common. */
function commonLengths(before: readonly string[], after: readonly string[]): readonly Uint32Array[] {
  const rows = Array.from({ length: before.length + 1 }, () => new Uint32Array(after.length + 1));
  for (let left = before.length - 1; left >= 0; left -= 1) {
    const [row, below] = [rows[left], rows[left + 1]];
    if (!row || !below) break;
    for (let right = after.length - 1; right >= 0; right -= 1)
      row[right] = before[left] === after[right] ? (below[right + 1] ?? 0) + 1 : Math.max(below[right] ?? 0, row[right + 1] ?? 0);
  }
  return rows;
}
