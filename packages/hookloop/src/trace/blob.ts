import { createHash } from "node:crypto";
import { closeSync, constants, openSync, readFileSync, unlinkSync, writeSync } from "node:fs";
import path from "node:path";
import { makePrivateFolder } from "../state-files.ts";

/** Stands in a record for a body that was too large for it. */
export interface BlobReference {
  /** sha256 of the body's JSON, and the name of its file; absent if it could not be saved. */
  readonly $blob: string | null;
  readonly bytes: number;
}

/** The folder of a trace's large bodies. */
export function blobFolder(traceFile: string): string {
  return `${traceFile}.blobs`;
}

/** Saves a body under the hash of its content; one that is there already is used again. */
export function writeBlob(traceFile: string, json: string): BlobReference {
  const body = Buffer.from(json);
  const hash = createHash("sha256").update(body).digest("hex");
  const folder = blobFolder(traceFile);
  makePrivateFolder(folder);
  const file = path.join(folder, hash);
  let fd: number;
  try {
    fd = openSync(file, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW, 0o600);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return { $blob: hash, bytes: body.length };
    throw error;
  }
  try {
    for (let at = 0; at < body.length; ) at += writeSync(fd, body, at);
  } catch (error) {
    unlinkSync(file);
    throw error;
  } finally {
    closeSync(fd);
  }
  return { $blob: hash, bytes: body.length };
}

/** The body behind a reference; undefined if the file is missing, or is not what it was (a crash, a foreign hand). */
export function readBlob(traceFile: string, { $blob }: BlobReference): unknown {
  if ($blob === null || !/^[0-9a-f]{64}$/.test($blob)) return undefined;
  try {
    const body = readFileSync(path.join(blobFolder(traceFile), $blob));
    return createHash("sha256").update(body).digest("hex") === $blob ? JSON.parse(body.toString()) : undefined;
  } catch {
    // Safe: a body that is gone is reported by whoever wanted it.
    return undefined;
  }
}
