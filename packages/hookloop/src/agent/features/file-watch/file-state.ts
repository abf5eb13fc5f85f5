import { createHash } from "node:crypto";
import { readdirSync, readFileSync, statSync } from "node:fs";
import path from "node:path";

/** What a file is, in a text that differs whenever it does; nothing if it is not there. */
export type LookAtFile = (file: string) => string | undefined;

/** Everything about a file that can change: its bytes, its rights, which file it is. Reading it changes nothing of this. */
export function fileState(file: string): string | undefined {
  const stat = statOf(file);
  return stat && [stat.ino, stat.size, stat.mode, stat.mtimeNs, stat.ctimeNs].join(" ");
}

const LARGEST = 4n * 1024n * 1024n;

/** Only the bytes; of a folder, those of the files in it. */
export function fileContent(file: string): string | undefined {
  const stat = statOf(file);
  if (!stat) return undefined;
  try {
    if (stat.isDirectory()) {
      return readdirSync(file)
        .sort()
        .map((name) => `${name} ${statOf(path.join(file, name))?.isFile() ? fileContent(path.join(file, name)) : ""}`)
        .join("\n");
    }
    // Nobody reads a configuration of this size; that it is another one is enough.
    if (!stat.isFile() || stat.size > LARGEST) return `${stat.size} ${stat.mtimeNs}`;
    return createHash("sha256").update(readFileSync(file)).digest("hex");
  } catch (thrown) {
    return `unreadable: ${(thrown as NodeJS.ErrnoException).code}`;
  }
}

function statOf(file: string): ReturnType<typeof statBig> {
  try {
    return statBig(file);
  } catch {
    // In a folder that is not ours, or a loop of links: for us it is not there.
    return undefined;
  }
}

function statBig(file: string): import("node:fs").BigIntStats | undefined {
  return statSync(file, { bigint: true, throwIfNoEntry: false });
}
