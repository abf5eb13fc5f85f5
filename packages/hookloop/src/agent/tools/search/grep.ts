import { statSync } from "node:fs";
import path from "node:path";
import { setImmediate } from "node:timers/promises";
import type { RE2JS } from "re2js";
import { readText } from "../files/text-file.ts";
import { shownOutput } from "../shown-output.ts";
import { type CatalogueTool, type ToolContext, ToolFailure } from "../types.ts";
import { compileGlob } from "./glob-pattern.ts";
import { loadRe2 } from "./load-re2.ts";
import { searchFolder } from "./search-folder.ts";
import { walkFiles } from "./walk-files.ts";

/** Larger files are data, not text to search. */
const LARGEST_FILE = 4 * 1024 * 1024;
const MOST_RESULTS = 1000;
const LONGEST_PATTERN = 1000;
/** A search takes time in proportion to this and to the text. */
const LARGEST_PROGRAM = 2000;
const LIMIT_MS = 20_000;

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
    const { files, isCut } = filesOf(input, context);
    const { found, notes } = await searchFiles(files, compile(pattern, multiline), multiline, context);
    const results = found.flatMap((one) => RENDER[mode](one));
    const shown = results.slice(0, Math.max(1, limit));
    const said = [
      ...(results.length > shown.length ? [`(${results.length - shown.length} more; narrow the search or raise head_limit)`] : []),
      ...(isCut ? ["(there are too many files; not all were searched. Give a path.)"] : []),
      ...notes,
    ];
    const response = { mode, numFiles: found.length, filenames: found.map(({ file }) => file), content: shown.join("\n") };
    return { response, text: shownOutput([...(shown.length === 0 ? ["No matches found."] : shown), ...said].join("\n")) };
  },
};

const RENDER: Readonly<Record<"content" | "files_with_matches" | "count", (found: Found) => readonly string[]>> = {
  content: ({ file, lines }) => lines.map(({ number, text }) => `${file}:${number}:${text}`),
  files_with_matches: ({ file }) => [file],
  count: ({ file, lines }) => [`${file}:${lines.length}`],
};

function compile(pattern: string, isMultiline: boolean): RE2JS {
  if (pattern.length > LONGEST_PATTERN) throw new ToolFailure(`The pattern is longer than ${LONGEST_PATTERN} characters.`);
  const RE2 = loadRe2();
  let expression: RE2JS;
  try {
    expression = RE2.compile(pattern, isMultiline ? RE2.DOTALL | RE2.MULTILINE : 0);
  } catch (error) {
    throw new ToolFailure(`The pattern is not a regular expression that can be searched for: ${(error as Error).message}`);
  }
  if (expression.programSize() > LARGEST_PROGRAM) throw new ToolFailure("The pattern has too many repetitions to be searched for.");
  return expression;
}

interface Searched {
  readonly found: readonly Found[];
  /** What was not searched, for the model. */
  readonly notes: readonly string[];
}

async function searchFiles(
  files: readonly string[],
  expression: RE2JS,
  isMultiline: boolean,
  { signal, mayRead }: ToolContext,
): Promise<Searched> {
  const found: Found[] = [];
  const end = performance.now() + LIMIT_MS;
  let large = 0;
  for (const [index, file] of files.entries()) {
    // So that others get their turn, and somebody can end it.
    if (index % 64 === 0) await setImmediate();
    signal.throwIfAborted();
    if (performance.now() > end) return { found, notes: [`(stopped after ${LIMIT_MS / 1000} s; give a path or a glob)`] };
    if ((statSync(file, { throwIfNoEntry: false })?.size ?? 0) > LARGEST_FILE) large++;
    else {
      const lines = matchesIn(file, expression, isMultiline);
      if (lines.length > 0 && mayRead(file)) found.push({ file, lines });
    }
  }
  return { found, notes: large > 0 ? [`(${large} files larger than ${LARGEST_FILE} bytes were not searched)`] : [] };
}

interface Files {
  readonly files: readonly string[];
  readonly isCut: boolean;
}

function filesOf({ path: given, glob, type }: { path?: string; glob?: string; type?: string }, context: ToolContext): Files {
  const start = searchFolder(given, context);
  if (!statSync(start).isDirectory()) return { files: [start], isCut: false };
  const fits = glob === undefined ? () => true : globOrName(glob);
  const ending = type === undefined ? "" : `.${type}`;
  const { files, isCut } = walkFiles(start, context.signal);
  return { files: files.filter((file) => fits(file) && file.endsWith(ending)).map((file) => path.join(start, file)), isCut };
}

/** A glob without a slash is about names, at any depth. */
function globOrName(glob: string): (file: string) => boolean {
  const fits = compileGlob(glob);
  return glob.includes("/") ? fits : (file) => fits(path.posix.basename(file));
}

function matchesIn(file: string, expression: RE2JS, isMultiline: boolean): Found["lines"] {
  const text = readQuietly(file);
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
