import { closeSync, constants, fstatSync, mkdirSync, openSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { ToolFailure } from "./types.ts";

/** Beyond this a file is not for reading into a conversation. */
const LARGEST_FILE = 64 * 1024 * 1024;

/** The text of a file; `undefined` if there is none. */
export function readText(file: string): string | undefined {
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
    return readFileSync(fd, "utf8");
  } finally {
    closeSync(fd);
  }
}

/** Writes it, with the folders above. */
export function writeText(file: string, text: string): void {
  try {
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, text);
  } catch (error) {
    throw new ToolFailure(`${file} cannot be written: ${systemText(error)}`);
  }
}

function systemText(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  const words: Readonly<Record<string, string>> = {
    EACCES: "permission denied",
    EPERM: "not permitted",
    EROFS: "the file system is read-only",
    ENOSPC: "the disk is full",
    EISDIR: "it is a folder",
    ENOTDIR: "a part of its path is not a folder",
    ELOOP: "too many links",
    ENAMETOOLONG: "the name is too long",
  };
  return (code && words[code]) ?? message;
}
