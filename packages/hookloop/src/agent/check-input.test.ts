import { describe, expect, test } from "vitest";
import { outputProblem } from "./toolbox.ts";

const BASH = { stdout: "new", stderr: "", interrupted: false };
const READ = { filePath: "x", content: "new", numLines: 1, startLine: 1, totalLines: 1 };
const WRITE = { type: "create", filePath: "x", content: "new", structuredPatch: [], originalFile: null };
const EDIT = {
  filePath: "x",
  oldString: "a",
  newString: "b",
  originalFile: null,
  structuredPatch: [],
  userModified: false,
  replaceAll: false,
};

describe("an output that a hook puts in the place of a tool's own", () => {
  test.each<readonly [string, string, unknown]>([
    ["Bash without optional fields", "Bash", BASH],
    ["Bash with all of them and one more", "Bash", { ...BASH, isImage: false, noOutputExpected: true, own: 1 }],
    ["Read", "Read", { type: "text", file: READ }],
    ["Write without userModified", "Write", WRITE],
    ["Edit", "Edit", EDIT],
    ["Glob", "Glob", { filenames: ["a"], durationMs: 1, numFiles: 1, truncated: false }],
    ["Grep without mode and content", "Grep", { filenames: ["a"], numFiles: 1 }],
    ["a tool whose shape was never measured, with all fields", "TodoWrite", { oldTodos: [], newTodos: [] }],
    ["a tool of a server", "mcp__server__tool", "anything"],
  ])("is used: %s", (_, name, given) => {
    const own = { oldTodos: [], newTodos: [] };
    expect(outputProblem({ name, inputSchema: name.startsWith("mcp") ? {} : undefined }, own, given)).toBeUndefined();
  });

  test.each<readonly [string, string, unknown, RegExp]>([
    ["a text", "Bash", "new", /expected object/],
    ["null", "Bash", null, /expected object/],
    ["a list", "Bash", [BASH], /expected object/],
    ["a missing field", "Bash", { stdout: "new", stderr: "" }, /^interrupted: /],
    ["a wrong type", "Bash", { ...BASH, stdout: 5 }, /^stdout: /],
    ["a wrong type of an optional field", "Bash", { ...BASH, isImage: "no" }, /^isImage: /],
    ["Read without its counts", "Read", { type: "text", file: { filePath: "x", content: "new" } }, /file\.numLines: /],
    ["another kind of file", "Read", { type: "image", file: { base64: "aGk=", type: "image/png" } }, /file\.filePath: /],
    ["Write without originalFile", "Write", { ...WRITE, originalFile: undefined }, /^originalFile: /],
    ["Edit without replaceAll", "Edit", { ...EDIT, replaceAll: undefined }, /^replaceAll: /],
    ["a tool whose shape was never measured, in part", "TodoWrite", { newTodos: [] }, /oldTodos/],
  ])("is not used, and what is wrong is said: %s", (_, name, given, words) => {
    expect(outputProblem({ name, inputSchema: undefined }, { oldTodos: [], newTodos: [] }, given)).toMatch(words);
  });
});
