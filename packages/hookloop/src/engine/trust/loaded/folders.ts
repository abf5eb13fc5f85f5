import { readdirSync } from "node:fs";
import path from "node:path";
import { type Glimpse, glimpse, isInside, Look, lookAt, realPath } from "../pin/index.ts";

/** A file or folder that is there, by the name it was asked for. */
export interface Found {
  readonly path: string;
  readonly kind: "file" | "folder";
  readonly isExecutable: boolean;
}

/** SECURITY: what one look may cost, whatever a project holds. */
const MAX_FOLDERS = 400;
const MAX_ENTRIES = 5000;
const MAX_TEXT = 256 * 1024;

/** One look at folders and files of a project. What was looked at is kept, so that it shows whether to look again. */
export class Folders {
  readonly #roots: readonly string[];
  readonly #look = new Look();
  readonly #listings = new Map<string, ReadonlySet<string> | undefined>();
  readonly #watched = new Map<string, Glimpse>();

  constructor(roots: readonly string[]) {
    this.#roots = [...new Set(roots.map(realPath))];
  }

  /** What is at a path. SECURITY: nothing that a link leads out to. */
  find(base: string, name: string): Found | undefined {
    const file = path.resolve(base, name);
    if (!this.#mayExist(file)) return undefined;
    const found = lookAt(file);
    if (found.kind === "file")
      return this.#isOwn(found.realpath) ? { path: file, kind: "file", isExecutable: found.isExecutable } : undefined;
    return found.kind === "folder" && this.#isOwn(realPath(file)) ? { path: file, kind: "folder", isExecutable: false } : undefined;
  }

  /** The text of a file that `find` has found, if it is short. */
  text(file: string): string | undefined {
    this.#watch(file);
    const found = lookAt(file);
    if (found.kind !== "file" || found.size > MAX_TEXT || !this.#isOwn(found.realpath)) return undefined;
    const hashed = this.#look.hash(found, MAX_TEXT, "project");
    return hashed === "over" ? undefined : hashed?.text;
  }

  /** Whether something that was looked at has changed since, or is too young to tell. */
  isStale(): boolean {
    const now = Date.now();
    return [...this.#watched].some(([file, { signature, isSettled }]) => !isSettled || glimpse(file, now).signature !== signature);
  }

  #isOwn(real: string): boolean {
    return this.#roots.some((root) => isInside(root, real));
  }

  #watch(file: string): void {
    if (!this.#watched.has(file)) this.#watched.set(file, glimpse(file, Date.now()));
  }

  /** Most words of a script name nothing: the names of a folder's entries, read once, answer that. Capitals do not count on every volume. */
  #mayExist(file: string): boolean {
    const root = this.#roots.find((one) => isInside(one, file));
    if (root === undefined) return path.isAbsolute(file) && this.#roots.some((one) => isInside(one, realPath(path.dirname(file))));
    let folder = root;
    for (const part of path.relative(root, file).split(path.sep)) {
      const names = this.#listing(folder);
      if (names && part !== "" && !names.has(part.toLowerCase())) return false;
      folder = path.join(folder, part);
    }
    return true;
  }

  #listing(folder: string): ReadonlySet<string> | undefined {
    if (this.#listings.has(folder)) return this.#listings.get(folder);
    if (this.#listings.size >= MAX_FOLDERS) return NOTHING;
    this.#watch(folder);
    const names = namesIn(folder);
    this.#listings.set(folder, names);
    return names;
  }
}

const NOTHING: ReadonlySet<string> = new Set();

/** Nothing if there are too many to list: then each is looked for. */
function namesIn(folder: string): ReadonlySet<string> | undefined {
  try {
    const names = readdirSync(folder);
    return names.length > MAX_ENTRIES ? undefined : new Set(names.map((name) => name.toLowerCase()));
  } catch {
    // No folder, or not ours to look into.
    return NOTHING;
  }
}
