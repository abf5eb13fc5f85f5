import { styleText } from "node:util";
import type { ErrorCode } from "../errors.ts";
import { textWidth, wrapText } from "./screen/text-width.ts";

/** Colour only on a terminal that wants it. */
export function style(format: Parameters<typeof styleText>[0], text: string): string {
  const { env, stdout } = process;
  const isWanted = stdout.isTTY && !env["NO_COLOR"] && env["TERM"] !== "dumb";
  return isWanted ? styleText(format, text) : text;
}

export function width(): number {
  return process.stdout.isTTY ? Math.max(40, process.stdout.columns) : Number.POSITIVE_INFINITY;
}

/** Writes a text for the user; data goes to stdout as it is. */
export function print(text: string): void {
  process.stdout.write(`${inLocale(text)}\n`);
}

export function printData(text: string): void {
  process.stdout.write(`${text}\n`);
}

export function printJson(value: unknown): void {
  printData(JSON.stringify(value, null, 2));
}

/** Whether the terminal shows more than ASCII: without a UTF-8 locale it does not. */
export function isUtf8({ LC_ALL, LC_CTYPE, LANG }: NodeJS.ProcessEnv = process.env): boolean {
  return /utf-?8/i.test(LC_ALL || LC_CTYPE || LANG || "");
}

/** Signs that we print, and what stands for them in ASCII. */
const ASCII: Readonly<Record<string, string>> = {
  "…": "...",
  "●": "*",
  "•": "*",
  "·": "-",
  "⎿": "|",
  "↳": "->",
  "→": "->",
  "←": "<-",
  "▸": ">",
  "✓": "+",
  "✔": "+",
  "✗": "x",
  "✘": "x",
  "×": "x",
  "⚠": "!",
  "≥": ">=",
  "≤": "<=",
  "–": "-",
  "—": "-",
  "─": "-",
  "│": "|",
  "“": '"',
  "”": '"',
  "‘": "'",
  "’": "'",
};
/** Stands behind a sign that is not ours. It belongs to the character before it, so no line breaks between them; `visible` leaves none in a text. */
const KEPT = "\ufe0e";
const SIGNS = new RegExp(`([${Object.keys(ASCII).join("")}]|[\\u2500-\\u257f]|[\\u2800-\\u28ff])(${KEPT})?`, "g");

/** A text with signs that the terminal can show. What went through `asIs`, and what is not a sign of ours, is not changed. */
export function inLocale(text: string, env: NodeJS.ProcessEnv = process.env): string {
  if (isUtf8(env)) return text;
  return text.replace(SIGNS, (_, sign: string, kept?: string) => (kept ? sign : (ASCII[sign] ?? (sign < "\u2580" ? "+" : "*"))));
}

/** Contents: a diff, a file, a command and what it printed. Nothing in them is swapped for another sign. */
export function asIs(text: string, env: NodeJS.ProcessEnv = process.env): string {
  return isUtf8(env) ? text : text.replace(SIGNS, `$1${KEPT}`);
}

/** The user asked for something that does not exist: exit code 2 and one line that helps. */
export class UsageError extends Error {
  constructor(code: ErrorCode, text: string) {
    super(`${code}: ${text}`);
  }
}

interface Table {
  readonly heading: readonly string[];
  readonly rows: readonly (readonly string[])[];
  readonly columns: number;
  /** The cell that names a row; it is never cut. */
  readonly title: number;
}

/** Narrower than this, the last column cannot be read. */
const NARROWEST_LAST = 30;

/**
 * Rows under a heading, columns as wide as their widest cell, the last one wrapped at the terminal's edge. Where that leaves too little room,
 * each row is a block: its title, and below it the other cells with their headings.
 */
export function table(parts: Table): string {
  const { heading, rows, columns } = parts;
  const widths = heading.map((_, column) => Math.max(...[heading, ...rows].map((row) => textWidth(row[column] ?? ""))));
  const before = widths.slice(0, -1).reduce((sum, one) => sum + one + 2, 0);
  const last = widths.at(-1) ?? 0;
  if (before + Math.min(last, NARROWEST_LAST) > columns) return rows.map((row) => block(row, parts)).join("\n");
  const line = (cells: readonly string[]): string => {
    const padded = cells.slice(0, -1).map((cell, column) => cell + " ".repeat((widths[column] ?? 0) - textWidth(cell) + 2));
    const [first = "", ...others] = wrapText(cells.at(-1) ?? "", columns - before);
    return [`${padded.join("")}${first}`.trimEnd(), ...others.map((text) => " ".repeat(before) + text)].join("\n");
  };
  return [style("bold", line(heading)), ...rows.map(line)].join("\n");
}

function block(row: readonly string[], { heading, columns, title }: Table): string {
  const others = row.flatMap((cell, column) => (column === title ? [] : `${heading[column]?.toLowerCase()} ${cell}`));
  const name = wrapText(row[title] ?? "", columns, "  ").map((text) => style("bold", text));
  return [...name, ...wrapText(`  ${others.join(", ")}`, columns, "  ")].join("\n");
}

/** Text broken at spaces, every line but the first indented. */
export function wrap(text: string, columns: number, indent = ""): string {
  return text
    .split("\n")
    .flatMap((line) => wrapText(line, columns - indent.length))
    .join(`\n${indent}`);
}
