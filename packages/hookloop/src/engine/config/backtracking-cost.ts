/** What is left to read of a pattern. JavaScript has accepted it already, so it is well formed. */
interface Cursor {
  readonly pattern: string;
  at: number;
  readonly length: number;
}

const QUANTIFIER = /[*+?]\??|\{\d+(?:,\d*)?\}\??/y;
const GROUP_HEAD = /\((?:\?(?::|=|!|<=|<!|<[^>]*>))?/y;
const CLASS = /\[(?:[^\]\\]|\\.)*\]/sy;
const BACKREFERENCE = /\\(?:[1-9]\d*|k<[^>]*>)/y;

/**
 * Upper bound of the ways a backtracking engine tries `pattern` on a text of `length` characters.
 * Each repeated character multiplies by the length, each choice adds, and a repeated group takes its own ways to the power of its
 * rounds: harmless for a name of five letters, astronomical for fifty.
 */
export function backtrackingCost(pattern: string, length: number): number {
  const cursor = { pattern, at: 0, length: Math.max(length, 1) };
  return cursor.length * choiceCost(cursor);
}

function choiceCost(cursor: Cursor): number {
  let cost = sequenceCost(cursor);
  while (cursor.pattern[cursor.at] === "|") {
    cursor.at++;
    cost += sequenceCost(cursor);
  }
  return cost;
}

function sequenceCost(cursor: Cursor): number {
  let cost = 1;
  while (cursor.at < cursor.pattern.length && cursor.pattern[cursor.at] !== "|" && cursor.pattern[cursor.at] !== ")")
    cost *= termCost(cursor);
  return cost;
}

function termCost(cursor: Cursor): number {
  if (take(cursor, GROUP_HEAD)) return groupCost(cursor);
  // Comparing with what a group took is not a choice, but can be as long as the text.
  const own = take(cursor, BACKREFERENCE) ? cursor.length : 1;
  if (own === 1 && !take(cursor, CLASS)) cursor.at += cursor.pattern[cursor.at] === "\\" ? 2 : 1;
  const quantifier = take(cursor, QUANTIFIER);
  if (!quantifier || /^\{\d+\}/.test(quantifier)) return own;
  return own * (quantifier.startsWith("?") ? 2 : cursor.length);
}

function groupCost(cursor: Cursor): number {
  const inner = choiceCost(cursor);
  cursor.at++;
  const quantifier = take(cursor, QUANTIFIER);
  if (!quantifier) return inner;
  return quantifier.startsWith("?") ? inner + 1 : (inner + 1) ** rounds(quantifier, cursor.length);
}

/** A round takes a character at least, but for those that a count demands. */
function rounds(quantifier: string, length: number): number {
  return length + Math.max(1, ...(quantifier.match(/\d+/g) ?? []).map(Number));
}

function take(cursor: Cursor, token: RegExp): string | undefined {
  token.lastIndex = cursor.at;
  const found = token.exec(cursor.pattern)?.[0];
  cursor.at += found?.length ?? 0;
  return found;
}
