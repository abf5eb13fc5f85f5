import { counted } from "../../../diagnostic.ts";
import { withPath } from "../tool-path.ts";
import { type CatalogueTool, ToolFailure } from "../types.ts";
import { readText } from "./text-file.ts";

const MOST_LINES = 2000;
const LONGEST_LINE = 2000;
/** More than this of one file would crowd out the conversation. */
const MOST_CHARACTERS = 100_000;

export const readTool: CatalogueTool<"Read"> = {
  name: "Read",
  description: `Reads a text file. Gives its lines with their numbers, at most ${MOST_LINES} unless limit says otherwise; offset is the first line (1-based).`,
  resolve: withPath("file_path"),
  async run({ file_path, offset: first = 1, limit = MOST_LINES }) {
    if (limit < 1) throw new ToolFailure("limit is the number of lines: at least 1.");
    const offset = Math.max(1, Math.trunc(first));
    const content = readText(file_path);
    if (content === undefined) throw new ToolFailure(`There is no file ${file_path}.`);
    if (content.includes("\u0000")) throw new ToolFailure(`${file_path} is not a text file.`);
    // A new line at the end begins another, empty line: so hooks are told how many there are.
    const lines = content.split("\n");
    const shown = fitting(lines.slice(offset - 1, offset - 1 + limit));
    const file = { filePath: file_path, content: shown.join("\n"), numLines: shown.length, startLine: offset, totalLines: lines.length };
    return {
      response: { type: "text", file },
      text: textOf(shown, { offset, total: lines.length, endsWithNewLine: content.endsWith("\n") }),
    };
  },
  textOf(response) {
    const { content, startLine } = (response as { readonly file: { readonly content: string; readonly startLine: number } }).file;
    const lines = content.split("\n");
    return textOf(lines, { offset: startLine, total: startLine - 1 + lines.length, endsWithNewLine: content.endsWith("\n") });
  },
};

/** As many lines as one result may hold; at least one. */
function fitting(lines: readonly string[]): readonly string[] {
  let characters = 0;
  const end = lines.findIndex((line) => {
    characters += Math.min(line.length, LONGEST_LINE);
    return characters > MOST_CHARACTERS;
  });
  return end === -1 ? lines : lines.slice(0, Math.max(1, end));
}

interface Counts {
  readonly offset: number;
  readonly total: number;
  readonly endsWithNewLine: boolean;
}

const EMPTY = "Warning: the file exists but the contents are empty.";

function textOf(shown: readonly string[], { offset, total, endsWithNewLine }: Counts): string {
  if (total === 1 && shown[0] === "") return `<system-reminder>${EMPTY}</system-reminder>`;
  // Told as people count: a new line at the end begins no line.
  const own = endsWithNewLine ? total - 1 : total;
  if (shown.length === 0) return `(the file has only ${counted(own, "line")})`;
  const numbered = shown.map((line, index) => `${offset + index}\t${shortened(line)}`);
  const last = offset - 1 + shown.length;
  return last < own
    ? [...numbered, `(lines ${offset} to ${last} of ${own}; read on with offset ${last + 1})`].join("\n")
    : numbered.join("\n");
}

function shortened(line: string): string {
  return line.length > LONGEST_LINE ? `${line.slice(0, LONGEST_LINE)}… [${line.length - LONGEST_LINE} more characters]` : line;
}
