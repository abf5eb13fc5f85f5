// Compiled files between runs, found by the content of their source.
// Refuses: a folder or a file that others could have written, and a file that is not what was stored.
import { createHash, randomUUID } from "node:crypto";
import { closeSync, constants, fstatSync, lstatSync, openSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { makePrivateFolder } from "../../../../state-files.ts";
import type { CompiledFile } from "./compiled.ts";

export interface CompileCache {
  get(key: string): CompiledFile | undefined;
  set(key: string, file: CompiledFile): void;
}

/** Without a folder, or with one that is not ours alone, nothing is kept. */
export function openCompileCache(folder: string | undefined): CompileCache {
  if (folder === undefined || !isOurs(folder)) return { get: () => undefined, set: () => {} };
  const fileOf = (key: string): string => path.join(folder, `${key}.json`);
  return { get: (key) => readEntry(fileOf(key)), set: (key, file) => writeEntry(fileOf(key), file) };
}

/** SECURITY: `makePrivateFolder` would take over an open folder of ours; what lies in it may be somebody's already. */
function isOurs(folder: string): boolean {
  try {
    makePrivateFolder(folder);
    const { uid } = lstatSync(folder);
    return uid === process.getuid?.();
  } catch {
    // No place to keep it: the next run compiles again.
    return false;
  }
}

/** SECURITY: opened once and never followed; everything is asked of what was opened. */
function readEntry(file: string): CompiledFile | undefined {
  try {
    const fd = openSync(file, constants.O_RDONLY | constants.O_NOFOLLOW);
    try {
      const { uid, mode } = fstatSync(fd);
      if (uid !== process.getuid?.() || (mode & 0o077) !== 0) return undefined;
      const [digest, text] = split(readFileSync(fd, "utf8"));
      return digest === digestOf(text) ? (JSON.parse(text) as CompiledFile) : undefined;
    } finally {
      closeSync(fd);
    }
  } catch {
    // Not there, or not readable: it is compiled.
    return undefined;
  }
}

function writeEntry(file: string, compiled: CompiledFile): void {
  const temporary = `${file}.${randomUUID()}`;
  const text = JSON.stringify(compiled);
  try {
    writeFileSync(temporary, `${digestOf(text)}\n${text}`, { mode: 0o600, flag: "wx" });
    renameSync(temporary, file);
  } catch {
    // A full disk must not keep a hook from running.
    rmSync(temporary, { force: true });
  }
}

function split(stored: string): readonly [digest: string, text: string] {
  const end = stored.indexOf("\n");
  return [stored.slice(0, Math.max(end, 0)), stored.slice(end + 1)];
}

function digestOf(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}
