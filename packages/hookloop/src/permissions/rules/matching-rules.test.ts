import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { growth, processorMs } from "../../growth.test-suite.ts";
import { UNKNOWN } from "../../shell/types.ts";
import { callFacts } from "../call-facts.ts";
import { decide } from "../decide.ts";
import type { RuleList, RuleSet } from "../types.ts";
import { matchingRules } from "./matching-rules.ts";
import { readRules } from "./read-rules.ts";
import { coversText, mayCoverText, wildcardPieces } from "./rule-grammar.ts";

const root = "/srv/app";
const home = "/home/ada";

function rulesOf(lists: Partial<Record<RuleList, readonly string[]>>, directories: readonly string[] = []) {
  const texts = (list: RuleList) => (lists[list] ?? []).map((text) => ({ text }));
  const permissions = {
    allow: texts("allow"),
    ask: texts("ask"),
    deny: texts("deny"),
    additionalDirectories: directories.map((text) => ({ text })),
  };
  return readRules([{ scope: "user", root, isTrusted: true, permissions }], { home });
}

const decided = (rules: RuleSet, tool_name: string, tool_input: Readonly<Record<string, unknown>>) =>
  decide({ tool_name, tool_input, cwd: root }, rules, { root, home });

describe("wildcards", () => {
  /** The plain meaning, one letter at a time: what the fast way must agree with. */
  function slowly(pattern: string, text: string): boolean {
    if (pattern === "") return text === "" || (text[0] === UNKNOWN && slowly(pattern, text.slice(1)));
    if (text !== "" && text[0] === UNKNOWN && (slowly(pattern, text.slice(1)) || slowly(pattern.slice(1), text))) return true;
    if (pattern[0] === "*") return slowly(pattern.slice(1), text) || (text !== "" && slowly(pattern, text.slice(1)));
    return text !== "" && pattern[0] === text[0] && slowly(pattern.slice(1), text.slice(1));
  }
  const letters = (all: string, maxLength: number) => fc.string({ unit: fc.constantFrom(...all), maxLength });

  test("mean the same as trying every way", () => {
    fc.assert(
      fc.property(letters("ab*", 7), letters("ab", 8), (pattern, text) => {
        expect([pattern, text, coversText(wildcardPieces(pattern), text)]).toEqual([pattern, text, slowly(pattern, text)]);
      }),
      { numRuns: 2000 },
    );
  });

  test("on a text with unknown parts say whether it could fit", () => {
    fc.assert(
      fc.property(letters("ab*", 6), letters(`ab${UNKNOWN}`, 6), (pattern, text) => {
        expect([pattern, text, mayCoverText(wildcardPieces(pattern), text, UNKNOWN)]).toEqual([pattern, text, slowly(pattern, text)]);
      }),
      { numRuns: 2000 },
    );
  });

  test("a long piece is found wherever it is", () => {
    fc.assert(
      fc.property(letters("ab", 40), letters("ab", 60), letters("ab", 40), (piece, text, more) => {
        expect(coversText(["", piece, ""], text)).toBe(text.includes(piece));
        expect(coversText(["", piece, ""], text + piece + more)).toBe(true);
      }),
    );
  });

  test.each([
    ["many stars", `${"*a".repeat(2000)}*b`, "a"],
    ["a long piece that nearly fits everywhere", `*${"a".repeat(2000)}b*`, "a"],
  ])("%s take time in proportion to the text", (_, pattern, letter) => {
    const pieces = wildcardPieces(pattern);
    expect(growth((length) => coversText(pieces, letter.repeat(length)), 50_000, 200_000)).toBeLessThan(10);
  });
});

test("the rules that are tried are those that match", () => {
  const rule = fc.constantFrom(
    "Bash",
    "Bash(rm *)",
    "Bash(rm:*)",
    "Bash(git push *)",
    "Bash(* --force)",
    "Bash(/bin/rm *)",
    'Bash(echo "a b")',
    "Bash(*)",
    "Bash(timeout:5)",
    "Read(.env)",
    "Read(src/**)",
    "Read(*.ts)",
    "Read(//etc/passwd)",
    "Read(~/.ssh/**)",
    "Edit(src/*.ts)",
    "Edit(/dist/)",
    "Edit",
    "WebFetch(domain:example.com)",
    "mcp__srv",
    "mcp__srv__tool",
    "mcp__*",
    "Task",
    "*",
  );
  const call = fc.constantFrom<readonly [string, Readonly<Record<string, unknown>>]>(
    ["Bash", { command: "rm -rf x" }],
    ["Bash", { command: "sudo /bin/rm x && git -C . push --force" }],
    ["Bash", { command: "cat .env src/a.ts" }],
    ["Bash", { command: "$tool x" }],
    ["Bash", { command: "git $verb" }],
    ["Bash", { command: 'echo "a b"' }],
    ["Bash", { command: "echo 'broken" }],
    ["Bash", { command: "echo x > src/a.ts", timeout: 5 }],
    ["Bash", {}],
    ["Read", { file_path: "src/../.env" }],
    ["Read", { file_path: "/etc/passwd" }],
    ["Read", {}],
    ["Grep", { pattern: "x" }],
    ["Write", { file_path: "src/a.ts" }],
    ["NotebookEdit", { notebook_path: "dist/a" }],
    ["WebFetch", { url: "https://example.com/x" }],
    ["mcp__srv__tool", {}],
    ["Agent", {}],
  );
  fc.assert(
    fc.property(fc.uniqueArray(rule, { minLength: 1 }), call, fc.constantFrom<RuleList>("deny", "allow"), (texts, [tool, input], list) => {
      const rules = rulesOf({ [list]: texts }).rules[list];
      const facts = () => callFacts({ tool, input, cwd: root, root, home });
      const all = rules.filter((one) => one.matches(facts())).map(({ text }) => text);
      expect(matchingRules(rules, facts()).map(({ text }) => text)).toEqual(all);
    }),
    { numRuns: 1000 },
  );
});

