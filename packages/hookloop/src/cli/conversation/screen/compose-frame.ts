import { inputRows } from "./input-rows.ts";
import type { Line } from "./line-editor.ts";
import type { Frame } from "./live-area.ts";
import { cutText, wrapText } from "./text-width.ts";

export type ScreenStyle = (format: "dim" | "bold" | "cyan", text: string) => string;

/** Everything that stands below what has scrolled by. */
export interface FrameParts {
  /** Text that has come and has no end yet. */
  readonly tail: string;
  readonly progress: string | undefined;
  readonly question: string | undefined;
  /** What is typed is its answer: it could be read. */
  readonly isAnswer: boolean;
  readonly line: Line;
  readonly isBusy: boolean;
  readonly status: string;
  readonly columns: number;
  readonly rows: number;
  readonly style: ScreenStyle;
  /** Makes signs that the terminal can show. */
  readonly inLocale: (text: string) => string;
}

/** Rows that are not the input's: the status, which may have three, and one to spare. */
const OTHER_ROWS = 4;

export function composeFrame(parts: FrameParts): Frame {
  const { tail, progress, question, isAnswer, line, isBusy, status, columns, rows: height, style, inLocale } = parts;
  const cut = (text: string): string => cutText(text, columns, inLocale("…"));
  const head = [
    ...(tail === "" ? [] : [tail]),
    ...(progress === undefined || question !== undefined ? [] : [style("dim", cut(progress))]),
    ...(question === undefined ? [] : questionRows(question, columns, style)),
  ];
  const maxRows = Math.max(1, height - head.length - OTHER_ROWS);
  const prompt = isAnswer ? "? " : isBusy ? style("dim", inLocale("· ")) : promptSign(style);
  const { rows, cursorRow, cursorColumn } = inputRows(line, { columns, maxRows, prompt });
  const foot = status === "" ? [] : status.split("\n").map((row) => style("dim", cut(row)));
  return { lines: [...head, ...rows, ...foot], cursorRow: head.length + cursorRow, cursorColumn };
}

export function questionRows(question: string, columns: number, style: ScreenStyle): readonly string[] {
  return wrapText(question, columns).map((row) => style("bold", row));
}

/** What was entered, as it stays on the screen. */
export function enteredRows(text: string, columns: number, style: ScreenStyle): readonly string[] {
  return inputRows({ text, cursor: 0 }, { columns, maxRows: Number.POSITIVE_INFINITY, prompt: promptSign(style) }).rows;
}

function promptSign(style: ScreenStyle): string {
  return style("cyan", "> ");
}
