import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { EVENTS } from "../catalogue/events.ts";
import { compileMatcher } from "./matcher.ts";
import { deadServerMatchers } from "./planner.ts";
import { sampleHook } from "./sample-hook.test-suite.ts";

const TOOL = EVENTS.PreToolUse.matcher ?? undefined;
const FILE = EVENTS.FileChanged.matcher ?? undefined;
const ERROR = EVENTS.StopFailure.matcher ?? undefined;

describe("a matcher", () => {
  test.each([
    [undefined, "Bash", true],
    ["", "Bash", true],
    ["*", "Bash", true],
    ["Bash", "Bash", true],
    ["Bash", "BashOutput", false],
    ["bash", "Bash", false],
    ["Bash|Edit", "Edit", true],
    ["Bash, Edit", "Edit", true],
    [" Bash | Edit ", "Bash", true],
    ["Bash|Edit", "Bash|Edit", false],
    ["general-purpose", "general-purpose", true],
    ["mcp__memory", "mcp__memory__read", false],
    ["mcp__memory__.*", "mcp__memory__read", true],
    ["Bash.*", "xBashOutput", true],
    ["^Bash$", "Bash", true],
    ["^Bash$", "BashOutput", false],
    [".*", "Bash", true],
    ["Bash(git *)", "Bash", false],
    ["Bash(", "Bash(", false],
    ["^(?!Bash$)", "Bash", false],
    ["^(?!Bash$)", "Edit", true],
    ["(.)\\1", "Bookkeeper", true],
    ["(.)\\1", "Bash", false],
  ])("%j on %j: %j", (matcher, query, expected) => {
    expect(compileMatcher(matcher, TOOL).matches(query)).toBe(expected);
  });

  test.each([
    ["Task", "Agent", true],
    ["^Task$", "Agent", true],
    ["Agent", "Task", true],
    ["^Agent$", "Task", true],
    ["Task", "Task", true],
    ["Task", "TaskCreate", false],
  ])("knows former names of tools: %j on %j", (matcher, query, expected) => {
    expect(compileMatcher(matcher, TOOL).matches(query)).toBe(expected);
  });

  test("former names are names of tools only", () => {
    expect(compileMatcher("Task", EVENTS.SubagentStop.matcher ?? undefined).matches("Agent")).toBe(false);
  });

  test.each([
    ["a_1|b", "a_1", true],
    [".env", ".env", true],
    [".env", "xenv", true],
    ["package-lock", "package-lock.json", true],
    ["a, b", "b", false],
    ["a, b", "xa, bx", true],
  ])("of files has the narrow list: %j on %j", (matcher, query, expected) => {
    expect(compileMatcher(matcher, FILE).matches(query)).toBe(expected);
  });

  test.each([
    ["docs/notes.txt", "/p/docs/notes.txt", true],
    ["docs/notes.txt", "docs/notes.txt", true],
    ["docs/notes.txt", "/p/mydocs/notes.txt", false],
    ["docs/notes.txt", "/p/notes.txt", false],
    ["docs/notes.txt", "/p/docs/notesXtxt", false],
    ["./docs/notes.txt", "/p/docs/notes.txt", true],
    ["../other/./notes.txt", "/p/other/notes.txt", true],
    ["/etc/hosts", "/etc/hosts", true],
    ["/etc/hosts", "/p/etc/hosts", false],
    ["a.txt | docs/notes.txt", "/p/docs/notes.txt", true],
    ["a.txt|docs/notes.txt", "/p/docs/a.txt", true],
    ["notes", "/p/notes", true],
    ["notes", "/notes/other", false],
  ])("of files is compared with the name, a part of it that is a path with the path: %j on %j", (matcher, query, expected) => {
    expect(compileMatcher(matcher, FILE).matches(query)).toBe(expected);
  });

  test("of errors has the narrow list", () => {
    expect(compileMatcher("rate_limit|overloaded", ERROR).matches("overloaded")).toBe(true);
    expect(compileMatcher("rate_limit, overloaded", ERROR).matches("overloaded")).toBe(false);
  });

  test("that is an invalid pattern is of the kind that never matches", () => {
    expect(compileMatcher("Bash[", TOOL).kind).toBe("never");
  });
});

test("an exact list matches if and only if a trimmed member is the query", () => {
  const name = fc.stringMatching(/^[A-Za-z0-9_-]{1,6}$/);
  const blank = fc.constantFrom("", " ", "  ");
  const members = fc.array(fc.tuple(blank, name, blank), { minLength: 1, maxLength: 6 });
  fc.assert(
    fc.property(members, fc.constantFrom("|", ","), name, (parts, separator, other) => {
      const matcher = parts.map((part) => part.join("")).join(separator);
      const names = parts.map(([, middle]) => middle);
      for (const query of [...names, other, `${other}x`]) expect(compileMatcher(matcher).matches(query)).toBe(names.includes(query));
    }),
  );
});

describe("a matcher for a tool of an MCP server, once the servers are connected", () => {
  const tools = ["mcp__gh__push", "mcp__gh__list_issues", "mcp__jira__create"];
  const servers = { tools, connected: ["gh", "jira"], missing: ["late"] };
  const deadOf = (matcher: string) => deadServerMatchers([sampleHook("a", { matcher })], servers)[0];

  test.each(["mcp__gh__push", "mcp__gh__.*", "mcp__.*__push", "mcp__gh__*", "Bash", ".*", "^mcp__", "mcp__late__anything", "no_such_tool"])(
    "%s is left alone",
    (matcher) => {
      expect(deadOf(matcher)).toBeUndefined();
    },
  );

  test.each([
    ["mcp__gh__psuh", 'Did you mean "mcp__gh__push"?'],
    ["Bash|mcp__gh__psuh", 'has "mcp__gh__psuh", which matches no tool'],
    ["^mcp__gh__psuh$", 'Did you mean "mcp__gh__push"?'],
    ["mcp__github__push", 'Did you mean "mcp__gh__push"?'],
    ["push", 'Did you mean "mcp__gh__push"?'],
    ["gh/push", 'Did you mean "mcp__gh__push"?'],
    ["mcp:gh:push", 'Did you mean "mcp__gh__push"?'],
  ])("%s matches nothing, and what was meant is said", (matcher, cure) => {
    const dead = deadOf(matcher);
    expect(dead?.text).toContain(cure);
    expect(dead?.isCertain).toBe(true);
  });

  test.each([
    ["mcp__postgres__query", "Connected are gh, jira"],
    ["mcp__gh__delete_repository", '"gh" has mcp__gh__push, mcp__gh__list_issues.'],
    ["mcp__gh__delete_.*", '"gh" has mcp__gh__push, mcp__gh__list_issues.'],
  ])("%s is for what this session does without, which is no slip", (matcher, text) => {
    const dead = deadOf(matcher);
    expect(dead?.text).toContain(text);
    expect(dead?.isCertain).toBe(false);
  });
});
