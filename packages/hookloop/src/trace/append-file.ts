import { createHash } from "node:crypto";
import * as fs from "node:fs";
import { constants } from "node:fs";
import path from "node:path";
import { checkEntries, invalidOption, shown } from "../check-options.ts";
import { makeSafeFolder } from "../state-files.ts";

/** A file that whole lines are appended to, by several processes at once if need be. Every method throws what the system says. */
export interface AppendFile {
  append(line: string): void;
  close(): void;
}

const NEW_LINE = 0x0a;

/** Opens it for this user only, and repairs a tail that a crash has torn: the next record starts on a line of its own. */
export function openAppendFile(file: string, files: TraceFiles = REAL_FILES): AppendFile {
  makeSafeFolder(path.dirname(file));
  // SECURITY: O_NOFOLLOW: a planted link must not turn the trace into a write to another file.
  const flags = constants.O_RDWR | constants.O_APPEND | constants.O_CREAT | constants.O_NOFOLLOW | constants.O_NONBLOCK;
  const fd = files.openSync(file, flags, 0o600);
  let isTorn: boolean;
  try {
    isTorn = hasTornTail(fd, files, file);
  } catch (error) {
    files.closeSync(fd);
    throw error;
  }
  return {
    append(line) {
      // One write of one buffer: with O_APPEND the system keeps it in one piece beside other processes.
      const bytes = Buffer.from(isTorn ? `\n${line}\n` : `${line}\n`);
      const written = files.writeSync(fd, bytes, 0, bytes.length);
      if (written !== bytes.length) {
        takeBack(fd, bytes.subarray(0, written), files);
        throw new Error(`only ${written} of ${bytes.length} bytes could be written (disk full?)`);
      }
      isTorn = false;
    },
    close() {
      try {
        files.fsyncSync(fd);
      } finally {
        files.closeSync(fd);
      }
    },
  };
}

function hasTornTail(fd: number, files: TraceFiles, file: string): boolean {
  const { size, mode } = files.fstatSync(fd);
  if ((mode & constants.S_IFMT) !== constants.S_IFREG) throw new Error(`${file} is not a regular file`);
  if (size === 0) return false;
  const last = Buffer.alloc(1);
  files.readSync(fd, last, 0, 1, size - 1);
  return last[0] !== NEW_LINE;
}

/** Removes half a record, but only if it is still the end of the file: another process may have written since. */
function takeBack(fd: number, half: Buffer, files: TraceFiles): void {
  const { size } = files.fstatSync(fd);
  const tail = Buffer.alloc(half.length);
  files.readSync(fd, tail, 0, half.length, size - half.length);
  if (tail.equals(half)) files.ftruncateSync(fd, size - half.length);
}

/** The file functions a writer uses: real ones, or ones that fail on purpose in tests. */
export type TraceFiles = Pick<typeof fs, "openSync" | "closeSync" | "fstatSync" | "fsyncSync" | "ftruncateSync" | "readSync" | "writeSync">;

export const REAL_FILES: TraceFiles = fs;

export interface TracePathInput {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly projectRoot: string;
  readonly session: string;
}

/** `$XDG_STATE_HOME/hookloop/traces/<project>/<session>.jsonl`; undefined if neither it nor HOME is set to an absolute path. */
export function tracePath(input: TracePathInput): string | undefined {
  const cure = "Write tracePath({ env: process.env, projectRoot: cwd, session: sessionId })";
  if (typeof input !== "object" || input === null) throw invalidOption(`tracePath() takes an object, not ${shown(input)}. ${cure}`);
  checkEntries("tracePath()", input, { env: "object", projectRoot: "text", session: "any text" });
  const { env, projectRoot, session } = input;
  const [missing] = Object.entries({ env, projectRoot, session }).find(([, value]) => value === undefined) ?? [];
  if (missing !== undefined) throw invalidOption(`${missing} of tracePath() is missing. ${cure}`);
  const folder = projectFolder("traces", { env, projectRoot });
  return folder && path.join(folder, `${sessionName(session)}.jsonl`);
}

/** The folder of a project's transcripts. */
export function transcriptFolder(input: Omit<TracePathInput, "session">): string | undefined {
  return projectFolder("sessions", input);
}

function projectFolder(kind: string, { env, projectRoot }: Omit<TracePathInput, "session">): string | undefined {
  const state = absolute(env["XDG_STATE_HOME"]) ?? absolute(env["HOME"], ".local/state");
  return state && path.join(state, "hookloop", kind, projectName(projectRoot));
}

function absolute(folder: string | undefined, below = ""): string | undefined {
  return folder && path.isAbsolute(folder) ? path.join(folder, below) : undefined;
}

/** Readable, and different for different roots: `/a/b` and `/a-b` must not share a folder. */
function projectName(root: string): string {
  return `${
    path
      .basename(root)
      .replace(/[^\w.-]/g, "-")
      .replace(/^\.+/, "")
      .slice(0, 60) || "root"
  }-${shortHash(root)}`;
}

// SECURITY: the session id comes from outside; it must not lead out of the folder.
export function sessionName(session: string): string {
  return /^\w[\w.-]{0,127}$/.test(session) ? session : `session-${shortHash(session)}`;
}

function shortHash(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, 12);
}
