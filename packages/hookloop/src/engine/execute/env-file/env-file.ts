// The file behind CLAUDE_ENV_FILE: hooks append assignments, later shell tools of the session get them.
// No shell ever reads it here, and no value of it stands on a command line.
import { closeSync, constants, fstatSync, mkdtempSync, openSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { makeFolders } from "../../../state-files.ts";
import { thrownText } from "../failures.ts";
import { type Assignments, readAssignments } from "./env-file-words.ts";

export interface EnvFile {
  readonly path: string;
  /** What the hooks of the session have written so far. */
  read(): Assignments;
  /** Removes the file and its folder. */
  dispose(): void;
}

export interface EnvFileOptions {
  /** Where the private folder is made; the system's temporary folder if left out. */
  readonly parent?: string | undefined;
  /** What `$NAME` in the file finds. */
  readonly base: Readonly<Record<string, string | undefined>>;
}

/** Larger files are not read. */
const MOST_BYTES = 1024 * 1024;

/** Makes an empty env file for one session: 0600, in a folder of its own with 0700. */
export function createEnvFile({ parent = tmpdir(), base }: EnvFileOptions): EnvFile {
  makeFolders(parent, 0o700);
  // SECURITY: mkdtemp makes a new folder with 0700, so nothing can have been planted at the file's path (fault 68).
  const folder = mkdtempSync(path.join(parent, "hookloop-env-"));
  const file = path.join(folder, "session.env");
  closeSync(openSync(file, "wx", 0o600));
  return {
    path: file,
    read: () => readEnvFile(file, base),
    dispose: () => rmSync(folder, { recursive: true, force: true }),
  };
}

/** Reads an env file; a missing one is empty, and what is wrong with it is among the problems. */
export function readEnvFile(file: string, base: Readonly<Record<string, string | undefined>> = {}): Assignments {
  try {
    return readAssignments(readSmallFile(file), base);
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code === "ENOENT") return { variables: {}, problems: [] };
    return { variables: {}, problems: [{ line: 0, text: `the file cannot be read: ${thrownText(thrown)}` }] };
  }
}

function readSmallFile(file: string): string {
  // SECURITY: a hook may have put a link or a fifo there; neither is followed, neither blocks.
  const fd = openSync(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    const stat = fstatSync(fd);
    if (!stat.isFile()) throw new Error("it is not a regular file any more");
    if (stat.size > MOST_BYTES) throw new Error(`it has ${stat.size} bytes, more than ${MOST_BYTES}`);
    return readFileSync(fd, "utf8");
  } finally {
    closeSync(fd);
  }
}
