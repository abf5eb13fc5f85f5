/** What the tables of spellings share. */

import { describe, expect, test } from "vitest";
import { assessCommand } from "./assess-command.ts";
import type { Risk } from "./rule.ts";

/** The rows of a table: one command in a line. */
export function rowsOf(table: string): readonly string[] {
  return table.split("\n").filter(Boolean);
}

export function riskHere(text: string): Risk {
  return assessCommand(text, { cwd: "/home/user/project", home: "/home/user" }).risk;
}

interface Spellings {
  readonly denied: string;
  readonly notAllowed: string;
  readonly allowed: string;
}

export function describeSpellings(name: string, { denied, notAllowed, allowed }: Spellings): void {
  describe(name, () => {
    test.each(rowsOf(denied))("%s is denied", (text) => {
      expect(riskHere(text)).toBe("deny");
    });

    test.each(rowsOf(notAllowed))("%s is not simply allowed", (text) => {
      expect(riskHere(text)).not.toBe("allow");
    });

    test.each(rowsOf(allowed))("%s is allowed", (text) => {
      expect(riskHere(text)).toBe("allow");
    });
  });
}