describe("what is over a limit never loosens anything", () => {
  const many = (count: number, text: (at: number) => string): readonly string[] => Array.from({ length: count }, (_, at) => text(at));

  test.each([
    ["Bash", many(2001, (at) => `Bash(tool${at} *)`), [["Bash", { command: "ls" }]]],
    [
      "Read",
      many(2001, (at) => `Read(dir${at}/**)`),
      [
        ["Read", { file_path: "a.txt" }],
        ["Bash", { command: "cat a.txt" }],
      ],
    ],
    ["a path longer than any", [`Edit(${"a".repeat(5000)})`], [["Write", { file_path: "a.txt" }]]],
    ["very many tools", many(2200, (at) => `mcp__server${at}__*`), [["Bash", { command: "ls" }]]],
  ] as const)("deny and ask rules count for the whole tool: %s", (_, texts, calls) => {
    const { rules, diagnostics } = rulesOf({ deny: texts });
    expect(diagnostics.map(({ code }) => code)).toContain("HL_PERMISSION_TOO_MANY");
    for (const [tool, input] of calls) expect([tool, decided(rules, tool, input).decision]).toEqual([tool, "deny"]);
    const asking = rulesOf({ ask: texts }).rules;
    for (const [tool, input] of calls) expect([tool, decided(asking, tool, input).decision]).toEqual([tool, "ask"]);
  });

  test("allow rules and directories are left out, and the run says how many", () => {
    const allowing = rulesOf({ allow: many(2001, (at) => `Bash(tool${at} *)`) });
    expect(decided(allowing.rules, "Bash", { command: "tool1999 x" }).decision).toBe("allow");
    expect(decided(allowing.rules, "Bash", { command: "tool2000 x" }).decision).toBe("ask");
    expect(allowing.diagnostics).toMatchObject([{ code: "HL_PERMISSION_TOO_MANY", level: "error" }]);
    const { rules, diagnostics } = rulesOf(
      {},
      many(501, (at) => `../lib${at}`),
    );
    expect([rules.directories.length, diagnostics.length]).toEqual([500, 1]);
  });

  test("a call that costs too much to compare is denied, and the reason says so", () => {
    const { rules } = rulesOf({ deny: many(2000, (at) => `Read(**/*a*b*${at}x/**)`) });
    const command = many(500, (at) => `cat f${at}.txt`).join(";");
    const { decision, reason } = decided(rules, "Bash", { command });
    expect([decision, reason]).toEqual(["deny", expect.stringContaining("too much work")]);
  });

  test("thousands of mistakes are a few findings and a count", () => {
    const { diagnostics } = rulesOf({ deny: many(1500, (at) => `Bas${at}`) });
    expect(diagnostics).toHaveLength(21);
    expect(diagnostics.at(-1)?.text).toContain("1480 more");
  });
});

test.each([
  ["words", (at: number) => `Bash(tool${at} *)`],
  ["stars", (at: number) => `Bash(*a*b${at}*)`],
  ["many stars", (at: number) => `Bash(${"*a".repeat(40)}*b${at})`],
  ["long pieces", (at: number) => `Bash(*${"a".repeat(300)}b${at}*)`],
  ["paths", (at: number) => `Read(dir${at}/**)`],
])("%s: thirty thousand rules and a command of 6 kB are decided in a moment", (_, text) => {
  const deny = Array.from({ length: 30_000 }, (__, at) => text(at));
  const used = processorMs(() => {
    decided(rulesOf({ deny }).rules, "Bash", { command: `echo ${"a".repeat(6000)}` });
  });
  // Minutes before; some tenths of a second now.
  expect(used).toBeLessThan(10_000);
});
