import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** A program of ours that lies beside the file at `url`; `undefined` where that was bundled into something else. */
export function ownProgram(name: string, url: string): string | undefined {
  try {
    const script = fileURLToPath(new URL(name, url));
    return existsSync(script) ? script : undefined;
  } catch {
    // A bundle without a file of its own.
    return undefined;
  }
}
