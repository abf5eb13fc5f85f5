import { describe, expect, test } from "vitest";
import { createDialects } from "../../dialects/index.ts";
import { readDocument } from "./read-document.ts";

/** What is said about a hook with this `if`, under the matcher of its tool if no other is given. */
function said(condition: string, fields: Readonly<Record<string, unknown>> = {}, [tool = ""] = condition.split("(")): readonly string[] {
  const hook = { type: "command", command: "x", if: condition, ...fields };
  const text = JSON.stringify({ hooks: { PreToolUse: [{ matcher: tool, hooks: [hook] }] } });
  const source = { scope: "project", dialect: "native", file: "/p/hooks.json", root: "/p" } as const;
  return readDocument({ source, dialects: createDialects(), text }).diagnostics.map(({ code, text: found }) => `${code}: ${found}`);
}

describe("an `if`", () => {
  test.each([
    ["Bash(.*deploy.*)", '"Bash(*deploy*)"'],
    ["Bash(/deploy/)", '"Bash(*deploy*)"'],
    ["Bash(\\bdeploy\\b)", '"Bash(*deploy*)"'],
    ["Bash(touch .*)", '"Bash(touch *)"'],
    ["Bash(touch.*deploy)", "with * for any text"],
    ["Bash(touch+)", '"Bash(touch *)"'],
    ["Bash(git push.*)", '"Bash(git push *)"'],
    ["Bash(^touch)", '"Bash(touch *)"'],
    ["Bash(touch .+)", "with * for any text"],
    ["Bash(deploy$)", '"Bash(deploy *)"'],
    ["Bash([rR]m -rf *)", "with * for any text"],
    ["Edit(.*env.*)", "with * for any text"],
  ])("written as a regular expression (%s) is said to match nothing, and what to write", (condition, cure) => {
    expect(said(condition)).toEqual([expect.stringMatching(/^HL_CONFIG_MATCHER_NEVER: .*no regular expression/)]);
    expect(said(condition)[0]).toContain(cure);
  });

  test.each([
    ['Bash("touch *")', 'Write "Bash(touch *)".'],
    ["Bash(command:touch *)", 'Write "Bash(touch *)".'],
    ["Bash(git  push *)", 'Write "Bash(git push *)".'],
    ["Edit(**/*.{ts,js})", 'Write "Edit(**/*.ts)" or "Edit(**/*.js)".'],
    ["Edit(path: src/**)", 'Write "Edit(src/**)".'],
    ["Edit($HOME/.ssh/**)", 'Write "Edit(~/.ssh/**)".'],
  ])("with a slip of permission rules (%s) is said to match nothing", (condition, cure) => {
    expect(said(condition)).toEqual([expect.stringMatching(/^HL_CONFIG_MATCHER_NEVER: .*matches no call/)]);
    expect(said(condition)[0]).toContain(cure);
  });

  test.each([
    ["Bash(git push)", 'matches only exactly "git push", without another word. Did you mean "Bash(git push *)"?'],
    ["Bash(touch %s)", 'Did you mean "Bash(touch *)"?'],
    ["Bash(touch %)", 'Did you mean "Bash(touch *)"?'],
    ["Edit(/etc/hosts)", 'Write "Edit(//etc/hosts)" if you mean that.'],
  ])("of a guard that fits only %s is said, and still counts", (condition, cure) => {
    for (const guard of [{ guard: true }, { onFailure: "block" }]) {
      expect(said(condition, guard)).toEqual([expect.stringContaining(cure)]);
      expect(said(condition, guard)[0]).toMatch(/^HL_CONFIG_CONDITION_NARROW: /);
    }
    expect(said(condition)).toEqual([]);
  });

  test.each([
    ["Edit(.env)", "Write, MultiEdit, NotebookEdit"],
    ["Edit", "Write, MultiEdit, NotebookEdit"],
    ["Read(.env)", "Glob, Grep"],
  ])("of a guard for every tool that names %s is said not to cover %s, as a permission rule would", (condition, others) => {
    const found = new RegExp(`^HL_CONFIG_CONDITION_NARROW: .*does not cover ${others}`);
    expect(said(condition, { guard: true }, ["*"])).toEqual([expect.stringMatching(found)]);
    expect(said(condition, { guard: true })).toEqual([]);
    expect(said(condition, {}, ["*"])).toEqual([]);
  });

  test.each([
    "Bash(rm .*)",
    "Bash(rm -rf .*)",
    "Bash(cat config.*)",
    "Bash(python3.* *)",
    "Bash(g++ *)",
    "Bash(rm *)",
    "Bash(*deploy*)",
    "Bash(git push *)",
    "Bash(git push:*)",
    "Bash(./deploy.sh *)",
    "Bash([ -f * ])",
    'Bash(grep -E "a.*b" *)',
    "Bash(sed s/.*/x/ *)",
    "Edit(src/**)",
    "Read(.*)",
    "Read(.*.swp)",
    "Write(**/*.ts)",
    "WebFetch(domain:example.com)",
    "mcp__github__create_issue",
  ])("as %s is fine, also of a guard", (condition) => {
    expect(said(condition, { guard: true })).toEqual([]);
  });
});

test.each([
  ["BeforeToolUse", "Bash", '"PreToolUse"'],
  ["PreToolUse", "!Write", '"^(?!Write$)"'],
])("%s with the matcher %s is told what to write", (event, matcher, cure) => {
  const text = JSON.stringify({ hooks: { [event]: [{ matcher, hooks: [{ type: "command", command: "x" }] }] } });
  const source = { scope: "project", dialect: "claude", file: "/p/settings.json", root: "/p" } as const;
  expect(readDocument({ source, dialects: createDialects(), text }).diagnostics.map((one) => one.text)).toEqual([
    expect.stringContaining(cure),
  ]);
});
