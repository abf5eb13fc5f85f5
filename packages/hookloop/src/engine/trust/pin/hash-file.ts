import { createHash } from "node:crypto";
import { closeSync, constants, fstatSync, openSync, readSync, realpathSync, statSync } from "node:fs";

/** What a path leads to. */
export type Found =
  | { readonly kind: "file"; readonly realpath: string; readonly isExecutable: boolean; readonly size: number }
  | { readonly kind: "folder" | "other" | "missing" };

export interface HashedFile {
  readonly sha256: string;
  readonly size: number;
  /** Of a text file that is not large. */
  readonly text?: string | undefined;
}

const ANY_EXECUTE_BIT = 0o111;
/** Larger texts are hashed like any file, but nobody looks into them. */
const MAX_TEXT = 1024 * 1024;

/** Looks at a path without opening anything. */
export function lookAt(file: string): Found {
  try {
    const found = statSync(file);
    if (found.isDirectory()) return { kind: "folder" };
    if (!found.isFile()) return { kind: "other" };
    return {
      kind: "file",
      realpath: realpathSync.native(file),
      isExecutable: (found.mode & ANY_EXECUTE_BIT) !== 0,
      size: found.size,
    };
  } catch {
    // Not there, not ours to see, or no possible path: nothing that could be pinned either way.
    return { kind: "missing" };
  }
}

/** The digest of a regular file, or nothing if it cannot be read or is larger than the limit. It never blocks. */
function hashFile(file: string, limit: number): HashedFile | undefined {
  let fd: number | undefined;
  try {
    // SECURITY: not blocking on a FIFO that took the file's place, and looked at again behind the handle.
    fd = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK);
    if (!fstatSync(fd).isFile()) return undefined;
    const bytes = readUpTo(fd, limit + 1);
    if (bytes.length > limit) return undefined;
    return { sha256: createHash("sha256").update(bytes).digest("hex"), size: bytes.length, text: textOf(bytes) };
  } catch {
    // Gone or forbidden since it was looked at: the caller says that it cannot be pinned.
    return undefined;
  } finally {
    if (fd !== undefined) closeSync(fd);
  }
}

/** SECURITY: what the hooks of one project may make us read, however many of them there are. */
const MAX_LOOK_BYTES = 64 * 1024 * 1024;

/** One look at many hooks: a file that several of them name is read once, and all together have a limit. */
export class Look {
  readonly #known = new Map<string, unknown>();
  readonly #left = { user: MAX_LOOK_BYTES, project: MAX_LOOK_BYTES };

  /** The digest of a file, nothing if it cannot be read, `over` if there is no room left for it. */
  hash(
    { realpath, size }: { readonly realpath: string; readonly size: number },
    limit: number,
    whose: "user" | "project",
  ): HashedFile | "over" | undefined {
    const cost = Math.min(size, limit + 1);
    return this.remember(`${whose} bytes ${realpath}`, () => {
      if (cost > this.#left[whose]) return "over";
      this.#left[whose] -= cost;
      return hashFile(realpath, limit);
    });
  }

  /** Whatever was found out once. */
  remember<Value>(key: string, find: () => Value): Value {
    if (!this.#known.has(key)) this.#known.set(key, find());
    return this.#known.get(key) as Value;
  }
}

function readUpTo(fd: number, limit: number): Buffer {
  const chunks: Buffer[] = [];
  for (let total = 0; total < limit; ) {
    const chunk = Buffer.alloc(Math.min(256 * 1024, limit - total));
    const count = readSync(fd, chunk, 0, chunk.length, null);
    if (count === 0) break;
    chunks.push(chunk.subarray(0, count));
    total += count;
  }
  return Buffer.concat(chunks);
}

function textOf(bytes: Buffer): string | undefined {
  if (bytes.length > MAX_TEXT || bytes.includes(0)) return undefined;
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    // No text: the digest is all that can be said about it.
    return undefined;
  }
}

/** Clocks of file systems tick in milliseconds: a file this young may change without its times showing it. */
const SETTLED_MS = 200;

/** What a path leads to in this moment, without opening it. */
export interface Glimpse {
  /** Changes whenever the file behind the path does, or the path leads elsewhere. */
  readonly signature: string;
  /** It has been left alone long enough for its times to tell of the next change. */
  readonly isSettled: boolean;
}

export function glimpse(file: string, now: number): Glimpse {
  try {
    const found = statSync(file, { bigint: true, throwIfNoEntry: false });
    // A missing file shows its creation by being there.
    if (!found) return MISSING;
    const { dev, ino, size, mode, mtimeNs, ctimeNs, mtimeMs, ctimeMs } = found;
    const youngest = Number(mtimeMs > ctimeMs ? mtimeMs : ctimeMs);
    return { signature: `${dev}:${ino}:${size}:${mode}:${mtimeNs}:${ctimeNs}`, isSettled: now - youngest > SETTLED_MS };
  } catch {
    // Not ours to see: the same as missing for whoever compares.
    return MISSING;
  }
}

const MISSING: Glimpse = { signature: "-", isSettled: true };

/** Which folder a path leads to, whatever happens inside of it. */
export function folderIdentity(folder: string): string {
  const found = statSync(folder, { bigint: true, throwIfNoEntry: false });
  return found ? `${found.dev}:${found.ino}` : "-";
}
