import { isUtf8 } from "node:buffer";
import { closeSync, constants, fstatSync, openSync, readFileSync } from "node:fs";
import { ToolFailure } from "../types.ts";
import { systemText } from "./system-text.ts";

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
