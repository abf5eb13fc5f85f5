import { statSync } from "node:fs";
import path from "node:path";
import { type CatalogueTool, type ToolContext, ToolFailure } from "../types.ts";
import { compileGlob } from "./glob-pattern.ts";
import { searchFolder } from "./search-folder.ts";
import { createPause, walkFiles } from "./walk-files.ts";

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

/** A repository can have many files and bring many rules: it must not take longer. */
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
