import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { decide } from "../decide.ts";
import { readRules } from "./read-rules.ts";

/** However often a line names however many files, it is decided soon, and what was not compared counts as matching. */

let root: string;

beforeAll(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "hookloop-lines-")));
  for (let at = 0; at < 40; at++) {
    mkdirSync(join(root, `d${at}`, `e${at}`), { recursive: true });
    writeFileSync(join(root, `f${at}`), "one\n");
    writeFileSync(join(root, `d${at}`, "g"), "one\n");
  }
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

const many = <Item>(count: number, item: (at: number) => Item): readonly Item[] => Array.from({ length: count }, (_, at) => item(at));

/** The decision, and the milliseconds of the processor that it took: other tests run beside this one. */
function decided(deny: readonly string[], command: string) {
  const { rules, diagnostics } = readRules([{ scope: "user", root, isTrusted: true, permissions: { deny, allow: ["Bash"] } }]);
  const before = process.cpuUsage();
  const { decision, reason } = decide({ tool_name: "Bash", tool_input: { command }, cwd: root }, rules, { root, home: root });
  const { user, system } = process.cpuUsage(before);
  return { decision, reason, ms: (user + system) / 1000, diagnostics };
}

const LINES: readonly (readonly [string, string])[] = [
  ["cd into a pattern", `${"cd */*; ".repeat(500)}cat x`],
  ["cd into a variable", "cd $x; cat y; ".repeat(300)],
  ["patterns", "cat */*; ".repeat(500)],
  ["patterns in other folders", many(40, (at) => `cd d${at}; cat */* ../*/*; cd ..; `).join("")],
  ["lists", "find . -name x | xargs rm; ".repeat(150)],
  ["copies", "cp -r */* .; ".repeat(300)],
  ["patches", many(400, (at) => `cat f${at % 40} | git apply; git apply f${at % 40}; `).join("")],
  ["patches through groups", `${"{ cat; cat; cat; } | ".repeat(20)}git apply`],
];
const RULES: readonly (readonly [string, (at: number) => string])[] = [
  ["Read(secret/**)", (at) => `Read(secret${at}/**)`],
  ["Read(**/*a*b*)", (at) => `Read(**/*a*b${at}*)`],
  ["Edit(./secret/**)", (at) => `Edit(./secret${at}/**)`],
];

describe.each(RULES)("forty rules such as %s", (_, rule) => {
  test.each(LINES)("%s", (_name, line) => {
    const { ms, decision, reason } = decided(many(40, rule), line);
    expect(ms).toBeLessThan(2500);
    if (decision === "deny" && reason.includes("too much work")) expect(reason).toContain("count as matching");
  });
});

describe("a rule with many braces", () => {
  test("that stand for more paths than are written out counts for any name there, and says so", () => {
    const rule = `Read(keys/${"{a,b}".repeat(40)})`;
    const { decision, diagnostics } = decided([rule], "cat keys/x");
    expect([decision, diagnostics.map(({ code }) => code)]).toEqual(["deny", ["HL_PERMISSION_BAD_RULE"]]);
    expect(decided([rule], "cat other/x").decision).toBe("allow");
    expect(decided([`Bash(${"{a,b}".repeat(40)} *)`], "anything x").decision).toBe("deny");
  });

  test("nested forty deep is decided soon", () => {
    const rule = `Read(${"{a,".repeat(40)}b${"}".repeat(40)})`;
    const { ms, decision } = decided([rule], "cat x");
    expect([decision, ms < 1000]).toEqual(["allow", true]);
    expect(decided([rule], "cat a").decision).toBe("deny");
    expect(decided([rule], `${"cd */*; ".repeat(500)}cat x`).ms).toBeLessThan(2500);
  });
});
