import { createScanner } from "jsonc-parser";
import { MAX_DEPTH } from "./limits.ts";

/** What one pass over the tokens finds before anything is parsed. */
export interface TextScan {
  /** Where the text goes deeper than allowed. */
  readonly tooDeepAt?: number | undefined;
  /** The first thing that JSON itself does not have. */
  readonly firstExtension?: { readonly offset: number; readonly what: "comment" | "trailing comma" } | undefined;
}

// The token kinds of jsonc-parser; its own names are a const enum, which one-file compilers cannot read.
const OPENERS: Readonly<Record<number, number>> = { 1: 2, 3: 4 };
const CLOSERS = [2, 4];
const COMMA = 5;
const COMMENTS = [12, 13];
const TRIVIA = [12, 13, 14, 15];
const END_OF_FILE = 17;

/**
 * Finds depth and extensions without recursion.
 * SECURITY: jsonc-parser is recursive and overflows the stack at some thousand levels; this pass comes first.
 */
export function scanText(text: string): TextScan {
  const scanner = createScanner(text, false);
  const open: number[] = [];
  let firstExtension: TextScan["firstExtension"];
  let comma: number | undefined;
  for (let token: number = scanner.scan(); token !== END_OF_FILE; token = scanner.scan()) {
    const offset = scanner.getTokenOffset();
    if (COMMENTS.includes(token)) firstExtension ??= { offset, what: "comment" };
    if (TRIVIA.includes(token)) continue;
    if (comma !== undefined && CLOSERS.includes(token)) firstExtension ??= { offset: comma, what: "trailing comma" };
    comma = token === COMMA ? offset : undefined;
    const closer = OPENERS[token];
    if (closer !== undefined) open.push(closer);
    // A closer that does not fit closes nothing: the parser would not go up either.
    else if (token === open.at(-1)) open.pop();
    if (open.length > MAX_DEPTH) return { tooDeepAt: offset, firstExtension };
  }
  return { firstExtension };
}
