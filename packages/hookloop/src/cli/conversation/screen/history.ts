/** What was typed before. It may hold secrets: only the user can read the file, and a question's answer never goes there. */
import { readFileSync, renameSync, writeFileSync } from "node:fs";
import path from "node:path";
import { makeFolders } from "../../../state-files.ts";

export interface History {
  /** The latest last. */
  readonly entries: readonly string[];
  add(entry: string): void;
}

const KEPT = 500;
const LONGEST = 10_000;

export interface HistoryOptions {
  /** Absent: nothing is kept beyond this session. */
  readonly file?: string | undefined;
  /** It cannot be kept; said once. */
  readonly onProblem: (text: string) => void;
}

export function openHistory({ file, onProblem }: HistoryOptions): History {
  let entries = file === undefined ? [] : readEntries(file);
  let isBroken = file === undefined;
  return {
    get entries() {
      return entries;
    },
    add(entry) {
      if (entry.trim() === "" || entry.length > LONGEST || entry === entries.at(-1)) return;
      entries = [...entries, entry].slice(-KEPT);
      if (isBroken || file === undefined) return;
      try {
        // Somebody else may have added to it since: two sessions keep each other's.
        writeEntries(file, [...readEntries(file), entry].slice(-KEPT));
      } catch (thrown) {
        isBroken = true;
        onProblem(`What you type is not kept for the next session: ${(thrown as Error).message}`);
      }
    },
  };
}

function readEntries(file: string): readonly string[] {
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch {
    // The first session has none.
    return [];
  }
  return text.split("\n").flatMap((line) => {
    try {
      const entry: unknown = line === "" ? undefined : JSON.parse(line);
      return typeof entry === "string" ? [entry] : [];
    } catch {
      // A torn line costs itself only.
      return [];
    }
  });
}

function writeEntries(file: string, entries: readonly string[]): void {
  makeFolders(path.dirname(file), 0o700);
  const fresh = `${file}.${process.pid}`;
  writeFileSync(fresh, entries.map((entry) => `${JSON.stringify(entry)}\n`).join(""), { mode: 0o600 });
  renameSync(fresh, file);
}
