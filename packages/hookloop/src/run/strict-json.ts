/**
 * Takes text, gives the first JSON document in it, with where it ends.
 * Refuses duplicate keys (JSON.parse lets the last one win: a deny can be undone), nesting deeper than 64
 * (JSON.stringify overflows on what JSON.parse took) and everything JSON.parse refuses.
 */

/** A parsed object. It has no prototype: a key that is not there is `undefined`, whatever Object.prototype holds. */
export type JsonObject = Readonly<Record<string, unknown>>;

export type JsonDocument =
  | { readonly isValid: true; readonly value: unknown; readonly end: number; readonly dropped: readonly string[] }
  | { readonly isValid: false; readonly problem: string; readonly isDuplicate: boolean };

const MAX_DEPTH = 64;
// SECURITY: these reach a prototype when an object is copied key by key.
const DANGEROUS_KEYS: ReadonlySet<string> = new Set(["__proto__", "constructor", "prototype"]);
const SPACE = /[ \t\r\n]*/y;
const SCALAR = /true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;

interface Cursor {
  readonly text: string;
  at: number;
  readonly dropped: string[];
}

class Refusal extends Error {
  readonly isDuplicate: boolean;
  constructor(problem: string, isDuplicate = false) {
    super(problem);
    this.isDuplicate = isDuplicate;
  }
}

/** Reads the JSON document that starts at the beginning of the text; what follows it is the caller's business. */
export function parseDocument(text: string): JsonDocument {
  const cursor: Cursor = { text, at: 0, dropped: [] };
  try {
    const value = readValue(cursor, 1);
    return { isValid: true, value, end: cursor.at, dropped: cursor.dropped };
  } catch (thrown) {
    // Only a Refusal is ever thrown here; it interrupts the descent and goes no further.
    const { message, isDuplicate } = thrown as Refusal;
    return { isValid: false, problem: message, isDuplicate: isDuplicate === true };
  }
}

function readValue(cursor: Cursor, depth: number): unknown {
  skipSpace(cursor);
  const first = cursor.text[cursor.at];
  if (first === '"') return readString(cursor);
  if (first !== "{" && first !== "[") return readScalar(cursor);
  if (depth > MAX_DEPTH) throw new Refusal(`it is nested deeper than ${MAX_DEPTH} levels`);
  cursor.at++;
  return first === "{" ? readObject(cursor, depth) : readArray(cursor, depth);
}

function readObject(cursor: Cursor, depth: number): JsonObject {
  const object: Record<string, unknown> = Object.create(null);
  const seen = new Set<string>();
  if (takes(cursor, "}")) return object;
  do {
    skipSpace(cursor);
    if (cursor.text[cursor.at] !== '"') throw unexpected(cursor, "a key in double quotes");
    const key = readString(cursor);
    if (seen.has(key)) throw new Refusal(`the key ${JSON.stringify(key.slice(0, 60))} is there twice`, true);
    seen.add(key);
    if (!takes(cursor, ":")) throw unexpected(cursor, '":"');
    const value = readValue(cursor, depth + 1);
    if (DANGEROUS_KEYS.has(key)) cursor.dropped.push(key);
    else object[key] = value;
  } while (takes(cursor, ","));
  if (!takes(cursor, "}")) throw unexpected(cursor, '"," or "}"');
  return object;
}

function readArray(cursor: Cursor, depth: number): unknown[] {
  const items: unknown[] = [];
  if (takes(cursor, "]")) return items;
  do items.push(readValue(cursor, depth + 1));
  while (takes(cursor, ","));
  if (!takes(cursor, "]")) throw unexpected(cursor, '"," or "]"');
  return items;
}

function readString(cursor: Cursor): string {
  const start = cursor.at;
  // Not a regular expression: one with a nested repeat takes exponential time on a string that never ends.
  for (let at = start + 1; at < cursor.text.length; at++) {
    const code = cursor.text.charCodeAt(at);
    if (code === 0x5c) at++;
    else if (code === 0x22) {
      cursor.at = at + 1;
      return unescaped(cursor.text.slice(start, at + 1), start);
    } else if (code < 0x20) throw new Refusal(`a control character stands inside a string (position ${at})`);
  }
  throw new Refusal("it ends inside a string");
}

function unescaped(token: string, at: number): string {
  try {
    return JSON.parse(token) as string;
  } catch {
    throw new Refusal(`a wrong escape stands inside a string (position ${at})`);
  }
}

function readScalar(cursor: Cursor): unknown {
  SCALAR.lastIndex = cursor.at;
  const token = SCALAR.exec(cursor.text)?.[0];
  if (!token) throw unexpected(cursor, "a value");
  cursor.at += token.length;
  return JSON.parse(token);
}

function takes(cursor: Cursor, character: string): boolean {
  skipSpace(cursor);
  if (cursor.text[cursor.at] !== character) return false;
  cursor.at++;
  return true;
}

function skipSpace(cursor: Cursor): void {
  SPACE.lastIndex = cursor.at;
  cursor.at += SPACE.exec(cursor.text)?.[0].length ?? 0;
}

function unexpected(cursor: Cursor, wanted: string): Refusal {
  const found = cursor.text[cursor.at];
  return new Refusal(
    found === undefined
      ? `it ends where ${wanted} was expected`
      : `${wanted} was expected at position ${cursor.at}, found ${JSON.stringify(found)}`,
  );
}
