/**
 * The last lines of the terminal, which are drawn anew whenever something changes. What is above them has scrolled by and is never touched again,
 * so that it can be read, copied and searched like the output of any program.
 */
import { textWidth } from "./text-width.ts";

/** What the lines look like now. No line is wider than the terminal. */
export interface Frame {
  readonly lines: readonly string[];
  readonly cursorRow: number;
  readonly cursorColumn: number;
}

export interface LiveArea {
  /** Writes lines that stay, above the frame. */
  commit(lines: readonly string[], frame: Frame): void;
  draw(frame: Frame): void;
  /** The terminal has another width now: its own wrapping has moved what was drawn. */
  resized(columns: number): void;
  /** Takes the frame away. */
  clear(): void;
}

const HIDE_CURSOR = "\u001b[?25l";
const SHOW_CURSOR = "\u001b[?25h";
const CLEAR_BELOW = "\u001b[J";
/** Colours end where a line ends, whatever stood in it. */
const PLAIN = "\u001b[0m";

export function openLiveArea(write: (text: string) => void): LiveArea {
  let drawn: Frame | undefined;
  /** Rows between the top of what was drawn and the cursor. */
  let above = 0;
  const erase = (): string => (drawn ? `\r${up(above)}${CLEAR_BELOW}` : "");
  const shown = (frame: Frame): string => {
    drawn = frame;
    above = frame.cursorRow;
    const { lines, cursorRow, cursorColumn } = frame;
    return `${lines.map(closed).join("\n")}\r${up(lines.length - 1 - cursorRow)}${right(cursorColumn)}`;
  };
  return {
    commit(lines, frame) {
      write(`${HIDE_CURSOR}${erase()}${lines.map((line) => `${closed(line)}\n`).join("")}${shown(frame)}${SHOW_CURSOR}`);
    },
    draw(frame) {
      write(`${HIDE_CURSOR}${erase()}${shown(frame)}${SHOW_CURSOR}`);
    },
    resized(columns) {
      if (!drawn) return;
      const { lines, cursorRow, cursorColumn } = drawn;
      const rows = (width: number): number => Math.max(1, Math.ceil(width / columns));
      above = lines.slice(0, cursorRow).reduce((sum, line) => sum + rows(textWidth(line)), 0) + Math.floor(cursorColumn / columns);
    },
    clear() {
      write(`${erase()}${SHOW_CURSOR}`);
      drawn = undefined;
    },
  };
}

function closed(line: string): string {
  return line.includes("\u001b") ? `${line}${PLAIN}` : line;
}

function up(rows: number): string {
  return rows > 0 ? `\u001b[${rows}A` : "";
}

function right(columns: number): string {
  return columns > 0 ? `\u001b[${columns}C` : "";
}
