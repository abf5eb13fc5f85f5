import { randomBytes } from "node:crypto";
import {
  chmodSync,
  closeSync,
  constants,
  type Dirent,
  fsyncSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from "node:fs";
import path from "node:path";

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

/** Written beside, flushed, renamed: a reader sees the old content or the new one, whatever happens. */
export function replaceFile(file: string, text: string): void {
  const temporary = `${file}.${randomBytes(6).toString("hex")}.tmp`;
  try {
    const fd = openSync(temporary, "wx", 0o600);
    try {
      const bytes = Buffer.from(text);
      for (let done = 0; done < bytes.length; ) done += writeSync(fd, bytes, done);
      fsyncSync(fd);
    } finally {
      closeSync(fd);
    }
    renameSync(temporary, file);
  } finally {
    rmSync(temporary, { force: true });
  }
  flushFolder(path.dirname(file));
}

function flushFolder(folder: string): void {
  const fd = openSync(folder, constants.O_RDONLY);
  try {
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
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
