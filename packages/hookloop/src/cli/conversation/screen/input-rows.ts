import type { Line } from "./line-editor.ts";
import { characters, textWidth } from "./text-width.ts";

/** What is being typed, as rows of a terminal. */
export interface InputRows {
  readonly rows: readonly string[];
  readonly cursorRow: number;
  readonly cursorColumn: number;
}

export interface InputRoom {
  readonly columns: number;
  /** Of more rows than these only those around the cursor are shown. */
  readonly maxRows: number;
  /** Before the first row; the others are indented by as much. */
  readonly prompt: string;
}

/** Lays a line out. Rows are filled to the edge: what is typed is shown as it is, blanks included. */
export function inputRows({ text, cursor }: Line, { columns, maxRows, prompt }: InputRoom): InputRows {
  const indent = textWidth(prompt);
  const rows: string[] = [""];
  let at = 0;
  let width = 0;
  let place = { row: 0, column: 0 };
  const newRow = (): void => {
    rows.push("");
    width = 0;
  };
  for (const character of characters(text)) {
    const shown = character === "\t" ? "    " : character;
    const isBreak = character === "\n";
    if (!isBreak && indent + width + textWidth(shown) > columns) newRow();
    if (at === cursor) place = { row: rows.length - 1, column: width };
    if (isBreak) newRow();
    else {
      rows[rows.length - 1] += shown;
      width += textWidth(shown);
    }
    at += character.length;
  }
  if (cursor >= at) {
    if (indent + width >= columns) newRow();
    place = { row: rows.length - 1, column: width };
  }
  const blank = " ".repeat(indent);
  const whole = rows.map((row, index) => `${index === 0 ? prompt : blank}${row}`);
  const first = Math.max(0, Math.min(place.row - maxRows + 1, rows.length - maxRows));
  return {
    rows: whole.slice(first, first + maxRows),
    cursorRow: place.row - first,
    cursorColumn: indent + place.column,
  };
}
