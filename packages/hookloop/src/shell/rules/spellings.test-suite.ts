/** What the tables of spellings share. */

import { assessCommand } from "./assess-command.ts";
import type { Risk } from "./rule.ts";

/** The rows of a table: one command in a line. */
export function rowsOf(table: string): readonly string[] {
  return table.split("\n").filter(Boolean);
}

export function riskHere(text: string): Risk {
  return assessCommand(text, { cwd: "/home/user/project", home: "/home/user" }).risk;
}
