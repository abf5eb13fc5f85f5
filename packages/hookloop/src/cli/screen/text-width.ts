import type { Line } from "./typed-line.ts";

/** Made on first use: the first prompt must not wait for it. */
let segmenter: Intl.Segmenter | undefined;
const ESCAPE = "\\u001b\\[[0-9;]*m";
const STYLE = new RegExp(ESCAPE, "g");
const NO_WIDTH = /^[\p{Mn}\p{Me}\p{Cf}\p{Cc}]+$/u;
/** East Asian wide and full-width characters, and pictures: two columns each. */
const WIDE =
  /^[\u1100-\u115f\u2e80-\u303e\u3041-\u33ff\u3400-\u4dbf\u4e00-\u9fff\ua000-\ua4cf\ua960-\ua97f\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff01-\uff60\uffe0-\uffe6\u{20000}-\u{3fffd}]|^\p{Emoji_Presentation}|^\p{Extended_Pictographic}\ufe0f/u;

/** What the user sees as one character each: the cursor never stands inside of one. */
export function characters(text: string): readonly string[] {
  if (isPlain(text)) return text.split("");
  segmenter ??= new Intl.Segmenter();
  return [...segmenter.segment(text)].map(({ segment }) => segment);
}

/** Columns that a text takes on a terminal; colours take none. */
export function textWidth(text: string): number {
  const bare = text.replace(STYLE, "");
  if (isPlain(bare)) return bare.length;
  return characters(bare).reduce((width, one) => width + characterWidth(one), 0);
}

/** A text in lines of at most `columns`, broken at blanks where there are some; every line but the first of a paragraph is indented. */
export function wrapText(text: string, columns: number, indent = ""): readonly string[] {
  return text.split("\n").flatMap((line) => wrapLine(line.replaceAll("\t", "    "), columns, indent));
}

/** A text of at most `columns`, its end cut off if it is longer. */
export function cutText(text: string, columns: number, mark = "…"): string {
  if (textWidth(text) <= columns) return text;
  const bare = text.replace(STYLE, "");
  let kept = "";
  let width = 0;
  for (const one of characters(bare)) {
    width += characterWidth(one);
    if (width > columns - mark.length) break;
    kept += one;
  }
  return `${kept}${mark}`;
}

function wrapLine(line: string, columns: number, indent: string): readonly string[] {
  if (textWidth(line) <= columns) return [line];
  const lines: string[] = [];
  let current = "";
  let width = 0;
  const breakLine = (): void => {
    lines.push(current.trimEnd());
    current = indent;
    width = indent.length;
  };
  for (const piece of line.match(PIECES) ?? []) {
    const pieceWidth = textWidth(piece);
    if (width + pieceWidth > columns && width > indent.length) {
      breakLine();
      // The blank between two words is the line break.
      if (piece.trim() === "" && pieceWidth > 0) continue;
    }
    for (const part of pieceWidth > columns - indent.length ? partsOf(piece, columns - indent.length) : [piece]) {
      const partWidth = textWidth(part);
      if (width + partWidth > columns) breakLine();
      current += part;
      width += partWidth;
    }
  }
  return [...lines, current];
}

/** A word that fits into no line: a path breaks between its folders, anything else between characters. */
function partsOf(word: string, columns: number): readonly string[] {
  return word.split(/(?<=[^/]\/)/).flatMap((part) => (textWidth(part) > columns ? characters(part) : [part]));
}

/** Words, runs of blanks, and changes of colour. */
const PIECES = new RegExp(`${ESCAPE}|[^\\s\\u001b]+|\\s+|\\u001b`, "g");

function characterWidth(character: string): number {
  if (NO_WIDTH.test(character)) return 0;
  return WIDE.test(character) ? 2 : 1;
}

/** Nearly every text is; looking at each character would cost more than drawing it. */
function isPlain(text: string): boolean {
  return /^[\x20-\x7e]*$/.test(text);
}

export type ScreenStyle = (format: "dim" | "bold" | "cyan", text: string) => string;

/** Everything below what has scrolled by. */
interface FrameParts {
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
  /** Replaces characters that the terminal cannot show. */
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

interface InputRows {
  readonly rows: readonly string[];
  readonly cursorRow: number;
  readonly cursorColumn: number;
}

interface InputRoom {
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

/** What the lines look like now. No line is wider than the terminal. */
export interface Frame {
  readonly lines: readonly string[];
  readonly cursorRow: number;
  readonly cursorColumn: number;
}

/**
 * The last lines of the terminal, which are drawn anew whenever something changes. What is above them is never touched again, so it can be read,
 * copied and searched like the output of any program.
 */
export interface LiveArea {
  commit(lines: readonly string[], frame: Frame): void;
  draw(frame: Frame): void;
  /** The terminal has another width now: its own wrapping has moved what was drawn. */
  resized(columns: number): void;
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
