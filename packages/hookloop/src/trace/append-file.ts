import { constants } from "node:fs";
import path from "node:path";
import { makeSafeFolder } from "../state-files.ts";
import { REAL_FILES, type TraceFiles } from "./trace-files.ts";

/** A file that whole lines are appended to, by several processes at once if need be. Every method throws what the system says. */
export interface AppendFile {
  append(line: string): void;
  close(): void;
}

const NEW_LINE = 0x0a;

/** Opens it for this user only, and repairs a tail that a crash has torn: the next record starts on a line of its own. */
export function openAppendFile(file: string, files: TraceFiles = REAL_FILES): AppendFile {
  makeSafeFolder(path.dirname(file));
  // SECURITY: O_NOFOLLOW: a planted link must not turn the trace into a write to another file.
  const flags = constants.O_RDWR | constants.O_APPEND | constants.O_CREAT | constants.O_NOFOLLOW | constants.O_NONBLOCK;
  const fd = files.openSync(file, flags, 0o600);
  let isTorn: boolean;
  try {
    isTorn = hasTornTail(fd, files, file);
  } catch (error) {
    files.closeSync(fd);
    throw error;
  }
  return {
    append(line) {
      // One write of one buffer: with O_APPEND the system keeps it in one piece beside other processes.
      const bytes = Buffer.from(isTorn ? `\n${line}\n` : `${line}\n`);
      const written = files.writeSync(fd, bytes, 0, bytes.length);
      if (written !== bytes.length) {
        takeBack(fd, bytes.subarray(0, written), files);
        throw new Error(`only ${written} of ${bytes.length} bytes could be written (disk full?)`);
      }
      isTorn = false;
    },
    close() {
      try {
        files.fsyncSync(fd);
      } finally {
        files.closeSync(fd);
      }
    },
  };
}

function hasTornTail(fd: number, files: TraceFiles, file: string): boolean {
  const { size, mode } = files.fstatSync(fd);
  if ((mode & constants.S_IFMT) !== constants.S_IFREG) throw new Error(`${file} is not a regular file`);
  if (size === 0) return false;
  const last = Buffer.alloc(1);
  files.readSync(fd, last, 0, 1, size - 1);
  return last[0] !== NEW_LINE;
}

/** Removes half a record, but only if it is still the end of the file: another process may have written since. */
function takeBack(fd: number, half: Buffer, files: TraceFiles): void {
  const { size } = files.fstatSync(fd);
  const tail = Buffer.alloc(half.length);
  files.readSync(fd, tail, 0, half.length, size - half.length);
  if (tail.equals(half)) files.ftruncateSync(fd, size - half.length);
}
