import { diffHunks } from "../../../line-diff.ts";
import { withPath } from "../tool-path.ts";
import type { CatalogueTool } from "../types.ts";
import { readText } from "./text-file.ts";
import { writeText } from "./write-text.ts";

export const writeTool: CatalogueTool<"Write"> = {
  name: "Write",
  description: "Writes a file, over the old one if there is one. Folders above it are made.",
  resolve: withPath("file_path"),
  async run({ file_path, content }, context) {
    const originalFile = readText(file_path) ?? null;
    writeText(file_path, content, context);
    const structuredPatch = originalFile === null ? [] : diffHunks(originalFile, content);
    const type = originalFile === null ? "create" : "update";
    const response = { type, filePath: file_path, content, structuredPatch, originalFile, userModified: false };
    return { response, text: writtenText(response) };
  },
  textOf: (response) => writtenText(response as { readonly type: string; readonly filePath: string }),
};

function writtenText({ type, filePath }: { readonly type: string; readonly filePath: string }): string {
  return type === "create" ? `File created successfully at: ${filePath}` : `The file ${filePath} has been updated successfully.`;
}
