/**
 * Takes the `cd` commands of a script one after the other. Gives the folder in which the next command runs if each of them works, and all
 * others in which it may run, because one does not: `cd nowhere; rm x` removes the `x` of the folder that it did not leave.
 * Refuses to guess: more folders than are followed are said to be too many.
 */
import { posix } from "node:path";
import { type ShellWord, UNKNOWN } from "../../types.ts";

/** A folder as `ShellCommand.folder` has it. */
export type Folder = string | undefined;

/** SECURITY: every `cd` may double them. */
const MAX_FOLDERS = 32;

/** Shared by all states of a reading. */
interface Journey {
  /** Every folder that some `cd` goes to. */
  readonly visited: Set<string>;
  isTooLong: boolean;
}

export class Folders {
  /** Where the next command runs if every `cd` works. */
  main: Folder;
  #others: readonly string[];
  /** The others, should the last `cd` have worked. */
  #othersIfGone: readonly string[] | undefined;
  /** `cd -P`: `..` is no longer the folder that the name before it stands in. */
  #isPhysical: boolean;
  readonly journey: Journey;

  constructor(from?: Folders) {
    this.main = from?.main;
    this.#others = from?.others ?? [];
    this.#othersIfGone = from?.othersIfGone;
    this.#isPhysical = from?.isPhysical ?? false;
    this.journey = from?.journey ?? { visited: new Set(), isTooLong: false };
  }

  /** Where it may run instead; `.` is where the caller is. */
  get others(): readonly string[] {
    return this.#others;
  }

  get othersIfGone(): readonly string[] | undefined {
    return this.#othersIfGone;
  }

  get isPhysical(): boolean {
    return this.#isPhysical;
  }

  /** `cd word`, which may fail. */
  goTo(word: ShellWord | undefined, isPhysical = false): void {
    this.#isPhysical ||= isPhysical;
    this.#move((folder) => {
      const next = folderAfter(folder, word);
      return this.#isPhysical && /(?:^|\/)\.\.(?:\/|$)/.test(next) ? UNKNOWN : next;
    });
  }

  /** Goes somewhere that only the running shell knows, or stays. */
  goAnywhere(): void {
    this.#move(() => UNKNOWN);
  }

  /** What runs here does so in that folder or not at all: `env -C folder`. */
  enter(word: ShellWord): void {
    this.#others = this.#distinct(this.#others.map((folder) => folderAfter(folder, word)));
    this.main = folderAfter(this.main, word);
  }

  /** Another machine, or a folder for each file. */
  leave(): void {
    this.main = UNKNOWN;
    this.#others = [];
  }

  /** Something other than a `cd` runs. */
  settle(): void {
    this.#othersIfGone = undefined;
  }

  /** The last command was a `cd` that worked: `cd folder && …`. */
  succeed(): void {
    if (this.#othersIfGone) this.#others = this.#othersIfGone;
    this.settle();
  }

  /** Either this or the other has happened. */
  join(other: Folders): void {
    this.settle();
    this.#isPhysical ||= other.isPhysical;
    const before = this.main;
    if (before !== other.main) this.main = UNKNOWN;
    if (!this.journey.isTooLong) this.#others = this.#distinct([...this.#others, ...other.others, before, other.main]);
  }

  #move(step: (folder: Folder) => string): void {
    const before = this.main;
    this.main = step(before);
    // The line is doubted as a whole, and following on would cost much.
    if (this.journey.isTooLong) return;
    const gone = this.#others.map(step);
    for (const folder of [this.main, ...gone]) if (!folder.includes(UNKNOWN)) this.#visit(plainFolder(folder));
    this.#othersIfGone = this.#distinct(gone);
    this.#others = this.#distinct([before, ...this.#others, ...gone]);
  }

  #visit(folder: string): void {
    const { visited } = this.journey;
    if (visited.size < MAX_FOLDERS) visited.add(folder);
    else if (!visited.has(folder)) this.journey.isTooLong = true;
  }

  #distinct(folders: readonly Folder[]): readonly string[] {
    const found = new Set(folders.map(plainFolder));
    found.delete(plainFolder(this.main));
    if (found.size <= MAX_FOLDERS) return [...found];
    this.journey.isTooLong = true;
    return [...found].slice(0, MAX_FOLDERS);
  }
}

/** One spelling for each folder. */
function plainFolder(folder: Folder): string {
  if (folder === undefined) return ".";
  if (folder.includes(UNKNOWN)) return UNKNOWN;
  // The folder above a home is no part of its text.
  return folder.startsWith("~") ? folder : posix.normalize(folder).replace(/(?<=.)\/$/, "");
}

/** The folder after `cd word`. */
export function folderAfter(folder: Folder, word: ShellWord | undefined): string {
  if (!word) return "~";
  const { text, parts } = word;
  if (text === "-") return UNKNOWN;
  if (parts[0]?.kind === "home") return text;
  if (text.startsWith("/")) return text;
  // A name that starts with an unknown part may be absolute.
  if (text.startsWith(UNKNOWN)) return text;
  const relative = text.startsWith("~") ? `./${text}` : text;
  return folder === undefined ? relative : `${folder.replace(/\/$/, "")}/${relative}`;
}

/** Whether text may hold a command that changes the folder; a cheap look, for places where order is not known. */
export function mayChangeFolder(text: string): boolean {
  return /\b(?:cd|chdir|pushd|popd|eval)\b|c["'\\\n]+d|\$'[^']*\\/.test(text);
}
