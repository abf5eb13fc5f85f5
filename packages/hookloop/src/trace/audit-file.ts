/**
 * Takes records, gives a file in which each carries the hash of the one before, and how the file ends in a file of another folder, the head.
 * The head says first what will be added, and when that is written, that it is there: whatever instant the program is killed at, the two agree.
 * A session that is open elsewhere, or whose file was changed since, gets a file of its own beside it.
 */

import { createHash } from "node:crypto";
import { closeSync, constants, fstatSync, ftruncateSync, openSync, readSync, rmSync, writeSync } from "node:fs";
import path from "node:path";
import { isObject } from "../check-options.ts";
import { canonicalJson } from "../config/index.ts";
import type { Diagnostic } from "../diagnostic.ts";
import type { RecordFile } from "../engine/index.ts";
import { atExit, isRunning, type ProcessIdentity, readStat } from "../run/index.ts";
import { makePrivateFolder, makeSafeFolder, sessionName } from "../state-files.ts";
import { projectFolder, type TracePathInput } from "./append-file.ts";
import type { Redactor } from "./redact.ts";
import { type AuditEnd, type AuditPlace, FIRST_HASH, HEAD_BYTES, readAuditLine, readHead, type WrittenHead } from "./verify-audit.ts";

interface AuditOptions {
  /** Undefined where there is no place to write to. */
  readonly place: AuditPlace | undefined;
  readonly redactor: Redactor;
  readonly report: (diagnostic: Diagnostic) => void;
}

/** `$XDG_STATE_HOME/hookloop/audit/<project>/<session>.jsonl`, and its head in `audit-heads`. */
export function auditPlace(input: TracePathInput): AuditPlace | undefined {
  const folder = projectFolder("audit", input);
  const heads = projectFolder("audit-heads", input);
  if (folder === undefined || heads === undefined) return undefined;
  const name = sessionName(input.session);
  return { file: path.join(folder, `${name}.jsonl`), head: path.join(heads, `${name}.json`) };
}

/** Opens its file with the first record. Records of one instant are written together. */
export function createAuditFile({ place, redactor, report }: AuditOptions): RecordFile {
  let chain: Chain | undefined;
  let held: string[] = [];
  let lost = 0;
  let isClosed = false;
  let hasProblem = false;
  const flush = (): void => {
    if (held.length === 0) return;
    const records = cleaned(held, redactor).map(bounded);
    held = [];
    try {
      chain ??= openChain(required(place), report);
      chain.append(lost > 0 ? [`{"lost":${lost},"type":"gap"}`, ...records] : records);
      lost = 0;
    } catch (error) {
      lost += records.length;
      if (!hasProblem) report(notWritten(error, place));
      hasProblem = true;
    }
  };
  const forgetExit = atExit(flush);
  return {
    write(record) {
      if (isClosed) return;
      // At once: what the record is made of may change.
      held.push(serialise(record));
      if (held.length === 1) queueMicrotask(flush);
    },
    close() {
      if (isClosed) return;
      isClosed = true;
      forgetExit();
      flush();
      try {
        chain?.close();
      } catch (error) {
        if (!hasProblem) report(notWritten(error, place));
      }
    },
  };
}

function required(place: AuditPlace | undefined): AuditPlace {
  if (place === undefined) throw new Error("there is no folder for it (HOME and XDG_STATE_HOME are unset)");
  return place;
}

function notWritten(error: unknown, place: AuditPlace | undefined): Diagnostic {
  const text = `The audit file cannot be written: ${(error as Error).message}. Decisions are not affected; records are lost, and their number is recorded as soon as it can be written. Free some space, or set XDG_STATE_HOME to a folder that can be written.`;
  return { code: "HL_TRACE_WRITE_FAILED", level: "error", text, ...(place && { place: { file: place.file } }) };
}

/** Never throws: of what JSON cannot hold stands there that it cannot. */
function serialise(record: object): string {
  try {
    return canonical(record);
  } catch (error) {
    const { type = null, event = null } = record as Readonly<Record<string, unknown>>;
    return canonicalJson({ type, event, unserialisable: String((error as Error)?.message ?? error).slice(0, 200) });
  }
}

