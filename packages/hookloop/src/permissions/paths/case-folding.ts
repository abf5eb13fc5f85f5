import { lstatSync, readdirSync } from "node:fs";
import { basename, dirname, join } from "node:path";

/** Invisible characters that some file systems ignore in names. */
const IGNORED = /[\u200b-\u200f\u202a-\u202e\u2060-\u2064\u206a-\u206f\ufeff]/g;
const MAX_KNOWN = 512;
const known = new Map<string, boolean>();

/** Whether the volume that holds a path takes `A` and `a` for one name. Asked once per folder: a volume does not change its mind. */
export function foldsCase(path: string): boolean {
  const folder = dirname(path);
  return known.get(folder) ?? remember(folder, probe(existingFolder(folder)));
}

function existingFolder(path: string): string {
  for (let folder = path; ; folder = dirname(folder)) {
    if (folder === dirname(folder) || statOf(folder)?.isDirectory()) return folder;
  }
}

function remember(folder: string, answer: boolean): boolean {
  if (known.size >= MAX_KNOWN) known.clear();
  known.set(folder, answer);
  return answer;
}

/** SECURITY: folds more than any file system does, so that two spellings of one name never differ here. */
export function comparableName(name: string): string {
  return name.replace(IGNORED, "").normalize("NFKC").toUpperCase().toLowerCase().normalize("NFC");
}

/** The folder's own name in other case, or that of something in it, names the same file or not. */
function probe(folder: string): boolean {
  const answer = isSameInOtherCase(folder) ?? namesIn(folder).map((name) => isSameInOtherCase(join(folder, name)))[0];
  return answer ?? (process.platform === "darwin" || process.platform === "win32");
}

function isSameInOtherCase(path: string): boolean | undefined {
  const name = basename(path);
  const other = name === name.toUpperCase() ? name.toLowerCase() : name.toUpperCase();
  if (other === name) return undefined;
  const [here, there] = [statOf(path), statOf(join(dirname(path), other))];
  return here !== undefined && there !== undefined && here.ino === there.ino && here.dev === there.dev;
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder).filter((name) => name.toUpperCase() !== name.toLowerCase());
  } catch {
    // Not ours to list: the platform's habit decides.
    return [];
  }
}

function statOf(path: string): ReturnType<typeof lstatSync> | undefined {
  try {
    return lstatSync(path, { throwIfNoEntry: false });
  } catch {
    // A part that is a file, or a folder that is not ours to look into.
    return undefined;
  }
}
