import { createHash, randomBytes } from "node:crypto";
import {
  accessSync,
  chmodSync,
  closeSync,
  constants,
  type Dirent,
  fchmodSync,
  fchownSync,
  fstatSync,
  fsyncSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from "node:fs";
import path from "node:path";

/** A path that leads to the same place from every folder. */
export function absolutePath(folder: string | undefined): string | undefined {
  return folder !== undefined && path.isAbsolute(folder) ? folder : undefined;
}

const OWN_FOLDERS = { state: ["XDG_STATE_HOME", ".local/state"], config: ["XDG_CONFIG_HOME", ".config"] } as const;

/** hookloop's folder of the user. SECURITY: only an absolute `XDG_…` counts; another would lead below the working directory, into the project. */
export function ownFolder<Home extends string | undefined>(
  kind: keyof typeof OWN_FOLDERS,
  { env, home }: { readonly env: Readonly<Record<string, string | undefined>>; readonly home: Home },
): string | Home {
  const [variable, below] = OWN_FOLDERS[kind];
  const base = absolutePath(env[variable]) ?? (home === undefined ? undefined : path.join(home, below));
  return base === undefined ? home : path.join(base, "hookloop");
}

/** The name of a project's folder below ours: readable, and different for different roots, since `/a/b` and `/a-b` must not share one. */
export function projectName(root: string): string {
  const name = path.basename(root).replace(/[^\w.-]/g, "-");
  return `${name.replace(/^\.+/, "").slice(0, 60) || "root"}-${shortHash(root)}`;
}

// SECURITY: the session id comes from outside; it must not lead out of the folder.
export function sessionName(session: string): string {
  return /^\w[\w.-]{0,127}$/.test(session) ? session : `session-${shortHash(session)}`;
}

function shortHash(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, 12);
}

/**
 * Makes a folder and those above it. Not `recursive` of `mkdirSync`: where the system says that a folder above is missing and
 * it cannot be made either (`/proc/x`), Node 20 tries for ever.
 */
export function makeFolders(folder: string, mode = 0o777): void {
  const missing: string[] = [];
  for (let at = path.resolve(folder); !statSync(at, { throwIfNoEntry: false }); at = path.dirname(at)) {
    missing.unshift(at);
    if (at === path.dirname(at)) break;
  }
  for (const one of missing) {
    try {
      mkdirSync(one, mode);
    } catch (thrown) {
      // Another process was faster. Anything else, a link that leads nowhere for example, is an error.
      if ((thrown as NodeJS.ErrnoException).code !== "EEXIST" || !statSync(one, { throwIfNoEntry: false })) throw thrown;
    }
  }
  if (!statSync(folder).isDirectory()) throw Object.assign(new Error(`${folder} is not a folder`), { code: "ENOTDIR" });
}

/** Makes a folder that only this user can look into, or makes an existing one so. Throws if that is not possible. */
export function makePrivateFolder(folder: string): void {
  const { mode } = makeSafeFolder(folder);
  if ((mode & 0o077) !== 0) chmodSync(folder, 0o700);
}

/** The same, but an existing folder of this user keeps its rights: it may be the user's own, and they are not ours to change. */
export function makeSafeFolder(folder: string): { readonly mode: number } {
  makeFolders(folder, 0o700);
  const { mode, uid } = lstatSync(folder);
  // SECURITY: a link could lead into another user's folder; `recursive` accepts one without a word.
  if ((mode & 0o170000) !== 0o040000) throw new Error(`${folder} is not a folder of its own (a symlink?)`);
  if ((mode & 0o077) !== 0 && uid !== process.getuid?.()) throw new Error(`${folder} belongs to another user and is open to others`);
  return { mode };
}

/**
 * Written beside, flushed, renamed: a reader sees the old content or the new one, whatever happens. For this user only, unless other rights or the
 * owner of another file are given. `isFlushed: false` where a power cut may cost the file, because its reader notices; it takes a tenth of the time.
 */
export function replaceFile(
  file: string,
  content: string | Buffer,
  { isFlushed = true, mode = 0o600, uid, gid }: ReplaceOptions = {},
): void {
  const temporary = `${file}.${randomBytes(6).toString("hex")}.tmp`;
  try {
    const fd = openSync(temporary, "wx", 0o600);
    try {
      takeAfter(fd, { mode, uid, gid });
      const bytes = typeof content === "string" ? Buffer.from(content) : content;
      for (let done = 0; done < bytes.length; ) done += writeSync(fd, bytes, done);
      if (isFlushed) fsyncSync(fd);
    } finally {
      closeSync(fd);
    }
    renameSync(temporary, file);
  } finally {
    rmSync(temporary, { force: true });
  }
  if (isFlushed) flushFolder(path.dirname(file));
}

