import { closeSync, constants, fstatSync, openSync, readSync, statSync } from "node:fs";

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
