import { style } from "../terminal.ts";

/** Rows under a heading, columns as wide as their widest cell; the last one is cut at the terminal's edge. */
export function table(heading: readonly string[], rows: readonly (readonly string[])[], columns: number): string {
  const widths = heading.map((_, column) => Math.max(...[heading, ...rows].map((row) => (row[column] ?? "").length)));
  const line = (cells: readonly string[]): string => {
    const padded = cells.map((cell, column) => (column === cells.length - 1 ? cell : cell.padEnd(widths[column] ?? 0)));
    return cut(padded.join("  ").trimEnd(), columns);
  };
  return [style("bold", line(heading)), ...rows.map(line)].join("\n");
}

function cut(text: string, columns: number): string {
  return text.length > columns ? `${text.slice(0, columns - 1)}…` : text;
}

/** Text broken at spaces, every line but the first indented. */
export function wrap(text: string, columns: number, indent = ""): string {
  const lines: string[] = [];
  let line = "";
  for (const word of text.split(" ")) {
    if (line && line.length + 1 + word.length > columns - indent.length) {
      lines.push(line);
      line = word;
    } else line = line ? `${line} ${word}` : word;
  }
  return [...lines, line].join(`\n${indent}`);
}
