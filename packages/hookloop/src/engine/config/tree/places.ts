import type { Place } from "../../../diagnostic.ts";

/** Turns an offset of this text into a place of its file. */
export function placesOf(text: string, file: string): (offset: number) => Place {
  const lineStarts = [0];
  for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1)) lineStarts.push(at + 1);
  return (offset) => {
    const line = lineAt(lineStarts, offset);
    return { file, line: line + 1, column: offset - (lineStarts[line] ?? 0) + 1 };
  };
}

/** Index of the last line that starts at or before the offset. */
function lineAt(lineStarts: readonly number[], offset: number): number {
  let low = 0;
  let high = lineStarts.length - 1;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if ((lineStarts[middle] ?? 0) <= offset) low = middle;
    else high = middle - 1;
  }
  return low;
}
