/** The literal texts between the stars of a pattern, in order; `\*` stands for itself. One text: there is no star. */
export function wildcardPieces(pattern: string): readonly string[] {
  const pieces = [""];
  for (const [token, escaped] of pattern.matchAll(/\\([*\\])|\*|[^*\\]+|\\/g)) {
    if (token === "*") pieces.push("");
    else pieces[pieces.length - 1] += escaped ?? token;
  }
  return pieces;
}

/** A test for texts against a pattern in which `*` stands for anything. */
export function compileWildcard(pattern: string): (text: string) => boolean {
  const pieces = wildcardPieces(pattern);
  return (text) => coversText(pieces, text);
}

/**
 * Whether the pieces, with anything between them, make up the text.
 * SECURITY: the leftmost place of each piece is the best one, so nothing is ever tried twice: time is pattern + text, whoever wrote them.
 */
export function coversText(pieces: readonly string[], text: string): boolean {
  const first = pieces[0] ?? "";
  const last = pieces.at(-1) ?? "";
  if (pieces.length < 2) return text === first;
  if (text.length < first.length + last.length || !text.startsWith(first) || !text.endsWith(last)) return false;
  const end = text.length - last.length;
  let at = first.length;
  for (let index = 1; index < pieces.length - 1; index++) {
    const piece = pieces[index] ?? "";
    const found = placeOf(piece, text, at, end);
    if (found < 0) return false;
    at = found + piece.length;
  }
  return true;
}

/** The same of a text with parts that nobody knows yet, each marked by one character: whether it could turn out to be covered. */
export function mayCoverText(pieces: readonly string[], text: string, unknown: string): boolean {
  const parts = text.split(unknown);
  if (parts.length < 2) return coversText(pieces, text);
  if (pieces.length < 2) return coversText(parts, pieces[0] ?? "");
  // With something open on both sides only the ends can disagree.
  return isSameStart(pieces[0] ?? "", parts[0] ?? "") && isSameEnd(pieces.at(-1) ?? "", parts.at(-1) ?? "");
}

function isSameStart(one: string, other: string): boolean {
  return one.startsWith(other) || other.startsWith(one);
}

function isSameEnd(one: string, other: string): boolean {
  return one.endsWith(other) || other.endsWith(one);
}

/** Shorter texts are found fast by any search. */
const SHORT = 16;

/** Where a piece stands between two places of a text; less than 0 if it does not. */
function placeOf(piece: string, text: string, from: number, end: number): number {
  if (piece.length > end - from) return -1;
  if (piece.length > SHORT) return placeOfLong(piece, text, from, end);
  const found = text.indexOf(piece, from);
  return found + piece.length <= end ? found : -1;
}

/** Knuth, Morris and Pratt: `indexOf` takes piece × text for `aaa…ab` in `aaa…a`. */
function placeOfLong(piece: string, text: string, from: number, end: number): number {
  const borders = bordersOf(piece);
  let length = 0;
  for (let at = from; at < end; at++) {
    while (length > 0 && text[at] !== piece[length]) length = borders[length - 1] ?? 0;
    if (text[at] === piece[length]) length++;
    if (length === piece.length) return at + 1 - length;
  }
  return -1;
}

/** Of each start of the piece, how much of its end is also its start. */
function bordersOf(piece: string): Uint32Array {
  const borders = new Uint32Array(piece.length);
  for (let at = 1, length = 0; at < piece.length; at++) {
    while (length > 0 && piece[at] !== piece[length]) length = borders[length - 1] ?? 0;
    if (piece[at] === piece[length]) length++;
    borders[at] = length;
  }
  return borders;
}
