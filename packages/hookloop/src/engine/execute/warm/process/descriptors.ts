// Real descriptors 0, 1 and 2 for each run: files of their own, without a name. `open` takes the lowest free number,
// so what is closed first is what the new file gets.
import { randomUUID } from "node:crypto";
import { closeSync, constants, fstatSync, ftruncateSync, openSync, readSync, unlinkSync, writeSync } from "node:fs";
import path from "node:path";

const { O_APPEND, O_CREAT, O_EXCL, O_RDWR } = constants;

/** Opens fresh ones in `folder`. Done ahead of the run that needs them; what comes in between is dropped when it begins. */
export function openDescriptors(folder: string): void {
  for (const fd of [0, 1, 2]) replace(fd, () => openNameless(folder, fd === 0 ? 0 : O_APPEND));
}

/** A run begins: stdin holds `input`. */
export function fillDescriptors(input: Uint8Array): void {
  for (const fd of [0, 1, 2]) ftruncateSync(fd);
  for (let written = 0; written < input.length; ) written += writeSync(0, input, written, input.length - written, written);
}

/** What was printed there, up to a byte more than `keep`. */
export function readDescriptor(fd: 1 | 2, keep: number): Buffer {
  try {
    const bytes = Buffer.alloc(Math.min(fstatSync(fd).size, keep + 1));
    return bytes.subarray(0, readSync(fd, bytes, 0, bytes.length, 0));
  } catch {
    // The script closed it, or put something else in its place: nothing was printed for us.
    return Buffer.alloc(0);
  }
}

function openNameless(folder: string, flags: number): number {
  const file = path.join(folder, randomUUID());
  const fd = openSync(file, O_RDWR | O_CREAT | O_EXCL | flags, 0o600);
  unlinkSync(file);
  return fd;
}

function replace(fd: number, open: () => number): void {
  try {
    closeSync(fd);
  } catch {
    // The script has closed it already.
  }
  const opened = open();
  if (opened !== fd) throw new Error(`descriptor ${fd} is taken`);
}
