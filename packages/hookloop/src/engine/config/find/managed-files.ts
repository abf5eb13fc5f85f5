import { lstat, readdir, realpath } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { Diagnostic } from "../../../diagnostic.ts";
import { readConfigFile, unreadable } from "./read-config-file.ts";

/** A file with its text. */
export interface FoundText {
  readonly file: string;
  readonly text: string;
}

export interface Found {
  readonly texts: readonly FoundText[];
  readonly diagnostics: readonly Diagnostic[];
}

export interface ManagedPlace {
  readonly root: string;
  /** The only user besides root whose files count; tests set it. */
  readonly uid: number;
}

const WRITABLE_BY_OTHERS = 0o022;
const STICKY = 0o1000;
const MAX_FILES = 256;

/** The texts of managed policy: `hooks.json`, then `hooks.d/*.json` by name. Only what nobody but root can change is read. */
export async function readManagedFiles(place: ManagedPlace): Promise<Found> {
  const dropIns = await listDropIns(join(place.root, "hooks.d"));
  const files = [join(place.root, "hooks.json"), ...dropIns.files];
  const read = await Promise.all(files.map((file) => readManaged(file, place)));
  return {
    texts: read.flatMap(({ texts }) => texts),
    diagnostics: [...dropIns.diagnostics, ...read.flatMap(({ diagnostics }) => diagnostics)],
  };
}

async function listDropIns(folder: string): Promise<{ readonly files: readonly string[]; readonly diagnostics: readonly Diagnostic[] }> {
  try {
    const names = (await readdir(folder)).filter((name) => name.endsWith(".json") && !name.startsWith(".")).sort();
    const diagnostics = names.length > MAX_FILES ? [unreadable(folder, `it holds more than ${MAX_FILES} files; the rest is left out`)] : [];
    return { files: names.slice(0, MAX_FILES).map((name) => join(folder, name)), diagnostics };
  } catch (error) {
    const code = error instanceof Error && "code" in error ? String(error.code) : String(error);
    return { files: [], diagnostics: code === "ENOENT" ? [] : [unreadable(folder, code)] };
  }
}

async function readManaged(file: string, place: ManagedPlace): Promise<Found> {
  const found = await readConfigFile(file);
  if ("missing" in found) return { texts: [], diagnostics: [] };
  if ("diagnostic" in found) return { texts: [], diagnostics: [found.diagnostic] };
  const isOpen = isChangeable(found, place.uid) ? file : await findChangeableFolder(file, place);
  return isOpen === undefined
    ? { texts: [{ file, text: found.text }], diagnostics: [] }
    : { texts: [], diagnostics: [refused(file, isOpen)] };
}

/** SECURITY: who can write the file, or replace it in any folder on the way to it, would be the authority over everyone's hooks. */
async function findChangeableFolder(file: string, { uid }: ManagedPlace): Promise<string | undefined> {
  const starts = [dirname(file), dirname(await realpath(file))];
  for (const start of starts) {
    for (let folder = await realpath(start), isFirst = true; ; folder = dirname(folder), isFirst = false) {
      const { uid: owner, mode } = await lstat(folder);
      // In a sticky folder (/tmp) nobody can rename what belongs to someone else; the folder of the file itself must be closed.
      const isSafeSticky = !isFirst && (mode & STICKY) !== 0 && (owner === 0 || owner === uid);
      if (!isSafeSticky && isChangeable({ uid: owner, mode }, uid)) return folder;
      if (folder === dirname(folder)) break;
    }
  }
  return undefined;
}

function isChangeable({ uid: owner, mode }: { readonly uid: number; readonly mode: number }, uid: number): boolean {
  return (owner !== 0 && owner !== uid) || (mode & WRITABLE_BY_OTHERS) !== 0;
}

function refused(file: string, path: string): Diagnostic {
  const text = `Managed policy is not read, because ${path} can be changed by others than root. Run: chown root "${path}" && chmod go-w "${path}"`;
  return { code: "HL_CONFIG_MANAGED_WRITABLE", level: "error", text, place: { file } };
}
