import { closeSync, openSync, readSync } from "node:fs";
import type { Diagnostic } from "../diagnostic.ts";
import type { TraceRecord } from "../engine/trace-sink.ts";

/** A part of the file that holds no record. */
export interface Damage {
  /** Where it starts, in bytes. */
  readonly offset: number;
  readonly bytes: number;
  readonly reason: "nul bytes" | "not JSON" | "not a record" | "torn" | "too long";
}

export interface TraceContent {
  readonly records: readonly TraceRecord[];
  readonly damage: readonly Damage[];
  /** The file could not be read, or parts of it are damaged. */
  readonly problem?: Diagnostic | undefined;
}

const CHUNK = 1024 * 1024;
/** Four times what a writer writes: a longer line is not ours, and is not kept in memory. */
const LINE_LIMIT = CHUNK;

/** Reads a whole trace. Damaged parts are skipped and reported; a last line without its end counts if it is whole. Never throws. */
export function readTrace(file: string): TraceContent {
  const records: TraceRecord[] = [];
  const damage: Damage[] = [];
  try {
    for (const line of linesOf(file)) {
      const read = readLine(line);
      if (read.record) records.push(read.record);
      damage.push(...read.damage);
    }
  } catch (error) {
    return {
      records,
      damage,
      problem: problem(file, `The trace cannot be read: ${(error as Error).message}. Check its path and permissions.`),
    };
  }
  return { records, damage, problem: damage.length > 0 ? problem(file, damageText(damage)) : undefined };
}

interface Line {
  readonly offset: number;
  readonly bytes: Buffer;
  /** The line's whole length; more than `bytes` holds if it was too long to keep. */
  readonly length: number;
  readonly hasEnd: boolean;
}

function* linesOf(file: string): Generator<Line> {
  const fd = openSync(file, "r");
  try {
    let kept: Buffer[] = [];
    let length = 0;
    let offset = 0;
    const line = (hasEnd: boolean): Line => ({ offset, bytes: Buffer.concat(kept), length, hasEnd });
    for (;;) {
      const chunk = Buffer.allocUnsafe(CHUNK);
      const size = readSync(fd, chunk, 0, CHUNK, null);
      for (let start = 0; start < size; ) {
        const end = chunk.subarray(0, size).indexOf(0x0a, start);
        const part = chunk.subarray(start, end < 0 ? size : end);
        if (length + part.length <= LINE_LIMIT) kept.push(part);
        length += part.length;
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

interface LineReading {
  readonly record?: TraceRecord | undefined;
  readonly damage: readonly Damage[];
}

function readLine({ offset, bytes, length, hasEnd }: Line): LineReading {
  if (length === 0) return { damage: [] };
  if (length > bytes.length) return { damage: [{ offset, bytes: length, reason: "too long" }] };
  // A crash can leave a run of NUL bytes where the size was recorded but the data was not; the next record may follow on the same line.
  let start = 0;
  while (bytes[start] === 0) start += 1;
  const nul: readonly Damage[] = start > 0 ? [{ offset, bytes: start, reason: "nul bytes" }] : [];
  if (start === length) return { damage: nul };
  const damaged = (reason: Damage["reason"]): LineReading => ({
    damage: [...nul, { offset: offset + start, bytes: length - start, reason }],
  });
  try {
    const record: unknown = JSON.parse(bytes.toString("utf8", start));
    return isRecord(record) ? { record, damage: nul } : damaged("not a record");
  } catch {
    // Safe: the line is reported as damage.
    return damaged(hasEnd ? "not JSON" : "torn");
  }
}

function isRecord(value: unknown): value is TraceRecord {
  const { v, seq, event, step } = (value ?? {}) as Record<string, unknown>;
  return v === 1 && typeof seq === "number" && typeof event === "string" && typeof step === "string";
}

function damageText(damage: readonly Damage[]): string {
  const shown = damage.slice(0, 5).map(({ offset, bytes, reason }) => `${reason} at byte ${offset} (${bytes} bytes)`);
  const more = damage.length > shown.length ? `, and ${damage.length - shown.length} more` : "";
  return `Parts of the trace are damaged and were skipped: ${shown.join(", ")}${more}. A crash or a full disk does that; the other records are whole.`;
}

function problem(file: string, text: string): Diagnostic {
  return { code: "HL_TRACE_DAMAGED", level: "warning", text, place: { file } };
}