interface ReplaceOptions {
  readonly isFlushed?: boolean;
  readonly mode?: number;
  readonly uid?: number | undefined;
  readonly gid?: number | undefined;
}

/** The rights are not subject to the umask. */
function takeAfter(fd: number, { mode = 0o600, uid, gid }: ReplaceOptions): void {
  const own = fstatSync(fd);
  // Before the rights: giving a file away takes some of them.
  if ((uid ?? own.uid) !== own.uid || (gid ?? own.gid) !== own.gid) fchownSync(fd, uid ?? own.uid, gid ?? own.gid);
  if ((mode & 0o7777) !== 0o600) fchmodSync(fd, mode & 0o7777);
}

/** Writes a new file for this user only. False if something has that name already; one that could not be written whole is removed again. */
export function createPrivateFile(file: string, bytes: Buffer): boolean {
  let fd: number;
  try {
    // SECURITY: a name planted beforehand, symlinks included, is never opened for writing.
    fd = openSync(file, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW, 0o600);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw error;
  }
  try {
    for (let at = 0; at < bytes.length; ) at += writeSync(fd, bytes, at);
    return true;
  } catch (error) {
    rmSync(file);
    throw error;
  } finally {
    closeSync(fd);
  }
}

function flushFolder(folder: string): void {
  const fd = openSync(folder, constants.O_RDONLY);
  try {
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}

/** What is at a path, links followed. */
export function fileKind(file: string): "file" | "folder" | "missing" {
  try {
    const stats = statSync(file, { throwIfNoEntry: false });
    return stats === undefined ? "missing" : stats.isDirectory() ? "folder" : "file";
  } catch {
    // A part that is a file, a ring of links, or a folder that is not ours to look into.
    return "missing";
  }
}

export function isFolder(file: string): boolean {
  return fileKind(file) === "folder";
}

/** Whether something has this name, be it a link that leads nowhere. */
export function isThere(file: string): boolean {
  try {
    return lstatSync(file, { throwIfNoEntry: false }) !== undefined;
  } catch {
    // Not ours to see.
    return false;
  }
}

/** Whether this user can start the file. */
export function isExecutable(file: string): boolean {
  try {
    // Asked first, because an error costs ten times as much, and most folders of a search path have no such file.
    if (!statSync(file, { throwIfNoEntry: false })?.isFile()) return false;
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    // Not ours to start.
    return false;
  }
}

/** The bytes of a regular file, at most so many; nothing if it cannot be read. It never waits for a pipe, and follows a link unless told not to. */
export function readStart(file: string, limit: number, flags = 0): Buffer | undefined {
  let fd: number | undefined;
  try {
    fd = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK | flags);
    return fstatSync(fd).isFile() ? readUpTo(fd, limit) : undefined;
  } catch {
    // Not there, or not ours to read.
    return undefined;
  } finally {
    if (fd !== undefined) closeSync(fd);
  }
}

/** The bytes of an open file, at most so many. The size it claims can be wrong: it grows, or it is one of /proc. */
export function readUpTo(fd: number, limit: number): Buffer {
  const chunks: Buffer[] = [];
  for (let total = 0; total < limit; ) {
    const chunk = Buffer.alloc(Math.min(64 * 1024, limit - total));
    const count = readSync(fd, chunk, 0, chunk.length, null);
    if (count === 0) break;
    chunks.push(chunk.subarray(0, count));
    total += count;
  }
  return Buffer.concat(chunks);
}

/** The one version of both packages; a test keeps it equal to package.json. */
export const VERSION = "0.1.0";

/** The entries of a folder; none if it does not exist or cannot be read. */
export function readFolder(folder: string): readonly Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    // For the caller a folder that cannot be read is one without entries.
    return [];
  }
}

export function namesIn(folder: string): readonly string[] {
  return readFolder(folder).map(({ name }) => name);
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

/** Files and folders as they were before something was found out about them, so that it shows whether to look again. */
export class Watched {
  readonly #seen = new Map<string, Glimpse>();

  add(file: string): void {
    if (!this.#seen.has(file)) this.#seen.set(file, glimpse(file, Date.now()));
  }

  /** Whether one of them has changed since, or is too young to tell. */
  isStale(): boolean {
    const now = Date.now();
    for (const [file, { signature, isSettled }] of this.#seen) if (!isSettled || glimpse(file, now).signature !== signature) return true;
    return false;
  }
}
