type Lex = (text: string) => Iterable<string>;

/** Collections inside each other in flow form, and indicators in a row (`- - - x`) in block form. */
const MAX_NESTED = 64;
/** Block collections nest by columns; more than this is no frontmatter. */
const MAX_INDENT = 200;
const CLOSERS: Readonly<Record<string, string>> = { "[": "]", "{": "}" };
const INDICATORS = ["-", "?", ":"];

/**
 * Whether a text nests too deep for the YAML parser, found from its tokens, without recursion.
 * SECURITY: the parser is recursive, and at some thousand levels it does not throw: Node itself aborts (measured, Node 20, yaml 2.9.1).
 */
export function isYamlTooDeep(text: string, lex: Lex): boolean {
  // A block collection inside another needs a column, so indentation bounds them all.
  if (longestIndent(text) > MAX_INDENT) return true;
  const open: string[] = [];
  let run = 0;
  for (const token of lex(text)) {
    const closer = CLOSERS[token];
    if (closer !== undefined) open.push(closer);
    else if (token === open.at(-1)) open.pop();
    if (INDICATORS.includes(token)) run++;
    else if (token.trim() !== "") run = 0;
    if (open.length > MAX_NESTED || run > MAX_NESTED) return true;
  }
  return false;
}

function longestIndent(text: string): number {
  const indents = text.match(/^(?:[ \t]|[-?:](?=[ \t]))+/gm) ?? [];
  return indents.reduce((longest, { length }) => Math.max(longest, length), 0);
}
