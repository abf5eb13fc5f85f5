/**
 * Takes paths; gives what stands there, so that it can be compared and put back. Refuses to read what is too large: it is known by its size
 * and time alone, and cannot be put back. Links are looked at, not followed.
 */

import { createHash } from "node:crypto";
import { closeSync, constants, fstatSync, lstatSync, openSync, readlinkSync, type Stats } from "node:fs";
import path from "node:path";
import { realFolder } from "../../permissions/index.ts";
import { readUpTo } from "../../state-files.ts";

/** What stood at a path at one time, as the history keeps it. */
export type FileState =
  | { readonly kind: "missing" }
  | { readonly kind: "folder"; readonly mode: number }
  | { readonly kind: "link"; readonly target: string }
  | { readonly kind: "file"; readonly mode: number; readonly size: number; readonly hash: string }
  /** Its bytes are not kept, for this reason; `sign` differs if it was changed. */
  | { readonly kind: "unkept"; readonly mode: number; readonly size: number; readonly why: string; readonly sign: string };

const MAX_FILE = 10_000_000;
/** Of a file that is no text. */
const MAX_BINARY = 1_000_000;

/** A state, and of a file that is kept its bytes. */
export interface Looked {
  readonly state: FileState;
  readonly bytes?: Buffer | undefined;
}

export const MISSING: FileState = { kind: "missing" };

export function lookAt(file: string): Looked {
  const stats = statOf(file);
  if (!stats) return { state: MISSING };
  const mode = stats.mode & 0o7777;
  if (stats.isDirectory()) return { state: { kind: "folder", mode } };
  if (stats.isSymbolicLink()) return { state: { kind: "link", target: linkTarget(file) } };
  if (!stats.isFile()) return unkept(stats, "it is no regular file");
  if (stats.size > MAX_FILE) return unkept(stats, `it is larger than ${megabytes(MAX_FILE)}`);
  return readFile(file, stats);
}

/** SECURITY: what takes the place of a file between two looks is neither followed nor waited for. */
function readFile(file: string, before: Stats): Looked {
  let fd: number | undefined;
  try {
    fd = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW);
    const stats = fstatSync(fd);
    if (!stats.isFile()) return unkept(before, "it is no regular file");
    const bytes = readUpTo(fd, MAX_FILE + 1);
    if (bytes.length > MAX_FILE) return unkept(stats, `it is larger than ${megabytes(MAX_FILE)}`);
    if (bytes.length > MAX_BINARY && isBinary(bytes)) return unkept(stats, `it is no text and larger than ${megabytes(MAX_BINARY)}`);
    return { state: { kind: "file", mode: stats.mode & 0o7777, size: bytes.length, hash: hashOf(bytes) }, bytes };
  } catch (thrown) {
    // It went between the two looks.
    if ((thrown as NodeJS.ErrnoException).code === "ENOENT") return { state: MISSING };
    return unkept(before, `it cannot be read (${(thrown as NodeJS.ErrnoException).code})`);
  } finally {
    if (fd !== undefined) closeSync(fd);
  }
}

export function hashOf(bytes: Buffer): string {
  return createHash("sha256").update(bytes).digest("hex");
}

export function isBinary(bytes: Buffer): boolean {
  return bytes.subarray(0, 8000).includes(0);
}

function unkept({ mode, size, mtimeMs, ino }: Stats, why: string): Looked {
  return { state: { kind: "unkept", mode: mode & 0o7777, size, why, sign: `${size} ${mtimeMs} ${ino}` } };
}

function megabytes(bytes: number): string {
  return `${bytes / 1_000_000} MB`;
}

export function statOf(file: string): Stats | undefined {
  try {
    return lstatSync(file, { throwIfNoEntry: false });
  } catch {
    // A part of the path is a file, or not ours to look into: for this user nothing is there.
    return undefined;
  }
}

function linkTarget(file: string): string {
  try {
    return readlinkSync(file);
  } catch {
    // It went between the two looks.
    return "";
  }
}

export function isSameState(one: FileState, other: FileState): boolean {
  if (one.kind === "file" && other.kind === "file") return one.hash === other.hash && one.mode === other.mode;
  if (one.kind === "link" && other.kind === "link") return one.target === other.target;
  if (one.kind === "unkept" && other.kind === "unkept") return one.sign === other.sign && one.mode === other.mode;
  // What is in a folder is told by its own paths.
  if (one.kind === "folder" && other.kind === "folder") return one.mode === other.mode;
  return one.kind === other.kind;
}

export function sizeOf(state: FileState): number {
  return state.kind === "file" || state.kind === "unkept" ? state.size : 0;
}

/** The one path of a file: links on the way are followed, a link at its end is not. */
export function canonicalPath(file: string): string {
  const parent = path.dirname(file);
  return parent === file ? file : path.join(nearestReal(parent), path.basename(file));
}

function nearestReal(folder: string): string {
  const parent = path.dirname(folder);
  if (parent === folder || statOf(folder)) return realFolder(folder);
  return path.join(nearestReal(parent), path.basename(folder));
}
