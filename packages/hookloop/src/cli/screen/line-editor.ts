/** The line that is being typed, as a value: keys in, the next line out. It knows no terminal. */

import { characters } from "./text-width.ts";

export interface Line {
  readonly text: string;
  /** Index into the text; always between two characters. */
  readonly cursor: number;
}

/** A key as Node's `keypress` event describes it. */
export interface Key {
  readonly sequence?: string | undefined;
  readonly name?: string | undefined;
  readonly ctrl?: boolean | undefined;
  readonly meta?: boolean | undefined;
  readonly shift?: boolean | undefined;
}

export const EMPTY_LINE: Line = { text: "", cursor: 0 };

export function insertText({ text, cursor }: Line, inserted: string): Line {
  return { text: text.slice(0, cursor) + inserted + text.slice(cursor), cursor: cursor + inserted.length };
}

export function lineOf(text: string): Line {
  return { text, cursor: text.length };
}

type Edit = (line: Line) => Line;

const moveTo = (line: Line, cursor: number): Line => ({ ...line, cursor });
const cutOut = ({ text }: Line, from: number, to: number): Line => ({ text: text.slice(0, from) + text.slice(to), cursor: from });

const EDITS: Readonly<Record<string, Edit>> = {
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
