import { statSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { setImmediate } from "node:timers/promises";
import type { RE2JS } from "re2js";
import { counted } from "../../diagnostic.ts";
import { isInFolders } from "../../permissions/index.ts";
import { readFolder } from "../../state-files.ts";
import { readText } from "./files.ts";
import { type CatalogueTool, shownOutput, type ToolContext, ToolFailure, toolPath } from "./types.ts";

/** Where a search starts: inside the workspace only. */
export function searchFolder(given: string | undefined, context: ToolContext): string {
  const folder = toolPath(given ?? ".", context);
  if (!isInFolders(folder, context.directories)) {
    throw new ToolFailure(`${folder} is outside the workspace (${context.directories.join(", ")}). Searching is confined to it.`);
  }
  if (!statSync(folder, { throwIfNoEntry: false })) throw new ToolFailure(`There is no ${folder}.`);
  return folder;
}

const LONGEST_PATTERN = 512;
const MOST_ALTERNATIVES = 64;

/** A test for relative paths: `*`, `?`, `[a-z]`, `{a,b}` and `**` for any number of folders. */
export function compileGlob(pattern: string): (path: string) => boolean {
  if (pattern.length > LONGEST_PATTERN) throw new ToolFailure(`The pattern is longer than ${LONGEST_PATTERN} characters.`);
  const tests = alternatives(pattern).map(compileOne);
  return (path) => tests.some((test) => test.matches(path));
}

/** SECURITY: JavaScript's own engine takes forever over many stars on a deep path. */
function compileOne(pattern: string): { matches(path: string): boolean } {
  const RE2 = loadRe2();
  try {
    return RE2.compile(expressionOf(pattern), RE2.DOTALL);
  } catch (error) {
    throw new ToolFailure(`The pattern ${pattern} cannot be read: ${(error as Error).message}`);
  }
}

/** `a/{b,c}` is `a/b` and `a/c`. */
function alternatives(pattern: string): readonly string[] {
  const done: string[] = [];
  const open = [pattern];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const brace = /\{([^{}]*,[^{}]*)\}/.exec(next);
    if (!brace) done.push(next);
    else
      for (const part of (brace[1] ?? "").split(","))
        open.push(next.slice(0, brace.index) + part + next.slice(brace.index + brace[0].length));
    if (done.length + open.length > MOST_ALTERNATIVES)
      throw new ToolFailure(`The pattern has more than ${MOST_ALTERNATIVES} alternatives.`);
  }
  return done;
}

const TOKEN = /\*\*\/|\*\*|\*|\?|\[!?[^\]]+\]|./gs;

function expressionOf(glob: string): string {
  return glob.replace(TOKEN, (token) => {
    if (token === "**/") return "(?:[^/]+/)*";
    if (token === "**") return ".*";
    if (token === "*") return "[^/]*";
    if (token === "?") return "[^/]";
    if (token.length > 1) return token.startsWith("[!") ? `[^${escaped(token.slice(2, -1))}]` : `[${escaped(token.slice(1, -1))}]`;
    return token.replace(/[\\^$.|+(){}[\]]/, "\\$&");
  });
}

/** Inside a class only these mean something; `-` keeps its meaning. */
function escaped(set: string): string {
  return set.replace(/[\\^[\]]/g, "\\$&");
}

/** Not searched, unless the search starts inside of them. */
const SKIPPED: ReadonlySet<string> = new Set([".git", "node_modules"]);
const MOST_ENTRIES = 200_000;

interface Walk {
  readonly files: readonly string[];
  readonly isCut: boolean;
}

/** Every file below a folder, as relative paths with `/`; links are not followed, so nothing leads out of it. */
export async function walkFiles(folder: string, signal?: AbortSignal): Promise<Walk> {
  const files: string[] = [];
  const open = [""];
  const pause = createPause(signal);
  let entries = 0;
  // Not `shift`: on a long list it moves everything.
  for (let at = 0; at < open.length; at++) {
    const next = open[at] ?? "";
    await pause();
    for (const entry of readFolder(path.join(folder, next))) {
      if (++entries > MOST_ENTRIES) return { files, isCut: true };
      const name = next === "" ? entry.name : `${next}/${entry.name}`;
      if (entry.isDirectory()) {
        if (!SKIPPED.has(entry.name)) open.push(name);
      } else if (entry.isFile()) files.push(name);
    }
  }
  return { files, isCut: false };
}