/** As `canonicalJson`, five times as fast for data: it is done with every step. */
function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`;
  if (!isObject(value) || typeof value["toJSON"] === "function") return JSON.stringify(value) ?? "null";
  const fields: string[] = [];
  for (const key of Object.keys(value).sort()) {
    const field = value[key];
    if (field !== undefined && typeof field !== "function" && typeof field !== "symbol")
      fields.push(`${JSON.stringify(key)}:${canonical(field)}`);
  }
  return `{${fields.join(",")}}`;
}

/** Without secrets. One look at all of them is nearly as quick as at one, and most have none. */
function cleaned(records: readonly string[], redactor: Redactor): readonly string[] {
  if (!redactor.suspects(records.join(""))) return records;
  return records.map((json) => (redactor.suspects(json) ? canonicalJson(redactor.value(JSON.parse(json))) : json));
}

const LONGEST_RECORD = 64 * 1024;
const KEPT_OF_TEXT = 1000;

/** Of a long record its long texts become their beginning and the hash of the whole. */
function bounded(json: string): string {
  if (json.length <= LONGEST_RECORD) return json;
  const hash = (text: string): string => createHash("sha256").update(text).digest("hex");
  const short = canonicalJson(
    JSON.parse(json, (_name, value: unknown) =>
      typeof value === "string" && value.length > 2 * KEPT_OF_TEXT
        ? { $sha256: hash(value), length: value.length, start: value.slice(0, KEPT_OF_TEXT) }
        : value,
    ),
  );
  if (short.length <= LONGEST_RECORD) return short;
  const { type = null, event = null } = JSON.parse(json) as Record<string, unknown>;
  return canonicalJson({ type, event, $sha256: hash(json), length: json.length });
}

interface Chain {
  append(records: readonly string[]): void;
  close(): void;
}

/** Of one session opened this often at the same time; who does that wants something else. */
const MOST_PARTS = 100;

function openChain(place: AuditPlace, report: AuditOptions["report"]): Chain {
  makePrivateFolder(path.dirname(path.dirname(place.file)));
  makeSafeFolder(path.dirname(place.file));
  makePrivateFolder(path.dirname(path.dirname(place.head)));
  makeSafeFolder(path.dirname(place.head));
  for (let part = 1; part <= MOST_PARTS; part++) {
    const at = part === 1 ? place : { file: numbered(place.file, part), head: numbered(place.head, part) };
    const taken = takeHead(at);
    if (taken === "in use") continue;
    if (taken === "changed") {
      const text = `${at.file} is not as it was left, so this session writes another file. See: hookloop trace verify`;
      report({ code: "HL_TRACE_AUDIT_CHANGED", level: "error", text, place: { file: at.file } });
      continue;
    }
    return chainFrom(taken);
  }
  throw new Error(`${place.file} and ${MOST_PARTS - 1} more are in use`);
}

function numbered(file: string, part: number): string {
  const { dir, name, ext } = path.parse(file);
  return path.join(dir, `${name}~${part}${ext}`);
}

/** A file that this process alone adds to. */
interface Taken {
  readonly fd: number;
  readonly headFd: number;
  readonly end: AuditEnd;
}

// SECURITY: O_NOFOLLOW: a planted link must not lead to another file.
const FLAGS = constants.O_RDWR | constants.O_CREAT | constants.O_NOFOLLOW | constants.O_NONBLOCK;
const NEW = FLAGS | constants.O_EXCL;

function takeHead(place: AuditPlace): Taken | "in use" | "changed" {
  const { file, head } = place;
  const isNew = openNew(head);
  if (isNew !== undefined) return beginChain(place, isNew);
  const known = readHead(head);
  if (known === undefined || (known.owner && isRunning(known.owner))) return "in use";
  // Of several that come to a file that was left, one is first.
  const claim = `${head}.taken-${known.owner ? `${known.owner.pid}-${known.owner.startTime}` : known.seq}`;
  const claimFd = openNew(claim);
  if (claimFd === undefined) return "in use";
  try {
    // It was killed before it made the file.
    const fd = openLeft(file) ?? (known.seq === 0 ? openNew(file) : undefined);
    const end = fd === undefined ? undefined : endOf(fd, known);
    if (fd === undefined || end === undefined) {
      if (fd !== undefined) closeSync(fd);
      return "changed";
    }
    const headFd = openSync(head, FLAGS, 0o600);
    writeHead(headFd, { v: 1, ...end, owner: self() });
    return { fd, headFd, end };
  } finally {
    closeSync(claimFd);
    rmSync(claim, { force: true });
  }
}

function beginChain({ file, head }: AuditPlace, headFd: number): Taken | "changed" {
  let fd: number | undefined;
  try {
    const end: AuditEnd = { seq: 0, hash: FIRST_HASH, bytes: 0 };
    writeHead(headFd, { v: 1, ...end, owner: self() });
    fd = openNew(file);
    return fd === undefined ? "changed" : { fd, headFd, end };
  } finally {
    // A head without a word, or without its file, would be in the way of the next try.
    if (fd === undefined) {
      closeSync(headFd);
      rmSync(head, { force: true });
    }
  }
}

function openNew(file: string): number | undefined {
  try {
    return openSync(file, NEW, 0o600);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return undefined;
    throw error;
  }
}

function openLeft(file: string): number | undefined {
  try {
    return openSync(file, FLAGS & ~constants.O_CREAT);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}

function self(): ProcessIdentity {
  const { pid = process.pid, startTime = "" } = readStat("self") ?? {};
  return { pid, startTime };
}

/** Where an earlier session left the file; what was being written when it was killed stays as far as it is whole. Nothing if it is not as it was left. */
function endOf(fd: number, head: WrittenHead): AuditEnd | undefined {
  const { size } = fstatSync(fd);
  if (size < head.bytes) return undefined;
  const lines = textAt(fd, Math.max(0, head.bytes - 2 * LONGEST_RECORD * 4), head.bytes).split("\n");
  if (head.seq > 0 && (lines.pop() !== "" || readAuditLine(lines.at(-1) ?? "")?.hash !== head.hash)) return undefined;
  let end: AuditEnd = { seq: head.seq, hash: head.hash, bytes: head.bytes };
  if (size === head.bytes) return end;
  if (head.next === undefined || size > head.next.bytes) return undefined;
  const added = textAt(fd, head.bytes, size).split("\n");
  for (const line of added.slice(0, -1)) {
    const read = readAuditLine(line);
    if (read?.seq !== end.seq + 1 || read.prev !== end.hash) return undefined;
    end = { seq: read.seq, hash: read.hash, bytes: end.bytes + Buffer.byteLength(line) + 1 };
  }
  ftruncateSync(fd, end.bytes);
  return end;
}

function textAt(fd: number, start: number, end: number): string {
  const bytes = Buffer.alloc(end - start);
  return bytes.toString("utf8", 0, readSync(fd, bytes, 0, bytes.length, start));
}

function writeHead(fd: number, head: WrittenHead): void {
  writeSync(
    fd,
    JSON.stringify(head)
      .padEnd(HEAD_BYTES - 1)
      .concat("\n"),
    0,
  );
}

function chainFrom({ fd, headFd, end: start }: Taken): Chain {
  let end = start;
  const owner = self();
  return {
    append(records) {
      let { seq, hash: prev } = end;
      const t = Date.now();
      const lines = records.map((record) => {
        seq += 1;
        const body = `"prev":"${prev}","record":${record},"seq":${seq},"t":${t},"v":1}`;
        prev = hashOf(body);
        return `{"hash":"${prev}",${body}\n`;
      });
      const bytes = Buffer.from(lines.join(""));
      const next = { seq, hash: prev, bytes: end.bytes + bytes.length };
      writeHead(headFd, { v: 1, ...end, next, owner });
      const written = writeSync(fd, bytes, 0, bytes.length, end.bytes);
      if (written !== bytes.length) {
        ftruncateSync(fd, end.bytes);
        writeHead(headFd, { v: 1, ...end, owner });
        throw new Error(`only ${written} of ${bytes.length} bytes could be written (disk full?)`);
      }
      writeHead(headFd, { v: 1, ...next, owner });
      end = next;
    },
    close() {
      writeHead(headFd, { v: 1, ...end });
      for (const one of [fd, headFd]) closeSync(one);
    },
  };
}

/** Of what stands behind it in the line, and a brace before it: the record without its hash is JSON. */
function hashOf(body: string): string {
  return createHash("sha256").update("{").update(body).digest("hex");
}
