import { replaceText } from "./replace-text.ts";
import { readText, writeText } from "./text-file.ts";
import { withPath } from "./tool-path.ts";
import { type CatalogueTool, ToolFailure } from "./types.ts";

export const editTool: CatalogueTool<"Edit"> = {
  name: "Edit",
  description: "Replaces text in a file. old_string must stand in the file exactly once, unless replace_all is set.",
  resolve: withPath("file_path"),
  async run({ file_path, ...one }) {
    const originalFile = existing(file_path);
    writeText(file_path, replaceText(originalFile, one, file_path));
    const { old_string: oldString, new_string: newString, replace_all: replaceAll = false } = one;
    const response = { filePath: file_path, oldString, newString, originalFile, structuredPatch: [], userModified: false, replaceAll };
    return { response, text: `Edited ${file_path}.` };
  },
};

export const multiEditTool: CatalogueTool<"MultiEdit"> = {
  name: "MultiEdit",
  description: "Makes several replacements in one file, one after the other. Either all of them are made or none.",
  resolve: withPath("file_path"),
  async run({ file_path, edits }) {
    const originalFile = existing(file_path);
    writeText(
      file_path,
      edits.reduce((text, one) => replaceText(text, one, file_path), originalFile),
    );
    const response = { filePath: file_path, edits, originalFile, structuredPatch: [], userModified: false };
    return { response, text: `Made ${edits.length} edits in ${file_path}.` };
  },
};

function existing(file: string): string {
  const text = readText(file);
  if (text === undefined) throw new ToolFailure(`There is no file ${file}. Use Write for a new one.`);
  return text;
}
