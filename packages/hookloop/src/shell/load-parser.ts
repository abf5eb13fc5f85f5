import { createRequire } from "node:module";

type Parser = Pick<typeof import("unbash"), "parse" | "forEachChild">;

let parser: Parser | undefined;

/** The Bash parser. Loading costs 25 ms and most sessions have no condition on a command: required on first use, synchronously. */
export function loadParser(): Parser {
  parser ??= createRequire(import.meta.url)("unbash") as Parser;
  return parser;
}
