/** The line that is being typed, as a value: keys in, the next line out. It knows no terminal. */

import { readFileSync } from "node:fs";
import path from "node:path";
import { makeFolders, replaceFile } from "../../state-files.ts";
import { characters } from "./text-width.ts";

export interface Line {
  readonly text: string;
  /** Index into the text; always between two characters. */
  readonly cursor: number;
}

export interface Key {
  readonly sequence?: string | undefined;
  readonly name?: string | undefined;
  readonly ctrl?: boolean | undefined;
  readonly meta?: boolean | undefined;
  readonly shift?: boolean | undefined;
}

export const EMPTY_LINE: Line = { text: "", cursor: 0 };

function insertText({ text, cursor }: Line, inserted: string): Line {
  return { text: text.slice(0, cursor) + inserted + text.slice(cursor), cursor: cursor + inserted.length };
}

export function lineOf(text: string): Line {
  return { text, cursor: text.length };
}

const moveTo = (line: Line, cursor: number): Line => ({ ...line, cursor });
const cutOut = ({ text }: Line, from: number, to: number): Line => ({ text: text.slice(0, from) + text.slice(to), cursor: from });

const EDITS: Readonly<Record<string, (line: Line) => Line>> = {
  left: (line) => moveTo(line, before(line)),
  right: (line) => moveTo(line, after(line)),
  home: (line) => moveTo(line, rowStart(line)),
  end: (line) => moveTo(line, rowEnd(line)),
  backspace: (line) => cutOut(line, before(line), line.cursor),
  delete: (line) => cutOut(line, line.cursor, after(line)),
  "ctrl-a": (line) => moveTo(line, rowStart(line)),
  "ctrl-e": (line) => moveTo(line, rowEnd(line)),
  "ctrl-b": (line) => moveTo(line, before(line)),
  "ctrl-f": (line) => moveTo(line, after(line)),
  "ctrl-h": (line) => cutOut(line, before(line), line.cursor),
  "ctrl-d": (line) => cutOut(line, line.cursor, after(line)),
  "ctrl-u": (line) => cutOut(line, rowStart(line), line.cursor),
  "ctrl-k": (line) => cutOut(line, line.cursor, rowEnd(line)),
  "ctrl-w": (line) => cutOut(line, wordStart(line), line.cursor),
  "meta-backspace": (line) => cutOut(line, wordStart(line), line.cursor),
  "meta-b": (line) => moveTo(line, wordStart(line)),
  "meta-f": (line) => moveTo(line, wordEnd(line)),
  "ctrl-left": (line) => moveTo(line, wordStart(line)),
  "ctrl-right": (line) => moveTo(line, wordEnd(line)),
  "ctrl-j": (line) => insertText(line, "\n"),
  enter: (line) => insertText(line, "\n"),
  "meta-return": (line) => insertText(line, "\n"),
  "meta-enter": (line) => insertText(line, "\n"),
};

/** `ctrl-left`, `meta-return`, `x`: what a key is called in this file. */
export function keyName({ name = "", ctrl, meta, shift }: Key): string {
  // Of the other keys a letter tells whether it is a large one.
  const isShifted = shift && name === "tab";
  return `${ctrl ? "ctrl-" : ""}${meta ? "meta-" : ""}${isShifted ? "shift-" : ""}${name}`;
}

/** The line after a key; nothing if the key does not edit. */
export function editLine(line: Line, key: Key, typed: string | undefined): Line | undefined {
  const edit = EDITS[keyName(key)];
  if (edit) return edit(line);
  if (key.ctrl || key.meta || typed === undefined || typed === "") return undefined;
  // biome-ignore lint/suspicious/noControlCharactersInRegex: keys without a meaning of their own arrive as such
  return /[\x00-\x1f\x7f\x9b]/.test(typed) ? undefined : insertText(line, typed);
}

/** The row above or below, at the same place; nothing if there is none. */
export function moveRow(line: Line, by: -1 | 1): Line | undefined {
  const start = rowStart(line);
  const column = line.cursor - start;
  if (by === -1) {
    if (start === 0) return undefined;
    const above = rowStart({ ...line, cursor: start - 1 });
    return moveTo(line, Math.min(above + column, start - 1));
  }
  const end = rowEnd(line);
  if (end === line.text.length) return undefined;
  return moveTo(line, Math.min(end + 1 + column, rowEnd({ ...line, cursor: end + 1 })));
}

function before({ text, cursor }: Line): number {
  const last = characters(text.slice(0, cursor)).at(-1);
  return cursor - (last?.length ?? 0);
}

function after({ text, cursor }: Line): number {
  const [first] = characters(text.slice(cursor));
  return cursor + (first?.length ?? 0);
}

function rowStart({ text, cursor }: Line): number {
  return cursor === 0 ? 0 : text.lastIndexOf("\n", cursor - 1) + 1;
}

function rowEnd({ text, cursor }: Line): number {
  const end = text.indexOf("\n", cursor);
  return end === -1 ? text.length : end;
}

function wordStart({ text, cursor }: Line): number {
  const word = text.slice(0, cursor).trimEnd();
  let start = word.length;
  while (start > 0 && !/\s/.test(word.charAt(start - 1))) start--;
  return start;
}

function wordEnd({ text, cursor }: Line): number {
  return cursor + (/^\s*\S*/.exec(text.slice(cursor))?.[0].length ?? 0);
}

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

  /** A question is open: what is typed now is the answer. */
  park(): void {
    this.#parked ??= this.#line;
    this.#line = EMPTY_LINE;
  }

  /** No question is open any more. */
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
        // Another session may have added to it: both keep each other's entries.
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
  replaceFile(file, entries.map((entry) => `${JSON.stringify(entry)}\n`).join(""));
}