const LONGEST_BLOCK_MS = 20;

/** Yields to the event loop now and then, so that a search can be aborted; throws if it was. */
export function createPause(signal?: AbortSignal): () => Promise<void> {
  let last = performance.now();
  return async () => {
    signal?.throwIfAborted();
    if (performance.now() - last < LONGEST_BLOCK_MS) return;
    await setImmediate();
    signal?.throwIfAborted();
    last = performance.now();
  };
}

/** Patterns that run in time linear in the text. Loading costs 11 ms, and most sessions never search: required on first use. */
export function loadRe2(): typeof RE2JS {
  return (createRequire(import.meta.url)("re2js") as typeof import("re2js")).RE2JS;
}

const MOST_FILES = 100;

export const globTool: CatalogueTool<"Glob"> = {
  name: "Glob",
  description: `Finds files by their names, as in "src/**/*.ts", the last changed first, at most ${MOST_FILES}. Only inside the workspace; .git and node_modules are left out.`,
  async run({ pattern, path: given }, context) {
    const startedAt = performance.now();
    const folder = searchFolder(given, context);
    if (path.isAbsolute(pattern) || pattern.split("/").includes("..")) {
      throw new ToolFailure("The pattern is relative to the folder: give the folder in path, and no .. in the pattern.");
    }
    const fits = compileGlob(pattern.replace(/^\.\//, ""));
    const { files, isCut } = await walkFiles(folder, context.signal);
    const { filenames, isMore } = await latestReadable(files, fits, folder, context);
    const truncated = isCut || isMore;
    const response = { filenames, durationMs: Math.round(performance.now() - startedAt), numFiles: filenames.length, truncated };
    return { response, text: foundText(response) };
  },
  textOf: (response) => foundText(response as Parameters<typeof foundText>[0]),
};

/** A repository can have many files and bring many rules: a search must not take longer. */
const LIMIT_MS = 20_000;

/** The last changed of those that may be read; whether there are more, or too many to tell. */
async function latestReadable(
  files: readonly string[],
  fits: (file: string) => boolean,
  folder: string,
  { mayRead, signal }: ToolContext,
): Promise<{ readonly filenames: readonly string[]; readonly isMore: boolean }> {
  const end = performance.now() + LIMIT_MS;
  const pause = createPause(signal);
  const dated: { file: string; at: number }[] = [];
  for (const name of files) {
    await pause();
    if (!fits(name)) continue;
    const file = path.join(folder, name);
    dated.push({ file, at: statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0 });
  }
  dated.sort((a, b) => b.at - a.at || (a.file < b.file ? -1 : 1));
  const filenames: string[] = [];
  for (const { file } of dated) {
    await pause();
    if (filenames.length === MOST_FILES || performance.now() > end) return { filenames, isMore: true };
    if (mayRead(file)) filenames.push(file);
  }
  return { filenames, isMore: false };
}

function foundText({ filenames, truncated }: { readonly filenames: readonly string[]; readonly truncated: boolean }): string {
  const text = filenames.length === 0 ? "No files found." : filenames.join("\n");
  return truncated ? `${text}\n(there are more; narrow the pattern)` : text;
}

/** Larger files are data, not text to search. */
const LARGEST_FILE = 4 * 1024 * 1024;
const MOST_RESULTS = 1000;
const LONGEST_EXPRESSION = 1000;
/** A search takes time in proportion to this and to the text. */
const LARGEST_PROGRAM = 2000;

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
  if (pattern.length > LONGEST_EXPRESSION) throw new ToolFailure(`The pattern is longer than ${LONGEST_EXPRESSION} characters.`);
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

async function searchFiles(
  files: readonly string[],
  expression: RE2JS,
  isMultiline: boolean,
  { signal, mayRead }: ToolContext,
): Promise<{ readonly found: readonly Found[]; readonly notes: readonly string[] }> {
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
  readonly end: number;
  readonly pause: () => Promise<void>;
  /** Something of the file at hand was not searched. */
  isTooMuch: boolean;
}

/** Characters times the size of the pattern: seconds. Nothing can interrupt it. */
const MOST_WORK = 50_000_000;

async function filesOf({ path: given, glob, type }: { path?: string; glob?: string; type?: string }, context: ToolContext): Promise<Walk> {
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
