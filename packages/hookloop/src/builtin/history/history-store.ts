/**
 * The history on disk: for each session a journal of what its calls changed, and the contents of files by their hash. Below the state folder, so
 * that no tool of an agent may change it. A content is there whole or not at all; a line of the journal is one write.
 *   history/<project>/<session>/journal.jsonl
 *   history/<project>/<session>/blobs/<sha256>
 */

import { closeSync, constants, fstatSync, ftruncateSync, lstatSync, openSync, readSync, rmSync, statSync, writeSync } from "node:fs";
import path from "node:path";
import { realFolder } from "../../permissions/index.ts";
import { isFolder, isThere, makePrivateFolder, namesIn, projectName, readStart, replaceFile, sessionName } from "../../state-files.ts";
import { type FileState, hashOf } from "./file-state.ts";

/** One file that one call changed. */
export interface EditEntry {
  readonly v: 1;
  /** Of an undo `undo`: it can be undone as well. */
  readonly type: "edit" | "undo";
  /** Milliseconds since 1970. */
  readonly timestamp: number;
  readonly sessionId: string;
  readonly toolUseId: string;
  /** The same for all files of one call; ids of programs repeat. */
  readonly call: string;
  readonly tool: string;
  readonly path: string;
  readonly change: "created" | "modified" | "deleted";
  readonly sizeDelta: number;
  readonly before: FileState;
  readonly after: FileState;
  /** Of an undo: the calls whose change of this file it took back. */
  readonly undoes?: readonly string[] | undefined;
}

/** A call that may have written what is not in the history. */
export interface NotCovered extends Pick<EditEntry, "v" | "timestamp" | "sessionId" | "toolUseId" | "call" | "tool"> {
  readonly type: "not-covered";
  readonly command: string;
  readonly why: string;
}

export type HistoryEntry = EditEntry | NotCovered;

/** The folder of a project's history. */
export function historyFolder(stateFolder: string, projectRoot: string): string {
  return path.join(stateFolder, "history", projectName(realFolder(projectRoot)));
}

/** What is written throws what the system says: the caller decides what becomes of the edit. */
export interface HistoryStore {
  keep(sessionId: string, hash: string, bytes: Buffer): void;
  append(sessionId: string, entries: readonly HistoryEntry[]): void;
  /** Deletes the oldest sessions until the rest fits; gives their names. */
  makeRoom(maxBytes: number): readonly string[];
}

const JOURNAL = "journal.jsonl";

export function openHistoryStore(folder: string): HistoryStore {
  const own = new Set<string>();
  const known = new Set<string>();
  /** Also if somebody has taken it away meanwhile. */
  const sessionFolder = (sessionId: string): string => {
    const at = path.join(folder, sessionName(sessionId));
    if (!own.has(at) || !isFolder(path.join(at, "blobs"))) {
      makePrivateFolder(at);
      makePrivateFolder(path.join(at, "blobs"));
      own.add(at);
      for (const one of known) if (one.startsWith(at)) known.delete(one);
    }
    return at;
  };
  return {
    keep(sessionId, hash, bytes) {
      const file = path.join(sessionFolder(sessionId), "blobs", hash);
      if (known.has(file)) return;
      if (!isThere(file)) replaceFile(file, bytes, { isFlushed: false });
      known.add(file);
    },
    append(sessionId, entries) {
      const lines = entries.map((entry) => `${JSON.stringify(entry)}\n`).join("");
      appendWhole(path.join(sessionFolder(sessionId), JOURNAL), lines);
    },
    makeRoom: (maxBytes) => makeRoom(folder, own, maxBytes),
  };
}

/** All of it or nothing. SECURITY: a link in its place is not followed. */
function appendWhole(file: string, lines: string): void {
  const fd = openSync(file, constants.O_RDWR | constants.O_APPEND | constants.O_CREAT | constants.O_NOFOLLOW, 0o600);
  try {
    const { size } = fstatSync(fd);
    const last = Buffer.alloc(1, "\n");
    if (size > 0) readSync(fd, last, 0, 1, size - 1);
    // A line that a crash has torn stays a line of its own.
    const bytes = Buffer.from(last.toString() === "\n" ? lines : `\n${lines}`);
    const written = writeSync(fd, bytes);
    if (written === bytes.length) return;
    ftruncateSync(fd, size);
    throw Object.assign(new Error("the disk is full"), { code: "ENOSPC" });
  } finally {
    closeSync(fd);
  }
}

