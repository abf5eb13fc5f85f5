// Takes a file. Says whether a repository around it keeps it: then it came, or may come, with a pull and is not the user's own.
// Git is not started: its configuration could make it run something. What cannot be read counts as kept.

import { lstatSync, readdirSync, readFileSync, realpathSync, statSync } from "node:fs";
import path from "node:path";
import { isInside, ownGitFolders } from "../../permissions/index.ts";

const LARGEST_INDEX = 512 * 1024 * 1024;
/** Before the object id: times, device, inode, mode, owner, size. */
const STAT_BYTES = 40;
const HASH_BYTES = [20, 32];
const EXTENDED = 0x4000;
const NAME_LENGTH = 0xfff;

/** Whether git keeps this file, one of its folders (a link, a submodule), or what it is a link to. */
export function isCommitted(file: string): boolean {
  const names = new Set([path.resolve(file), realFile(file)]);
  return [...names].some((name) => repositoriesAround(name).some((root) => isKept(root, name)));
}

function realFile(file: string): string {
  try {
    return realpathSync(file);
  } catch {
    // Gone meanwhile.
    return path.resolve(file);
  }
}

function repositoriesAround(file: string): readonly string[] {
  const roots: string[] = [];
  for (let folder = path.dirname(file); ; folder = path.dirname(folder)) {
    if (lstatSync(path.join(folder, ".git"), { throwIfNoEntry: false })) roots.push(folder);
    if (folder === path.dirname(folder)) return roots;
  }
}

function isKept(root: string, file: string): boolean {
  const wanted = folded(path.relative(root, file).split(path.sep).join("/"));
  try {
    const folder = gitFolder(root);
    return indexFiles(folder).some((index) => {
      const names = readNames(index);
      // SECURITY: an index that nobody here can read may list it.
      return names === undefined || names.some((name) => wanted === name || wanted.startsWith(name.endsWith("/") ? name : `${name}/`));
    });
  } catch (thrown) {
    // No index: nothing was ever added. A folder that is no repository keeps nothing.
    return !["ENOENT", "ENOTDIR"].includes((thrown as NodeJS.ErrnoException).code ?? "");
  }
}

/** Where the volume takes other spellings for the same name, git may keep it under another one. */
function folded(name: string): string {
  return name.normalize("NFC").toLowerCase();
}

/** SECURITY: a `.git` that leads to a repository which does not know this folder says nothing about it. */
function gitFolder(root: string): string {
  statSync(path.join(root, ".git"));
  const found = ownGitFolders(root);
  if (found.kind === "foreign") throw new Error(found.why);
  return found.gitDir;
}

/** The index, and those it shares with others (`core.splitIndex`). */
function indexFiles(folder: string): readonly Buffer[] {
  const shared = readdirSync(folder).filter((name) => name.startsWith("sharedindex."));
  return ["index", ...shared].map((name) => {
    const file = path.join(folder, name);
    const stat = statSync(file);
    // SECURITY: a pipe in its place would hold up the start for good, a link leads to another index; what cannot be read counts as committed.
    if (!stat.isFile() || stat.size > LARGEST_INDEX || !isInside(folder, realpathSync(file))) return Buffer.alloc(0);
    return readFileSync(file);
  });
}

/** The names in an index, folded; nothing if it is none that is known. Object ids have one of two lengths, and the file does not say which. */
function readNames(index: Buffer): readonly string[] | undefined {
  if (index.length < 12 || index.toString("latin1", 0, 4) !== "DIRC") return undefined;
  const version = index.readUInt32BE(4);
  if (version < 2 || version > 4) return undefined;
  for (const hashBytes of HASH_BYTES) {
    const names = namesWith(index, version, hashBytes);
    if (names) return names;
  }
  return undefined;
}

function namesWith(index: Buffer, version: number, hashBytes: number): readonly string[] | undefined {
  const count = index.readUInt32BE(8);
  const names: string[] = [];
  let before = Buffer.alloc(0);
  let at = 12;
  for (let entry = 0; entry < count; entry++) {
    const flagsAt = at + STAT_BYTES + hashBytes;
    if (flagsAt + 2 > index.length) return undefined;
    const flags = index.readUInt16BE(flagsAt);
    let nameAt = flagsAt + ((flags & EXTENDED) !== 0 ? 4 : 2);
    let kept = Buffer.alloc(0);
    if (version === 4) {
      const strip = readOffset(index, nameAt);
      if (strip.value > before.length) return undefined;
      kept = before.subarray(0, before.length - strip.value);
      nameAt = strip.next;
    }
    const end = index.indexOf(0, nameAt);
    if (end < 0) return undefined;
    const name = Buffer.concat([kept, index.subarray(nameAt, end)]);
    // A wrong guess about the ids reads names where none are. A split index leaves names empty that the shared one has.
    if ((flags & NAME_LENGTH) !== Math.min(name.length, NAME_LENGTH)) return undefined;
    if (name.length > 0) names.push(folded(name.toString("utf8")));
    before = name;
    // Versions 2 and 3 fill up with one to eight zeros.
    at = version === 4 ? end + 1 : at + Math.floor((end - at + 8) / 8) * 8;
  }
  return names;
}

/** How many bytes of the name before are left out: git's offset encoding, seven bits a byte. */
function readOffset(index: Buffer, from: number): { readonly value: number; readonly next: number } {
  let at = from;
  let byte = index[at++] ?? 0;
  let value = byte & 0x7f;
  while ((byte & 0x80) !== 0 && at < index.length) {
    byte = index[at++] ?? 0;
    value = (value + 1) * 128 + (byte & 0x7f);
  }
  return { value, next: at };
}
