import { describe, expect, test } from "vitest";
import { callText, createShorten, endLines, firstLines, shownResult } from "./call-text.ts";

test.each([
  ["Bash", { command: "npm test", description: "Run" }, "Bash  npm test"],
  ["Bash", { command: "npm test", run_in_background: true }, "Bash in the background  npm test"],
  ["Agent", { description: "look", prompt: "x", run_in_background: true }, "Agent in the background  look"],
  ["Grep", { pattern: "price", path: "src", output_mode: "content" }, 'Grep  "price" in src'],
  ["Grep", { pattern: "price" }, 'Grep  "price"'],
  ["Glob", { pattern: "**/*.ts", path: "src" }, "Glob  **/*.ts in src"],
  ["SendMessage", { to: "bob", message: "hello" }, "SendMessage  to bob: hello"],
  ["SendMessage", { to: "bob", message: { type: "shutdown_request" } }, "SendMessage  to bob: please stop"],
  [
    "SendMessage",
    { to: "team-lead", message: { type: "shutdown_response", approve: false, reason: "busy" } },
    "SendMessage  to team-lead: I go on: busy",
  ],
  ["Teammate", { name: "bob", prompt: "list the files" }, "Teammate  bob: list the files"],
  ["TaskUpdate", { taskId: "1", status: "in_progress" }, "TaskUpdate  #1: in progress"],
  ["TaskUpdate", { taskId: "2", addBlockedBy: ["1"] }, 'TaskUpdate  #2: addBlockedBy ["1"]'],
  [
    "TodoWrite",
    {
      todos: [
        { content: "a", status: "completed" },
        { content: "b", status: "pending" },
      ],
    },
    "TodoWrite  a (completed); b",
  ],
  ["TaskList", {}, "TaskList"],
  ["ExitPlanMode", { plan: "1. write it\n2. test it" }, "ExitPlanMode  1. write it\n2. test it"],
  ["EnterWorktree", { name: "fix" }, "EnterWorktree  fix"],
  ["EnterWorktree", {}, "EnterWorktree  a new one"],
  ["ExitWorktree", { action: "remove", name: "fix", discard: true }, "ExitWorktree  remove fix, and discard what is not committed"],
  // What is not known is shown whole.
  ["mcp__forge__issue", { title: "x", labels: ["a"] }, 'mcp__forge__issue  {"title":"x","labels":["a"]}'],
  ["SendMessage", { message: "hello" }, 'SendMessage  {"message":"hello"}'],
])("%s %j is %j", (name, input, text) => {
  expect(callText({ name, input })).toBe(text);
});

describe("what is shown of a result", () => {
  const shorten = createShorten({ cwd: "/w", home: undefined });

  test("numbers of lines stand below each other, and the end of the last line is no line", () => {
    const file = Array.from({ length: 10 }, (_, at) => `${at + 1}\tx`).join("\n");
    const shown = shownResult("Read", `${file.replace("10\tx", "10\ty")}\n11\t`, shorten).split("\n");
    expect(shown).toHaveLength(10);
    expect(shownResult("Read", "9\ta\n10\tb\n11\t", shorten)).toBe(" 9\ta\n10\tb");
    expect(firstLines(shownResult("Read", `${file}\n11\t`, shorten), 6).at(-1)).toBe("… 4 more lines");
  });

  test("files of the project have short names; what stands in them is kept", () => {
    expect(shownResult("Glob", "/w/a.js\n/other/b.js\n(2 more)", shorten)).toBe("a.js\n/other/b.js\n(2 more)");
    expect(shownResult("Grep", "/w/a.js:1:see /w/b.js\n/w/c.js:2:", shorten)).toBe("a.js:1:see /w/b.js\nc.js:2:");
    expect(shownResult("Bash", "/w/a.js", shorten)).toBe("/w/a.js");
  });

  test("of what failed the end is shown, and the exit code", () => {
    const output = Array.from({ length: 20 }, (_, at) => `line ${at + 1}`).join("\n");
    expect(endLines(`Exit code 1\n${output}`, 4)).toEqual(["Exit code 1", "… 17 lines before", "line 18", "line 19", "line 20"]);
    expect(endLines("Exit code 1\nno", 4)).toEqual(["Exit code 1", "no"]);
  });
});
