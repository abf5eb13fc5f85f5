import { closeSync, constants, fstatSync, openSync, readdirSync, readSync, statSync } from "node:fs";
import { isInside, readWithin, realFolder } from "../paths/index.ts";

const MAX_BYTES = 1024 * 1024;

export type FileKind = "file" | "folder" | "missing";

/** What is at a path, links followed. */
export function fileKind(path: string): FileKind {
  try {
    const stats = statSync(path, { throwIfNoEntry: false });
    return stats === undefined ? "missing" : stats.isDirectory() ? "folder" : "file";
  } catch {
    // A part that is a file, a ring of links, or a folder that is not ours to look into.
    return "missing";
  }
}

/** The text of a regular file, if it is not too long; undefined if there is none. */
export function readText(path: string): string | undefined {
  try {
    // A FIFO would wait for a writer.
    const file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
    try {
      const stats = fstatSync(file);
      if (!stats.isFile() || stats.size > MAX_BYTES) return undefined;
      const bytes = Buffer.alloc(stats.size);
      return bytes.toString("utf8", 0, readSync(file, bytes, 0, bytes.length, 0));
    } finally {
      closeSync(file);
    }
  } catch {
    // Not there, or not ours to read: then there is nothing to show.
    return undefined;
  }
}

/** What a folder holds, by name. */
export function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    // Not there, or not ours to look into.
    return [];
  }
}

const MAX_INDEX_BYTES = 64 * 1024 * 1024;
/** An entry has its path after two bytes whose lower twelve bits are the length of it, and a NUL after it. */
const LENGTH_BITS = 0xfff;

/**
 * Tells which files the index of a work tree names; a folder counts as named if everything in it is. An index that is not there, is too
 * large, or is written in another way (version 4, or that of a submodule) names nothing.
 */
export function keptByGit(root: string): (path: string) => boolean {
  const index = readIndex(root);
  const isEntry = (path: string): boolean => {
    const name = Buffer.from(`${path}\0`);
    for (let at = index.indexOf(name); at !== -1; at = index.indexOf(name, at + 1))
      if (at > 2 && (index.readUInt16BE(at - 2) & LENGTH_BITS) === Math.min(name.length - 1, LENGTH_BITS)) return true;
    return false;
  };
  const isKept = (path: string): boolean => {
    if (isEntry(path)) return true;
    return (
      index.length > 0 && fileKind(`${root}/${path}`) === "folder" && namesIn(`${root}/${path}`).every((name) => isKept(`${path}/${name}`))
    );
  };
  return isKept;
}

function readIndex(root: string): Buffer {
  const nothing = Buffer.alloc(0);
  try {
    const folder = realFolder(root);
    // SECURITY: a link to the index of another repository names nothing of this one.
    const read = readWithin(`${root}/.git/index`, { within: (real) => isInside(folder, real), limit: MAX_INDEX_BYTES });
    if (read.kind !== "read") return nothing;
    return read.bytes.toString("latin1", 0, 4) === "DIRC" && read.bytes.readUInt32BE(4) <= 3 ? read.bytes : nothing;
  } catch {
    // Not there, or cut short.
    return nothing;
  }
}

/** The files that a patch changes, by the lines that name them. */
export function namesInPatch(path: string): readonly string[] {
  return patchNames(readText(path) ?? "");
}

/** The same, for the text of a patch. */
export function patchNames(text: string): readonly string[] {
  const names = [...text.matchAll(/^(?:\+\+\+|---|rename to|rename from|copy to|diff --git a\/\S+) "?([^\t\n"]+)/gm)].map(([, name = ""]) =>
    name.trim(),
  );
  // `a/x` and `x`: how much is stripped is up to the program's options.
  return [...new Set(names.flatMap((name) => [name, name.replace(/^[^/]+\//, "")]))].filter((name) => name !== "/dev/null");
}
