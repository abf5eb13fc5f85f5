import { randomUUID } from "node:crypto";
import { accessSync, constants, lstatSync, renameSync, rmSync, type Stats, writeFileSync } from "node:fs";
import path from "node:path";
import { diffHunks } from "../../line-diff.ts";
import { isStillTarget } from "../../permissions/index.ts";
import { makeFolders } from "../../state-files.ts";
import { readText, systemText } from "./read.ts";
import { type CatalogueTool, type ToolContext, ToolFailure, withPath } from "./types.ts";

/**
 * Writes a file, with the folders above it: whole or not at all. SECURITY: it goes where the path led when the call was
 * allowed; if a folder on the way has become a link since then, nothing is written (fault 77).
 */
export function writeText(file: string, text: string, { targetOf }: Pick<ToolContext, "targetOf">): void {
  const target = targetOf(file);
  const check = (): void => {
    if (target.problem !== undefined || !isStillTarget(target, { cwd: path.dirname(target.path) }))
      throw new ToolFailure(`${file} was not written: a part of its path has changed since the call was allowed.`);
  };
  check();
  try {
    makeFolders(path.dirname(target.path));
    const old = lstatSync(target.path, { throwIfNoEntry: false });
    if (old && !old.isFile()) throw new ToolFailure(`${file} is not a regular file.`);
    if (old) accessSync(target.path, constants.W_OK);
    if (mayBeReplaced(target.path, old)) replace(target.path, text, old, check);
    else {
      check();
      writeFileSync(target.path, text);
    }
  } catch (error) {
    if (error instanceof ToolFailure) throw error;
    throw new ToolFailure(`${file} cannot be written: ${systemText(error)}`);
  }
}

/** A file with other names, or of another user, must stay the file it is; a folder may not take new files. */
function mayBeReplaced(file: string, old: Stats | undefined): boolean {
  if (old && (old.nlink > 1 || old.uid !== process.getuid?.())) return false;
  try {
    accessSync(path.dirname(file), constants.W_OK);
    return true;
  } catch {
    // Then only writing into the file itself is left, and the system says whether that works.
    return false;
  }
}

function replace(file: string, text: string, old: Stats | undefined, check: () => void): void {
  const temporary = path.join(path.dirname(file), `.${randomUUID()}.tmp`);
  try {
    writeFileSync(temporary, text, { flag: "wx", ...(old && { mode: old.mode & 0o7777 }) });
    check();
    renameSync(temporary, file);
  } finally {
    rmSync(temporary, { force: true });
  }
}

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
