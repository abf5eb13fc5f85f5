import type { SyntaxNode } from "unbash";
import type { Findings } from "./findings.ts";
import type { Place } from "./place.ts";

/** Hands the parts of the walk to each other. */
export interface Reader {
  readonly found: Findings;
  /** Reads text that a shell runs. */
  readScript(text: string, place: Place): void;
  /** Reads a node and what is in it. */
  readNode(node: SyntaxNode, place: Place): void;
}
