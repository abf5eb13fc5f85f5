import { readText } from "./text-file.ts";
import { withPath } from "./tool-path.ts";
import { type CatalogueTool, ToolFailure } from "./types.ts";

const MOST_LINES = 2000;
const LONGEST_LINE = 2000;

export const readTool: CatalogueTool<"Read"> = {
  name: "Read",
  description: `Reads a text file. Gives its lines with their numbers, at most ${MOST_LINES} unless limit says otherwise; offset is the first line (1-based).`,
  resolve: withPath("file_path"),
  async run({ file_path, offset = 1, limit = MOST_LINES }) {
    const content = readText(file_path);
    if (content === undefined) throw new ToolFailure(`There is no file ${file_path}.`);
    if (content.includes("\u0000")) throw new ToolFailure(`${file_path} is not a text file.`);
    const lines = linesOf(content);
    const shown = lines.slice(offset - 1, offset - 1 + limit);
    const file = { filePath: file_path, content: shown.join("\n"), numLines: shown.length, startLine: offset, totalLines: lines.length };
    return { response: { type: "text", file }, text: textOf(shown, offset, lines.length) };
  },
};

/** A new line at the end ends the last line; it does not begin another. */
function linesOf(content: string): readonly string[] {
  const lines = content.split("\n");
  return lines.at(-1) === "" ? lines.slice(0, -1) : lines;
}

function textOf(shown: readonly string[], offset: number, total: number): string {
  if (total === 0) return "(the file is empty)";
  if (shown.length === 0) return `(the file has only ${total} lines)`;
  const numbered = shown.map((line, index) => `${String(offset + index).padStart(6)}\t${shortened(line)}`);
  const last = offset - 1 + shown.length;
  return last < total
    ? [...numbered, `(lines ${offset} to ${last} of ${total}; read on with offset ${last + 1})`].join("\n")
    : numbered.join("\n");
}

function shortened(line: string): string {
  return line.length > LONGEST_LINE ? `${line.slice(0, LONGEST_LINE)}… [${line.length - LONGEST_LINE} more characters]` : line;
}
