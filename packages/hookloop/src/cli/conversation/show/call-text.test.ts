import { expect, test } from "vitest";
import { callText } from "./call-text.ts";

test.each([
  ["Bash", { command: "npm test", description: "Run" }, "Bash  npm test"],
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
