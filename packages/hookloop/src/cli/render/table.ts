import { textWidth, wrapText } from "../conversation/screen/text-width.ts";
import { style } from "../terminal.ts";

export interface Table {
  readonly heading: readonly string[];
  readonly rows: readonly (readonly string[])[];
  /** Of the terminal. */
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
