/** Takes an audit file and its head; gives what was changed, removed, moved, doubled or added in it, with its lines and numbers. */

import { createHash } from "node:crypto";
import { counted } from "../diagnostic.ts";
import type { ProcessIdentity } from "../run/index.ts";
import { fileKind, readStart } from "../state-files.ts";
import { fileLines } from "./append-file.ts";

export interface AuditPlace {
  readonly file: string;
  readonly head: string;
}

/** How a file ends. */
export interface AuditEnd {
  readonly seq: number;
  readonly hash: string;
  readonly bytes: number;
}

export interface WrittenHead extends AuditEnd {
  readonly v: 1;
  /** How it will end when what is being written is there. */
  readonly next?: AuditEnd | undefined;
  /** The process that writes it. */
  readonly owner?: ProcessIdentity | undefined;
}

/** In the place of the hash before the first. */
export const FIRST_HASH: string = "0".repeat(64);
/** A head has always the same length: writing it is one write in its place. */
export const HEAD_BYTES = 1024;
/** Longer than any line that is written. */
const LINE_LIMIT = 1024 * 1024;

export function readHead(file: string): WrittenHead | undefined {
  try {
    const head: unknown = JSON.parse(readStart(file, HEAD_BYTES)?.toString() ?? "");
    const { v, seq, hash, bytes } = head as Partial<WrittenHead>;
    const isHead = v === 1 && typeof seq === "number" && typeof hash === "string" && typeof bytes === "number";
    return isHead ? (head as WrittenHead) : undefined;
  } catch {
    // Not there, or no head: the caller says so.
    return undefined;
  }
}

interface AuditLine {
  readonly hash: string;
  readonly prev: string;
  readonly seq: number;
}

const LINE = /^\{"hash":"([0-9a-f]{64})",("prev":"([0-9a-f]{64})","record":.*,"seq":(\d{1,15}),"t":\d{1,16},"v":1\})$/s;

/** A line whose hash is that of its own text; nothing for another. */
export function readAuditLine(line: string): AuditLine | undefined {
  const [, hash = "", body = "", prev = "", seq] = LINE.exec(line) ?? [];
  if (seq === undefined || createHash("sha256").update("{").update(body).digest("hex") !== hash) return undefined;
  return { hash, prev, seq: Number(seq) };
}

export interface AuditFinding {
  readonly kind: "changed" | "removed" | "reordered" | "duplicated" | "added" | "cut off" | "missing" | "no head" | "unreadable";
  /** In the file, from 1; of what is not there any more, the line before it. */
  readonly line?: number | undefined;
  /** Number of the record. */
  readonly seq?: number | undefined;
  readonly text: string;
}

export interface AuditReport {
  readonly file: string;
  readonly records: number;
  readonly findings: readonly AuditFinding[];
}

/** Looks at every line. Never throws. */
export function verifyAudit({ file, head: headFile }: AuditPlace): AuditReport {
  const head = readHead(headFile);
  if (fileKind(file) === "missing") {
    const text = head && head.seq > 0 ? `the file is gone; it had ${counted(head.seq, "record")}` : "there is no such file";
    return { file, records: 0, findings: [{ kind: "missing", text }] };
  }
  try {
    const lines = readLines(file, (head?.next ?? head)?.seq ?? Number.MAX_SAFE_INTEGER);
    const findings = [...findingsIn(lines, head), ...findingsAtEnd(lines, head)];
    return { file, records: lines.length, findings: findings.sort((a, b) => (a.line ?? 0) - (b.line ?? 0)) };
  } catch (error) {
    return { file, records: 0, findings: [{ kind: "unreadable", text: (error as Error).message }] };
  }
}

interface Line {
  readonly hash?: string | undefined;
  readonly prev?: string | undefined;
  readonly line: number;
  /** Its number, which of a changed line may be what it says or what must stand there. */
  readonly seq: number;
  readonly isWhole: boolean;
  /** The file ends inside of it. */
  readonly isTorn: boolean;
}

function readLines(file: string, last: number): readonly Line[] {
  const read: (Pick<Line, "line" | "hash" | "isTorn"> & { readonly whole: AuditLine | undefined; readonly said: number })[] = [];
  for (const { bytes, length, hasEnd } of fileLines(file, LINE_LIMIT)) {
    const text = length > bytes.length ? "" : bytes.toString();
    const [, hash] = /^\{"hash":"([0-9a-f]{64})"/.exec(text) ?? [];
    const said = Number(/,"seq":(\d{1,15}),"t":\d{1,16},"v":1\}$/.exec(text)?.[1] ?? 0);
    read.push({ line: read.length + 1, hash, whole: readAuditLine(text), said, isTorn: !hasEnd });
  }
  const known = new Set(read.map(({ whole }) => whole?.seq));
  let before = 0;
  return read.map(({ line, hash, whole, said, isTorn }) => {
    // What a changed line says of its own number may have been changed as well.
    const isLikely = said > 0 && said <= last && !known.has(said);
    before = whole?.seq ?? (isLikely ? said : before + 1);
    return { line, hash, ...whole, seq: before, isWhole: whole !== undefined, isTorn };
  });
}

