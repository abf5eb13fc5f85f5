import { statSync } from "node:fs";
import path from "node:path";
import type { RE2JS } from "re2js";
import { counted } from "../../diagnostic.ts";
import { compileGlob, createPause, loadRe2, searchFolder, walkFiles } from "./glob.ts";
import { readText } from "./read.ts";
import { type CatalogueTool, shownOutput, type ToolContext, ToolFailure } from "./types.ts";

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
    const { files, isCut } = await filesOf(input, context);
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
  textOf(response) {
    const { filenames, content } = response as { readonly filenames: readonly string[]; readonly content?: string };
    return shownOutput(content || filenames.join("\n") || "No matches found.");
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
  const search: Search = { expression, isMultiline, end: performance.now() + LIMIT_MS, pause: createPause(signal), isTooMuch: false };
  let large = 0;
  let hard = 0;
  for (const file of files) {
    await search.pause();
    if (performance.now() > search.end) return { found, notes: [`(stopped after ${LIMIT_MS / 1000} s; give a path or a glob)`] };
    if ((statSync(file, { throwIfNoEntry: false })?.size ?? 0) > LARGEST_FILE) large++;
    else {
      search.isTooMuch = false;
      const lines = await matchesIn(file, search);
      if (search.isTooMuch) hard++;
      if (lines.length > 0 && mayRead(file)) found.push({ file, lines });
    }
  }
  return {
    found,
    notes: [
      ...(large > 0 ? [`(${counted(large, "file")} larger than ${LARGEST_FILE} bytes ${large === 1 ? "was" : "were"} not searched)`] : []),
      ...(hard > 0 ? [`(${hard} files have lines that are too long for this pattern and were not searched whole)`] : []),
    ],
  };
}

interface Search {
  readonly expression: RE2JS;
  readonly isMultiline: boolean;
  /** When it must be over. */
  readonly end: number;
  readonly pause: () => Promise<void>;
  /** Something of the file at hand was not searched. */
  isTooMuch: boolean;
}

/** Characters times the size of the pattern: seconds. Nothing can interrupt it. */
const MOST_WORK = 50_000_000;

interface Files {
  readonly files: readonly string[];
  readonly isCut: boolean;
}

async function filesOf({ path: given, glob, type }: { path?: string; glob?: string; type?: string }, context: ToolContext): Promise<Files> {
  const start = searchFolder(given, context);
  if (!statSync(start).isDirectory()) return { files: [start], isCut: false };
  const fits = glob === undefined ? () => true : globOrName(glob);
  const ending = type === undefined ? "" : `.${type}`;
  const { files, isCut } = await walkFiles(start, context.signal);
  return { files: files.filter((file) => fits(file) && file.endsWith(ending)).map((file) => path.join(start, file)), isCut };
}

/** A glob without a slash is about names, at any depth. */
function globOrName(glob: string): (file: string) => boolean {
  const fits = compileGlob(glob);
  return glob.includes("/") ? fits : (file) => fits(path.posix.basename(file));
}

async function matchesIn(file: string, search: Search): Promise<Found["lines"]> {
  const text = readQuietly(file);
  if (text === undefined || text.includes("\u0000")) return [];
  const size = search.expression.programSize();
  if (search.isMultiline) {
    search.isTooMuch = text.length * size > MOST_WORK;
    return search.isTooMuch ? [] : multilineMatches(text, search.expression);
  }
  const lines: { number: number; text: string }[] = [];
  for (const [index, line] of text.split("\n").entries()) {
    // Awaiting costs more than a short line.
    if (index % 64 === 0 || line.length > 10_000) await search.pause();
    if (line.length * size > MOST_WORK || performance.now() > search.end) search.isTooMuch = true;
    else if (search.expression.matcher(line).find()) lines.push({ number: index + 1, text: line });
  }
  return lines;
}

function multilineMatches(text: string, expression: RE2JS): Found["lines"] {
  const lines: { number: number; text: string }[] = [];
  const matcher = expression.matcher(text);
  let [number, counted] = [1, 0];
  while (lines.length < MOST_RESULTS && matcher.find()) {
    for (let at = text.indexOf("\n", counted); at >= 0 && at < matcher.start(); at = text.indexOf("\n", at + 1)) number++;
    counted = Math.max(counted, matcher.start());
    lines.push({ number, text: matcher.group() ?? "" });
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
