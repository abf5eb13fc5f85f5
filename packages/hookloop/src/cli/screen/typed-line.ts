import { readFileSync, renameSync, writeFileSync } from "node:fs";
import path from "node:path";
import { makeFolders } from "../../state-files.ts";
import { EMPTY_LINE, editLine, insertText, type Key, keyName, type Line, lineOf, moveRow } from "./line-editor.ts";

/** What is being typed, with what was typed before at hand. It draws nothing. */
export class TypedLine {
  readonly #history: History;
  #line: Line = EMPTY_LINE;
  /** What was being typed before an older entry was looked at. */
  #draft: Line = EMPTY_LINE;
  /** Entry of the history that is shown; the number of entries: none is. */
  #entry: number;
  /** What was being typed before a question was asked. */
  #parked: Line | undefined;
  /** Text of a paste that has not ended. */
  #pasted: string | undefined;

  constructor(history: History) {
    this.#history = history;
    this.#entry = history.entries.length;
  }

  get line(): Line {
    return this.#line;
  }

  /** Somebody asks something: what is typed now is the answer. */
  park(): void {
    this.#parked ??= this.#line;
    this.#line = EMPTY_LINE;
  }

  /** Nobody asks any more. */
  unpark(): void {
    this.#line = this.#parked ?? this.#line;
    this.#parked = undefined;
  }

  clear(): void {
    this.#line = EMPTY_LINE;
  }

  /** The line is complete; nothing if it is not. A backslash at its end means that it goes on. */
  enter(): string | undefined {
    const { text, cursor } = this.#line;
    if (text.endsWith("\\") && cursor === text.length) {
      this.#line = lineOf(`${text.slice(0, -1)}\n`);
      return undefined;
    }
    if (text.trim() === "") return undefined;
    this.#line = EMPTY_LINE;
    this.#history.add(text);
    this.#entry = this.#history.entries.length;
    return text;
  }

  /** What is pasted is text, also its line ends; true: the key belongs to a paste. */
  paste(typed: string | undefined, key: Key): boolean {
    if (key.name === "paste-start") this.#pasted = "";
    else if (key.name === "paste-end") {
      this.#line = insertText(this.#line, pastedText(this.#pasted ?? ""));
      this.#pasted = undefined;
    } else if (this.#pasted === undefined) return false;
    else this.#pasted += key.sequence ?? typed ?? "";
    return true;
  }

  edit(key: Key, typed: string | undefined): void {
    const by = ROW_KEYS[keyName(key)];
    this.#line = by === undefined ? (editLine(this.#line, key, typed) ?? this.#line) : (moveRow(this.#line, by) ?? this.#older(by));
  }

  /** What stands before the cursor; nothing while a question is answered. */
  get beforeCursor(): string | undefined {
    return this.#parked ? undefined : this.#line.text.slice(0, this.#line.cursor);
  }

  /** Fills in as much as is sure; gives what it could be if nothing is. What was offered for another beginning comes too late. */
  complete(before: string, candidates: readonly string[]): readonly string[] {
    const { text, cursor } = this.#line;
    if (before !== this.beforeCursor) return [];
    const common = commonStart(candidates);
    if (common.length > before.length) {
      this.#line = { text: common + text.slice(cursor), cursor: common.length };
      return [];
    }
    return candidates.length > 1 ? candidates.map((candidate) => candidate.slice(before.search(/\S*$/)).trim()) : [];
  }

  #older(by: -1 | 1): Line {
    const { entries } = this.#history;
    const wanted = this.#entry + by;
    if (this.#parked || wanted < 0 || wanted > entries.length) return this.#line;
    if (this.#entry === entries.length) this.#draft = this.#line;
    this.#entry = wanted;
    return wanted === entries.length ? this.#draft : lineOf(entries[wanted] ?? "");
  }
}

const ROW_KEYS: Readonly<Record<string, -1 | 1>> = { up: -1, down: 1, "ctrl-p": -1, "ctrl-n": 1 };

function pastedText(raw: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: a terminal would obey them
  return raw.replace(/\r\n?/g, "\n").replace(/[\x00-\x08\x0b-\x1f\x7f]/g, "");
}

function commonStart(texts: readonly string[]): string {
  const [first = "", ...others] = texts;
  let length = first.length;
  for (const text of others) while (!text.startsWith(first.slice(0, length))) length--;
  return first.slice(0, length);
}

/** What was typed before. It may hold secrets: only the user can read the file, and a question's answer never goes there. */

export interface History {
  /** The latest last. */
  readonly entries: readonly string[];
  add(entry: string): void;
}

const KEPT = 500;
const LONGEST = 10_000;

interface HistoryOptions {
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