function findingsIn(lines: readonly Line[], head: WrittenHead | undefined): readonly AuditFinding[] {
  const findings: AuditFinding[] = [];
  const first = new Map<number, Line>();
  const kept: Line[] = [];
  for (const one of lines) {
    const { line, seq, isWhole } = one;
    const before = first.get(seq);
    if (before?.isWhole && isWhole) {
      const isSame = before.hash === one.hash;
      const text = isSame
        ? `record ${seq} stands here again (first in line ${before.line})`
        : `a second record ${seq}, other than that of line ${before.line}`;
      findings.push({ kind: isSame ? "duplicated" : "added", line, seq, text });
      continue;
    }
    if (!isWhole && !isExcused(one, head)) findings.push({ kind: "changed", line, seq, text: `record ${seq} is not what was written` });
    if (before === undefined || isWhole) first.set(seq, one);
    kept.push(one);
  }
  const inPlace = new Set(longestRising(kept.filter((one) => first.get(one.seq) === one)));
  for (const one of kept) {
    if (first.get(one.seq) !== one || inPlace.has(one)) continue;
    findings.push({ kind: "reordered", line: one.line, seq: one.seq, text: `record ${one.seq} does not stand in its place` });
  }
  return [...findings, ...missing(first), ...brokenLinks(first)];
}

/** The program was killed while it wrote this line. */
function isExcused({ isTorn, seq }: Line, head: WrittenHead | undefined): boolean {
  return isTorn && head?.next !== undefined && seq > head.seq && seq <= head.next.seq;
}

function missing(first: ReadonlyMap<number, Line>): readonly AuditFinding[] {
  const there = [...first.keys()].sort((a, b) => a - b);
  return there.flatMap((seq, index): readonly AuditFinding[] => {
    const before = there[index - 1] ?? 0;
    if (seq === before + 1) return [];
    const line = first.get(before)?.line ?? 0;
    const what = seq === before + 2 ? `record ${before + 1} is` : `records ${before + 1} to ${seq - 1} are`;
    return [{ kind: "removed", line, seq: before + 1, text: `${what} missing behind line ${line}` }];
  });
}

/** A line that was changed and given a new hash is whole, but the next one knows the old hash. */
function brokenLinks(first: ReadonlyMap<number, Line>): readonly AuditFinding[] {
  return [...first.values()].flatMap((one): readonly AuditFinding[] => {
    const { seq, prev, isWhole, line } = one;
    const before = seq === 1 ? { hash: FIRST_HASH, isWhole: true, line } : first.get(seq - 1);
    if (!isWhole || before?.hash === undefined || before.hash === prev || !before.isWhole) return [];
    const text = `record ${seq} in line ${line} was written behind another record ${seq - 1}: one of the two was changed and its hash made anew`;
    return [{ kind: "changed", line: before.line, seq: Math.max(1, seq - 1), text }];
  });
}

function findingsAtEnd(lines: readonly Line[], head: WrittenHead | undefined): readonly AuditFinding[] {
  if (head === undefined)
    return [{ kind: "no head", text: "its head is gone, which says how the file ends: lines may be missing at the end" }];
  const whole = lines.filter(({ isWhole }) => isWhole);
  const last = lines.reduce((most, { seq, isTorn }) => (isTorn ? most : Math.max(most, seq)), 0);
  const line = lines.length;
  if (last < head.seq) {
    const what = last + 1 === head.seq ? `record ${head.seq} is` : `records ${last + 1} to ${head.seq} are`;
    return [{ kind: "cut off", line, seq: last + 1, text: `${what} missing at the end` }];
  }
  const end = head.next ?? head;
  if (last > end.seq) return [{ kind: "added", line, seq: end.seq + 1, text: `the file ended with record ${end.seq}` }];
  return [head, head.next].flatMap((known): readonly AuditFinding[] => {
    const found = known && whole.find(({ seq }) => seq === known.seq);
    if (!found || found.hash === known.hash) return [];
    const text = `record ${found.seq} is not what was written: its hash was made anew`;
    return [{ kind: "changed", line: found.line, seq: found.seq, text }];
  });
}

/** The most lines that stand in their order: what is not among them was moved. */
function longestRising(lines: readonly Line[]): readonly Line[] {
  const ends: number[] = [];
  const before: number[] = [];
  lines.forEach(({ seq }, index) => {
    let [low, high] = [0, ends.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((lines[ends[middle] ?? 0]?.seq ?? 0) < seq) low = middle + 1;
      else high = middle;
    }
    before[index] = low > 0 ? (ends[low - 1] ?? -1) : -1;
    ends[low] = index;
  });
  const found: Line[] = [];
  for (let at = ends.at(-1) ?? -1; at >= 0; at = before[at] ?? -1) {
    const one = lines[at];
    if (one) found.push(one);
  }
  return found;
}
