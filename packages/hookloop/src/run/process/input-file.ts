// Hooks that open their stdin by its name. Node makes a socket of it, and Linux opens no socket by a name: ENXIO, "No such device or address".

import { constants, mkdtempSync, openSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { readStart } from "../../state-files.ts";

/** Takes what a program gets on stdin; gives an open file with it that has no name any more, or nothing if none can be made. */
export function inputFile(payload: Buffer): number | undefined {
  let folder: string | undefined;
  try {
    folder = mkdtempSync(path.join(tmpdir(), "hookloop-stdin-"));
    const file = path.join(folder, "event");
    // SECURITY: the folder is the user's alone, and the file is gone before the program runs.
    writeFileSync(file, payload, { mode: 0o600, flag: "wx" });
    return openSync(file, constants.O_RDONLY);
  } catch {
    // No space, no folder: a socket does for most.
    return undefined;
  } finally {
    if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
  }
}

const NAMES = /\/dev\/(?:stdin|fd\/0)\b|\/proc\/(?:self|\$\$)\/fd\/0\b/;
const MOST_WORDS = 12;
const TEXT_BYTES = 64 * 1024;

interface Line {
  readonly words: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
}

/** Whether a command line, or a script that it names, opens stdin by a name. */
export function opensStdin({ words, env, cwd }: Line): boolean {
  if (process.platform !== "linux") return false;
  if (words.some((word) => NAMES.test(word))) return true;
  const parts = words.flatMap((word) => word.replace(/["']/g, "").split(/[\s;|&()<>]+/));
  const expanded = parts.map((part) =>
    part.replace(/\$(?:\{(\w+)\}|(\w+))/g, (whole, a?: string, b?: string) => env[a ?? b ?? ""] ?? whole),
  );
  const files = expanded.filter((part) => /^[^-].*(?:\/|\.\w+$)/.test(part) && !/^\/(?:usr\/(?:local\/)?)?s?bin\//.test(part));
  return files.slice(0, MOST_WORDS).some((file) => NAMES.test(readStart(path.resolve(cwd, file), TEXT_BYTES)?.toString("latin1") ?? ""));
}
