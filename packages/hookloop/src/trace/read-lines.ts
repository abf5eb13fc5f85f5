import { closeSync, openSync, readSync } from "node:fs";

/** One line of a file, without its end. */
export interface FileLine {
  /** Where it starts, in bytes. */
  readonly offset: number;
  readonly bytes: Buffer;
  /** The line's whole length; more than `bytes` holds if it was too long to keep. */
  readonly length: number;
  readonly hasEnd: boolean;
}

const CHUNK = 1024 * 1024;

/** The lines of a file, one after the other: however long the file is, only one line is in memory, and of one that is longer than the limit nothing. */
export function* fileLines(file: string, limit: number): Generator<FileLine> {
  const fd = openSync(file, "r");
  try {
    let kept: Buffer[] = [];
    let length = 0;
    let offset = 0;
    const line = (hasEnd: boolean): FileLine => ({ offset, bytes: Buffer.concat(kept), length, hasEnd });
    for (;;) {
      const chunk = Buffer.allocUnsafe(CHUNK);
      const size = readSync(fd, chunk, 0, CHUNK, null);
      for (let start = 0; start < size; ) {
        const end = chunk.subarray(0, size).indexOf(0x0a, start);
        const part = chunk.subarray(start, end < 0 ? size : end);
        length += part.length;
        if (length <= limit) kept.push(part);
        else kept = [];
        start += part.length;
        if (end < 0) break;
        yield line(true);
        start += 1;
        offset += length + 1;
        kept = [];
        length = 0;
      }
      if (size === 0) break;
    }
    if (length > 0) yield line(false);
  } finally {
    closeSync(fd);
  }
}

/** Where the text of a line starts: a crash can leave a run of NUL bytes where the size was recorded but the data was not. */
export function textStart({ bytes }: FileLine): number {
  let start = 0;
  while (bytes[start] === 0) start += 1;
  return start;
}
