import type { SyntaxNode } from "unbash";
import type { Span } from "../types.ts";
import type { Findings } from "./findings.ts";
import type { Place } from "./place.ts";

/** Hands the parts of the walk to each other. */
export interface Reader {
  readonly found: Findings;
  /** Reads text that a shell runs. */
  readScript(text: string, place: Place): void;
  /** Reads what code of another language starts, unless it was read before or there is too much of it; its doubts are noted apart. */
  readApart(what: { readonly text: string; readonly span: Span }, read: (apart: Reader) => void): void;
  /** Reads a node and what is in it. */
  readNode(node: SyntaxNode, place: Place): void;
}
