import { statSync } from "node:fs";
import path from "node:path";
import { RE2JS } from "re2js";
import { compileGlob } from "./glob-pattern.ts";
import { searchFolder } from "./search-folder.ts";
import { shownOutput } from "./shown-output.ts";
import { readText } from "./text-file.ts";
import { type CatalogueTool, type ToolContext, ToolFailure } from "./types.ts";
import { walkFiles } from "./walk-files.ts";

/** Larger files are data, not text to search. */
const LARGEST_FILE = 4 * 1024 * 1024;
const MOST_RESULTS = 1000;

interface Found {
  readonly file: string;
  readonly lines: readonly { readonly number: number; readonly text: string }[];
}

export const grepTool: CatalogueTool<"Grep"> = {
  name: "Grep",
  description:
    "Searches the text of files for a regular expression (RE2: no look-around, no back-references). output_mode is content (file:line:text), " +
    "files_with_matches or count; glob or type (ts, py, …) picks files. Only inside the workspace.",
  async run(input, context) {
    const { pattern, output_mode: mode = "files_with_matches", head_limit: limit = MOST_RESULTS, multiline = false } = input;
    const expression = compile(pattern, multiline);
    const found = filesOf(input, context).flatMap((file): readonly Found[] => {
      context.signal.throwIfAborted();
      const lines = matchesIn(file, expression, multiline);
      return lines.length > 0 ? [{ file, lines }] : [];
    });
    const results = found.flatMap((one) => RENDER[mode](one));
    const shown = results.slice(0, limit);
    const rest = results.length > shown.length ? [`(${results.length - shown.length} more; narrow the search or raise head_limit)`] : [];
    const response = { mode, numFiles: found.length, filenames: found.map(({ file }) => file), content: shown.join("\n") };
    return { response, text: shownOutput([...shown, ...rest].join("\n")) || "No matches found." };
  },
};

const RENDER: Readonly<Record<"content" | "files_with_matches" | "count", (found: Found) => readonly string[]>> = {
  content: ({ file, lines }) => lines.map(({ number, text }) => `${file}:${number}:${text}`),
  files_with_matches: ({ file }) => [file],
  count: ({ file, lines }) => [`${file}:${lines.length}`],
};

function compile(pattern: string, isMultiline: boolean): RE2JS {
  try {
    return RE2JS.compile(pattern, isMultiline ? RE2JS.DOTALL | RE2JS.MULTILINE : 0);
  } catch (error) {
    throw new ToolFailure(`The pattern is not a regular expression that can be searched for: ${(error as Error).message}`);
  }
}

function filesOf({ path: given, glob, type }: { path?: string; glob?: string; type?: string }, context: ToolContext): readonly string[] {
  const start = searchFolder(given, context);
  if (statSync(start).isFile()) return [start];
  const fits = glob === undefined ? () => true : globOrName(glob);
  const ending = type === undefined ? "" : `.${type}`;
  return walkFiles(start, context.signal)
    .files.filter((file) => fits(file) && file.endsWith(ending))
    .map((file) => path.join(start, file));
}

/** A glob without a slash is about names, at any depth. */
function globOrName(glob: string): (file: string) => boolean {
  const fits = compileGlob(glob);
  return glob.includes("/") ? fits : (file) => fits(path.posix.basename(file));
}

function matchesIn(file: string, expression: RE2JS, isMultiline: boolean): Found["lines"] {
  const text = (statSync(file, { throwIfNoEntry: false })?.size ?? 0) > LARGEST_FILE ? undefined : readQuietly(file);
  if (text === undefined || text.includes("\u0000")) return [];
  if (isMultiline) return multilineMatches(text, expression);
  return text.split("\n").flatMap((line, index) => (expression.matcher(line).find() ? [{ number: index + 1, text: line }] : []));
}

function multilineMatches(text: string, expression: RE2JS): Found["lines"] {
  const lines: { number: number; text: string }[] = [];
  const matcher = expression.matcher(text);
  while (matcher.find() && lines.length < MOST_RESULTS) {
    lines.push({ number: text.slice(0, matcher.start()).split("\n").length, text: matcher.group() ?? "" });
  }
  return lines;
}

function readQuietly(file: string): string | undefined {
  try {
    return readText(file);
  } catch {
    // A file that may not be read has no matches; the others are still searched.
    return undefined;
  }
}
