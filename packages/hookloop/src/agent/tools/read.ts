import { isUtf8 } from "node:buffer";
import { closeSync, constants, fstatSync, openSync, readFileSync } from "node:fs";
import { counted } from "../../diagnostic.ts";
import { type CatalogueTool, ToolFailure, withPath } from "./types.ts";

/** Beyond this a file is not for reading into a conversation. */
const LARGEST_FILE = 64 * 1024 * 1024;

/** The text of a file; `undefined` if there is none. */
export function readText(file: string): string | undefined {
  return readBytes(file)?.toString();
}

/** The text of a file that will be written back: what is not UTF-8 would come back changed. */
export function readForEdit(file: string): string | undefined {
  const bytes = readBytes(file);
  if (bytes && !isUtf8(bytes)) throw new ToolFailure(`${file} is not UTF-8 text: editing it would damage it.`);
  return bytes?.toString();
}

function readBytes(file: string): Buffer | undefined {
  let fd: number;
  try {
    // O_NONBLOCK: a fifo must not hold the agent.
    fd = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw new ToolFailure(`${file} cannot be read: ${systemText(error)}`);
  }
  try {
    const info = fstatSync(fd);
    if (info.isDirectory()) throw new ToolFailure(`${file} is a folder, not a file. List it with Glob or Bash.`);
    if (!info.isFile()) throw new ToolFailure(`${file} is not a regular file.`);
    if (info.size > LARGEST_FILE)
      throw new ToolFailure(`${file} has ${info.size} bytes, too many to read. Use Grep, or Bash with head or sed.`);
    return readFileSync(fd);
  } finally {
    closeSync(fd);
  }
}

const WORDS: Readonly<Record<string, string>> = {
  EACCES: "permission denied",
  EPERM: "not permitted",
  EROFS: "the file system is read-only",
  ENOSPC: "the disk is full",
  EDQUOT: "the disk quota is used up",
  EISDIR: "it is a folder",
  ENOTDIR: "a part of its path is not a folder",
  EEXIST: "a part of its path is not a folder",
  ELOOP: "too many links",
  ENAMETOOLONG: "the name is too long",
};

/** What the system said about a file, in words. */
export function systemText(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  return (code && WORDS[code]) ?? message;
}

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
