import { createHash } from "node:crypto";
import * as fs from "node:fs";
import { closeSync, constants, openSync, readSync } from "node:fs";
import path from "node:path";
import { checkEntries, invalidOption, shown } from "../check-options.ts";
import { counted, type Diagnostic } from "../diagnostic.ts";
import type { TraceRecord } from "../engine/index.ts";
import { absolutePath, makeSafeFolder, ownFolder } from "../state-files.ts";

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
      const bytes = bytesOf(isTorn ? `\n${line}\n` : `${line}\n`);
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

/** Used again for each line that surely fits: making room for one takes a tenth of the time that a synchronous firing takes to be written. */
let room: Buffer | undefined;
const ROOM_BYTES = 64 * 1024;

function bytesOf(text: string): Buffer {
  // A character takes at most three bytes.
  if (text.length * 3 > ROOM_BYTES) return Buffer.from(text);
  room ??= Buffer.allocUnsafeSlow(ROOM_BYTES);
  return room.subarray(0, room.write(text));
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

export function transcriptFolder(input: Omit<TracePathInput, "session">): string | undefined {
  return projectFolder("sessions", input);
}

function projectFolder(kind: string, { env, projectRoot }: Omit<TracePathInput, "session">): string | undefined {
  const folder = ownFolder("state", { env, home: absolutePath(env["HOME"]) });
  return folder && path.join(folder, kind, projectName(projectRoot));
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

/** A part of the file that holds no record. */
export interface Damage {
  readonly offset: number;
  readonly bytes: number;
  readonly reason: "nul bytes" | "not JSON" | "not a record" | "torn" | "too long";
}

export interface TraceContent {
  /** The records from the first on, as many as can be kept in memory. */
  readonly records: readonly TraceRecord[];
  /** Damaged parts: the first hundred. */
  readonly damage: readonly Damage[];
  /** There are more records than were kept: `traceRecords` gives them one by one. */
  readonly isCut?: true | undefined;
  /** The file could not be read, parts of it are damaged, or there is more than was kept. */
  readonly problem?: Diagnostic | undefined;
}

/** Four times what a writer writes: a longer line is not ours, and is not kept in memory. */
const LINE_LIMIT = 1024 * 1024;
/** Bytes of records that are kept at once; in memory they take several times as much. */
const KEPT_BYTES = 32 * 1024 * 1024;
const KEPT_DAMAGE = 100;

/** Reads a trace. Damaged parts are skipped and reported; a last line without its end counts if it is whole. Never throws. */
export function readTrace(file: string): TraceContent {
  const records: TraceRecord[] = [];
  const damage: Damage[] = [];
  let damaged = 0;
  let bytes = 0;
  const onDamage = (found: Damage): void => {
    damaged++;
    if (damage.length < KEPT_DAMAGE) damage.push(found);
  };
  try {
    for (const { record, length } of scan(file, onDamage)) {
      bytes += length;
      if (bytes > KEPT_BYTES) return { records, damage, isCut: true, problem: problem(file, CUT) };
      records.push(record);
    }
  } catch (error) {
    return {
      records,
      damage,
      problem: problem(file, `The trace cannot be read: ${(error as Error).message}. Check its path and permissions.`),
    };
  }
  return { records, damage, problem: damaged > 0 ? problem(file, damageText(damage, damaged)) : undefined };
}

const CUT = `The trace holds more than ${KEPT_BYTES / 1024 / 1024} MiB; the records after that were not read. Go through it with traceRecords(), one record at a time.`;

/** The records of a trace, one at a time: memory stays the same however long it is. Throws if the file cannot be read. */
export function* traceRecords(file: string, onDamage: (damage: Damage) => void = () => {}): Generator<TraceRecord> {
  for (const { record } of scan(file, onDamage)) yield record;
}

function* scan(file: string, onDamage: (damage: Damage) => void): Generator<{ readonly record: TraceRecord; readonly length: number }> {
  for (const line of fileLines(file, LINE_LIMIT)) {
    const { record, damage } = readLine(line);
    for (const found of damage) onDamage(found);
    if (record) yield { record, length: line.length };
  }
}

interface LineReading {
  readonly record?: TraceRecord | undefined;
  readonly damage: readonly Damage[];
}

function readLine(line: FileLine): LineReading {
  const { offset, bytes, length, hasEnd } = line;
  if (length === 0) return { damage: [] };
  if (length > bytes.length) return { damage: [{ offset, bytes: length, reason: "too long" }] };
  // The next record may follow NUL bytes on the same line.
  const start = textStart(line);
  const nul: readonly Damage[] = start > 0 ? [{ offset, bytes: start, reason: "nul bytes" }] : [];
  if (start === length) return { damage: nul };
  const damaged = (reason: Damage["reason"]): LineReading => ({
    damage: [...nul, { offset: offset + start, bytes: length - start, reason }],
  });
  try {
    const record: unknown = JSON.parse(bytes.toString("utf8", start));
    const known = upgraded(record);
    return known ? { record: known, damage: nul } : damaged("not a record");
  } catch {
    // Safe: the line is reported as damage.
    return damaged(hasEnd ? "not JSON" : "torn");
  }
}

/** A record in the form of today. The first form had `step` for `type`, fewer fields, and no diagnostics; what it lacks is filled in. */
function upgraded(value: unknown): TraceRecord | undefined {
  const { v, seq, type, event, step } = (value ?? {}) as Record<string, unknown>;
  if (v === 2) return typeof seq === "number" && typeof type === "string" ? (value as TraceRecord) : undefined;
  if (v !== 1 || typeof seq !== "number" || typeof event !== "string" || typeof step !== "string") return undefined;
  const { step: _step, ...record } = value as Readonly<Record<string, unknown>>;
  const added =
    step === "fired"
      ? { hookName: record["event"] ?? "", numCommands: 0, hookTypeCounts: {}, pluginHookCounts: {} }
      : step === "outcome"
        ? { name: record["hook"] }
        : {};
  return { ...added, ...record, v: 2, type: step === "judged-again" ? "judgedAgain" : step } as unknown as TraceRecord;
}

function damageText(damage: readonly Damage[], count: number): string {
  const shown = damage.slice(0, 5).map(({ offset, bytes, reason }) => `${reason} at byte ${offset} (${counted(bytes, "byte")})`);
  const more = count > shown.length ? `, and ${count - shown.length} more` : "";
  return `Parts of the trace are damaged and were skipped: ${shown.join(", ")}${more}. A crash or a full disk does that; the other records are whole.`;
}

function problem(file: string, text: string): Diagnostic {
  return { code: "HL_TRACE_DAMAGED", level: "warning", text, place: { file } };
}

/** One line of a file, without its end. */
export interface FileLine {
  readonly offset: number;
  readonly bytes: Buffer;
  /** The line's whole length; more than `bytes` holds if it was too long to keep. */
  readonly length: number;
  readonly hasEnd: boolean;
}

const CHUNK = 1024 * 1024;

/** The lines of a file, one after the other: however long the file is, only one line is in memory, and of one that is longer than the limit nothing. */
export function* fileLines(file: string, limit: number): Generator<FileLine> {
  const fd = openSync(file, "r");
  try {
    let kept: Buffer[] = [];
    let length = 0;
    let offset = 0;
    const line = (hasEnd: boolean): FileLine => ({ offset, bytes: Buffer.concat(kept), length, hasEnd });
    for (;;) {
      const chunk = Buffer.allocUnsafe(CHUNK);
      const size = readSync(fd, chunk, 0, CHUNK, null);
      for (let start = 0; start < size; ) {
        const end = chunk.subarray(0, size).indexOf(0x0a, start);
        const part = chunk.subarray(start, end < 0 ? size : end);
        length += part.length;
        if (length <= limit) kept.push(part);
        else kept = [];
        start += part.length;
        if (end < 0) break;
        yield line(true);
        start += 1;
        offset += length + 1;
        kept = [];
        length = 0;
      }
      if (size === 0) break;
    }
    if (length > 0) yield line(false);
  } finally {
    closeSync(fd);
  }
}

/** Where the text of a line starts: a crash can leave a run of NUL bytes where the size was recorded but the data was not. */
export function textStart({ bytes }: FileLine): number {
  let start = 0;
  while (bytes[start] === 0) start += 1;
  return start;
}
