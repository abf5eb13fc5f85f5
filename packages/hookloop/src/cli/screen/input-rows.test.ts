import { expect, test } from "vitest";
import { inputRows, textWidth } from "./text-width.ts";
import { lineOf } from "./typed-line.ts";

const room = { columns: 10, maxRows: 5, prompt: "> " };

test("an empty line is the prompt", () => {
  expect(inputRows(lineOf(""), room)).toEqual({ rows: ["> "], cursorRow: 0, cursorColumn: 2 });
});

test("a long line goes on below, under its beginning", () => {
  expect(inputRows(lineOf("abcdefghij"), room)).toEqual({ rows: ["> abcdefgh", "  ij"], cursorRow: 1, cursorColumn: 4 });
});

test("a cursor at the edge stands at the start of the next row, and so does a wide character that does not fit", () => {
  expect(inputRows(lineOf("abcdefgh"), room)).toEqual({ rows: ["> abcdefgh", "  "], cursorRow: 1, cursorColumn: 2 });
  expect(inputRows(lineOf("abcdefg日"), room).rows).toEqual(["> abcdefg", "  日"]);
});

test("rows that were typed stay rows, and the cursor is found in them", () => {
  expect(inputRows({ text: "one\ntwo", cursor: 5 }, room)).toEqual({ rows: ["> one", "  two"], cursorRow: 1, cursorColumn: 3 });
  expect(inputRows({ text: "one\ntwo", cursor: 3 }, room)).toMatchObject({ cursorRow: 0, cursorColumn: 5 });
});

test("of many rows those around the cursor are shown", () => {
  const text = Array.from({ length: 20 }, (_, at) => `row${at}`).join("\n");
  const { rows, cursorRow } = inputRows({ text, cursor: text.indexOf("row10") }, room);
  expect(rows).toEqual(["  row6", "  row7", "  row8", "  row9", "  row10"]);
  expect(cursorRow).toBe(4);
  expect(inputRows({ text, cursor: 0 }, room)).toMatchObject({ cursorRow: 0 });
});

test("no row is wider than the terminal", () => {
  for (let columns = 4; columns < 40; columns++) {
    const { rows } = inputRows(lineOf("日本語 mixed with words\nand\ttabs"), { ...room, columns, maxRows: 100 });
    expect(Math.max(...rows.map(textWidth))).toBeLessThanOrEqual(Math.max(columns, 6));
  }
});
