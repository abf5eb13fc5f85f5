import { createHash } from "node:crypto";
import { closeSync, constants, type Dirent, fstatSync, openSync, readdirSync, realpathSync, statSync } from "node:fs";
import path from "node:path";
import { readUpTo } from "../../permissions/index.ts";

interface DeclaredFiles {
  /** Absolute paths, sorted. */
  readonly files: readonly string[];
  /** Patterns that fit nothing. */
  readonly unmatched: readonly string[];
  readonly isTooMany: boolean;
}

/** SECURITY: a pattern such as `/**` must not make opening a session walk the disk. */
const MAX_VISITED = 5000;
const MAX_FILES = 500;

/** The files that a hook's author declares as part of it, by patterns relative to `root`. */
export function declaredFiles(patterns: readonly string[], root: string, look: Look = new Look()): DeclaredFiles {
  const files = new Set<string>();
  const unmatched: string[] = [];
  // Many hooks with patterns of their own must not each walk the disk.
  const all = look.remember("visited", () => ({ left: 20 * MAX_VISITED }));
  for (const pattern of patterns) {
    const full = path.resolve(root, pattern);
    const found = look.remember(`declared ${full}`, () => matching(full, all));
    if (!found) return { files: [], unmatched: [], isTooMany: true };
    if (!found.some(isFile)) unmatched.push(pattern);
    for (const file of found) files.add(file);
    if (files.size > MAX_FILES) return { files: [], unmatched: [], isTooMany: true };
  }
  return { files: [...files].sort(), unmatched, isTooMany: false };
}

function matching(pattern: string, all: { left: number }): readonly string[] | undefined {
  const segments = pattern.split("/").slice(1);
  const firstGlob = segments.findIndex((segment) => /[*?]/.test(segment));
  if (firstGlob === -1) return [pattern];
  const found: string[] = [];
  let left = Math.min(MAX_VISITED, all.left);
  const visit = (folder: string): void => {
    for (const entry of entriesOf(folder)) {
      left -= 1;
      all.left -= 1;
      if (left < 0) return;
      const file = path.join(folder, entry.name);
      // Linked folders are not followed: they could lead round in circles. A linked file is hashed where it really is.
      if (entry.isDirectory()) visit(file);
      else if (globMatch(segments, file.split("/").slice(1))) found.push(file);
    }
  };
  visit(`/${segments.slice(0, firstGlob).join("/")}`);
  return left < 0 ? undefined : found;
}

/** A folder's name alone pins nothing of what is in it. */
function isFile(file: string): boolean {
  try {
    return statSync(file).isFile();
  } catch {
    // Not there, or a link that leads nowhere.
    return false;
  }
}

/** What is in a folder; nothing if it is not there, or not ours to look into. */
export function entriesOf(folder: string): readonly Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    // Then nothing is found in it, or loaded from it, either.
    return [];
  }
}

/** What a path leads to. */
type Found =
  | { readonly kind: "file"; readonly realpath: string; readonly isExecutable: boolean; readonly size: number }
  | { readonly kind: "folder" | "other" | "missing" };

export interface HashedFile {
  readonly sha256: string;
  readonly size: number;
  /** Of a text file that is not large. */
  readonly text?: string | undefined;
}

const ANY_EXECUTE_BIT = 0o111;
/** Larger texts are hashed like any file, but not read. */
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

function textOf(bytes: Buffer): string | undefined {
  if (bytes.length > MAX_TEXT || bytes.includes(0)) return undefined;
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    // No text: the digest is all that can be said about it.
    return undefined;
  }
}

/** Which folder a path leads to, whatever happens inside of it. */
export function folderIdentity(folder: string): string {
  const found = statSync(folder, { bigint: true, throwIfNoEntry: false });
  return found ? `${found.dev}:${found.ino}` : "-";
}

/** Where a program is found by its name, as the system would look; nothing if it is nowhere. Links on the way are not followed. */
export function findProgram(name: string, searchPath: string, cwd: string): string | undefined {
  if (name.includes("/")) return runnable(path.resolve(cwd, name));
  for (const folder of searchPath.split(":")) {
    // An empty entry means the current folder.
    const found = runnable(path.resolve(cwd, folder, name));
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Where it really is. */
export function realProgram(name: string, searchPath: string, cwd: string): string | undefined {
  const found = findProgram(name, searchPath, cwd);
  return found === undefined ? undefined : realpathSync.native(found);
}

function runnable(file: string): string | undefined {
  try {
    const found = statSync(file, { throwIfNoEntry: false });
    return found?.isFile() && (found.mode & ANY_EXECUTE_BIT) !== 0 ? file : undefined;
  } catch {
    // A folder of PATH that we may not look into: the next one may have it.
    return undefined;
  }
}

/** Whether a path fits a pattern of `*`, `?` and `**` (any number of folders). Linear in both, however the pattern is made. */
export function globMatch(pattern: readonly string[], segments: readonly string[]): boolean {
  // reach[j]: the pattern read so far fits the first j segments.
  let reach: readonly boolean[] = [true, ...segments.map(() => false)];
  for (const part of pattern) reach = part === "**" ? spread(reach) : step(reach, part, segments);
  return reach.at(-1) === true;
}

function spread(reach: readonly boolean[]): readonly boolean[] {
  const first = reach.indexOf(true);
  return reach.map((_, index) => first !== -1 && index >= first);
}

function step(reach: readonly boolean[], part: string, segments: readonly string[]): readonly boolean[] {
  return reach.map((_, index) => index > 0 && reach[index - 1] === true && nameMatch(part, segments[index - 1] ?? ""));
}

/** `*` and `?` inside one name; goes back only to the last star. */
function nameMatch(pattern: string, name: string): boolean {
  let [at, star, mark] = [0, -1, 0];
  for (let index = 0; index < name.length; ) {
    if (pattern[at] === "*") [star, mark, at] = [at, index, at + 1];
    else if (at < pattern.length && (pattern[at] === "?" || pattern[at] === name[index])) [at, index] = [at + 1, index + 1];
    else if (star === -1) return false;
    else [at, mark, index] = [star + 1, mark + 1, mark + 1];
  }
  return /^\**$/.test(pattern.slice(at));
}
