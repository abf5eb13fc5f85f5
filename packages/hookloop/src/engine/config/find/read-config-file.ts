import { constants } from "node:fs";
import { type FileHandle, lstat, open, stat } from "node:fs/promises";
import type { Diagnostic } from "../../../diagnostic.ts";
import { MAX_BYTES, tooLarge } from "../tree/index.ts";

/** What came of a file: its text, nothing because it is not there, or why it was not read. */
export type FileText =
  | { readonly text: string; readonly uid: number; readonly mode: number }
  | { readonly missing: true }
  | { readonly diagnostic: Diagnostic };

/** Reads a small regular file as UTF-8. Whatever stands at the path, it neither blocks nor reads more than the limit. */
export async function readConfigFile(file: string): Promise<FileText> {
  let handle: FileHandle | undefined;
  try {
    // SECURITY: looked at before it is opened (opening a device can do things), not blocking on a FIFO, and looked at again behind the handle.
    const before = await stat(file);
    if (!before.isFile()) return { diagnostic: unreadable(file, "it is not a regular file") };
    handle = await open(file, constants.O_RDONLY | constants.O_NONBLOCK);
    const now = await handle.stat();
    if (!now.isFile()) return { diagnostic: unreadable(file, "it is not a regular file") };
    if (now.size > MAX_BYTES) return { diagnostic: tooLarge(file) };
    const bytes = await readUpTo(handle, MAX_BYTES + 1);
    if (bytes.length > MAX_BYTES) return { diagnostic: tooLarge(file) };
    return { text: new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes), uid: now.uid, mode: now.mode };
  } catch (error) {
    return await explain(file, error);
  } finally {
    await handle?.close();
  }
}

/** The size a file claims can be wrong (it grows, or it is one of /proc). */
async function readUpTo(handle: FileHandle, limit: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for (let total = 0; total < limit; ) {
    const { bytesRead, buffer } = await handle.read(Buffer.alloc(Math.min(64 * 1024, limit - total)));
    if (bytesRead === 0) break;
    chunks.push(buffer.subarray(0, bytesRead));
    total += bytesRead;
  }
  return Buffer.concat(chunks);
}

async function explain(file: string, error: unknown): Promise<FileText> {
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  if (code === "ERR_ENCODING_INVALID_ENCODED_DATA") return { diagnostic: unreadable(file, "it is not UTF-8 text") };
  if (code !== "ENOENT" && code !== "ENOTDIR") return { diagnostic: unreadable(file, code || String(error)) };
  const isLink = await lstat(file).then(
    (found) => found.isSymbolicLink(),
    // Nothing there at all: the ordinary case.
    () => false,
  );
  return isLink ? { diagnostic: unreadable(file, "it is a link to a file that does not exist") } : { missing: true };
}

/** The report for a file that should be read and cannot. */
export function unreadable(file: string, why: string): Diagnostic {
  const text = `The configuration cannot be read: ${why}. None of its hooks run; mend or remove it.`;
  return { code: "HL_CONFIG_UNREADABLE", level: "error", text, place: { file } };
}
