import { statSync } from "node:fs";
import path from "node:path";
import { type CatalogueTool, ToolFailure } from "../types.ts";
import { compileGlob } from "./glob-pattern.ts";
import { searchFolder } from "./search-folder.ts";
import { walkFiles } from "./walk-files.ts";

const MOST_FILES = 100;

export const globTool: CatalogueTool<"Glob"> = {
  name: "Glob",
  description: `Finds files by their names, as in "src/**/*.ts", the last changed first, at most ${MOST_FILES}. Only inside the workspace; .git and node_modules are left out.`,
  async run({ pattern, path: given }, context) {
    const folder = searchFolder(given, context);
    if (path.isAbsolute(pattern) || pattern.split("/").includes("..")) {
      throw new ToolFailure("The pattern is relative to the folder: give the folder in path, and no .. in the pattern.");
    }
    const fits = compileGlob(pattern.replace(/^\.\//, ""));
    const { files, isCut } = walkFiles(folder, context.signal);
    const found = files
      .filter(fits)
      .map((file) => path.join(folder, file))
      .filter(context.mayRead);
    const filenames = latestFirst(found).slice(0, MOST_FILES);
    const truncated = isCut || found.length > MOST_FILES;
    const text = filenames.length === 0 ? "No files found." : filenames.join("\n");
    const response = { filenames, numFiles: filenames.length, truncated };
    return { response, text: truncated ? `${text}\n(there are more; narrow the pattern)` : text };
  },
};

function latestFirst(files: readonly string[]): readonly string[] {
  const dated = files.map((file) => ({ file, at: statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0 }));
  return dated.sort((a, b) => b.at - a.at || (a.file < b.file ? -1 : 1)).map(({ file }) => file);
}