/** SECURITY: sessions that run in this process are never among them. */
function makeRoom(folder: string, own: ReadonlySet<string>, maxBytes: number): readonly string[] {
  const sessions = namesIn(folder)
    .map((name) => ({ name, at: path.join(folder, name) }))
    .map((one) => ({ ...one, bytes: bytesBelow(one.at), time: timeOf(path.join(one.at, JOURNAL)) }))
    .sort((a, b) => a.time - b.time);
  let total = sessions.reduce((sum, { bytes }) => sum + bytes, 0);
  const dropped: string[] = [];
  for (const { name, at, bytes } of sessions) {
    if (total <= maxBytes) break;
    if (own.has(at)) continue;
    rmSync(at, { recursive: true, force: true });
    total -= bytes;
    dropped.push(name);
  }
  return dropped;
}

function bytesBelow(folder: string): number {
  const sizes = namesIn(path.join(folder, "blobs")).map(
    (name) => lstatSync(path.join(folder, "blobs", name), { throwIfNoEntry: false })?.size ?? 0,
  );
  return sizes.reduce((sum, size) => sum + size, statSync(path.join(folder, JOURNAL), { throwIfNoEntry: false })?.size ?? 0);
}

function timeOf(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0;
}

/** An entry, and where its contents are. */
export type KeptEntry<Entry extends HistoryEntry = HistoryEntry> = Entry & { readonly folder: string };

export interface ReadHistory {
  /** In order of time. */
  readonly entries: readonly KeptEntry[];
  /** Lines that cannot be read. */
  readonly damaged: number;
}

const LARGEST_JOURNAL = 256_000_000;

/** Everything that is known of a project. A line that is damaged is left out and counted. */
export function readHistory(folder: string): ReadHistory {
  let damaged = 0;
  const entries = namesIn(folder).flatMap((name) => {
    const at = path.join(folder, name);
    const text = readStart(path.join(at, JOURNAL), LARGEST_JOURNAL, constants.O_NOFOLLOW)?.toString() ?? "";
    return text.split("\n").flatMap((line): readonly KeptEntry[] => {
      if (line === "") return [];
      const entry = parsed(line);
      if (!entry) damaged++;
      return entry ? [{ ...entry, folder: at }] : [];
    });
  });
  return { entries: entries.sort((a, b) => a.timestamp - b.timestamp), damaged };
}

const TYPES: readonly unknown[] = ["edit", "undo", "not-covered"] satisfies readonly HistoryEntry["type"][];

function parsed(line: string): HistoryEntry | undefined {
  try {
    const entry = JSON.parse(line) as Partial<EditEntry>;
    const isWhole = entry.v === 1 && TYPES.includes(entry.type) && typeof entry.timestamp === "number" && typeof entry.call === "string";
    const isEdit = typeof entry.path === "string" && path.isAbsolute(entry.path) && entry.before?.kind && entry.after?.kind;
    return isWhole && ((entry.type as string) === "not-covered" || isEdit) ? (entry as HistoryEntry) : undefined;
  } catch {
    // Counted by the caller.
    return undefined;
  }
}

/** The bytes of a state; nothing if they are gone or are not what they were. */
export function keptBytes({ folder }: Pick<KeptEntry, "folder">, state: FileState): Buffer | undefined {
  // SECURITY: the name comes from a file; it must not lead elsewhere.
  if (state.kind !== "file" || !/^[0-9a-f]{64}$/.test(state.hash)) return undefined;
  const bytes = readStart(path.join(folder, "blobs", state.hash), state.size + 1, constants.O_NOFOLLOW);
  return bytes && hashOf(bytes) === state.hash ? bytes : undefined;
}
