/** SECURITY: the comparison is quadratic; what is larger is shown as replaced. */
const MAX_CELLS = 1_000_000;
const CONTEXT = 3;
const MAX_SHOWN = 200;

/** One line of a comparison. */
export interface Line {
  readonly mark: " " | "-" | "+";
  readonly text: string;
}

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
